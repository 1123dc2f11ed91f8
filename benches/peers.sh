#!/bin/sh
# Gets what the benches compare with: Debian's programs, the newest ripgrep, from the registry of
# Rust, and two small C programs of our own, built into DIRECTORY.
#
# Usage: benches/peers.sh DIRECTORY
set -eu

directory=${1:?usage: benches/peers.sh DIRECTORY}
here=$(dirname "$0")

missing=
need() {
    command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}
need rg ripgrep
need fdfind fd-find
need grep grep
need sed sed
need find findutils
need cat coreutils
need curl curl
need cc gcc
if [ -n "$missing" ]; then
    if [ "$(id -u)" -ne 0 ]; then
        echo "peers.sh: missing packages; run as root: apt-get install$missing" >&2
        exit 1
    fi
    # One argument a package is wanted here.
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >&2
fi

mkdir -p "$directory"
for name in popen_copy glob3; do
    if [ -z "$(find "$directory/$name" -newer "$here/peers/$name.c" 2>/dev/null)" ]; then
        cc -O2 -o "$directory/$name" "$here/peers/$name.c"
    fi
done

ripgrep=15.2.0
if ! "$directory/ripgrep/bin/rg" --version 2>/dev/null | grep -q "^ripgrep $ripgrep"; then
    cargo install --locked --quiet --root "$directory/ripgrep" ripgrep@$ripgrep >&2
fi
