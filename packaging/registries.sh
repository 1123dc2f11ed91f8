#!/usr/bin/env bash
# Tries packaging/publish.sh with registries on this machine: each package is published there, and
# what a user then gets by its name is called, or compared with what was built.
#
# pypiserver and twine, and verdaccio, are installed for the trial, which takes a network; reprepro,
# apt and createrepo_c have to be there. What could not be tried is said at the end. Nothing leaves
# this machine.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=packaging/testing.sh
. packaging/testing.sh

packages=${packages:-$PWD/target/packages}
export packages

room=$(mktemp -d)
untried=$room/untried
servers=()
clean_up() {
    [ ${#servers[@]} = 0 ] || kill "${servers[@]}" 2>/dev/null || true
    rm -rf "$room"
}
trap clean_up EXIT

publish() { packaging/publish.sh "$@" >"$room/out" 2>&1 || fail "publish.sh $*: $(tail -n 20 "$room/out")"; }

# Starts a server that listens on $port, with the command that follows, and waits until it does.
serve() {
    local try
    "$@" >"$room/server" 2>&1 &
    servers+=($!)
    for try in $(seq 300); do
        if python3 -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1])))' "$port" \
            2>/dev/null; then return; fi
        kill -0 "${servers[-1]}" 2>/dev/null || break
        sleep 0.1
    done
    fail "$1 does not serve after $try tries: $(tail "$room/server")"
}

free_port() {
    python3 -c 'import socket
with socket.create_server(("127.0.0.1", 0)) as one: print(one.getsockname()[1])'
}

answers() { [ "$("$@")" = "$program $version" ] || fail "$* does not say $program $version"; }

try_pypi() {
    step "pypi: twine and pypiserver"
    has python3 || { skip "pypi: there is no python3" && return; }
    python3 -m venv "$room/python"
    three_times "$room/python/bin/pip" --quiet --disable-pip-version-check install twine==6.2.0 pypiserver==2.4.0
    mkdir "$room/index"
    port=$(free_port)
    serve "$room/python/bin/pypi-server" run --interface 127.0.0.1 --port "$port" --authenticate . --passwords . \
        "$room/index"
    local -x PATH=$room/python/bin:$PATH TWINE_REPOSITORY_URL=http://127.0.0.1:$port/ TWINE_NON_INTERACTIVE=1
    local -x TWINE_USERNAME=somebody TWINE_PASSWORD=whatever
    publish pypi
    python3 -m venv "$room/user"
    "$room/user/bin/pip" --quiet --disable-pip-version-check --no-cache-dir install \
        --index-url "http://127.0.0.1:$port/simple" "$program"
    answers "$room/user/bin/$program" --version
    # What the registry shows of it.
    "$room/user/bin/python" -c 'import importlib.metadata as m; print(m.metadata("ikigai-tools").get_payload())' |
        grep -F "$(sed -n 3p packaging/clients/README.md)" >/dev/null || fail "the wheel's page is not packaging/clients/README.md"
}

try_npm() {
    local token
    step "npm: verdaccio"
    has npm || { skip "npm: there is no npm" && return; }
    mkdir "$room/npm" "$room/node"
    # Its own wish for node-fetch is a tag, which not every registry has.
    echo '{"dependencies": {"verdaccio": "6.2.5"}, "overrides": {"node-fetch": "2.6.7"}}' >"$room/node/package.json"
    three_times npm --silent install --no-audit --no-fund --prefix "$room/node"
    # It knows no other registry.
    cat >"$room/npm/config.yaml" <<TEXT
storage: $room/npm/storage
auth: {htpasswd: {file: $room/npm/htpasswd}}
uplinks: {}
packages: {'**': {access: \$all, publish: \$authenticated}}
log: {type: stdout, format: pretty, level: warn}
max_body_size: 64mb
TEXT
    port=$(free_port)
    serve "$room/node/node_modules/.bin/verdaccio" --config "$room/npm/config.yaml" --listen "127.0.0.1:$port"
    token=$(python3 -c 'import json, sys, urllib.request
body = json.dumps({"name": "somebody", "password": "whatever1"}).encode()
asked = urllib.request.Request(sys.argv[1], body, {"Content-Type": "application/json"}, method="PUT")
print(json.load(urllib.request.urlopen(asked))["token"])' "http://127.0.0.1:$port/-/user/org.couchdb.user:somebody")
    printf '//127.0.0.1:%s/:_authToken=%s\n' "$port" "$token" >"$room/npm/npmrc"
    local -x npm_config_registry=http://127.0.0.1:$port/ npm_config_userconfig=$room/npm/npmrc
    local -x npm_config_cache=$room/npm/cache npm_config_update_notifier=false
    publish npm
    publish npm
    answers npx --yes "$program" --version
    npm view "$program" readme | grep -F "$(sed -n 3p packaging/clients/README.md)" >/dev/null ||
        fail "the page of npm's package is not packaging/clients/README.md"
}

try_deb() {
    local repository=$room/deb apt
    step "deb: reprepro"
    if ! has reprepro || ! has apt-get; then
        skip "deb: there is no reprepro, or no apt"
        return
    fi
    mkdir -p "$repository/conf" "$room/apt"/{lists/partial,cache/archives/partial,etc}
    printf '%s\n' 'Codename: stable' 'Components: main' 'Architectures: amd64 arm64' >"$repository/conf/distributions"
    publish deb "$repository"
    publish deb "$repository"
    # No key is here to sign it: whoever publishes has theirs in conf/distributions (SignWith).
    printf 'deb [trusted=yes] file:%s stable main\n' "$repository" >"$room/apt/etc/sources.list"
    apt=(apt-get -qq -o "Dir::State::lists=$room/apt/lists" -o "Dir::Cache=$room/apt/cache"
        -o "Dir::Etc::sourcelist=$room/apt/etc/sources.list" -o Dir::Etc::sourceparts=/nowhere
        -o APT::Sandbox::User=root)
    "${apt[@]}" update
    (cd "$room/apt" && "${apt[@]}" download "$program")
    cmp "$room/apt"/*.deb "$(find "$packages" -maxdepth 2 -name "*_$(dpkg --print-architecture).deb" | head -n 1)"
}

try_rpm() {
    step "rpm: createrepo_c"
    has createrepo_c || { skip "rpm: there is no createrepo_c" && return; }
    mkdir "$room/rpm"
    publish rpm "$room/rpm"
    publish rpm "$room/rpm"
    [ "$(gzip -dc "$room"/rpm/repodata/*primary.xml.gz | grep -c "<name>$program</name>")" = 2 ] ||
        fail "the repository does not name two packages"
}

for registry in "${@:-pypi npm deb rpm}"; do
    for one in $registry; do "try_$one"; done
done
printf 'what was published is what users get'
[ ! -e "$untried" ] || sed 's/^/; not tried: /' "$untried" | tr -d '\n'
printf '\n'
