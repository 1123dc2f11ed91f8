"""Calls each tool of an executable as a host and as an MCP client do. Usage: calls.py IKIGAI-TOOLS DIRECTORY"""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading

binary, room = sys.argv[1], pathlib.Path(sys.argv[2])
links, files = room / "links", room / "files"
links.mkdir()
files.mkdir()
environment = {"PATH": "/usr/bin:/bin", "HOME": str(room), "XDG_STATE_HOME": str(room / "state")}


RESEARCH = [
    f"{name}-tool"
    for name in (
        "web-search",
        "scrape-page",
        "search-and-scrape",
        "academic-search",
        "check-references",
        "patent-search",
        "sequential-search",
        "get-research-session",
        "research-export",
    )
]


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"<title>A page</title><h1>Hello</h1><p>from <em>here</em></p>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def run(command, text="", code=0, **more):
    """Runs to its end: exit code `code`; gives stdout and stderr."""
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=120, cwd=files, env={**environment, **more}
    )
    assert done.returncode == code, (command, done)
    return done.stdout, done.stderr


def call(tool, request, code=0, **more):
    return json.loads(run([links / tool], json.dumps(request), code, **more)[0])


def same(found, wanted):
    assert found == wanted, f"{found} is not {wanted}"


def schemas():
    names = run([binary, "list"])[0].split() + RESEARCH
    for name in names:
        (links / name).symlink_to(binary)
        schema = json.loads(run([links / name, "--schema"])[0])
        assert schema["parameters"]["type"] == "object" and schema["description"], schema
    same(len(set(names)), 9 + len(RESEARCH))
    print(f"schemas: {', '.join(names)}")


def local_tools():
    large = "".join(f"line {n}\n" for n in range(100_000))
    same(call("bash", {"command": "expr 2 + 3; exit 3"}), {"output": "5", "exit_code": 3})
    same(call("file-write", {"file_path": "large", "content": large})["bytes"], len(large))
    same(call("file-edit", {"file_path": "large", "old_string": "line 77\n", "new_string": "found\n"})["replacements"], 1)
    same((files / "large").read_text(), large.replace("line 77\n", "found\n"))
    same(call("file-read", {"file_path": "large", "offset": 78, "limit": 2}), {"output": "found\nline 78\n"})
    same(call("file-read", {"file_path": "nothing"})["error_code"], "FILE_NOT_FOUND")
    same(call("glob", {"pattern": "l?r*"}), {"output": "large", "count": 1})
    same(call("grep", {"pattern": "^(fou|x)nd$"}), {"output": "./large:78: found", "count": 1})
    same(call("bash", {"command": "sleep 60"}, IKIGAI_MAX_SECONDS="2")["exit_code"], 124)
    print("the six local tools")


def fetch(port):
    answer = call("web-fetch-tool", {"url": f"http://127.0.0.1:{port}/"})
    assert answer["success"] and "# Hello" in answer["content"] and answer["title"] == "A page", answer
    answer = call("web-fetch-tool", {"url": "http://169.254.169.254/"}, 1)
    assert "Refused" in answer["error"], answer
    print("a fetch")


def confined(port):
    """Within a root, or without a network, by the kernel, or refused with the reason: never run without."""
    outside = room / "outside"
    answer = call("bash", {"command": f"echo bad >{outside}"}, IKIGAI_ROOTS=str(files))
    assert not outside.exists(), answer
    refused = "error_code" in answer
    assert refused or answer["exit_code"] != 0, answer
    answer = call("bash", {"command": "echo still here"}, IKIGAI_ROOTS=str(files))
    assert ("error_code" in answer) == refused, answer
    print(f"a root: {answer['error'] if refused else 'kept'}")
    dial = {"command": f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo bad"}
    answer = call("bash", dial, IKIGAI_NO_NETWORK="1", IKIGAI_SHELL="/bin/bash")
    refused = "error_code" in answer
    assert refused or answer["exit_code"] != 0 and "bad" not in answer["output"], answer
    print(f"no network: {answer['error'] if refused else answer['output']}")


def protocol(port):
    """A session over stdin and stdout, one message a line."""
    server = subprocess.Popen(
        [binary, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=files, env=environment
    )

    def ask(number, method, **params):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        assert answer["id"] == number and "result" in answer, answer
        return answer["result"]

    hello = ask(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "try", "version": "0"})
    same(hello["serverInfo"]["name"], "ikigai-tools")
    server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    names = [tool["name"] for tool in ask(2, "tools/list")["tools"]]
    calls = {
        "bash": ({"command": "echo one"}, "one"),
        "file_write": ({"file_path": "new", "content": "two\n"}, "Wrote"),
        "grep": ({"pattern": "tw."}, "new\n1: two"),
        "web_fetch": ({"url": f"http://127.0.0.1:{port}/"}, "# Hello"),
    }
    for number, (name, (arguments, wanted)) in enumerate(calls.items(), 3):
        assert name in names, names
        result = ask(number, "tools/call", name=name, arguments=arguments)
        assert not result.get("isError") and wanted in result["content"][0]["text"], (name, result)
    server.stdin.close()
    same(server.wait(timeout=60), 0)
    print(f"MCP {hello['protocolVersion']}: {', '.join(names)}")


web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
threading.Thread(target=web.serve_forever, daemon=True).start()
print(run([binary, "--version"])[0], end="")
schemas()
local_tools()
fetch(web.server_port)
confined(web.server_port)
protocol(web.server_port)
