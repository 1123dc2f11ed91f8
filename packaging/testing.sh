# What the scripts that try packages have in common, which source it from the checkout's top: how
# they tell what they do and what they could not, the room that each has, and how they look for what
# was left behind.
# shellcheck shell=bash

# shellcheck disable=SC2034  # they are for whoever sources this
program=ikigai-tools version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

step() { printf -- '--> %s\n' "$*"; }

fail() {
    printf 'failed: %s\n' "$*" >&2
    exit 1
}

# What could not be tried here: a line of the file $untried, which packaging/test.sh shows at its
# end.
skip() {
    printf '    not tried: %s\n' "$*"
    printf '%s\n' "$*" >>"$untried"
}

has() { command -v "$1" >/dev/null; }

is_root() { [ "$(id -u)" = 0 ]; }

# Makes the room of the trial $1 below that of packaging/test.sh, which exports `packages` and
# `room`. Whoever calls a trial alone gets one that is nobody else's.
make_room() {
    if [ -z "${room-}" ]; then
        packages=$PWD/target/packages
        own_room=$(mktemp -d)
        room=$own_room
    fi
    untried=$room/untried
    room=$room/$1
    mkdir -p "$room"
}

remove_room() { rm -rf "$room" ${own_room:+"$own_room"}; }

# Registries have their bad moments.
three_times() {
    local try
    for try in 1 2 3; do
        "$@" && return 0
        sleep "$((try * 5))"
    done
    fail "three times: $*"
}

# All that lies in $1, so that before and after can be compared.
snapshot() { (cd "$1" && find . -printf '%p %y %l\n' | LC_ALL=C sort); }

# $1 is what was there, $2 what is there, $3 who was to leave no trace.
same() { [ "$1" = "$2" ] || fail "$3 leaves a trace: $(diff <(printf '%s\n' "$1") <(printf '%s\n' "$2"))"; }
