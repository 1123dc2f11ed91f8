"""A page and two search services, on a free port of this machine, which is printed."""

import http.server
import json

ANSWERS = {
    "/page": ("text/html; charset=utf-8", "<title>A page</title><h1>Hello</h1><p>from <em>here</em></p>"),
    "/brave": (
        "application/json",
        json.dumps({"web": {"results": [{"title": "Hit", "url": "https://example.com/", "description": "found"}]}}),
    ),
    "/google": (
        "application/json",
        json.dumps({"items": [{"title": "Hit", "link": "https://example.com/", "snippet": "found"}]}),
    ),
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        kind, body = ANSWERS.get(self.path.split("?")[0], ("text/plain", ""))
        body = body.encode()
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
