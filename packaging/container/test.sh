#!/usr/bin/env bash
# Builds an image of target/packages/container and runs it: its server listed and called over stdio
# and over HTTP, as an unprivileged user on a read-only root, with the authorities that the
# executable brings. packaging/test.sh calls it.
#
# It takes podman, or buildah where podman cannot run containers here, such as in another container.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=packaging/testing.sh
. packaging/testing.sh

served=web_search_brave,web_search_google,web_fetch,web_search,scrape_page

make_room container
server=
container=
clean_up() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    [ -z "$container" ] || buildah rm "$container" >/dev/null 2>&1 || true
    [ -z "$builder" ] || "$builder" rmi --force "$image" "$image-probe" >/dev/null 2>&1 || true
    if has podman; then podman secret rm "$secret" >/dev/null 2>&1 || true; fi
    remove_room
}
trap clean_up EXIT
context=$packages/container
image=localhost/$program-try-$$
secret=$program-try-$$
builder=

# ---- whoever builds and runs ----

build() { "$builder" build --quiet --timestamp 0 --tag "$image$2" "$1" >"$room/image" 2>"$room/out"; }

# Whether any image can be built in which something belongs to another user.
can_build() {
    mkdir -p "$room/probe/home"
    printf 'FROM scratch\nCOPY --chown=65532:65532 home /home\n' >"$room/probe/Containerfile"
    build "$room/probe" -probe
}

# Each way to run it that there may be: as anybody would, with what a container within another one
# may do, and without any container engine at all. `runner` starts it, `runs` is what it starts,
# `by_itself` the arguments that it has by itself: buildah knows neither entry point nor command.
find_runner() {
    local within=(--ulimit nofile=1024:1024 --ulimit nproc=4096:4096)
    local run=(run --interactive --rm --network host --cap-drop all)
    runs=("$image")
    by_itself=()
    if has podman; then
        try_runner podman "${run[@]}" && return
        try_runner podman "${run[@]}" "${within[@]}" && return
        try_runner podman --runtime runc "${run[@]}" "${within[@]}" && return
    fi
    has buildah || return 1
    container=$(buildah from "$image" 2>>"$room/out") || return 1
    runs=("$container" -- "/usr/bin/$program")
    by_itself=(mcp --tools "web,research")
    try_runner buildah run --isolation chroot
}

try_runner() {
    runner=("$@")
    "${runner[@]}" "${runs[@]}" --version >"$room/version" 2>>"$room/out"
}

# Lists and calls the server that the arguments start.
call() { python3 packaging/clients/call.py --version "$version" --tools "$served" "$@"; }

# ---- what is tried ----

# It is what the recipe says, whoever runs it.
try_recipe() {
    "$builder" inspect --type image "$image" >"$room/image.json"
    python3 - "$room/image.json" "$version" <<'END'
import json
import sys

told = json.load(open(sys.argv[1]))
told = told[0] if isinstance(told, list) else told
config = told["Config"] if isinstance(told["Config"], dict) else told["OCIv1"]["config"]
assert config["User"] == "65532:65532", config
assert config["Entrypoint"] == ["/usr/bin/ikigai-tools"], config
assert config["Cmd"] == ["mcp", "--tools", "web,research"], config
assert config["Labels"]["org.opencontainers.image.version"] == sys.argv[2], config
END
}

# Nothing is written but what is kept of pages and searches.
try_stdio() {
    local options=()
    if [ "${runner[0]}" = podman ]; then options=(--read-only --tmpfs /home/ikigai:mode=1777); fi
    call "${runner[@]}" "${options[@]}" "${runs[@]}" "${by_itself[@]}"
}

# A server that has the token of nobody else, in a file that its user alone may read.
try_http() {
    local port options=()
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    TOKEN=$("$context/$program" token ada --file "$room/tokens" 2>"$room/out") || fail "token: $(cat "$room/out")"
    export TOKEN
    if [ "${runner[0]}" = podman ]; then
        podman secret create "$secret" "$room/tokens" >/dev/null
        options=(--secret "$secret,target=tokens,uid=65532,mode=0400")
    elif [ "$(id -u)" = 0 ]; then
        chown 65532 "$room/tokens"
        options=(--volume "$room/tokens:/run/secrets/tokens:ro")
    else
        skip "the image, over HTTP: buildah gives files to nobody else unless by root" && return
    fi
    "${runner[@]}" "${options[@]}" "${runs[@]}" mcp --http "0.0.0.0:$port" --behind-proxy --allow-private \
        --tokens /run/secrets/tokens </dev/null 2>"$room/log" &
    server=$!
    for _ in $(seq 100); do
        ! grep -q listening "$room/log" || break
        sleep 0.1
    done
    grep -q listening "$room/log" || fail "the image does not listen: $(cat "$room/log")"
    call --url "http://127.0.0.1:$port/mcp"
    TOKEN=nothing call --url "http://127.0.0.1:$port/mcp" >"$room/out" 2>&1 && fail "it lets in everybody"
    grep -q 'HTTP Error 401' "$room/out" || fail "without a token: $(cat "$room/out")"
    kill "$server"
    # buildah hands no signals on.
    [ "${runner[0]}" = podman ] || { wait "$server" || true && server= && return; }
    # It is the first process of its container, and takes the signal all the same.
    for _ in $(seq 100); do
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    ! kill -0 "$server" 2>/dev/null || fail "it does not end when it is told to"
    wait "$server" || fail "told to end, it exits with $?: $(cat "$room/log")"
    server=
}

# Without any file of authorities TLS is spoken, and somebody's own certificate is not trusted; with
# it, it is.
try_tls() {
    local port said options=()
    openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
        -keyout "$room/key.pem" -out "$room/cert.pem" 2>/dev/null
    python3 -u -c 'import http.server, ssl, sys
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(*sys.argv[1:3])
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port)
server.serve_forever()' "$room/cert.pem" "$room/key.pem" >"$room/port" 2>/dev/null &
    server=$!
    for _ in $(seq 100); do
        [ ! -s "$room/port" ] || break
        sleep 0.1
    done
    port=$(cat "$room/port")
    said=$("${runner[@]}" "${runs[@]}" web-fetch "https://localhost:$port/" 2>&1) && fail "it trusts everybody: $said"
    [[ $said == *certificate* && $said == *authorit* ]] || fail "of a certificate that nobody knows it says: $said"
    chmod 644 "$room/cert.pem"
    options=(--volume "$room/cert.pem:/cert.pem:ro" --env SSL_CERT_FILE=/cert.pem)
    said=$("${runner[@]}" "${options[@]}" "${runs[@]}" web-fetch "https://localhost:$port/" 2>&1) ||
        fail "with the certificate named: $said"
    kill "$server"
    server=
}

step "Containerfile"
[ -f "$context/Containerfile" ] || fail "there is no $context: run packaging/build.sh first"
for need in python3 openssl; do has $need || { skip "Containerfile: there is no $need" && exit; }; done
builder=podman
has podman || builder=buildah
has "$builder" || { skip "Containerfile: there is neither podman nor buildah" && exit; }
can_build || { skip "Containerfile: $builder builds no images here: $(tail -n 1 "$room/out")" && exit; }
build "$context" "" || fail "$builder build: $(cat "$room/out")"
try_recipe
find_runner || { skip "the image, run: no container runs here: $(tail -n 1 "$room/out")" && exit; }
[ "$(cat "$room/version")" = "$program $version" ] || fail "the image says $(cat "$room/version")"
printf '    built by %s, run by %s\n' "$builder" "${runner[*]:0:2}"
try_stdio
try_http
try_tls
