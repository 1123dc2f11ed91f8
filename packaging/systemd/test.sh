#!/usr/bin/env bash
# Tries ikigai-tools.service: by systemd's own judgement of it, and then started, called, reloaded
# and stopped by a systemd of its own, in namespaces and over a copy of this machine's files that
# goes away (an overlay in memory). packaging/test.sh calls it.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=packaging/testing.sh
. packaging/testing.sh

# How much it may be exposed, of 10; below 2 systemd itself calls it fine.
exposure=15

make_room systemd
trap remove_room EXIT
mkdir -p "$room"/{out,lay}
unit=$PWD/packaging/systemd/ikigai-tools.service
binary=$packages/container/ikigai-tools

step "ikigai-tools.service"
[ -x "$binary" ] || fail "there is no $binary: run packaging/build.sh first"
has systemd-analyze || { skip "ikigai-tools.service: there is no systemd" && exit; }

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
    skip "the exposure of ikigai-tools.service: systemd-analyze is too old"
fi

# ---- as it runs ----

systemd=/lib/systemd/systemd
for need in python3 openssl ip; do
    has $need || { skip "ikigai-tools.service, started: there is no $need" && exit; }
done
[ "$(id -u)" = 0 ] || { skip "ikigai-tools.service, started: only by root" && exit; }
[ -x "$systemd" ] || { skip "ikigai-tools.service, started: there is no $systemd" && exit; }
# Installed by the .deb, where there is dpkg.
deb=
if has dpkg; then
    for file in "$packages"/*.deb; do [ ! -f "$file" ] || deb=$file; done
fi
export binary unit room systemd deb
export tried=$PWD/packaging/systemd/try.sh call=$PWD/packaging/clients/call.py
export version
timeout --signal KILL 120 unshare --pid --fork --kill-child --mount --uts --ipc --cgroup --net --propagation private \
    packaging/systemd/boot.sh </dev/null >"$room/booted" 2>&1 || true
if [ ! -e "$room/out/began" ]; then
    skip "ikigai-tools.service, started: no systemd boots here: $(tail -n 1 "$room/booted")" && exit
fi
[ -e "$room/out/ended" ] || fail "$(cat "$room/out/said")"
cat "$room/out/told"
