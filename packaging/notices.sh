#!/bin/sh
# Prints the licences of all that is linked into the executable for target $1: of each crate the
# files that its package bears, word for word; of what Rust's toolchain adds, of tables, and of
# crates whose packages bear none, those in licences/.
#
# Reads the crates' sources where Cargo has unpacked them to build, so it takes no other tool, and
# is never out of date.
set -eu
unset CDPATH
cd "$(dirname "$0")/.."

target=${1:?the target is missing}
sources=${CARGO_HOME:-${HOME-}/.cargo}/registry/src
own=packaging/licences
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

die() {
    printf 'notices.sh: %s\n' "$*" >&2
    exit 1
}

# The crates that are linked and not our own, one a line: name, version, licence. Macros run in the compiler alone.
cargo tree --locked --package ikigai-tools --target "$target" --edges normal,no-proc-macro --prefix none --format '{p}|{l}' |
    sed -e 's/ (\*)$//' -e '/^ikigai-tools /d' -e '/^iki-/d' -e 's/ v\([^ |]*\)/ \1/' | LC_ALL=C sort -u >"$room/crates"
[ -s "$room/crates" ] || die "cargo tree names no crates"

# Adds file $2 of what $1 names. What differs in blanks alone is one text.
add() {
    key=$(tr -d '[:space:]' <"$2" | sha256sum)
    key=${key%% *}
    [ -f "$room/$key" ] || {
        cp "$2" "$room/$key"
        echo "$key" >>"$room/order"
    }
    printf '%s\n' "$1" >>"$room/$key.names"
}

add 'The Rust standard library' $own/rust-std.txt
add 'musl, the C library' $own/musl.txt
add 'Tables of glyphs by Adobe' $own/adobe.txt
while IFS='|' read -r crate licence; do
    name=${crate%% *} version=${crate#* }
    directory=''
    for found in "$sources"/*/"$name-$version" "vendor/$name-$version" "vendor/$name"; do
        [ ! -d "$found" ] || directory=$found
    done
    [ -n "$directory" ] || die "the source of $crate is not in $sources: cargo fetch --locked"
    find "$directory" \( -name tests -o -name benches \) -prune -o -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' \
        -o -iname 'copyright*' -o -iname 'notice*' -o -iname 'unlicen[cs]e*' \) ! -name '*.rs' -print |
        LC_ALL=C sort >"$room/files"
    [ -s "$room/files" ] || [ ! -f "$own/$name.txt" ] || echo "$own/$name.txt" >"$room/files"
    [ -s "$room/files" ] || die "$crate ($licence) bears no licence's text: add $own/$name.txt"
    while IFS= read -r file; do add "$crate: ${file#"$directory/"}" "$file"; done <"$room/files"
done <"$room/crates"

line='========================================================================'
cat <<TEXT
ikigai-tools is under the GNU General Public License, version 3 or later, whose text is in the file LICENSE.
Linked into its executable are the Rust standard library, musl, tables of glyphs by Adobe, and these crates:

$(sed 's/^\([^|]*\)|\(.*\)/  \1: \2/' "$room/crates")

What they bear follows, each text once, below the names of all that bear it.
TEXT
while IFS= read -r key; do
    printf '\n%s\n' "$line"
    cat "$room/$key.names"
    printf '%s\n\n' "$line"
    tr -d '\r' <"$room/$key"
    echo
done <"$room/order"
