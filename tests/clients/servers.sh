# Starts servers.py, and has the tools meet it alone: for what drives clients and agents of others,
# which source it with a directory $room of their own. Both are gone at their end.
# shellcheck shell=bash

export PYTHONDONTWRITEBYTECODE=1
python3 "$(dirname "${BASH_SOURCE[0]}")/servers.py" >"$room/port" &
servers=$!
trap 'kill "$servers" 2>/dev/null || true; rm -rf "$room"' EXIT
for _ in $(seq 100); do
    [ -s "$room/port" ] && break
    sleep 0.1
done
here=http://127.0.0.1:$(cat "$room/port")

unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
export IKIGAI_OPENALEX_URL=$here/openalex IKIGAI_CROSSREF_URL=$here/crossref
export IKIGAI_ARXIV_URL=$here/arxiv IKIGAI_SEMANTICSCHOLAR_URL=$here/semanticscholar
export IKIGAI_LENS_URL=$here/lens LENS_API_TOKEN=none
