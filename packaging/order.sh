#!/bin/sh
# Writes order.ld anew: the functions that short calls run, so that the linker puts them beside one
# another.
#
# Builds the release unstripped and runs a short call of each local tool in it under valgrind's
# callgrind, which has to be there. To be done when calls have come to run other functions than are
# listed: names that are no longer there do no harm, and functions that are not listed stay where
# they are, so that calls only start slower.
set -eu
cd "$(dirname "$0")/.."

program=ikigai-tools
target=$(rustc -vV | sed -n 's/^host: \([^-]*\)-.*/\1-unknown-linux-musl/p')
target_dir=${CARGO_TARGET_DIR:-target}
if [ $# -gt 0 ]; then
    binary=$1
else
    binary=$target_dir/$target/release/$program
    # shellcheck source=packaging/flags.sh
    . packaging/flags.sh
    flags=$(encoded_flags "$static_flags" "$target_dir")
    CARGO_ENCODED_RUSTFLAGS=$flags cargo rustc --quiet --release --locked --bin $program --target "$target" \
        --target-dir "$target_dir" -- -C strip=none
fi
binary=$(realpath "$binary")

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
mkdir "$room/work"
printf 'one\ntwo\n' >"$room/work/text.txt"

# Runs the call with the arguments behind $2 of the tool $1, with the request $2.
call() {
    tool=$1 request=$2
    shift 2
    ln -sf "$binary" "$room/$tool"
    printf '%s' "$request" >"$room/request"
    valgrind --quiet --tool=callgrind --demangle=no --trace-children=no --callgrind-out-file="$room/calls.%p" \
        "$room/$tool" "$@" <"$room/request" >/dev/null 2>&1
}

text=$room/work/text.txt
call bash '{"command":"true"}'
call bash '{"command":"echo x; false"}'
call bash '' --schema
call file-read "{\"file_path\":\"$text\"}"
call file-edit "{\"file_path\":\"$text\",\"old_string\":\"two\",\"new_string\":\"three\"}"
call file-write "{\"file_path\":\"$room/work/new.txt\",\"content\":\"four\"}"
call grep "{\"pattern\":\"one\",\"path\":\"$room/work\"}"
call glob "{\"pattern\":\"**/*.txt\",\"path\":\"$room/work\"}"
call $program "{\"file_path\":\"$text\"}" mcp --call file-read --max-answer 40000 --within 599000

# A name's hash and its crate's change with each compiler, and a dollar has a meaning of its own.
general() {
    sed -E 's/17h[0-9a-f]{16}E.*$/17h*/; s/Cs[0-9A-Za-z]+_/Cs*_/g; s/\$/?/g; s/\.(llvm\.)?[0-9]+$/*/' | LC_ALL=C sort
}

for calls in "$room"/calls.*; do
    sed -n "s/^c*fn=([0-9]*) \(_[ZR][^']*\).*/\1/p" "$calls" | general | uniq
done | sort | uniq -c >"$room/runs"
nm --defined-only "$binary" | sed -n 's/^[^ ]* [tTwW] \(_[ZR]\)/\1/p' | general | uniq -c >"$room/families"
# The one that runs between a command's fork and its first program, where valgrind does not follow.
echo '     99 _ZN12ikigai_tools7sandbox6launch8start_it17h*' >>"$room/runs"
# What most calls run comes first. Of a generic function all instances have the same name here, and
# few of them are run: large families come last.
awk 'NR == FNR { size[$2] = $1; next } { print (size[$2] > 4 ? size[$2] : 0), 0 - $1, $2 }' "$room/families" "$room/runs" |
    LC_ALL=C sort -k1,1n -k2,2n -k3 | cut -d' ' -f3 >"$room/names"
{
    cat <<'END'
/* Functions that short calls run, so that they lie beside one another: the kernel maps an executable in pieces of 64 KiB,
 * as they are touched, and each takes as long as some thousand instructions. Written by order.sh. */
SECTIONS {
  .text.first : {
END
    sed 's/.*/    *(.text.& .text.unlikely.&)/' "$room/names"
    cat <<'END'
  }
}
INSERT BEFORE .text;
/* And all variables but the large rooms, which are named otherwise and come behind them. */
SECTIONS {
  .bss.first (NOLOAD) : { *(.bss .bss._*) }
}
INSERT BEFORE .bss;
END
} >packaging/order.ld
echo "packaging/order.ld: $(wc -l <"$room/names") functions"
