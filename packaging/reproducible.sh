#!/bin/bash
# Builds the packages twice and compares them byte for byte: here, and from a copy of the checkout
# in another directory, where another user builds with another home, another place for Cargo's files
# and, as root, another toolchain's directory.
#
# Usage: packaging/reproducible.sh   The checkout's own build is used where it is there already. Needs no network.
# Exit codes: 0 the same bytes, 1 not; what differs is named.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."

nobody=65534
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1700000000)}

step() { printf '\n==> %s\n' "$*"; }

# Copies directory $1 to $2, but for what the further arguments leave out.
copy() {
    local from=$1 to=$2
    shift 2
    mkdir -p "$to"
    tar -C "$from" "$@" -cf - . | tar -C "$to" -xf -
}

room=$(mktemp -d /var/tmp/ikigai-tools.XXXXXX)
trap 'rm -rf "$room"' EXIT
chmod 755 "$room"

step "here, as $(id -un)"
packaging/build.sh
cargo_home=${CARGO_HOME:-$HOME/.cargo}
sysroot=$(rustc --print sysroot)

step "in $room, as another user"
copy . "$room/another/checkout" --exclude=./target --exclude=./.git
copy target/tools/bin "$room/another/checkout/target/tools/bin"
mkdir -p "$room/home/elsewhere/cargo"
copy "$cargo_home/registry" "$room/home/elsewhere/cargo/registry" --exclude=./src
rust=$sysroot
as_another=(env)
if [ "$(id -u)" = 0 ]; then
    rust=$room/rust
    copy "$sysroot" "$rust" --exclude=./share/doc/rust/html --exclude=./lib/rustlib/src
    chown -R "$nobody:$nobody" "$room"
    as_another=(setpriv --reuid="$nobody" --regid="$nobody" --clear-groups env)
fi
# Nothing that an environment could tell goes along, but for the tools' places.
(
    cd "$room/another/checkout"
    "${as_another[@]}" -i PATH="$rust/bin:/usr/local/bin:/usr/bin:/bin" HOME="$room/home" USER=another LC_ALL=C.UTF-8 \
        TZ=Asia/Kathmandu CARGO_HOME="$room/home/elsewhere/cargo" CARGO_NET_OFFLINE=true CARGO_TERM_COLOR=never \
        SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" bash -c 'umask 077 && packaging/build.sh'
)

step "the same bytes"
same=yes
target=$(rustc -vV | sed -n 's/^host: \([^-]*\)-.*/\1-unknown-linux-musl/p')
compare() {
    if cmp -- "$1" "$2"; then
        printf 'the same  %s  %s\n' "$(sha256sum <"$1" | cut -c1-16)" "${1##*/}"
    else
        same=no
        printf 'DIFFERS   %s\n' "${1##*/}"
    fi
}
compare "${CARGO_TARGET_DIR:-target}/$target/release/ikigai-tools" \
    "$room/another/checkout/target/$target/release/ikigai-tools"
for file in target/packages/*; do
    [ ! -f "$file" ] || compare "$file" "$room/another/checkout/$file"
done
[ $same = yes ] || {
    echo 'two builds of the same source differ; see above' >&2
    exit 1
}
