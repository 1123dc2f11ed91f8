#!/usr/bin/env bash
# Tries what packaging/clients/build.sh made: installed from the files alone, without a network, by
# those who install such packages; its server listed and called; removed without a trace. Then once
# more by name, from indexes on this machine. packaging/test.sh calls it.
#
# uv, the validators and the reference implementation of bundles are pinned in
# packaging/clients/tools; only installing these needs a network.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=packaging/testing.sh
. packaging/testing.sh

clients=$PWD/packaging/clients
target=$(uname -m)-unknown-linux-musl
all=bash,file_read,file_write,file_edit,glob,grep,web_fetch,web_search,scrape_page

# Lists and calls the server that the arguments start.
call() { python3 "$clients/call.py" --version "$version" --tools "$all" --directory "$room/files" "$@"; }

# ---- the wheel ----

try_wheel() {
    local before
    step "${wheel##*/}"
    "$tools/bin/python" "$clients/check_wheel.py" "$wheel"
    python3 -m venv "$room/venv"
    before=$(snapshot "$room/venv")
    "${pip[@]}" install --no-index "$wheel"
    cmp -s "$room/venv/bin/$program" "$binary" || fail "pip installs another executable"
    call "$room/venv/bin/$program" mcp
    "${pip[@]}" uninstall --yes "$program"
    same "$before" "$(snapshot "$room/venv")" "pip uninstall"
}

try_uv() {
    local before
    mkdir "$room/uv"
    before=$(snapshot "$room/uv")
    call "$tools/bin/uvx" --quiet --offline --from "$wheel" "$program" mcp
    "$tools/bin/uv" tool install --quiet --offline "$wheel"
    call "$room/uv/bin/$program" mcp
    "$tools/bin/uv" tool uninstall --quiet "$program"
    "$tools/bin/uv" cache clean --quiet
    # Directories and locks of its own, uv leaves where they are.
    find "$room/uv" -depth \( -type d -empty -o -name .lock -o -name .gitignore \) -not -path "$room/uv" -delete
    same "$before" "$(snapshot "$room/uv")" "uv tool uninstall"
}

# ---- npm ----

try_npm() {
    local before
    step "${main##*/}, ${platform##*/}"
    has npm || { skip "npm: there is no npm" && return; }
    mkdir -p "$room/npm/lib/node_modules" "$room/npm/bin"
    before=$(snapshot "$room/npm")
    "${npm[@]}" install --global --prefix "$room/npm" --offline "$platform" "$main"
    call "$room/npm/bin/$program" mcp
    "${npm[@]}" uninstall --global --prefix "$room/npm" "$program" "${platform_name}"
    same "$before" "$(snapshot "$room/npm")" "npm uninstall"
    call npx --yes --offline --package "$platform" --package "$main" "$program" mcp
    try_npm_alone
}

# The package that is the same everywhere, on a machine for which there is no other one.
try_npm_alone() {
    local said
    mkdir "$room/alone"
    "${npm[@]}" install --prefix "$room/alone" --offline --omit=optional "$main"
    said=$("$room/alone/node_modules/.bin/$program" mcp 2>&1) && fail "it runs without an executable: $said"
    [[ $said == *"is not installed"*"$platform_name"* ]] || fail "without an executable it says: $said"
}

# ---- by name ----

# What README.md shows, with indexes on this machine in place of the public ones.
try_names() {
    local port before
    step "uvx $program mcp, npx -y $program mcp"
    : >"$room/asked"
    python3 "$clients/registry.py" "$packages" "$room/asked" >"$room/port" &
    registry=$!
    for _ in $(seq 100); do
        [ -s "$room/port" ] && break
        sleep 0.1
    done
    port=$(cat "$room/port")
    before=$(snapshot "$HOME")
    UV_DEFAULT_INDEX=http://127.0.0.1:$port/simple call "$tools/bin/uvx" --quiet "$program" mcp
    if has npm; then
        # Its cache has the packages already, by their digests.
        npm_config_cache=$room/npm-cache-of-names npm_config_registry=http://127.0.0.1:$port \
            call npx -y "$program" mcp
        grep -qx "GET ${platform##*/}" "$room/asked" || fail "npx has not asked for ${platform##*/}: $(cat "$room/asked")"
        # Of the packages for other machines their descriptions alone.
        [ "$(grep -c '\.tgz$' "$room/asked")" = 2 ] || fail "npx has asked for more: $(cat "$room/asked")"
    fi
    same "$before" "$(snapshot "$HOME")" "uvx and npx"
    kill "$registry"
    registry=
}

# ---- .mcpb ----

try_bundle() {
    local mcpb=$room/node/node_modules/.bin/mcpb lines all
    step "${bundle##*/}"
    has npm || { skip ".mcpb: there is no npm" && return; }
    "$mcpb" unpack "$bundle" "$room/bundle" >/dev/null
    "$mcpb" validate "$room/bundle/manifest.json" >"$room/out" || fail "mcpb validate: $(cat "$room/out")"
    (cd "$room/node" && node "$clients/tools/mcp_config.mjs" "$room/bundle" "$room/files") >"$room/config"
    lines=$(sed '/^$/,$d' "$room/config")
    mapfile -t command <<<"$lines"
    lines=$(sed '1,/^$/d' "$room/config")
    mapfile -t variables <<<"$lines"
    if ! confines; then
        skip ".mcpb, started: this kernel has no Landlock"
        return
    fi
    # What it serves is what the manifest says.
    all=$(python3 -c 'import json, sys
print(",".join(tool["name"] for tool in json.load(sys.stdin)["tools"]))' <"$room/bundle/manifest.json")
    call env "${variables[@]}" "${command[@]}"
    rm -r "$room/bundle"
}

# What else doctor finds wrong here does not matter.
confines() { [[ $("$binary" doctor || true) == *"Landlock, ABI"* ]]; }

# ---- server.json ----

# As it is, and as it is with a publisher.
try_server_json() {
    local digest name
    step "server.json"
    mkdir "$room/registry"
    check_server_json "$packages"
    published
    # The registry asks npm's package whose server it is.
    tar -xOf "$room/published/$program-$version.tgz" package/package.json >"$room/registry/package.json"
    check_server_json "$room/published"
    digest=$(sha256sum "$room/published"/*.mcpb | cut -d ' ' -f 1)
    for name in io.github.example/ikigai-tools mcpb "$digest" "registry.example.com/ikigai-tools:$version"; do
        grep -qF "\"$name\"" "$room/published/server.json" || fail "server.json of a publisher does not say $name"
    done
    unzipped "$room/published"/*.whl "*/METADATA" | grep -qxF '<!-- mcp-name: io.github.example/ikigai-tools -->' ||
        fail "the wheel of a publisher does not name the server"
}

unzipped() { python3 -c 'import fnmatch, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
for name in fnmatch.filter(archive.namelist(), sys.argv[2]): sys.stdout.buffer.write(archive.read(name))' "$@"; }

check_server_json() {
    cp "$1/server.json" "$room/registry"
    "$tools/bin/skillsaw" lint --strict --type mcp-registry "$room/registry" >"$room/out" ||
        fail "$1/server.json: $(cat "$room/out")"
}

# Packs once more, for a publisher who is none, into $room/published.
published() {
    python3 -c 'import json, sys
told = json.load(sys.stdin)
own = next(one for one in told["packages"] if one["name"] == "ikigai-tools")
own["repository"] = "https://github.com/example/ikigai-tools"
own["metadata"]["mcp"] = {
    "namespace": "io.github.example",
    "image": "registry.example.com/ikigai-tools",
}
json.dump(told, sys.stdout)' <"$room/cargo.json" >"$room/published.json"
    pack_again published "$room/published.json"
}

# Packs once more into $room/$1, from what Cargo.toml is to say, for the machine $3.
pack_again() {
    mkdir -p "$room/$1/doc"
    unzipped "$bundle" THIRD-PARTY-NOTICES.txt >"$room/$1/doc/notices"
    unzipped "$bundle" $program.cdx.json >"$room/$1/doc/sbom"
    env version="$version" target="${3:-$target}" packages="$room/$1" stage="$room/$1/stage" binary="$binary" \
        runnable="$binary" licence=LICENSE notices="$room/$1/doc/notices" sbom="$room/$1/doc/sbom" \
        date="$(packed_at)" cargo_metadata="$2" packaging/clients/build.sh >"$room/out" 2>&1 ||
        fail "packing again: $(cat "$room/out")"
}

packed_at() {
    tar --utc --full-time -tvf "$main" package/package.json | awk '{ print $4 " " $5 " UTC" }' | date -f - +%s
}

# The same bytes, packed again.
try_again() {
    local file
    step "packed a second time"
    pack_again again "$room/cargo.json"
    for file in "$wheel" "$main" "$platform" "$bundle" "$packages/server.json"; do
        cmp "$file" "$room/again/${file##*/}" || fail "${file##*/} comes out otherwise"
    done
    find "$wheel" "$main" "$platform" "$bundle" -size -12M | wc -l | grep -qx 4 || fail "more than 12 MiB"
}

# For another machine than this one, of which only what is said of it can be looked at here.
try_other() {
    local other=aarch64 cpu=arm64 fields
    [ "$target" != aarch64-unknown-linux-musl ] || other=x86_64 cpu=x64
    step "for $other"
    pack_again other "$room/cargo.json" $other-unknown-linux-musl
    for file in "ikigai_tools-$version-py3-none-manylinux2014_$other.musllinux_1_1_$other.whl" \
        "$program-linux-$cpu-$version.tgz" "$program-$version-$other-unknown-linux-musl.mcpb"; do
        [ -s "$room/other/$file" ] || fail "there is no $file: $(ls "$room/other")"
    done
    fields=$(tar -xOf "$room/other/$program-linux-$cpu-$version.tgz" package/package.json | tr -d ' \n')
    [[ $fields == *'"os":["linux"],"cpu":["'$cpu'"]'* ]] || fail "npm's package says $fields"
    cmp "$main" "$room/other/${main##*/}" || fail "${main##*/} is not the same for all machines"
}

# ---- what is tried ----

# The one file in target/packages that fits a pattern.
package() {
    local found
    mapfile -t found < <(compgen -G "$packages/$1")
    if [ ${#found[@]} != 1 ] || [ ! -f "${found[0]}" ]; then
        fail "there is no package $1: run packaging/build.sh first"
    fi
    printf '%s\n' "${found[0]}"
}

make_room clients
registry=
clean_up() {
    [ -z "$registry" ] || kill "$registry" 2>/dev/null || true
    remove_room
}
trap clean_up EXIT
mkdir -p "$room"/{files,home,state,binary}

wheel=$(package '*.whl')
main=$(package "$program-[0-9]*.tgz")
platform=$(package "$program-linux-*.tgz")
platform_name=${platform##*/}
platform_name=${platform_name%"-$version.tgz"}
bundle=$(package '*.mcpb')
tar -xzf "$platform" -C "$room/binary" package/bin/$program
binary=$room/binary/package/bin/$program
[ -x "$binary" ] || fail "${platform##*/}: the executable may not be executed"

has python3 || { skip "what MCP clients install: there is no python3" && exit; }
export PYTHONDONTWRITEBYTECODE=1
npm=(npm --silent --no-audit --no-fund)
step "tools"
tools=$room/tools
python3 -m venv "$tools"
three_times "$tools/bin/pip" --quiet --disable-pip-version-check install --no-deps \
    --requirement "$clients/tools/requirements.txt"
if has npm; then
    mkdir "$room/node"
    cp "$clients/tools"/package*.json "$room/node"
    three_times "${npm[@]}" ci --prefix "$room/node" --ignore-scripts
fi

cargo metadata --no-deps --format-version 1 --offline >"$room/cargo.json"

# Whoever installs has a home of their own, from which nothing is read and where nothing is left.
# What the tools keep and what installers keep is elsewhere.
unset XDG_DATA_HOME XDG_CONFIG_HOME
export HOME=$room/home XDG_CACHE_HOME=$room/state XDG_STATE_HOME=$room/state
export PIP_CONFIG_FILE=/dev/null PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1
export UV_NO_CONFIG=1 UV_PYTHON_DOWNLOADS=never
export UV_CACHE_DIR=$room/uv/cache UV_TOOL_DIR=$room/uv/tools UV_TOOL_BIN_DIR=$room/uv/bin
export npm_config_userconfig=$room/npmrc npm_config_cache=$room/npm-cache npm_config_update_notifier=false
for name in http_proxy https_proxy all_proxy; do unset "$name" "${name^^}"; done
pip=("$room/venv/bin/pip" --quiet --no-cache-dir)

try_wheel
try_uv
try_npm
try_names
try_bundle
try_server_json
try_again
try_other
