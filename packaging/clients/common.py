"""What the packages for MCP clients have in common: the facts about the program, from packaging/build.sh's variables
and Cargo.toml, and archives that come out the same each time.
"""

import gzip
import io
import json
import os
import tarfile
import time
import zipfile
from pathlib import Path

PROGRAM = "ikigai-tools"
TITLE = "Ikigai tools"
AUTHORS = "The authors of ikigai-tools"

# What each packager calls the machine that a target is built for.
MACHINES = {
    "x86_64": {"wheel": "x86_64", "npm": "x64"},
    "aarch64": {"wheel": "aarch64", "npm": "arm64"},
}

# The variables that searches need, each with a name for people and whether it is a secret. None is required.
SETTINGS = {
    "BRAVE_API_KEY": ("Brave Search key", True),
    "GOOGLE_SEARCH_API_KEY": ("Google Custom Search key", True),
    "GOOGLE_SEARCH_ENGINE_ID": ("Google Custom Search engine", False),
    "SERPER_API_KEY": ("Serper key", True),
    "TAVILY_API_KEY": ("Tavily key", True),
    "EXA_API_KEY": ("Exa key", True),
    "SEARCHAPI_API_KEY": ("SearchApi key", True),
    "SEARXNG_URL": ("Address of a SearXNG", False),
}


def variable(name):
    """A variable of packaging/build.sh."""
    value = os.environ.get(name)
    if not value:
        raise SystemExit(f"{name} is not set: packaging/build.sh calls this, with its variables")
    return value


def path(name):
    return Path(variable(name))


VERSION = variable("version")
TARGET = variable("target")
DATE = int(variable("date"))
PACKAGES = path("packages")
MACHINE = MACHINES.get(TARGET.split("-")[0])
if MACHINE is None:
    raise SystemExit(f"no packages for MCP clients are known for {TARGET}: see packaging/clients/common.py")

CARGO = next(one for one in json.loads(path("cargo_metadata").read_text())["packages"] if one["name"] == PROGRAM)
# What only a publisher knows, from Cargo.toml: empty until there is one.
PUBLISHER = (CARGO["metadata"] or {}).get("mcp", {})
REPOSITORY = (CARGO["repository"] or "").rstrip("/").removesuffix(".git")
# The server's name in the registry of MCP servers.
SERVER = f"{PUBLISHER['namespace']}/{PROGRAM}" if "namespace" in PUBLISHER else ""


def documents():
    """The files that every package carries, by their names."""
    return {
        "LICENSE": path("licence").read_bytes(),
        "THIRD-PARTY-NOTICES.txt": path("notices").read_bytes(),
        f"{PROGRAM}.cdx.json": path("sbom").read_bytes(),
    }


def description():
    """What indexes of packages show. The registry of MCP servers looks for the server's name in it."""
    text = (Path(__file__).parent / "README.md").read_text()
    return f"{text}\n<!-- mcp-name: {SERVER} -->\n" if SERVER else text


def pretty(value):
    """JSON as files have it."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"


def write(name, content):
    """A finished package."""
    (PACKAGES / name).write_bytes(content)
    print(f"{name}: {len(content)} bytes")


def zipped(files):
    """A zip file. `files` are contents by name, a pair with True where it is a program."""
    # The format knows no time before 1980.
    date = max(time.gmtime(DATE)[:6], (1980, 1, 1, 0, 0, 0))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content, mode in entries(files):
            entry = zipfile.ZipInfo(name, date)
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, compresslevel=9)
    return out.getvalue()


def tarred(files):
    """A .tgz of the same."""
    out = io.BytesIO()
    # gzip's own name and time are left out.
    with gzip.GzipFile("", "wb", 9, out, mtime=0) as compressed:
        with tarfile.open(fileobj=compressed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for name, content, mode in entries(files):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode, entry.mtime = len(content), mode, DATE
                archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def entries(files):
    """Names in order, contents, modes."""
    for name, content in sorted(files.items()):
        content, runs = content if isinstance(content, tuple) else (content, False)
        yield name, content, 0o755 if runs else 0o644
