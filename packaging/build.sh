#!/bin/sh
# Builds the packages around one static executable, into target/packages. See README.md beside this
# file.
#
# install.sh builds the program and installs it in a staging directory, so a package holds what an
# install does. What is missing of the tools that pack is built into target/tools; CARGO_TARGET_DIR
# is where the program itself is built.
set -eu
umask 022
unset CDPATH
cd "$(dirname "$0")/.."

program=ikigai-tools
stage=$PWD/target/packages/stage
tools=$PWD/target/tools
target_dir=${CARGO_TARGET_DIR:-target}
# What they need no speed for, they are not optimised for: that halves the time in which they are
# built.
quick='--debug --config profile.dev.debug=0'
# What touches every byte of a package.
for crate in sha2 zstd-sys; do quick="$quick --config profile.dev.package.$crate.opt-level=3"; done

usage() {
    cat <<'TEXT'
Usage: packaging/build.sh [--target TRIPLE | --tools]

Builds the packages for this machine into target/packages, or those for TRIPLE, such as
aarch64-unknown-linux-musl, into target/packages/TRIPLE. With --tools it builds what packs them, and
no package.
TEXT
}

step() { printf '\n--> %s\n' "$*"; }

die() {
    printf 'build.sh: %s\n' "$*" >&2
    exit 1
}

# ---- what goes into the packages ----

command -v rustc >/dev/null || die "there is no Rust here: ./install.sh says how to get it"
tools_alone=no
own_target=$(rustc -vV | sed -n 's/^host: \([^-]*\)-.*/\1-unknown-linux-musl/p')
target=$own_target
case ${1-} in
    '') ;;
    --target) target=${2-} && shift ;;
    --target=*) target=${1#*=} ;;
    --tools) tools_alone=yes ;;
    --help | -h) usage && exit ;;
    *) usage >&2 && exit 2 ;;
esac
[ $# -le 1 ] || { usage >&2 && exit 2; }
case $target in
    *-unknown-linux-musl) ;;
    *) die "packages hold a static executable: the target is ARCHITECTURE-unknown-linux-musl, not '$target'" ;;
esac
packages=$PWD/target/packages
[ $# = 0 ] || packages=$packages/$target

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
archive=$program-$version-$target
# What the files in packages are dated. Compilers look at SOURCE_DATE_EPOCH too, and the program is
# not to be built anew.
date=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
unset SOURCE_DATE_EPOCH

# Has install.sh install the program below $1, with the further arguments.
install_in() {
    DESTDIR=$1
    shift
    DESTDIR=$DESTDIR ./install.sh "$@"
    # A package manager knows what it installed.
    find "$stage" -name ".$program.directories" -exec rm -f {} +
}

stage_root() {
    binary=$stage/root/usr/libexec/ikigai/$program
    if [ "$target" = "$own_target" ]; then
        install_in "$stage/root" --prefix /usr
        runnable=$binary
    else
        build_foreign
        # It does not run here: its links, pages and completions come from one of the same source
        # that does.
        install_in "$stage/root" --prefix /usr --binary "$runnable"
        cp "$target_dir/$target/release/$program" "$binary"
    fi
    cmp -s "$binary" "$target_dir/$target/release/$program" ||
        die "packages hold a static executable, and this machine cannot build one for $target; see above"
    gzip -9n "$stage"/root/usr/share/man/man1/*.1
}

# Builds the program for a machine of another kind, and sets `runnable`, one for this machine.
build_foreign() {
    cargo build --locked --bin $program --target-dir "$target_dir"
    runnable=$target_dir/debug/$program
    libraries=$(rustc --print target-libdir --target "$target") || die "Rust does not know $target"
    [ -d "$libraries" ] || rustup target add "$target" || die "Rust's standard library for $target is missing"
    name=$(printf '%s' "$target" | tr - _)
    linker=CARGO_TARGET_$(printf '%s' "$name" | tr '[:lower:]' '[:upper:]')_LINKER
    for compiler in "${target%%-*}-linux-musl-gcc" "${target%%-*}-linux-gnu-gcc"; do
        ! command -v "$compiler" >/dev/null || break
    done
    eval "compiler=\${CC_$name:-$compiler}"
    command -v "$compiler" >/dev/null ||
        die "a C compiler for $target is needed (apt install gcc-aarch64-linux-gnu), or named in CC_$name"
    # Checked functions are in the GNU C library alone.
    eval "cflags=\"\${CFLAGS_$name-} -U_FORTIFY_SOURCE\" linked_by=\${$linker:-$compiler}"
    # shellcheck source=packaging/flags.sh
    . packaging/flags.sh
    cargo fetch --locked --target "$target"
    # shellcheck disable=SC2154  # static_flags is of flags.sh, the others of `eval`
    env "CC_$name=$compiler" "CFLAGS_$name=$cflags" "$linker=$linked_by" \
        CARGO_ENCODED_RUSTFLAGS="$(encoded_flags "$static_flags" "$target_dir")" \
        cargo build --release --locked --bin $program --target "$target" --target-dir "$target_dir"
}

# Lays what every package holds beside the program in $stage/doc.
stage_documents() {
    mkdir -p "$stage/doc"
    licence=$stage/doc/LICENSE
    notices=$stage/doc/THIRD-PARTY-NOTICES.txt
    sbom=$stage/doc/$program.cdx.json
    cp LICENSE "$licence"
    for text in README.md REFERENCE.md SECURITY.md CHANGELOG.md; do stage_text $text; done
    packaging/notices.sh "$target" >"$notices"
    write_sbom
    # As Debian wants it: the developers' changes, and the package's own.
    gzip -9nc CHANGELOG.md >"$stage/doc/changelog.gz"
    maintainer=$(sed -n 's/^maintainer = "\(.*\)"/\1/p' Cargo.toml)
    cat >"$stage/doc/changelog.Debian" <<TEXT
$program ($version-1) unstable; urgency=medium

  * Version $version; changelog.gz says what is new in it.

 -- $maintainer  $(LC_ALL=C date -u -d "@$date" '+%a, %d %b %Y %H:%M:%S +0000')
TEXT
}

# Lays the text $1 in $stage/doc, without pictures, and with no more than the name of what the source
# alone has.
stage_text() {
    sed -E '/^!\[/d
        s/\[([^]]*)\]\((LICENSE|(ARCHITECTURE|CHANGELOG|CONTRIBUTING)\.md|(benches|fuzz|packaging)\/[^)]*)\)/\1/g' "$1" |
        cat -s >"$stage/doc/$1"
}

# Writes the list of what is linked, as CycloneDX: the crates, and what the toolchain adds.
write_sbom() {
    # It writes beside the Cargo.toml of each crate and nowhere else.
    SOURCE_DATE_EPOCH=$date cargo-cyclonedx cyclonedx --quiet --quiet --format json --spec-version 1.5 \
        --no-build-deps --target "$target" --override-filename "$program.cdx"
    mv "$program.cdx.json" "$sbom.crates"
    rm -f crates/*/"$program.cdx.json"
    compiler=$(rustc --version | sed 's/^rustc \([^ ]*\).*/\1/')
    libc=$(grep -ao '1\.2\.[0-9]*' "$(rustc --print target-libdir --target "$target")/self-contained/libc.a" | head -n 1)
    sed -E "s|path\+file://$PWD/crates/[a-z]+#|pkg:cargo/|g" "$sbom.crates" |
        awk -v here="path+file://$PWD#" -v own="pkg:cargo/" -v compiler="$compiler" -v libc="$libc" '
        # No path of this machine, nor an address that is none.
        { while (place = index($0, here)) $0 = substr($0, 1, place - 1) own substr($0, place + length(here)) }
        { sub(/\?download_url=file:\/\/[a-z.\/]+/, "") }
        { print }
        /^  "components": \[$/ {
            component("rust-std", compiler, "MIT OR Apache-2.0", "The Rust standard library")
            component("musl", libc, "MIT", "The C library")
        }
        function component(name, version, license, text) {
            print "    {\n      \"type\": \"library\",\n      \"bom-ref\": \"pkg:generic/" name "@" version "\","
            print "      \"name\": \"" name "\",\n      \"version\": \"" version "\",\n      \"description\": \"" text "\","
            print "      \"scope\": \"required\",\n      \"licenses\": [\n        {\n          \"expression\": \"" license "\"\n        }\n      ],"
            print "      \"purl\": \"pkg:generic/" name "@" version "\"\n    },"
        }' >"$sbom"
    rm "$sbom.crates"
}

# ---- the tools that make them ----

# Sees that cargo subcommand $1 is there, of version $2 if it has to be built, with the further
# arguments.
need() {
    command=$1 wanted=$2
    shift 2
    ! command -v "$command" >/dev/null || return 0
    step "$command $wanted, into target/tools"
    # shellcheck disable=SC2086  # options, a word each
    CARGO_TARGET_DIR=$tools/build cargo install --quiet --locked $quick "$@" --root "$tools" "$command@$wanted"
}

need_tools() {
    need cargo-deb 3.8.0 --no-default-features
    need cargo-generate-rpm 0.21.1
    need cargo-cyclonedx 0.5.9
    rm -rf "$tools/build"
}

# ---- the packages ----

pack_deb() {
    SOURCE_DATE_EPOCH=$date cargo-deb --quiet --no-build --no-strip --target "$target" --output "$packages/"
}

# It packs neither symbolic links nor directories: the scriptlets in packaging/rpm see to them.
pack_rpm() {
    SOURCE_DATE_EPOCH=$date cargo-generate-rpm --target "$target" --output "$packages/"
}

pack_tar() {
    install_in '' --prefix "$stage/$archive" --binary "$runnable" >/dev/null
    cp "$binary" "$stage/$archive/libexec/ikigai/$program"
    cp install.sh "$stage"/doc/*.md "$licence" "$notices" "$sbom" "$stage/$archive/"
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$date" \
        -C "$stage" -cf - "$archive" | gzip -9n >"$packages/$archive.tar.gz"
}

PATH=$tools/bin:$PATH
if [ $tools_alone = yes ]; then
    need_tools
    exit
fi
rm -rf "$packages" "$stage"
mkdir -p "$packages" "$stage"
step "the program"
stage_root
need_tools
stage_documents
# For the scripts of further packages.
export program version target packages stage binary runnable licence notices sbom date
step ".deb"
pack_deb
step ".rpm"
pack_rpm
step ".tar.gz"
pack_tar
./packaging/clients/build.sh
step "${packages#"$PWD/"}"
cd "$packages"
for file in *; do [ ! -f "$file" ] || printf '%s\0' "$file"; done >"$stage/finished"
xargs -0 sha256sum -- <"$stage/finished" >SHA256SUMS
xargs -0 wc -c -- <"$stage/finished"
