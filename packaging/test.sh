#!/usr/bin/env bash
# Tries the packages that packaging/build.sh made: installed, called and removed again, in roots of
# their own.
#
# Roots take the right to make them: as another user than root, a user namespace or fakeroot does.
# With CI=true and as root, the .deb is also really installed and purged. What could not be tried
# here is said at the end. lintian and rpmlint are to find nothing but what deb/lintian-overrides
# and rpm/rpmlint.toml give a reason for.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=packaging/testing.sh
. packaging/testing.sh

packages=$PWD/target/packages
limit=$((24 * 1024 * 1024))
libexec=usr/libexec/ikigai
pages=(
    "usr/share/bash-completion/completions/$program"
    "usr/share/fish/vendor_completions.d/$program.fish"
    "usr/share/man/man1/$program.1.gz"
)

# The one file in target/packages whose name ends in $1.
package() {
    local found=("$packages"/*"$1")
    if [ ${#found[@]} != 1 ] || [ ! -f "${found[0]}" ]; then
        fail "there is no package *$1: run packaging/build.sh first"
    fi
    printf '%s\n' "${found[0]}"
}

expect() {
    case $3 in
        *"$2"*) ;;
        *) fail "$1: expected $2, got: $3" ;;
    esac
}

# Calls what was installed below the root $1: by the PATH, and through every link.
call_installed() {
    local root=$1 names name
    expect "$program --version" "$program " "$(PATH=$root/usr/bin:$PATH "$program" --version)"
    names=$(PATH=$root/usr/bin:$PATH "$program" list)
    [ "$(wc -l <<<"$names")" = 9 ] || fail "$program list: $names"
    for name in $names; do
        [ -L "$root/$libexec/$name" ] || fail "/$libexec/$name is no link"
        expect "$name --schema" '"parameters"' "$("$root/$libexec/$name" --schema)"
    done
    expect bash '{"output":"5","exit_code":0}' "$(printf '{"command":"expr 2 + 3"}' | "$root/$libexec/bash")"
    expect file-read '{"output":"hello\n"}' \
        "$(printf '{"file_path":"%s"}' "$room/note" | "$root/$libexec/file-read")"
    for name in "${pages[@]}"; do [ -s "$root/$name" ] || fail "/$name is not installed"; done
    for name in $names; do
        gzip -t "$root/usr/share/man/man1/$program-${name%-tool}.1.gz" || fail "$name has no manual page"
    done
}

# Follows the links in the texts in directory $1: each leads to a file there.
follow_links() {
    local text link
    for text in README REFERENCE SECURITY; do
        while IFS= read -r link; do
            [ -e "$1/${link%%#*}" ] || fail "$text.md leads to $link, which is not there"
        done < <(grep -o '](\([^)]*\))' "$1/$text.md" | sed -e 's/^](//' -e 's/)$//' -e '/^https\{0,1\}:/d')
        [ -s "$1/$text.md" ] || fail "there is no $text.md"
    done
}

# Runs a command as root, or as near to it as this machine allows.
as_root() {
    if is_root; then "$@"; else unshare --map-root-user "$@"; fi
}

can_be_root() { is_root || unshare --map-root-user true 2>/dev/null; }

# ---- the executable ----

try_binary() {
    local tar size
    step "the executable"
    tar=$(package .tar.gz)
    mkdir "$room/binary"
    tar -xzf "$tar" -C "$room/binary" --strip-components=1
    binary=$room/binary/libexec/ikigai/$program
    size=$(wc -c <"$binary")
    [ "$size" -le $limit ] || fail "$program is $size bytes, more than $limit"
    printf '    %d bytes of at most %d\n' "$size" $limit
    tell_no_path "$binary"
}

# Nothing of who built the file $1: neither their directories nor those of their tools.
tell_no_path() {
    local place
    for place in "$PWD" "${CARGO_HOME:-${HOME-}/.cargo}" "$(rustc --print sysroot)" "${CARGO_TARGET_DIR:-$PWD/target}" \
        /registry/src/; do
        ! grep -aqF -- "$place" "$1" || fail "${1##*/} tells of $place"
    done
}

# ---- licences, and the list of what is linked ----

# In every package: the licence, those of all crates that are linked, and their names and versions.
try_documents() {
    local tar deb rpm file crate
    step "licences and the list of what is linked"
    tar=$(package .tar.gz) deb=$(package .deb) rpm=$(package .rpm)
    own_target=$(rustc -vV | sed -n 's/^host: \([^-]*\)-.*/\1-unknown-linux-musl/p')
    cargo tree --locked --package "$program" --edges normal,no-proc-macro --prefix none --format '{p}' --target "$own_target" |
        sed -e 's/ (.*$//' -e 's/ v/ /' | sort -u | grep -v -e "^$program " -e '^iki-' >"$room/crates"
    [ "$(wc -l <"$room/crates")" -gt 100 ] || fail "cargo tree names too few crates"
    while IFS= read -r crate; do
        grep -qF "$crate: " <(sed '1,/^====/d' "$room/binary/THIRD-PARTY-NOTICES.txt") ||
            fail "THIRD-PARTY-NOTICES.txt lacks $crate"
        grep -qF "\"pkg:cargo/${crate/ /@}\"" "$room/binary/$program.cdx.json" || fail "$program.cdx.json lacks $crate"
    done <"$room/crates"
    # What comes with Rust's standard library, by the toolchain's own files.
    for file in "$(rustc --print target-libdir --target "$own_target")"/lib*.rlib; do
        crate=${file##*/lib} crate=${crate%-*}
        case $crate in
            # Not linked: of tests, of compilers, of other kinds of panics.
            test | getopts | proc_macro | rustc_* | sysroot | profiler_builtins | panic_abort) continue ;;
        esac
        [ "$crate" != cfg_if ] || crate=cfg-if
        grep -q "\b$crate\b" packaging/licences/rust-std.txt || fail "packaging/licences/rust-std.txt lacks $crate"
    done
    grep -q '\brustc-demangle\b' packaging/licences/rust-std.txt || fail "rust-std.txt lacks rustc-demangle"
    for file in THIRD-PARTY-NOTICES.txt $program.cdx.json; do
        tell_no_path "$room/binary/$file"
        if has dpkg-deb; then
            dpkg-deb --fsys-tarfile "$deb" | tar -xO "./usr/share/doc/$program/$file" |
                cmp - "$room/binary/$file" || fail "the .deb's $file is another one"
        fi
        if has rpm; then
            rpm --query --list --package "$rpm" 2>/dev/null | grep "^/usr/share/.*/$program/$file$" >/dev/null ||
                fail "the .rpm has no $file"
        fi
    done
    printf '    of %d crates\n' "$(wc -l <"$room/crates")"
}

# ---- .deb ----

try_deb() {
    local deb root before
    deb=$(package .deb)
    step "${deb##*/}"
    has dpkg || { skip ".deb: there is no dpkg" && return; }
    if has lintian; then
        lintian --profile debian --allow-root --fail-on error,warning "$deb" ||
            fail "lintian has something to say"
    else
        skip "lintian: it is not there"
    fi
    can_be_root || { skip ".deb, installed: neither root nor a user namespace" && return; }
    root=$room/deb
    add_shell "$root"
    mkdir -p "$root"/var/lib/dpkg/{info,updates}
    touch "$root"/var/lib/dpkg/{status,available}
    before=$(snapshot_without_database "$root")
    dpkg_in "$root" --install "$deb"
    call_installed "$root"
    follow_links "$root/usr/share/doc/$program"
    [ -s "$root/usr/share/zsh/vendor-completions/_$program" ] || fail "zsh has no completions"
    expect 'the copyright file' '/usr/share/common-licenses/GPL-3' "$(cat "$root/usr/share/doc/$program/copyright")"
    gzip -t "$root/usr/share/doc/$program"/changelog{,.Debian}.gz || fail "the changelogs are not installed"
    [ -s "$root/usr/lib/systemd/system/$program.service" ] || fail "the unit is not installed"
    dpkg_in "$root" --purge $program
    same "$before" "$(snapshot_without_database "$root")" "dpkg --purge $program"
    try_deb_here "$deb"
}

dpkg_in() {
    local root=$1
    shift
    set -- dpkg --root="$root" --log=/dev/null --force-not-root --force-bad-path "$@"
    as_root "$@" >"$room/dpkg" 2>&1 || fail "$* $(cat "$room/dpkg")"
}

snapshot_without_database() { snapshot "$1" | grep -v '^./var/lib/dpkg/'; }

# On this very machine, where that may be done.
try_deb_here() {
    local before
    if [ "${CI-}" != true ] || ! is_root; then
        skip ".deb on this machine itself: only as root with CI=true"
        return
    fi
    if dpkg --status $program >/dev/null 2>&1; then
        skip ".deb on this machine itself: it is installed here"
        return
    fi
    before=$(traces)
    dpkg --install "$1" >/dev/null
    expect 'the shell finds it' "/usr/bin/$program" "$(command -v "$program")"
    call_installed ''
    dpkg --purge $program >/dev/null
    same "$before" "$(traces)" "dpkg --purge $program"
}

traces() { find /usr /etc /var/lib /opt -path '*ikigai*' 2>/dev/null | LC_ALL=C sort; }

# ---- .rpm ----

try_rpm() {
    local rpm root before listed links
    rpm=$(package .rpm)
    step "${rpm##*/}"
    has rpm || { skip ".rpm: there is no rpm" && return; }
    listed=$(rpm --query --list --package "$rpm")
    expect "rpm -qlp" "/usr/bin/$program" "$listed"
    expect "rpm -qlp" "/usr/share/licenses/$program/LICENSE" "$listed"
    expect "rpm -qlp" "/usr/lib/systemd/system/$program.service" "$listed"
    if has rpmlint; then
        rpmlint --config packaging/rpm/rpmlint.toml "$rpm" >"$room/out" 2>&1 || fail "rpmlint: $(cat "$room/out")"
        grep -q ' 0 errors, 0 warnings' "$room/out" || fail "rpmlint has something to say: $(cat "$room/out")"
    else
        skip "rpmlint: it is not there"
    fi
    can_be_root || { skip ".rpm, installed: neither root nor a user namespace" && return; }
    root=$room/rpm
    make_root_with_shell "$root"
    before=$(snapshot_without_rpm "$root")
    rpm_in "$root" --install "$rpm"
    call_installed "$root"
    follow_links "$root/usr/share/doc/$program"
    [ -s "$root/usr/share/zsh/site-functions/_$program" ] || fail "zsh has no completions"
    links=$(snapshot "$root/$libexec")
    rpm_in "$root" --upgrade --replacepkgs "$rpm"
    [ "$links" = "$(snapshot "$root/$libexec")" ] || fail "a second install changes the links"
    rpm_in "$root" --erase $program
    same "$before" "$(snapshot_without_rpm "$root")" "rpm --erase $program"
}

# A root at $1 with what the scriptlets call, and the directories that other packages own.
make_root_with_shell() {
    mkdir -p "$1"/{bin,usr/bin,usr/libexec,usr/share/{doc,fish,licenses,man/man1,zsh/site-functions}}
    mkdir -p "$1"/usr/share/{bash-completion/completions,fish/vendor_completions.d} "$1/usr/lib/systemd/system"
    add_shell "$1"
}

add_shell() {
    local tool file
    mkdir -p "$1/bin"
    for tool in sh rmdir; do
        file=$(command -v "$tool")
        cp -L "$file" "$1/bin/$tool"
        ldd "$file" | grep -o '/[^ ]*' | xargs -r cp -L --parents -t "$1"
    done
}

snapshot_without_rpm() { snapshot "$1" | grep -v -e '^./var[/ ]' -e '^./tmp[/ ]'; }

rpm_in() {
    local root=$1
    shift
    as_root rpm --root "$root" --dbpath /var/lib/rpm --nodeps "$@" >"$room/out" 2>&1 || fail "rpm $* $(cat "$room/out")"
    ! grep -i -e error -e warning -e fail "$room/out" || fail "rpm $* says so"
}

# ---- .tar.gz ----

try_tar() {
    local tar root before
    tar=$(package .tar.gz)
    step "${tar##*/}"
    follow_links "$room/binary"
    try_empty_root "$tar"
    root=$room/prefix
    mkdir "$root"
    before=$(snapshot "$root")
    (
        cd "$room/binary"
        ./install.sh --prefix "$root/usr"
    ) >"$room/out" 2>&1 || fail "install.sh of the archive: $(cat "$room/out")"
    gzip -9 "$root"/usr/share/man/man1/*.1
    call_installed "$root"
    gzip -d "$root"/usr/share/man/man1/*.1.gz
    "$room/binary/install.sh" --prefix "$root/usr" --uninstall >/dev/null
    same "$before" "$(snapshot "$root")" "install.sh --uninstall"
}

# In a root that holds nothing else: no shell, no libraries, no /proc, no /dev.
try_empty_root() {
    local root=$room/empty names name
    can_be_root || { skip "an empty root: neither root nor a user namespace" && return; }
    mkdir "$root"
    tar -xzf "$1" -C "$root" --strip-components=1
    expect 'in an empty root' "$program " "$(in_empty_root /bin/$program --version)"
    names=$(in_empty_root /bin/$program list)
    for name in $names; do
        expect "$name --schema in an empty root" '"parameters"' "$(in_empty_root "/libexec/ikigai/$name" --schema)"
    done
    in_empty_root_expect file-write '{"file_path":"/note","content":"one\n"}' '"bytes":4'
    in_empty_root_expect file-edit '{"file_path":"/note","old_string":"one","new_string":"two"}' '"replacements":1'
    in_empty_root_expect file-read '{"file_path":"/note"}' '{"output":"two\n"}'
    in_empty_root_expect glob '{"pattern":"/no*"}' '{"output":"/note","count":1}'
    in_empty_root_expect grep '{"pattern":"t.o","path":"/","glob":"note"}' '"count":1'
}

in_empty_root() { as_root env -i "$(command -v chroot)" "$room/empty" "$@"; }

in_empty_root_expect() {
    expect "$1 in an empty root" "$3" "$(printf '%s' "$2" | in_empty_root "/libexec/ikigai/$1")"
}

# ---- cargo install ----

# With the flags of install.sh, so that nothing is compiled a second time.
try_cargo_install() {
    local target flags
    step "cargo install --path ."
    has musl-gcc || { skip "cargo install: there is no musl-gcc" && return; }
    target=$(rustc -vV | sed -n 's/^host: \([^-]*\)-.*/\1-unknown-linux-musl/p')
    # shellcheck source=packaging/flags.sh
    . packaging/flags.sh
    flags=$(encoded_flags "$static_flags" "${CARGO_TARGET_DIR:-target}")
    CARGO_ENCODED_RUSTFLAGS=$flags cargo install --quiet --locked --no-track --path . --root "$room/cargo" \
        --target "$target" --target-dir "${CARGO_TARGET_DIR:-target}" 2>"$room/out" || fail "$(cat "$room/out")"
    expect 'cargo install' "$program " "$("$room/cargo/bin/$program" --version)"
}

# ---- what MCP clients install, containers, the unit ----

try_clients() {
    local script
    export packages room
    for script in clients container systemd; do "packaging/$script/test.sh"; done
}

room=$(mktemp -d)
untried=$room/untried
trap 'rm -rf "$room"' EXIT
chmod 755 "$room"
printf 'hello\n' >"$room/note"

try_binary
try_documents
try_deb
try_rpm
try_tar
try_cargo_install
try_clients

printf 'the packages hold'
[ ! -e "$untried" ] || sed 's/^/; not tried: /' "$untried" | tr -d '\n'
printf '\n'
