"""server.json, which tells the registry of MCP servers what to install how.

Rules: the registry's schema of 2025-12-11 and its requirements for official entries.

The server's name begins with a namespace of its publisher's, and bundles and images have addresses. Cargo.toml has
them once there is a publisher; until then the namespace is the one that is reserved for examples, which the registry
refuses, and there are no entries for what has no address.
"""

import hashlib

from common import CARGO, PACKAGES, PROGRAM, PUBLISHER, REPOSITORY, SERVER, SETTINGS, TARGET, TITLE, VERSION
from common import pretty, write

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
NOBODY = f"com.example/{PROGRAM}"


def package(kind, identifier, arguments=(), **more):
    entry = {
        "registryType": kind,
        "identifier": identifier,
        **more,
        "transport": {"type": "stdio"},
        "environmentVariables": [
            {"name": name, "description": title, "isRequired": False, "isSecret": secret}
            for name, (title, secret) in SETTINGS.items()
        ],
    }
    if arguments:
        entry["packageArguments"] = [{"type": "positional", "value": value} for value in arguments]
    return entry


def bundles():
    """Those of all machines that have been built for: `--target` has a directory of its own below the first one."""
    top = PACKAGES.parent if PACKAGES.name == TARGET else PACKAGES
    for bundle in sorted(top.rglob(f"{PROGRAM}-{VERSION}-*.mcpb"), key=lambda bundle: bundle.name):
        yield bundle.name, hashlib.sha256(bundle.read_bytes()).hexdigest()


packages = [
    package("pypi", PROGRAM, ["mcp"], version=VERSION, runtimeHint="uvx"),
    package("npm", PROGRAM, ["mcp"], version=VERSION, runtimeHint="npx"),
]
if REPOSITORY:
    for name, digest in bundles():
        address = f"{REPOSITORY}/releases/download/v{VERSION}/{name}"
        packages.append(package("mcpb", address, version=VERSION, fileSha256=digest))
if "image" in PUBLISHER:
    packages.append(package("oci", f"{PUBLISHER['image']}:{VERSION}", runtimeHint="docker"))

server = {
    "$schema": SCHEMA,
    "name": SERVER or NOBODY,
    "title": TITLE,
    "description": CARGO["description"],
    "version": VERSION,
    "packages": packages,
}
if REPOSITORY:
    source = "gitlab" if "gitlab" in REPOSITORY else "github"
    server["repository"] = {"url": REPOSITORY, "source": source}
write("server.json", pretty(server))
if not SERVER:
    print(f"server.json names {NOBODY}: packaging/README.md says what whoever publishes fills in")
