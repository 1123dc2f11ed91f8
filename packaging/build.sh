#!/bin/sh
# Builds the packages: a .deb, an .rpm and a .tar.gz around one static executable, into target/packages.
#
# install.sh builds the program and installs it in a staging directory, so a package holds what an install does.
# What is missing of cargo-deb and cargo-generate-rpm is built into target/tools; CARGO_TARGET_DIR is where the
# program itself is built.
set -eu
umask 022
unset CDPATH
cd "$(dirname "$0")/.."

program=ikigai-tools
packages=$PWD/target/packages
stage=$packages/stage
tools=$PWD/target/tools
# What they need no speed for, they are not optimised for: that halves the time in which they are built.
quick='--debug --config profile.dev.debug=0'

step() { printf '\n--> %s\n' "$*"; }

die() {
    printf 'build.sh: %s\n' "$*" >&2
    exit 1
}

# ---- what goes into the packages ----

target=$(rustc -vV | sed -n 's/^host: \([^-]*\)-.*/\1-unknown-linux-musl/p')
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
archive=$program-$version-$target
# What the files in packages are dated. Compilers look at SOURCE_DATE_EPOCH too, and the program is not to be built anew.
date=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}

# Has install.sh install the program below $1, with the further arguments.
install_in() {
    DESTDIR=$1
    shift
    DESTDIR=$DESTDIR ./install.sh "$@"
    # A package manager knows what it installed.
    find "$stage" -name ".$program.directories" -exec rm -f {} +
}

stage_root() {
    install_in "$stage/root" --prefix /usr
    binary=$stage/root/usr/libexec/ikigai/$program
    cmp -s "$binary" "${CARGO_TARGET_DIR:-target}/$target/release/$program" ||
        die "packages hold a static executable, and this machine cannot build one for $target; see above"
    gzip -9n "$stage"/root/usr/share/man/man1/*.1
}

# ---- the tools that make them ----

# Sees that cargo subcommand $1 is there, of version $2 if it has to be built, with the further arguments.
need() {
    command=$1 wanted=$2
    shift 2
    ! command -v "$command" >/dev/null || return 0
    step "$command $wanted, into target/tools"
    # shellcheck disable=SC2086  # options, a word each
    CARGO_TARGET_DIR=$tools/build cargo install --quiet --locked $quick "$@" --root "$tools" "$command@$wanted"
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
    install_in '' --prefix "$stage/$archive" --binary "$binary" >/dev/null
    cp install.sh README.md CHANGELOG.md LICENSE "$stage/$archive/"
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$date" \
        -C "$stage" -cf - "$archive" | gzip -9n >"$packages/$archive.tar.gz"
}

rm -rf "$packages"
mkdir -p "$stage"
step "the program"
stage_root
PATH=$tools/bin:$PATH
need cargo-deb 3.8.0 --no-default-features
need cargo-generate-rpm 0.21.1
rm -rf "$tools/build"
step ".deb"
pack_deb
step ".rpm"
pack_rpm
step ".tar.gz"
pack_tar
step "target/packages"
cd "$packages"
sha256sum -- *.deb *.rpm *.tar.gz >SHA256SUMS
wc -c -- *.deb *.rpm *.tar.gz
