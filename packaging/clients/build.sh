#!/bin/sh
# Builds what MCP clients install: a wheel, npm packages, an .mcpb bundle and server.json, and lays
# out what a container image is built of. packaging/build.sh calls it, with its variables: version,
# target, packages, stage, binary, runnable, licence, notices, sbom and date.
set -eu
unset CDPATH
cd "$(dirname "$0")/../.."

step() { printf '\n--> %s\n' "$*"; }

command -v python3 >/dev/null || {
    echo "packaging/clients/build.sh: the packages for MCP clients take python3 (3.9 or newer)" >&2
    exit 1
}
mkdir -p "${stage:?packaging/build.sh calls this, with its variables}/clients"
export PYTHONDONTWRITEBYTECODE=1
# What Cargo.toml says; a test gives its own.
if [ -z "${cargo_metadata-}" ]; then
    export cargo_metadata="$stage/clients/cargo.json"
    cargo metadata --no-deps --format-version 1 --offline >"$cargo_metadata"
fi
step "wheel"
python3 packaging/clients/wheel.py
step "npm"
python3 packaging/clients/npm.py
step ".mcpb"
python3 packaging/clients/mcpb.py
step "server.json"
python3 packaging/clients/server_json.py
step "container"
python3 packaging/container/lay_out.py
