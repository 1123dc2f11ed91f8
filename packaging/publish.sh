#!/bin/sh
# Publishes the packages that packaging/build.sh made, for both machines, in one registry. Nothing is
# built here: what was tried is what is published. RELEASING.md says when.
set -eu
umask 022
unset CDPATH
cd "$(dirname "$0")/.."

program=ikigai-tools
packages=${packages:-target/packages}

usage() {
    cat <<'TEXT'
Usage: packaging/publish.sh REGISTRY

  pypi     the wheels, by twine; TWINE_REPOSITORY_URL names another index
  npm      the packages for each machine and then the one for all, by npm; npm_config_registry names
           another registry
  deb DIR  the .debs, by reprepro, in its repository DIR: in the distribution `stable`
  rpm DIR  the .rpms, by createrepo_c, in the repository DIR
  mcp      server.json, by mcp-publisher

What is there already is left as it is, so that a run which broke off can be made again. `packages`
is where the packages are, by default target/packages.
TEXT
}

die() {
    printf 'publish.sh: %s\n' "$*" >&2
    exit 1
}

need() { command -v "$1" >/dev/null || die "there is no $1 on this machine"; }

# Sets `found` to the package of each machine, by pattern $1, in which MACHINE is x86_64 or aarch64,
# and otherwise what the further arguments call these.
find_packages() {
    found=''
    pattern=$1
    shift
    for machine in "$@"; do
        name=$(printf '%s' "$pattern" | sed "s/MACHINE/$machine/g")
        file=$(find "$packages" -maxdepth 2 -not -path '*/stage/*' -name "$name" | head -n 1)
        [ -n "$file" ] || die "there is no $name below $packages: see packaging/build.sh [--target TRIPLE]"
        found="$found $file"
    done
}

# What is published has the sums with which it was built.
check_sums() {
    for sums in "$packages"/SHA256SUMS "$packages"/*/SHA256SUMS; do
        [ ! -e "$sums" ] || (cd "$(dirname "$sums")" && sha256sum --check --quiet SHA256SUMS) ||
            die "the packages are not those that were built"
    done
}

publish_npm() {
    need npm
    find_packages "$program-linux-MACHINE-[0-9]*.tgz" x64 arm64
    platforms=$found
    find_packages "$program-[0-9]*.tgz" any
    # Whoever installs the one for all machines is given the others by their names.
    for file in $platforms $found; do
        name=${file##*/}
        name=${name%.tgz}
        if [ -n "$(npm view "${name%-[0-9]*}@${name##*-}" version 2>/dev/null)" ]; then
            printf '%s is there already\n' "$name"
        else
            npm publish --access public "$(realpath "$file")"
        fi
    done
}

[ $# -ge 1 ] || { usage >&2 && exit 2; }
check_sums
# shellcheck disable=SC2086  # names without blanks, a word each
case $1 in
    pypi)
        need twine
        find_packages 'ikigai_tools-*_MACHINE.whl' x86_64 aarch64
        twine check --strict $found
        # Indexes other than PyPI refuse a second upload in forms of their own.
        [ -n "${TWINE_REPOSITORY_URL-}" ] || found="--skip-existing $found"
        twine upload $found
        ;;
    npm) publish_npm ;;
    deb)
        need reprepro
        find_packages "${program}_*_MACHINE.deb" amd64 arm64
        for file in $found; do reprepro --basedir "${2:?the repository}" includedeb stable "$file"; done
        ;;
    rpm)
        need createrepo_c
        find_packages "$program-*.MACHINE.rpm" x86_64 aarch64
        cp $found "${2:?the repository}"
        createrepo_c --quiet --update "$2"
        ;;
    mcp)
        need mcp-publisher
        [ -e "$packages/server.json" ] || die "there is no $packages/server.json"
        ! grep -q 'com\.example' "$packages/server.json" || die "server.json names no publisher: see packaging/README.md"
        (cd "$packages" && mcp-publisher publish)
        ;;
    --help | -h) usage ;;
    *) usage >&2 && exit 2 ;;
esac
