"""Indexes of packages on a free port of this machine, which is printed: the built wheel as a Python index (PEP 503) and
the built npm packages as an npm registry, which also has one for another kind of machine. What is asked for is
written to a file, a method and a path a line.

Usage: registry.py PACKAGES LOG
"""

import base64
import hashlib
import http.server
import io
import json
import sys
import tarfile
from pathlib import Path

packages, log = Path(sys.argv[1]), open(sys.argv[2], "a", buffering=1)
files = {file.name: file.read_bytes() for pattern in ("*.whl", "*.tgz") for file in packages.glob(pattern)}
manifests = {}
for name, content in files.items():
    if name.endswith(".tgz"):
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            manifests[name] = json.load(archive.extractfile("package/package.json"))
main = next(manifest for manifest in manifests.values() if "bin" in manifest)
for missing in set(main["optionalDependencies"]) - {manifest["name"] for manifest in manifests.values()}:
    cpu = missing.rsplit("-", 1)[1]
    version = main["version"]
    manifests[f"{missing}-{version}.tgz"] = {"name": missing, "version": version, "os": ["linux"], "cpu": [cpu]}


def packument(name, origin):
    versions = {}
    for file, manifest in manifests.items():
        if manifest["name"] == name:
            content = files.get(file, b"")
            digest = base64.b64encode(hashlib.sha512(content).digest()).decode()
            dist = {"tarball": f"{origin}/{file}", "integrity": f"sha512-{digest}"}
            versions[manifest["version"]] = {**manifest, "dist": dist}
    return {"name": name, "dist-tags": {"latest": max(versions)}, "versions": versions} if versions else None


class Handler(http.server.BaseHTTPRequestHandler):
    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        path = self.path.split("?")[0].strip("/")
        log.write(f"{self.command} {path}\n")
        kind, body = self.found(path)
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def found(self, path):
        if path in files:
            return "application/octet-stream", files[path]
        if path.startswith("simple/"):
            wheels = [name for name in files if name.endswith(".whl")]
            links = "".join(f'<a href="/{name}">{name}</a>' for name in wheels)
            return "text/html", links.encode() if path == "simple/ikigai-tools" else b""
        told = packument(path, f"http://{self.headers['Host']}")
        return "application/json", json.dumps(told).encode() if told else b""

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
