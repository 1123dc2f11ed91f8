#!/usr/bin/env python3
"""What README.md says beside other servers, measured: the same case for each of them.

    python3 benches/peers/compare.py get            # the peers, from npm and PyPI, into target/tmp/peers
    python3 benches/peers/compare.py [ROW...]       # the rows: write, empty, timeout, redirect, code, start, bytes
    IKIGAI_BIN=FILE python3 benches/peers/compare.py

All of it runs in a network namespace of its own, where the metadata address and that of a public site
are this script's own: no packet leaves the machine, and no peer reports home. It takes Linux,
`unshare`, `ip`, node and npm. Gemini CLI's tools are called as its agent calls them, without a model.
"""
import http.server
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / "target/tmp/peers"
OURS = os.environ.get("IKIGAI_BIN", str(ROOT / "target/x86_64-unknown-linux-musl/release/ikigai-tools"))
NPM = {
    "@modelcontextprotocol/server-filesystem": "2026.8.31",
    "@wonderwhy-er/desktop-commander": "0.2.52",
    "mcp-server-commands": "0.5.0",
    "@google/gemini-cli-core": "0.61.0",
}
PYPI = {"mcp-server-fetch": "2026.10.24"}
SITE, METADATA = "93.184.216.34", "169.254.169.254"

# A tool of Gemini CLI, called without a model: `node -e GEMINI TOOL DIRECTORY`, the arguments on stdin.
GEMINI = """
const core = await import(process.env.PEERS + '/node_modules/@google/gemini-cli-core/dist/index.js');
const [name, dir] = process.argv.slice(1);
let args = '';
for await (const part of process.stdin) args += part;
const config = new core.Config({sessionId: 's', targetDir: dir, cwd: dir, model: 'gemini-2.5-pro', debugMode: false,
  disableLLMCorrection: true, directWebFetch: true, usageStatisticsEnabled: false, trustedFolder: true});
await config.storage.initialize();
config.getBaseLlmClient = () => null;
const nobody = () => {};
const bus = {publish: nobody, subscribe: nobody, unsubscribe: nobody, on: nobody, off: nobody};
const tools = {write: core.WriteFileTool, run: core.ShellTool, search: core.GrepTool, fetch: core.WebFetchTool};
const signal = AbortSignal.timeout(Number(process.env.ABORT_MS ?? 60000));
let answer;
try {
  const call = new tools[name](config, bus).build(JSON.parse(args));
  answer = (await call.execute({abortSignal: signal, signal, updateOutput: nobody})).llmContent;
} catch (error) { answer = String(error); }
process.stdout.write('ANSWER ' + JSON.stringify(typeof answer === 'string' ? answer : JSON.stringify(answer)) + '\\n');
if (process.env.ABORT_MS) setInterval(nobody, 1000);
"""


def marked(mark):
    """The processes that were started with this mark in their environment."""
    found = []
    for one in os.listdir("/proc"):
        try:
            if one.isdigit() and mark.encode() in pathlib.Path("/proc", one, "environ").read_bytes():
                found.append(int(one))
        except OSError:
            pass
    return [pid for pid in found if pid != os.getpid()]


def kill_all(mark):
    for _ in range(3):
        for pid in marked(mark):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass


class Peer:
    """A server over MCP on stdin and stdout, or a tool of an agent in a process of its own."""

    def __init__(self, name, directory, home, env=(), before=()):
        self.before, self.name, self.directory, self.mark = list(before), name, str(directory), uuid.uuid4().hex
        self.env = {**os.environ, "HOME": str(home), "PEERS": str(PEERS), "MARK": self.mark, **dict(env)}
        self.env["XDG_STATE_HOME"] = self.env["XDG_CACHE_HOME"] = str(home)
        self.process, self.id = None, 0
        if name != "gemini-cli":
            self.spawn(COMMANDS[name](self.directory))
            self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                    "clientInfo": {"name": "compare", "version": "1"}})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def spawn(self, command):
        self.process = subprocess.Popen(self.before + command, cwd=self.directory, env=self.env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params, wait=True):
        self.id += 1
        self.send({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params})
        return self.answer() if wait else None

    def answer(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.id and "method" not in message:
                return message.get("result") or message
        return {}

    def call(self, what, wait=True, **values):
        """Makes the call that this peer has for `what`; None if it has none."""
        made = CALLS[self.name].get(what)
        if made is None:
            return None
        tool, arguments = made(**values)
        if self.name == "gemini-cli":
            self.spawn(["node", "--input-type=module", "-e", GEMINI, tool, self.directory])
            self.process.stdin.write(json.dumps(arguments).encode())
            self.process.stdin.close()
            answers = (line[7:] for line in self.process.stdout if line.startswith(b"ANSWER "))
            return json.loads(next(answers, b'""')) if wait else ""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments}, wait)
        answer = text_of(result) if wait else ""
        if "content search session: " in answer:  # Desktop Commander's, whose result takes a second call.
            time.sleep(1)
            session = answer.split("session: ")[1].split("\n")[0]
            more = {"name": "get_more_search_results", "arguments": {"sessionId": session}}
            answer = text_of(self.ask("tools/call", more))
        return answer

    def leave(self):
        """The client goes away as the protocol's SDK does: the end of input, SIGTERM, SIGKILL."""
        self.process.stdin.close()
        for end in (self.process.terminate, self.process.kill):
            time.sleep(2)
            end()


def text_of(result):
    return "\n".join(part.get("text", "") for part in result.get("content", [])) or json.dumps(result)


COMMANDS = {
    "ikigai-tools": lambda here: [OURS, "mcp"],
    "server-filesystem": lambda here: ["node", f"{PEERS}/node_modules/.bin/mcp-server-filesystem", here],
    "desktop-commander": lambda here: ["node", f"{PEERS}/node_modules/.bin/desktop-commander", "--no-onboarding"],
    "mcp-server-commands": lambda here: ["node", f"{PEERS}/node_modules/.bin/mcp-server-commands"],
    "mcp-server-fetch": lambda here: [f"{PEERS}/venv/bin/mcp-server-fetch"],
}
CALLS = {
    "ikigai-tools": {
        "write": lambda path, content: ("file_write", {"file_path": path, "content": content}),
        "search": lambda path, pattern: ("grep", {"path": path, "pattern": pattern}),
        "run": lambda command: ("bash", {"command": command, "timeout": 2}),
        "fetch": lambda url: ("web_fetch", {"url": url}),
    },
    "server-filesystem": {
        "write": lambda path, content: ("write_file", {"path": path, "content": content}),
    },
    "desktop-commander": {
        "write": lambda path, content: ("write_file", {"path": path, "content": content, "mode": "rewrite"}),
        "search": lambda path, pattern: ("start_search", {"path": path, "pattern": pattern, "searchType": "content"}),
        "run": lambda command: ("start_process", {"command": command, "timeout_ms": 2000}),
        "fetch": lambda url: ("read_file", {"path": url, "isUrl": True}),
    },
    "mcp-server-commands": {"run": lambda command: ("run_command", {"command": command})},
    "mcp-server-fetch": {"fetch": lambda url: ("fetch", {"url": url})},
    "gemini-cli": {
        "write": lambda path, content: ("write", {"file_path": path, "content": content}),
        "search": lambda path, pattern: ("search", {"dir_path": path, "pattern": pattern}),
        "run": lambda command: ("run", {"command": command}),
        "fetch": lambda url: ("fetch", {"url": url, "prompt": f"Read {url}"}),
    },
}


def peers(what, here, home, env=()):
    """Each peer that has such a call, ready for it, and ended afterwards."""
    for name, calls in CALLS.items():
        if what in calls:
            peer = Peer(name, here, home, env)
            try:
                yield peer
            finally:
                kill_all(peer.mark)


def write(here, home, tries=20):
    """A file of 4 MB is written anew; the kernel kills all of the writer's processes at once, midway."""
    old, new = "old line\n" * 450_000, "new line\n" * 450_000
    for name in [name for name, calls in CALLS.items() if "write" in calls]:
        changed = torn = drafts = 0
        for _ in range(tries):
            room = pathlib.Path(tempfile.mkdtemp(dir=here))
            file = room / "file.txt"
            file.write_text(old)
            # Whoever kills the first process of a namespace kills them all.
            peer = Peer(name, room, home, before=["unshare", "-mpf", "--mount-proc", "--kill-child"])
            sender = threading.Thread(target=send_write, args=(peer, str(file), new))
            before, end = state(room), time.monotonic() + 30
            sender.start()
            while state(room) == before and time.monotonic() < end:
                time.sleep(0.0002)
            changed += state(room) != before
            time.sleep(random.random() * 0.004)
            subprocess.run(["pkill", "-KILL", "-P", str(peer.process.pid)], check=False)
            peer.process.wait()
            sender.join()
            torn += not file.exists() or file.read_text() not in (old, new)
            drafts += len(os.listdir(room)) > 1
            shutil.rmtree(room)
        # On a machine with other work some may not begin to write in time.
        yield name, f"neither the old content nor the new: {torn} of {changed}; a draft left beside it: {drafts}"


def send_write(peer, path, content):
    try:
        peer.call("write", wait=False, path=path, content=content)
    except OSError:
        pass


def state(room):
    """What shows that something in a directory is being written."""
    return [(one.name, one.stat().st_mtime_ns, one.stat().st_size) for one in os.scandir(room)]


def empty(here, home):
    """A search in a directory whose name is misspelt, and one for what only an ignored directory has."""
    subprocess.run(["git", "init", "-q", here], check=True)
    for name, text in [("src/app.py", "x = 1\n"), ("build/made.py", "needle = 1\n"), (".gitignore", "build/\n")]:
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(text)
    for peer in peers("search", here, home):
        for path, pattern in [(here / "scr", "x = 1"), (here, "needle")]:
            answer = peer.call("search", path=str(path), pattern=pattern)
            yield peer.name, f"{os.path.basename(path) if pattern != 'needle' else '.gitignore'}: {answer!r}"


def timeout(here, home):
    """A command and what it starts, at the end of its time (2 s) or cancelled then; 5 s after that."""
    for peer in peers("run", here, home, {"ABORT_MS": "2000"}.items()):
        mark = f"86{random.randrange(10**6):06}"
        command = f"sleep {mark} & setsid sleep {mark} & (trap '' TERM; sleep {mark}; true) & sleep {mark}; true"
        peer.call("run", wait=False, command=command)
        while sleeping(mark) < 4:
            time.sleep(0.1)
        time.sleep(2.5)
        if peer.name == "mcp-server-commands":
            peer.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": peer.id}})
        time.sleep(5)
        left = sleeping(mark)
        peer.leave()
        time.sleep(1)
        yield peer.name, f"running: {left} of 4; once the client has gone: {sleeping(mark)}"


def sleeping(mark):
    found = subprocess.run(["pgrep", "-cf", f"^sleep {mark}"], capture_output=True, text=True, check=False)
    return int(found.stdout or 0)


CODE = 'fn main() {\n    let x = "a  b";\n    if x < "c" { println!("{x}"); }\n}'


def shapes():
    """The same code as six documentation generators write it."""
    def spans(line):
        escaped = line.replace("&", "&amp;").replace("<", "&lt;")
        return escaped.replace("let", '<span class="k">let</span>').replace("fn ", '<span class="k">fn</span> ')
    lines = [spans(line) for line in CODE.split("\n")]
    whole = "\n".join(lines)
    numbers = "\n".join(str(n + 1) for n in range(len(lines)))
    yield "plain", f'<pre><code class="language-rust">{whole}</code></pre>'
    yield "GitHub", f'<div class="highlight highlight-source-rust"><pre>{whole}</pre></div>'
    yield "Sphinx", f'<div class="highlight-rust notranslate"><div class="highlight"><pre><span></span>{whole}\n</pre></div></div>'
    yield "Hugo, numbered", ('<div class="highlight"><table><tr><td><pre tabindex="0"><code>' + numbers +
                             '</code></pre></td><td><pre tabindex="0"><code class="language-rust" data-lang="rust">' +
                             whole + "</code></pre></td></tr></table></div>")
    yield "Docusaurus", ('<div class="language-rust codeBlockContainer"><pre class="prism-code language-rust"><code>' +
                         "".join(f'<span class="token-line" style="color:#393A34">{line}<br></span>' for line in lines) +
                         '</code></pre><div class="buttonGroup"><button aria-label="Copy code">Copy</button></div></div>')
    yield "divided", '<pre data-language="rust"><code>' + "".join(
        f'<div class="line">{line}</div>' for line in lines) + "</code></pre>"


def code(here, home):
    """A page with a code block as six generators write it: each line as it is, and the language."""
    words = "<p>" + "The text of a page that explains what the code below it does, at some length. " * 8 + "</p>"
    pages = {f"/{n}": f"<!doctype html><title>T</title><main><article><h1>Title</h1>{words}{body}{words}</article></main>"
             for n, (_, body) in enumerate(shapes())}
    with site(pages):
        for peer in peers("fetch", here, home):
            verbatim = language = 0
            for path in pages:
                answer = peer.call("fetch", url=f"http://{SITE}{path}")
                verbatim += CODE in answer
                language += f"```rust\n{CODE}\n```" in answer
            yield peer.name, f"as it is: {verbatim} of {len(pages)}; fenced, with its language: {language}"


def redirect(here, home):
    """A page that redirects to the metadata address of clouds, where somebody answers."""
    with site({"/": METADATA}):
        for peer in peers("fetch", here, home):
            answer = peer.call("fetch", url=f"http://{SITE}/")
            said = "GIVEN AWAY" if "SECRET-KEY" in answer else "refused"
            yield peer.name, f"{said}: {answer[:150]!r}"


class site:
    """A site at a public address, and the metadata service: pages by path, or where `/` leads to."""

    def __init__(self, pages):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                page = pages.get(self.path)
                if self.headers.get("Host", "").startswith(METADATA):
                    page = "<p>SECRET-KEY</p>"
                elif page == METADATA:
                    self.send_response(302)
                    self.send_header("Location", f"http://{METADATA}/latest/meta-data/")
                    return self.end_headers()
                self.send_response(200 if page else 404)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                return self.wfile.write((page or "none").encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("0.0.0.0", 80), Handler)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def start(here, home, tries=10):
    """From the start of the server to its list of tools: the clock, CPU and memory of its process."""
    for name in COMMANDS:
        clock, cpu, memory = [], [], []
        for _ in range(tries):
            begin = time.monotonic()
            peer = Peer(name, here, home)
            peer.ask("tools/list", {})
            clock.append((time.monotonic() - begin) * 1000)
            threads = pathlib.Path(f"/proc/{peer.process.pid}/task").glob("*/schedstat")
            cpu.append(sum(int(one.read_text().split()[0]) for one in threads) / 1e6)
            status = pathlib.Path(f"/proc/{peer.process.pid}/status").read_text()
            memory.append(int(status.split("VmHWM:")[1].split()[0]) / 1024)
            kill_all(peer.mark)
        middle = statistics.median
        yield name, f"{middle(clock):.0f} ms by the clock, {middle(cpu):.0f} ms of CPU, {middle(memory):.0f} MiB"


def bytes_(here, home):
    """What a model reads: 36 matching lines in 12 files of one directory, and the list of tools."""
    for number in range(12):
        (here / f"module_{number:02}.py").write_text("def handle(request):\n    return 1\n" * 3)
    for peer in peers("search", here, home):
        answer = peer.call("search", path=str(here), pattern="def handle")
        yield peer.name, f"{len(answer.encode()):,} bytes for {answer.count(': def handle') or answer.count('- def handle')} matches"
    for name in COMMANDS:
        peer = Peer(name, here, home)
        listed = peer.ask("tools/list", {})["tools"]
        kill_all(peer.mark)
        yield name, f"{len(json.dumps(listed, separators=(',', ':'))):,} bytes for a list of {len(listed)} tools"


ROWS = {"write": write, "empty": empty, "timeout": timeout, "redirect": redirect, "code": code, "start": start,
        "bytes": bytes_}


def get():
    PEERS.mkdir(parents=True, exist_ok=True)
    named = [f"{name}@{version}" for name, version in NPM.items()]
    subprocess.run(["npm", "install", "--prefix", PEERS, "--ignore-scripts", "--no-audit", "--no-fund", *named], check=True)
    subprocess.run([sys.executable, "-m", "venv", PEERS / "venv"], check=True)
    named = [f"{name}=={version}" for name, version in PYPI.items()]
    subprocess.run([PEERS / "venv/bin/pip", "install", "-q", *named], check=True)
    # mcp-server-fetch does this itself when it reads its first page.
    for script in PEERS.glob("venv/lib/*/site-packages/readabilipy/javascript"):
        subprocess.run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=script, check=True)


def main(rows):
    if rows == ["get"]:
        return get()
    if os.environ.get("COMPARE_WITHIN") != "1":
        within = f"ip link set lo up && ip addr add {SITE}/32 dev lo && ip addr add {METADATA}/32 dev lo && exec \"$@\""
        os.environ["COMPARE_WITHIN"] = "1"
        os.execvp("unshare", ["unshare", "-rn", "sh", "-c", within, "sh", sys.executable, __file__, *rows])
    version = subprocess.run([OURS, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    print(time.strftime("%Y-%m-%d"), version, NPM, PYPI)
    for row in rows or ROWS:
        print(f"\n{row}: {ROWS[row].__doc__}", flush=True)
        with tempfile.TemporaryDirectory() as room:
            here, home = pathlib.Path(room, "here"), pathlib.Path(room, "home")
            here.mkdir()
            home.mkdir()
            for name, said in ROWS[row](here.resolve(), home):
                print(f"  {name}: {said}", flush=True)


main(sys.argv[1:])
