#!/usr/bin/env bash
# What test.sh tries of ikigai-tools.service, run by the systemd that boot.sh boots, where nothing
# else runs.
set -euo pipefail
: "${version:?}"
touch /try/began

service=ikigai-tools
served=web_search_brave,web_search_google,web_fetch,web_search,scrape_page
url=http://127.0.0.1:8383/mcp

fail() {
    printf 'failed: %s\n' "$*"
    systemctl status --no-pager $service || true
    cat /try/console
    exit 1
}

call() { python3 /etc/ikigai-tools-call.py --version "$version" --tools $served --url "$url"; }

token() { ikigai-tools token "$1" --file /etc/ikigai-tools/tokens 2>/tmp/token || cat /tmp/token; }

# Installing it neither starts nor enables it.
if [ -e /ikigai-tools.deb ]; then
    dpkg --no-triggers --install /ikigai-tools.deb
    [ "$(systemctl is-active $service)" = inactive ] || fail "installing the .deb starts it"
    [ "$(systemctl is-enabled $service)" = disabled ] || fail "installing the .deb enables it"
fi

# Without tokens it does not start, and says so.
systemctl start $service 2>/dev/null && fail "it starts without tokens"
systemctl reset-failed $service

TOKEN=$(token ada)
export TOKEN
install -m 600 /dev/stdin /etc/ikigai-tools/server.env <<'END'
IKIGAI_OPTIONS=--allow-private --log json
IKIGAI_BRAVE_URL=http://127.0.0.1:8384/brave
END
install -m 600 /dev/stdin /etc/ikigai-tools/credentials.json <<'END'
{"web_search": {"brave": {"api_key": "the-key-of-this-try"}}}
END
systemctl start $service || fail "it does not start"
call >/try/told || fail "it is not called"

# As whom, and with what.
main=$(systemctl show --property MainPID --value $service)
[ "$(stat -c %u "/proc/$main")" -ge 61184 ] || fail "it runs as $(stat -c %U "/proc/$main")"
grep -qx 'CapBnd:.0000000000000000' "/proc/$main/status" || fail "it has $(grep Cap "/proc/$main/status")"
grep -qx 'NoNewPrivs:.1' "/proc/$main/status" || fail "it may gain privileges"
writable() { nsenter --target "$main" --mount test -w "$1"; }
writable /var/cache/ikigai-tools || fail "it cannot write to its cache"
for directory in /usr /etc /var/lib /home; do ! writable $directory || fail "it can write to $directory"; done
[ -s /var/lib/ikigai-tools/cache.key ] || fail "it keeps no cache"

# The key of the search is root's file, which the service reads as a credential.
python3 -u -c 'import http.server, json
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        open("/tmp/key", "w").write(self.headers.get("X-Subscription-Token", "none"))
        hit = {"title": "Hit", "url": "https://example.com/", "description": "found"}
        body = json.dumps({"web": {"results": [hit]}})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())
    def log_message(self, *_): pass
print("ready", flush=True)
http.server.HTTPServer(("127.0.0.1", 8384), Handler).serve_forever()' >/tmp/ready &
for _ in $(seq 50); do
    [ ! -s /tmp/ready ] || break
    sleep 0.1
done
python3 - "$url" <<'END' || fail "the search has no key"
import json, os, sys, urllib.request

call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
call["params"] = {"name": "web_search_brave", "arguments": {"query": "rust"}}
headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
headers["Authorization"] = f"Bearer {os.environ['TOKEN']}"
request = urllib.request.Request(sys.argv[1], json.dumps(call).encode(), headers)
answer = urllib.request.urlopen(request, timeout=30).read().decode()
assert "Hit" in answer, answer
key = open("/tmp/key").read()
assert key == "the-key-of-this-try", key
END

# A reload takes tokens in, and others away, without a new start.
ada=$TOKEN
TOKEN=$(token ben)
call >/dev/null 2>&1 && fail "a token is known before a reload"
systemctl reload $service || fail "it is not reloaded"
sleep 0.2
call >/dev/null || fail "a reload does not take a token in"
sed -i '/^ada /d' /etc/ikigai-tools/tokens
systemctl reload $service
sleep 0.2
TOKEN=$ada call >/dev/null 2>&1 && fail "a reload does not take a token away"
[ "$main" = "$(systemctl show --property MainPID --value $service)" ] || fail "a reload is a new start"

systemctl stop $service || fail "it is not stopped"
[ "$(systemctl show --property Result --value $service)" = success ] || fail "it ends badly"
for file in /run/ikigai-tools*; do [ ! -e "$file" ] || fail "it leaves $file"; done

# With TLS, as the unit's own example has it.
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout /etc/ssl/private/tools.pem -out /etc/ssl/tools.pem 2>/dev/null
chmod 600 /etc/ssl/private/tools.pem
: >/etc/ikigai-tools/server.env
mkdir -p /etc/systemd/system/$service.service.d
sed -n '/^#     \[Service\]/,/^[^#]/s/^#     //p' /usr/lib/systemd/system/$service.service \
    >/etc/systemd/system/$service.service.d/tls.conf
systemctl daemon-reload
systemctl start $service || fail "with TLS it does not start"
python3 -c 'import ssl, urllib.request
context = ssl.create_default_context(cafile="/etc/ssl/tools.pem")
assert urllib.request.urlopen("https://localhost:8383/health", context=context, timeout=30).status == 200' ||
    fail "it speaks no TLS"
systemctl stop $service

# Enabled and running, it is ended when the package goes, and only its administrator's files stay.
if [ -e /ikigai-tools.deb ]; then
    rm -r /etc/systemd/system/$service.service.d
    systemctl daemon-reload
    systemctl enable --now $service || fail "it is not enabled"
    dpkg --no-triggers --purge ikigai-tools
    [ "$(systemctl is-active $service)" = inactive ] || fail "removing the .deb leaves it running"
    left=$(find /usr /etc /var/lib/systemd /run -path '*ikigai-tools*' -not -path '/etc/ikigai-tools*' \
        -not -path '*ikigai-tools-try*')
    [ -z "$left" ] || fail "removing the .deb leaves $left"
    printf '    installed by the .deb, enabled, started, called, reloaded, purged\n' >>/try/told
fi
touch /try/ended
