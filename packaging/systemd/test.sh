#!/usr/bin/env bash
# Tries ikigai-tools.service: by systemd's own judgement of it, and then started, called, reloaded and stopped by a
# systemd of its own, in namespaces and over a copy of this machine's files that goes away (an overlay in memory).
# packaging/test.sh calls it, with `packages` and `room`; what could not be tried is a line in $room/untried.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# How much it may be exposed, of 10; below 2 systemd itself calls it fine.
exposure=15

step() { printf -- '--> %s\n' "$*"; }

fail() {
    printf 'failed: %s\n' "$*" >&2
    exit 1
}

skip() {
    printf '    not tried: %s\n' "$*"
    printf '%s\n' "$*" >>"$untried"
    exit 0
}

has() { command -v "$1" >/dev/null; }

# Alone, without packaging/test.sh, it makes a room of its own.
if [ -z "${room-}" ]; then
    packages=$PWD/target/packages
    room=$(mktemp -d)
    own=$room
fi
untried=$room/untried
room=$room/systemd
trap 'rm -rf "$room" ${own:+"$own"}' EXIT
mkdir -p "$room"/{out,lay}
unit=$PWD/packaging/systemd/ikigai-tools.service
binary=$packages/container/ikigai-tools

step "ikigai-tools.service"
[ -x "$binary" ] || fail "there is no $binary: run packaging/build.sh first"
has systemd-analyze || skip "ikigai-tools.service: there is no systemd"

# ---- as it is written ----

# What it starts is not installed here.
sed "s,/usr/bin/ikigai-tools,$binary," "$unit" >"$room/ikigai-tools.service"
systemd-analyze verify --man=no "$room/ikigai-tools.service" >"$room/said" 2>&1 || fail "$(cat "$room/said")"
[ ! -s "$room/said" ] || fail "systemd-analyze verify: $(cat "$room/said")"
if systemd-analyze security --help | grep -q -- --offline; then
    systemd-analyze security --offline=yes --threshold=$exposure "$unit" >"$room/said" || fail "$(cat "$room/said")"
    sed -n 's/^→ /    /p' "$room/said"
else
    # Not of any version before 250.
    printf 'the exposure of ikigai-tools.service: systemd-analyze is too old\n' >>"$untried"
fi

# ---- as it runs ----

systemd=/lib/systemd/systemd
for need in python3 openssl ip; do has $need || skip "ikigai-tools.service, started: there is no $need"; done
[ "$(id -u)" = 0 ] || skip "ikigai-tools.service, started: only by root"
[ -x "$systemd" ] || skip "ikigai-tools.service, started: there is no $systemd"
# Installed by the .deb, where there is dpkg.
deb=
if has dpkg; then
    for file in "$packages"/*.deb; do [ ! -f "$file" ] || deb=$file; done
fi
export binary unit room systemd deb
export tried=$PWD/packaging/systemd/try.sh call=$PWD/packaging/clients/call.py
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
export version
timeout --signal KILL 120 unshare --pid --fork --kill-child --mount --uts --ipc --cgroup --net --propagation private \
    packaging/systemd/boot.sh </dev/null >"$room/booted" 2>&1 || true
[ -e "$room/out/began" ] || skip "ikigai-tools.service, started: no systemd boots here: $(tail -n 1 "$room/booted")"
[ -e "$room/out/ended" ] || fail "$(cat "$room/out/said")"
cat "$room/out/told"
