#!/bin/sh
# Builds ikigai-tools and lays it where hosts look for tools: one binary, one link per tool beside it.
set -eu
umask 022
unset CDPATH

program=ikigai-tools
record=.$program.directories
static_flags='-C target-feature=+crt-static -C relocation-model=static'

usage() {
    cat <<'END'
Usage: ./install.sh [OPTION]...

Builds ikigai-tools, lays the binary and one link per tool into PREFIX/libexec/ikigai and
ikigai-tools itself on PREFIX/bin, manual pages and completions (bash, zsh, fish) into
PREFIX/share, then calls each link to see that it works. A file that is not its own is never
overwritten or removed.

  --prefix DIR     PREFIX; default ~/.local
  --user           into ~/.ikigai/tools instead, nothing on a PATH
  --project [DIR]  into DIR/.ikigai/tools instead (default: here), nothing on a PATH
  --suffix         every link's name ends in -tool, for hosts that register no other names
  --binary FILE    lay FILE, a built ikigai-tools, instead of building one
  --uninstall      remove what was laid: its links, binary, pages, and directories made for them
  --dry-run        say what would be done, and change nothing
  --help           this text

Environment: DESTDIR stands before every path, for packagers. CARGO_TARGET_DIR is where to build, CC the
C compiler.
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

# Announces a change. Fails in a dry run, so that the change is not made.
change() {
    if [ "$dry_run" = yes ]; then
        say "would $1 $2"
        return 1
    fi
    say "$1 $2"
}

# ---- options ----

place=''
prefix=''
project=''
binary=''
suffix=no
uninstall=no
dry_run=no

set_place() {
    [ -z "$place" ] || [ "$place" = "$1" ] || die_usage "--$place and --$1 exclude each other"
    place=$1
}

require_value() {
    if [ "$2" -lt 2 ] || [ -z "$3" ]; then die_usage "$1 needs a value"; fi
}

parse_options() {
    while [ $# -gt 0 ]; do
        case $1 in
            --prefix | --binary)
                require_value "$1" $# "${2-}"
                set_value "$1" "$2"
                shift
                ;;
            --prefix=* | --binary=* | --project=*)
                require_value "${1%%=*}" 2 "${1#*=}"
                set_value "${1%%=*}" "${1#*=}"
                ;;
            --project)
                case ${2-} in
                    '' | -*) set_value --project . ;;
                    *)
                        set_value --project "$2"
                        shift
                        ;;
                esac
                ;;
            --user) set_place user ;;
            --suffix) suffix=yes ;;
            --uninstall) uninstall=yes ;;
            --dry-run) dry_run=yes ;;
            --help | -h)
                usage
                exit 0
                ;;
            *) die_usage "unknown option: $1" ;;
        esac
        shift
    done
}

set_value() {
    case $1 in
        --prefix)
            set_place prefix
            prefix=$2
            ;;
        --project)
            set_place project
            project=$2
            ;;
        --binary) binary=$2 ;;
    esac
}

# ---- places ----

absolute() {
    case $1 in
        /*) path=$1 ;;
        *) path=$PWD/$1 ;;
    esac
    while [ "${path%/}" != "$path" ]; do path=${path%/}; done
    printf '%s\n' "$path"
}

home() {
    [ -n "${HOME-}" ] || die "HOME is not set; say where to install with --prefix DIR"
    absolute "$HOME"
}

choose_places() {
    destdir=${DESTDIR-}
    [ -z "$destdir" ] || destdir=$(absolute "$destdir")
    bin_dir=''
    share_dir=''
    case $place in
        user) base=$(home)/.ikigai ;;
        project)
            [ -d "$project" ] || die "no such directory: $project"
            base=$(cd "$(absolute "$project")" && pwd)/.ikigai
            ;;
        *)
            if [ -n "$prefix" ]; then base=$(absolute "$prefix"); else base=$(home)/.local; fi
            bin_dir=$destdir$base/bin
            share_dir=$destdir$base/share
            ;;
    esac
    case $place in
        user | project) tools_dir=$destdir$base/tools ;;
        *) tools_dir=$destdir$base/libexec/ikigai ;;
    esac
    installed=$tools_dir/$program
}

# Dies unless directory $1 is there and writable, or can be made.
require_writable() {
    dir=$1
    while [ ! -e "$dir" ] && [ ! -L "$dir" ]; do dir=$(dirname "$dir"); done
    [ -d "$dir" ] || die "$1 cannot be made: $dir is not a directory"
    if [ ! -w "$dir" ] || [ ! -x "$dir" ]; then
        die "$dir is not writable; choose another place with --prefix DIR, or become who may write there"
    fi
}

# Makes directory $1 and its parents, remembering which were not there before.
make_directory() {
    [ ! -d "$1" ] || return 0
    make_directory "$(dirname "$1")"
    change 'make directory' "$1" || return 0
    mkdir "$1" || die "$1 cannot be made"
    case $1 in
        "$destdir"*) made="$made${1#"$destdir"}/
" ;;
    esac
}

make_directories() {
    made=''
    make_directory "$tools_dir"
    [ -z "$bin_dir" ] || make_directory "$bin_dir"
    for page in $pages; do make_directory "$(dirname "$share_dir/$page")"; done
    [ -z "$made" ] || printf '%s' "$made" >>"$tools_dir/$record"
}

# ---- building ----

# Sees to all that must be on the machine before anything is fetched, so that a person hears of it at once.
require_build_tools() {
    PATH=$PATH:${CARGO_HOME:-${HOME-}/.cargo}/bin
    export PATH
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
        die "run ./install.sh again then, or lay a program built elsewhere with ./install.sh --binary FILE"
}

# Whether a C program can be built that needs the C library's headers: Rust links with this compiler, and parts of the
# program are written in C. Sets `complaint` where it cannot.
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
        [ -z "$2" ] || export RUSTFLAGS="${RUSTFLAGS-} $2"
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

# C parts of dependencies need a compiler. Where musl's own is missing the machine's does, without the
# checked functions that only its own C library has.
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

# The best build that this machine can make: what is linked statically and at a fixed address starts soonest.
build() {
    [ -f "$source/Cargo.toml" ] ||
        die "the source is not beside install.sh; lay a built program with --binary FILE"
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

# ---- what is ours ----

# Whether the file $1 is this program.
answers() {
    [ -f "$1" ] && [ -x "$1" ] || return 1
    case $("$1" --version 2>/dev/null </dev/null) in
        "$program "*) return 0 ;;
    esac
    return 1
}

is_there() { [ -e "$1" ] || [ -L "$1" ]; }

# Whether $1 is a link of ours: one beside the binary, or the one on PREFIX/bin.
is_own_link() {
    [ -L "$1" ] || return 1
    case $(readlink "$1") in
        "$program" | "$installed" | "${installed#"$destdir"}") return 0 ;;
        "../libexec/ikigai/$program") [ "$1" = "$bin_dir/$program" ] ;;
        *) return 1 ;;
    esac
}

is_own_binary() { [ ! -L "$installed" ] && answers "$installed"; }

keep() { warn "kept $1, which is not a link of this installer"; }

# Whether the file $1 is a manual page or completions that this program made.
is_own_page() { [ -f "$1" ] && [ ! -L "$1" ] && grep -q "Generated by $program " "$1"; }

# ---- pages: manual pages and completions, in PREFIX/share ----

# Where each shell looks for the completions of our program, below PREFIX/share.
completions_of() {
    case $1 in
        bash) printf '%s\n' bash-completion/completions/$program ;;
        zsh) printf '%s\n' zsh/site-functions/_$program ;;
        fish) printf '%s\n' fish/vendor_completions.d/$program.fish ;;
    esac
}

# Has program $1 make the pages in the scratch directory; sets `pages` to their places below PREFIX/share.
make_pages() {
    pages=''
    [ -n "$share_dir" ] || return 0
    mkdir -p "$scratch/share/man/man1"
    if ! "$1" man "$scratch/share/man/man1" </dev/null; then
        warn "no manual pages and completions are laid: $1 makes none"
        return 0
    fi
    for shell in bash zsh fish; do
        page=$scratch/share/$(completions_of $shell)
        mkdir -p "$(dirname "$page")"
        "$1" completions $shell </dev/null >"$page" || die "$1 makes no completions for $shell"
    done
    # What does not say whose it is could not be told from another's later. No name has a blank in it.
    pages=$(cd "$scratch/share" && find . -type f -exec grep -l "Generated by $program " {} + |
        sed 's|^\./||' | LC_ALL=C sort)
}

lay_pages() {
    for page in $pages; do lay_page "$scratch/share/$page" "$share_dir/$page"; done
}

# Lays page $1 to $2, unless something else is there.
lay_page() {
    if cmp -s "$1" "$2"; then
        return 0
    elif is_there "$2" && ! is_own_page "$2"; then
        keep_page "$2"
    elif change lay "$2"; then
        temporary=$2.$$
        {
            cp "$1" "$temporary" && chmod 644 "$temporary" && mv -f "$temporary" "$2"
        } || die "$2 could not be written"
    fi
}

keep_page() { warn "kept $1, which was not made by this program"; }

remove_pages() {
    [ -n "$share_dir" ] || return 0
    for page in "$share_dir/man/man1/$program.1" "$share_dir/man/man1/$program"-*.1; do
        remove_page "$page"
    done
    for shell in bash zsh fish; do remove_page "$share_dir/$(completions_of $shell)"; done
}

remove_page() {
    if is_own_page "$1"; then
        if change remove "$1"; then rm -f "$1" || die "$1 could not be removed"; fi
    elif is_there "$1"; then
        keep_page "$1"
    fi
}

# ---- laying ----

check_binary() {
    binary=$(absolute "$binary")
    [ -f "$binary" ] || die "no such file: $binary"
    [ -x "$binary" ] || die "$binary is not executable: chmod +x it"
    answers "$binary" || die "$binary is no $program for this machine: it does not answer --version as one"
}

# Puts the binary in place in one step, so that a call that runs is not disturbed.
lay_binary() {
    ! cmp -s "$binary" "$installed" || return 0
    change lay "$installed" || return 0
    temporary=$tools_dir/.$program.$$
    {
        cp "$binary" "$temporary" && chmod 755 "$temporary" && mv -f "$temporary" "$installed"
    } || die "$installed could not be written"
}

# Lays link $1 to $2, unless something is there.
lay_link() {
    if is_own_link "$1"; then
        return 0
    elif is_there "$1"; then
        keep "$1"
        kept=$((kept + 1))
    elif change link "$1"; then
        ln -s "$2" "$1" || die "$1 could not be made"
    fi
}

# The other spelling of link name $1.
other_name() {
    case $1 in
        *-tool) printf '%s\n' "${1%-tool}" ;;
        *) printf '%s\n' "$1-tool" ;;
    esac
}

lay_links() {
    kept=0
    for name in $names; do
        other=$tools_dir/$(other_name "$name")
        if is_own_link "$other" && change remove "$other"; then rm -f "$other"; fi
        lay_link "$tools_dir/$name" $program
    done
}

# The binary as seen from PREFIX/bin: relative, unless bin is itself a link to elsewhere.
bin_target() {
    if [ "$(cd -P "$bin_dir" 2>/dev/null && cd -P .. && pwd)" = "$(cd -P "$destdir$base" 2>/dev/null && pwd)" ]; then
        printf '%s\n' "../libexec/ikigai/$program"
    else
        printf '%s\n' "${installed#"$destdir"}"
    fi
}

# Sets `names` to the links' names that program $1 lists.
read_names() {
    names=$("$1" list </dev/null | grep -x '[a-z][a-z0-9-]*') || die "$1 lists no tools"
    [ "$suffix" = no ] || names=$(printf '%s\n' "$names" | sed 's/-tool$//; s/$/-tool/')
}

install() {
    require_writable "$tools_dir"
    [ -z "$bin_dir" ] || require_writable "$bin_dir"
    [ -z "$share_dir" ] || require_writable "$share_dir"
    if is_there "$installed" && ! is_own_binary; then
        die "$installed is not this program; move it away first. Nothing was changed"
    fi
    if [ -n "$binary" ]; then
        check_binary
    elif [ "$dry_run" = no ]; then
        build
    elif require_build_tools && is_own_binary; then
        say "would build $program"
        binary=$installed
    else
        say "would build $program, and lay it into $tools_dir with one link per tool"
        return 0
    fi
    read_names "$binary"
    make_pages "$binary"
    make_directories
    lay_binary
    lay_links
    [ -z "$bin_dir" ] || lay_link "$bin_dir/$program" "$(bin_target)"
    lay_pages
    [ "$dry_run" = yes ] || check_tools
    [ "$kept" = 0 ] || die "this is not a whole install: $kept of its links could not be laid, since something else
is in their place (\"kept\" above). Move that away and run ./install.sh again"
}

# ---- seeing that it works ----

# The call of tool $1 that needs nothing but the scratch directory, and a part of its answer.
sample_call() {
    case ${1%-tool} in
        bash) request='{"command":"echo hello"}' expected='"exit_code":0' ;;
        file-read) request='{"file_path":"note.txt"}' expected='hello' ;;
        file-write) request='{"file_path":"new.txt","content":"hello"}' expected='Wrote 5 bytes' ;;
        file-edit)
            request='{"file_path":"edit.txt","old_string":"hello","new_string":"bye"}'
            expected='Replaced 1 occurrence'
            ;;
        glob) request='{"pattern":"no*.txt"}' expected='note.txt' ;;
        grep) request='{"pattern":"hel+o","glob":"note.txt"}' expected='note.txt' ;;
        *) request='' ;;
    esac
}

# Whether link $1 answers the sample call.
answers_call() {
    case $(cd "$scratch" && printf '%s' "$request" | "$tools_dir/$1" 2>/dev/null) in
        *"$expected"*) return 0 ;;
    esac
    return 1
}

answers_schema() {
    case $("$tools_dir/$1" --schema 2>/dev/null </dev/null) in
        '{'*'"name"'*'}') return 0 ;;
    esac
    return 1
}

# Prints link $1's row of the table and counts it.
check_tool() {
    if ! is_own_link "$tools_dir/$1"; then
        row "$1" '-' 'not ours, kept as it is'
        return
    fi
    schema=ok
    call='not tried: needs the network'
    sample_call "$1"
    answers_schema "$1" || schema=FAILED
    [ -z "$request" ] || { answers_call "$1" && call=ok || call=FAILED; }
    row "$1" $schema "$call"
    case $schema$call in *FAILED*) failed=$((failed + 1)) ;; esac
}

row() { printf '  %-24s %-8s %s\n' "$1" "$2" "$3"; }

check_tools() {
    failed=0
    printf 'hello\n' >"$scratch/note.txt"
    printf 'hello\n' >"$scratch/edit.txt"
    say
    say "$("$installed" --version) in $tools_dir"
    row tool schema call
    for name in $names; do check_tool "$name"; done
    say
    [ "$failed" = 0 ] || die "$failed of the tools do not answer as they should, see the table"
    suggest
}

# $1 as a word of the shell.
quote() {
    case $1 in
        *[!A-Za-z0-9_./-]*) printf "'%s'\n" "$(printf '%s\n' "$1" | sed "s/'/'\\\\''/g")" ;;
        *) printf '%s\n' "$1" ;;
    esac
}

suggest() {
    for name in $names; do
        is_own_link "$tools_dir/$name" || continue
        case $name in
            bash*) request='{"command":"echo hello"}' ;;
            glob*) request='{"pattern":"*"}' ;;
            *) continue ;;
        esac
        try="printf '%s' '$request' | $(quote "$tools_dir/$name")"
    done
    say "Try next:"
    say "  ${try-$(quote "$installed") --help}"
    [ -n "$destdir" ] || suggest_program
}

# Says how this shell finds the program itself.
suggest_program() {
    if [ -z "$bin_dir" ]; then
        say "$program itself is $(quote "$installed")"
        return
    fi
    is_own_link "$bin_dir/$program" || return 0
    found=$(PATH=$shell_path command -v $program) || found=''
    [ "$found" != "$bin_dir/$program" ] || return 0
    case :$shell_path: in
        *:"$bin_dir":*)
            say "Another $program comes first on PATH: $found. This one is $(quote "$bin_dir/$program")"
            return
            ;;
    esac
    line="export PATH=$(quote "$bin_dir"):\"\$PATH\""
    [ "$bin_dir" != "${HOME-}/.local/bin" ] || line="export PATH=\"\$HOME/.local/bin:\$PATH\""
    say "$program is not on this shell's PATH yet; this line puts it there, in ~/.profile for good:"
    say "  $line"
}

# ---- removing ----

remove_link() {
    if is_own_link "$1"; then
        if change remove "$1"; then rm -f "$1" || die "$1 could not be removed"; fi
    elif is_there "$1"; then
        keep "$1"
    fi
}

# Removes the directories that were made for it and are empty now, innermost first.
remove_directories() {
    [ -f "$tools_dir/$record" ] || return 0
    directories=$(LC_ALL=C sort -ru "$tools_dir/$record")
    change remove "$tools_dir/$record" || return 0
    rm -f "$tools_dir/$record"
    printf '%s\n' "$directories" | while IFS= read -r dir; do
        if rmdir "$destdir$dir" 2>/dev/null; then say "remove directory $destdir${dir%/}"; fi
    done
}

remove() {
    if is_there "$installed" && ! is_own_binary; then
        die "$installed is not this program. Nothing was removed"
    fi
    for link in "$tools_dir"/*; do
        [ "$link" = "$installed" ] || remove_link "$link"
    done
    [ -z "$bin_dir" ] || remove_link "$bin_dir/$program"
    remove_pages
    if is_there "$installed" && change remove "$installed"; then
        rm -f "$installed" || die "$installed could not be removed"
    fi
    remove_directories
    [ "$dry_run" = yes ] || say "nothing of $program is left in $tools_dir"
}

# ---- all of it ----

clean_up() {
    rm -rf "$scratch"
    [ -z "${temporary-}" ] || rm -f "$temporary"
}

main() {
    parse_options "$@"
    source=$(cd -P "$(dirname "$0")" && pwd)
    choose_places
    shell_path=$PATH
    scratch=$(mktemp -d) || die "no temporary directory could be made; see TMPDIR"
    trap clean_up EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    if [ "$uninstall" = yes ]; then remove; else install; fi
}

main "$@"
