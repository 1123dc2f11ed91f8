"""A client of a server of the Model Context Protocol, over stdio or HTTP: it lists the tools, calls those that need no
other service than the page that it serves itself, and ends the server.

Usage: call.py [OPTION]... COMMAND [ARGUMENT]...   a server on stdin and stdout
       call.py [OPTION]... --url URL               one that is there, with the token in $TOKEN
Options: --version TEXT, what the server has to call itself; --tools NAME,..., what it has to serve; --directory DIR,
where files are made. The last line says what was called.
"""

import argparse
import http.server
import json
import os
import subprocess
import threading
import time
import urllib.request
import uuid
from pathlib import Path

PAGE = b"<title>A page</title><h1>Hello</h1><p>from <em>here</em></p>"
PATIENCE = 60


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_):
        pass


class Stdio:
    """A server that is started here. What it leaves running is found by a mark in its environment."""

    def __init__(self, command, directory):
        self.mark = f"IKIGAI_TRIED_BY={uuid.uuid4()}"
        name, value = self.mark.split("=")
        self.process = subprocess.Popen(
            command,
            cwd=directory,
            env={**os.environ, name: value},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.watch = threading.Timer(PATIENCE, self.process.kill)
        self.watch.start()

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        assert line, f"the server has ended: {self.process.wait()}"
        return json.loads(line)

    def end(self):
        """Closes the server's input, after which it has to end, with all that there was between it and here."""
        self.process.stdin.close()
        status = self.process.wait(10)
        self.watch.cancel()
        assert status == 0, f"the server has ended with {status}"
        deadline = time.monotonic() + 5
        while left := [process for process in Path("/proc").glob("[0-9]*") if self.is_ours(process)]:
            assert time.monotonic() < deadline, f"left running: {[process.name for process in left]}"
            time.sleep(0.05)

    def is_ours(self, process):
        try:
            return self.mark.encode() in (process / "environ").read_bytes()
        except OSError:
            return False


class Http:
    """One that runs already."""

    def __init__(self, url):
        self.url, self.answers = url, []

    def send(self, message):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if "TOKEN" in os.environ:
            headers["Authorization"] = f"Bearer {os.environ['TOKEN']}"
        request = urllib.request.Request(self.url, json.dumps(message).encode(), headers)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=PATIENCE) as response:
            body, kind = response.read(), response.headers["Content-Type"] or ""
        if kind.startswith("text/event-stream"):
            lines = [line[5:] for line in body.splitlines() if line.startswith(b"data:")]
            self.answers += [json.loads(line) for line in lines if line.strip()]
        elif body:
            self.answers.append(json.loads(body))

    def receive(self):
        return self.answers.pop(0)

    def end(self):
        pass


class Client:
    def __init__(self, server):
        self.server, self.id = server, 0

    def request(self, method, **parameters):
        self.id += 1
        self.server.send({"jsonrpc": "2.0", "id": self.id, "method": method, "params": parameters})
        while (answer := self.server.receive()).get("id") != self.id:
            pass
        assert "result" in answer, answer
        return answer["result"]

    def notify(self, method):
        self.server.send({"jsonrpc": "2.0", "method": method})

    def call(self, tool, expected, **arguments):
        result = self.request("tools/call", name=tool, arguments=arguments)
        text = "".join(part.get("text", "") for part in result["content"])
        assert not result.get("isError") and expected in text, f"{tool}: {result}"


def calls(tools, directory, page):
    """What is called of the tools that are served: each, what its answer has in it, its arguments."""
    note = str(directory / f"note-{uuid.uuid4()}")
    every = [
        ("file_write", "Wrote", {"file_path": note, "content": "one\n"}),
        ("file_edit", "Replaced", {"file_path": note, "old_string": "one", "new_string": "two"}),
        ("file_read", "two", {"file_path": note}),
        ("glob", Path(note).name, {"pattern": note[:-1] + "*"}),
        ("grep", "two", {"pattern": "^t.o$", "path": str(directory), "glob": "note-*"}),
        ("bash", "5", {"command": f"rm '{note}'; expr 2 + 3"}),
        ("web_fetch", "from *here*", {"url": page}),
        ("scrape_page", "from *here*", {"url": page}),
    ]
    return [call for call in every if call[0] in tools], Path(note)


def main():
    usage = argparse.ArgumentParser()
    usage.add_argument("--version")
    usage.add_argument("--tools")
    usage.add_argument("--directory", type=Path, default=Path.cwd())
    usage.add_argument("--url")
    usage.add_argument("command", nargs=argparse.REMAINDER)
    asked = usage.parse_args()
    page = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=page.serve_forever, daemon=True).start()
    start = time.monotonic()
    server = Http(asked.url) if asked.url else Stdio(asked.command, asked.directory)
    client = Client(server)
    hello = client.request(
        "initialize",
        protocolVersion="2025-06-18",
        capabilities={},
        clientInfo={"name": "packaging", "version": "1"},
    )
    told = hello["serverInfo"]
    assert told["name"] == "ikigai-tools", told
    assert asked.version in (None, told["version"]), f"asked for {asked.version}, got {told}"
    started = time.monotonic() - start
    client.notify("notifications/initialized")
    tools = [tool["name"] for tool in client.request("tools/list")["tools"]]
    wanted = asked.tools.split(",") if asked.tools else tools
    assert sorted(tools) == sorted(wanted), f"served are {tools}, not {wanted}"
    to_call, note = calls(tools, asked.directory, f"http://127.0.0.1:{page.server_address[1]}/page")
    assert to_call, f"there is nothing to call among {tools}"
    for tool, expected, arguments in to_call:
        client.call(tool, expected, **arguments)
    server.end()
    note.unlink(missing_ok=True)
    print(
        f"    {told['name']} {told['version']}, {started * 1000:.0f} ms to its first answer; "
        f"serves {len(tools)}, called: {', '.join(call[0] for call in to_call)}"
    )


main()
