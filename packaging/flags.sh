# shellcheck shell=sh disable=SC2034  # read by install.sh and the scripts beside this one
# How the executable that is installed and packed gets compiled. To be sourced, and its functions
# called in the checkout.

# Linked statically and at a fixed address, it starts soonest.
static_flags='-C target-feature=+crt-static -C relocation-model=static'

# Prints the value for CARGO_ENCODED_RUSTFLAGS: the user's own flags, those in $1, and for each
# directory of this machine what the executable names in its stead, so that it tells nobody who
# built it, and is the same wherever it is built. $2 is the target directory.
encoded_flags() {
    printf '%s' "$(all_flags "$1" "$2")" | tr '\n' '\037'
}

# The same, a line each.
all_flags() {
    set -f
    # shellcheck disable=SC2086  # flags, a word each
    if [ -n "${CARGO_ENCODED_RUSTFLAGS-}" ]; then
        printf '%s\n' "$CARGO_ENCODED_RUSTFLAGS" | tr '\037' '\n'
        set -- "$2" $1
    else
        set -- "$2" ${RUSTFLAGS-} $1
    fi
    set +f
    target_directory=$1
    shift
    [ $# = 0 ] || printf '%s\n' "$@"

    # Of several that fit, the compiler takes the last.
    mkdir -p "$target_directory"
    remap "$target_directory" target
    remap . ''
    cargo_home=${CARGO_HOME:-${HOME-}/.cargo}
    remap "$cargo_home" cargo
    for registry in "$cargo_home"/registry/src/*; do remap "$registry" ''; done
    sysroot=$(rustc --print sysroot)
    remap "$sysroot" rust
    # Its own code bears this name in the standard library as it comes, which the source beside it
    # would otherwise replace.
    commit=$(rustc -vV | sed -n 's/^commit-hash: //p')
    remap "$sysroot/lib/rustlib/src/rust" "/rustc/$commit"
}

# Prints that $2 stands for the directory $1, by whichever of its names the compiler gets to know
# it.
remap() {
    [ -d "$1" ] || return 0
    logical=$(cd "$1" && pwd -L)
    physical=$(cd "$1" && pwd -P)
    printf '%s\n' "--remap-path-prefix=$logical=$2"
    [ "$logical" = "$physical" ] || printf '%s\n' "--remap-path-prefix=$physical=$2"
}
