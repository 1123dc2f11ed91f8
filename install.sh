#!/bin/sh
# Finds the best build of ikigai-tools that this machine can make, and has it install itself where
# hosts look for tools. What goes where, and what is left alone, `ikigai-tools link` decides.
set -eu
umask 022
unset CDPATH

program=ikigai-tools

usage() {
    cat <<'END'
Usage: ./install.sh [OPTION]...

Builds ikigai-tools, or takes the one that an unpacked archive has, installs the binary and one
link per tool in PREFIX/libexec/ikigai, a link to ikigai-tools itself in PREFIX/bin, manual pages
and completions (bash, zsh, fish) in PREFIX/share, then asks each link for its schema to see that
it works. A file that is not its own is never overwritten or removed, and none is run that another
user may have put there.

  --prefix DIR     PREFIX; default ~/.local
  --user           into ~/.ikigai/tools instead, without PREFIX/bin and PREFIX/share
  --project [DIR]  into DIR/.ikigai/tools instead (default: here), likewise
  --research       links for the tools of research as well; they stay until --uninstall
  --suffix         every link's name ends in -tool, for hosts that register no other names
  --binary FILE    install FILE, a built ikigai-tools, instead of building one
  --uninstall      remove what was installed there (with --prefix, --user or --project, if it was
                   installed by that): links, binary, pages, and directories made for them
  --dry-run        say what would be done, and change nothing
  --help           this text

Environment: DESTDIR stands before every path, for packagers. CARGO_TARGET_DIR is where to build,
CC the C compiler. PREFIX is not read: give --prefix.
Exit codes: 0 done, 1 it could not be done or a tool does not answer, 2 wrong usage.
END
}

say() { printf '%s\n' "$*"; }

warn() { printf 'install.sh: %s\n' "$*" >&2; }

die() {
    warn "$@"
    exit 1
}

die_usage() {
    warn "$@"
    warn "see ./install.sh --help"
    exit 2
}

# ---- options ----

set_value() {
    [ -n "$2" ] || die_usage "$1 needs a value"
    case $1 in
        --prefix) set_place prefix "$2" ;;
        --project) set_place project "$2" ;;
        --binary) binary=$2 ;;
    esac
}

set_place() {
    [ -z "$place" ] || [ "$place" = "$1" ] || die_usage "--$place and --$1 exclude each other"
    place=$1 where=$2
}

parse_options() {
    place='' where='' binary='' suffix='' research='' uninstall=no dry_run=''
    while [ $# -gt 0 ]; do
        case $1 in
            --prefix=* | --binary=* | --project=*) set_value "${1%%=*}" "${1#*=}" ;;
            --prefix | --binary)
                set_value "$1" "${2-}"
                shift
                ;;
            --project)
                case ${2-} in
                    '' | -*) set_place project . ;;
                    *)
                        set_place project "$2"
                        shift
                        ;;
                esac
                ;;
            --user) set_place user '' ;;
            --suffix) suffix=--suffix ;;
            --research) research=--research ;;
            --uninstall) uninstall=yes ;;
            --dry-run) dry_run=--dry-run ;;
            --help | -h)
                usage
                exit 0
                ;;
            *) die_usage "unknown option: $1" ;;
        esac
        shift
    done
}

# ---- places ----

absolute() {
    case $1 in
        /*) printf '%s\n' "$1" ;;
        *) printf '%s\n' "$PWD/$1" ;;
    esac
}

# Sets `directory`, where the links are to be, and `installed`, where the program then is.
choose_places() {
    if [ "$place" = user ] || [ -z "$place" ]; then
        [ -n "${HOME-}" ] || die "HOME is not set; say where to install with --prefix DIR"
    fi
    case $place in
        user) directory=$(absolute "$HOME")/.ikigai/tools ;;
        project)
            [ -d "$where" ] || die "no such directory: $where"
            directory=$(cd "$(absolute "$where")" && pwd)/.ikigai/tools
            ;;
        *) directory=$(absolute "${where:-${HOME-}/.local}")/libexec/ikigai ;;
    esac
    destdir=''
    [ -z "${DESTDIR-}" ] || destdir=$(absolute "$DESTDIR")
    installed=$destdir$directory/$program
}

# Dies unless the links' directory is there and writable, or can be made: better now than after a
# build.
require_writable() {
    dir=$destdir$directory
    while [ ! -e "$dir" ] && [ ! -L "$dir" ]; do dir=$(dirname "$dir"); done
    [ -d "$dir" ] || die "$destdir$directory cannot be made: $dir is not a directory"
    if [ ! -w "$dir" ] || [ ! -x "$dir" ]; then
        die "$dir is not writable; choose another place with --prefix DIR, or become who may write there"
    fi
}

# ---- building ----

# Sees to all that must be on the machine before anything is fetched, so that a person hears of it
# at once.
require_build_tools() {
    rust=${CARGO_HOME:-${HOME-}/.cargo}/bin
    # HOME may be another user's, as sudo leaves it.
    if [ -d "$rust" ] && { [ "$(id -u)" != 0 ] || is_trusted "$rust"; }; then
        PATH=$PATH:$rust
        export PATH
    fi
    lacking=no
    for command in cargo rustc; do
        command -v $command >/dev/null || {
            warn "there is no $command on this machine.
Install Rust with   curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"
            lacking=yes
            break
        }
    done
    compiles_c || {
        warn "there is no C compiler that works on this machine: $complaint
Install one, with the headers and libraries of C that it needs:
  Debian, Ubuntu   apt install build-essential
  Fedora           dnf install gcc
  Alpine           apk add build-base
  Arch             pacman -S base-devel"
        lacking=yes
    }
    [ $lacking = no ] ||
        die "run ./install.sh again then, or install a program built elsewhere with ./install.sh --binary FILE"
}

# Whether a C program can be built that needs the C library's headers: Rust links with this
# compiler, and parts of the program are written in C. Sets `complaint` where it cannot.
compiles_c() {
    printf '#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n' >"$scratch/probe.c"
    # shellcheck disable=SC2086  # a command and perhaps options
    complaint=$(LC_ALL=C ${CC:-cc} -o "$scratch/probe" "$scratch/probe.c" 2>&1) && return 0
    complaint=$(printf '%s\n' "$complaint" | sed -n '/error: /{s/^.*error: //;p;q;}')
    if ! command -v "${CC:-cc}" >/dev/null; then
        complaint="${CC:-cc} is not there"
    elif [ -z "$complaint" ]; then
        complaint="${CC:-cc} fails"
    fi
    return 1
}

# Whether version $1 is at least version $2, by their first two numbers.
at_least() {
    minor=${1#*.}
    needed=${2#*.}
    [ "${1%%.*}" -gt "${2%%.*}" ] || {
        [ "${1%%.*}" -eq "${2%%.*}" ] && [ "${minor%%.*}" -ge "${needed%%.*}" ]
    }
}

check_rust() {
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$source/Cargo.toml")
    have=$(cd "$source" && rustc --version) || die "rustc does not run; see its message above"
    have=$(printf '%s\n' "$have" | sed 's/^rustc \([0-9.]*\).*/\1/')
    at_least "$have" "$wanted" ||
        die "Rust $wanted or newer is needed, this is $have: rustup update, or --binary FILE"
}

# Builds for target $1 with the compiler flags $2; sets `binary`.
build_for() {
    target_dir=${CARGO_TARGET_DIR:-$source/target}
    (
        cd "$source"
        flags=$(encoded_flags "$2" "$target_dir")
        CARGO_ENCODED_RUSTFLAGS=$flags \
            cargo build --release --locked --bin $program --target "$1" --target-dir "$target_dir"
    ) || return 1
    binary=$(cd "$source" && absolute "$target_dir")/$1/release/$program
    answers "$binary"
}

# Sees that the standard library for musl target $1 is there.
have_musl() {
    libraries=$(cd "$source" && rustc --print target-libdir --target "$1" 2>/dev/null) || return 1
    [ ! -d "$libraries" ] || return 0
    command -v rustup >/dev/null || return 1
    (cd "$source" && rustup target add "$1") && [ -d "$libraries" ]
}

# C parts of dependencies need a compiler. Where musl's own is missing the machine's does, without
# the checked functions that only its own C library has.
choose_c_compiler() {
    ! command -v musl-gcc >/dev/null || return 0
    ! command -v "${1%%-*}-linux-musl-gcc" >/dev/null || return 0
    name=$(printf '%s' "$1" | tr - _)
    if eval "[ -n \"\${CC_$name-}\" ]"; then return 0; fi
    for compiler in cc gcc clang; do
        if command -v $compiler >/dev/null; then
            export "CC_$name=$compiler" "CFLAGS_$name=-U_FORTIFY_SOURCE"
            return 0
        fi
    done
}

links_statically() {
    cc -static -o "$scratch/probe" "$scratch/probe.c" >/dev/null 2>&1
}

build_musl() {
    have_musl "$1" || return 1
    choose_c_compiler "$1"
    build_for "$1" "$static_flags"
}

build_static() { links_statically && build_for "$1" "$static_flags"; }

# The best build that this machine can make: what is linked statically and at a fixed address starts
# soonest.
build() {
    [ -f "$source/Cargo.toml" ] ||
        die "the source is not beside install.sh; install a built program with --binary FILE"
    # shellcheck source=packaging/flags.sh
    . "$source/packaging/flags.sh"
    require_build_tools
    check_rust
    host=$(rustc -vV | sed -n 's/^host: //p')
    musl=${host%%-*}-unknown-linux-musl
    say "building $program; a first build takes a few minutes"
    # What only other systems need is not fetched.
    (cd "$source" && cargo fetch --locked --target "$host") || die "the packages it is built from could not be fetched"
    if build_musl "$musl"; then
        say "built: static, musl ($musl)"
    elif warn "no static musl build here; next: static, with this machine's C library" && build_static "$host"; then
        say "built: static, this machine's C library ($host)"
    elif warn "no static build here; next: a plain one, which starts slower" && build_for "$host" ''; then
        say "built: plain release build ($host)"
    else
        die "it could not be built; see the messages above"
    fi
}

# ---- installing and removing ----

# True if nobody but this user and root may have put the file $1 there, or may change it or a
# directory on the way. Sets `real`, its name without links to directories, or else `objection`. No
# file in a prefix is run before this is known. In a sticky directory everybody's files are their
# own; many users, but not root, have a group of their own, of the same number.
is_trusted() {
    me=$(id -u)
    own=$me:$me
    [ "$me" != 0 ] || own=none
    objection="$1 cannot be looked at"
    real=$(cd -P "$(dirname "$1")" && pwd)/${1##*/} || return 1
    at=$real
    while :; do
        listed=$(LC_ALL=C ls -ldn "$at") || return 1
        # shellcheck disable=SC2086  # words, of which the first four count
        set -f && set -- $listed && set +f
        case $1:$3:$4 in
            d????????[tT]*) writable=no ;;
            ????????w*) writable=yes ;;
            # With an access control list these are the rights of others, not of the group.
            ?????w*+:*) writable=yes ;;
            ?????w*:"$own") writable=no ;;
            ?????w*) writable=yes ;;
            *) writable=no ;;
        esac
        if [ "$3" != 0 ] && [ "$3" != "$me" ]; then
            objection="$at belongs to user $3"
            return 1
        elif [ "$writable" = yes ]; then
            objection="$at may be changed by others ($1)"
            return 1
        fi
        [ "$at" != / ] || return 0
        at=$(dirname "$at")
    done
}

# Whether the file $1 is this program.
answers() {
    [ -f "$1" ] && [ -x "$1" ] || return 1
    case $("$1" --version 2>/dev/null </dev/null) in
        "$program "*) return 0 ;;
    esac
    return 1
}

# Whether the file $1 is this program, in a version that installs itself.
can_link() { answers "$1" && "$1" link --help >/dev/null 2>&1 </dev/null; }

check_binary() {
    [ -f "$binary" ] || die "no such file: $binary"
    [ -x "$binary" ] || die "$binary is not executable: chmod +x it"
    answers "$binary" || die "$binary is not $program for this machine: it does not answer --version as one"
}

# Dies if something else is in the program's place, or may be.
require_own_program() {
    if [ -e "$installed" ] && [ ! -L "$installed" ]; then
        is_trusted "$installed" ||
            die "$installed was not run to see whether it is this program: $objection. Where it is yours, see
that nobody else may change it; else move it away, and run this again. Nothing was changed"
        # No link leads anywhere else meanwhile.
        installed=$real
    fi
    if [ -L "$installed" ] || { [ -e "$installed" ] && ! answers "$installed"; }; then
        die "$installed is not this program; move it away first. Nothing was changed"
    fi
}

install() {
    scratch=$(mktemp -d) || die "no temporary directory could be made; see TMPDIR"
    require_writable
    require_own_program
    if [ -n "$binary" ]; then
        check_binary
    elif [ -z "$dry_run" ]; then
        build
    else
        require_build_tools
        say "would build $program, and install it in $destdir$directory with one link per tool"
        can_link "$installed" || return 0
        binary=$installed
    fi
    # shellcheck disable=SC2086  # an option or none, each
    PATH=$shell_path "$binary" link "$directory" --copy $suffix $research $dry_run </dev/null || exit 1
    [ -n "$dry_run" ] || see_links
}

# Sees that the links are there, whatever the program said of them.
see_links() {
    missing=0
    # shellcheck disable=SC2086  # an option or none
    for name in $("$binary" list $research </dev/null); do
        [ -z "$suffix" ] || name=${name%-tool}-tool
        [ ! -x "$destdir$directory/$name" ] || continue
        say "  $name FAILED: it is not there"
        missing=$((missing + 1))
    done
    [ "$missing" = 0 ] || die "$missing of the tools do not answer as they should"
}

# Has the installed program remove all, or where it cannot or is gone already, another one that is
# at hand.
remove() {
    require_own_program
    # Programs beside this script are trusted as the script itself is.
    for remover in "$installed" "$binary" "$packed" "$source"/target/*/release/"$program"; do
        if can_link "$remover"; then
            # shellcheck disable=SC2086  # an option or none
            exec "$remover" link "$directory" --copy --remove $dry_run </dev/null
        fi
    done
    [ ! -e "$installed" ] || die "$installed is of a version that cannot remove itself; name a newer one with --binary FILE"
    [ ! -e "$destdir$directory/.$program.directories" ] ||
        die "the program is gone, and not all else of it; name one with --binary FILE that removes the rest"
    say "there is no $program in $destdir$directory"
}

main() {
    parse_options "$@"
    if [ -n "${PREFIX-}" ] && [ -z "$place" ]; then
        warn "PREFIX=$PREFIX in the environment is not read; --prefix DIR says where, and the default is taken"
    fi
    source=$(cd -P "$(dirname "$0")" && pwd)
    shell_path=$PATH
    # An unpacked archive has the program, and no source.
    packed=$source/libexec/ikigai/$program
    [ -n "$binary" ] || [ -f "$source/Cargo.toml" ] || [ ! -f "$packed" ] || binary=$packed
    [ -z "$binary" ] || binary=$(absolute "$binary")
    choose_places
    if [ "$uninstall" = yes ]; then remove; else install; fi
}

scratch=''
trap '[ -z "$scratch" ] || rm -rf "$scratch"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
main "$@"
