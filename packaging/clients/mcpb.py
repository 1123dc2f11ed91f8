"""The bundle that desktop clients install: the executable and a manifest, which says how it is started and what its
user is asked for.

Rules: the specification of MCP Bundles, manifest version 0.3.
"""

import json
import subprocess

from common import (
    AUTHORS,
    CARGO,
    PROGRAM,
    REPOSITORY,
    SETTINGS,
    TARGET,
    TITLE,
    VERSION,
    documents,
    path,
    pretty,
    write,
    zipped,
)

PROTOCOL = "2025-06-18"


def tools():
    """What the server offers within a directory: everything but commands. Each with the first sentence about it."""
    messages = [
        {"id": 1, "method": "initialize", "params": {
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "packaging", "version": VERSION},
        }},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    # Nothing that is set where this runs may decide what is in the package.
    server = subprocess.run(
        [path("runnable"), "mcp"], input=lines.encode(), stdout=subprocess.PIPE, env={}, check=True, timeout=60
    )
    answer = json.loads(server.stdout.splitlines()[-1])
    return [
        {"name": tool["name"], "description": tool["description"].split(". ")[0].rstrip(".") + "."}
        for tool in answer["result"]["tools"]
        if tool["name"] != "bash"
    ]


def setting(title, sensitive):
    # Without a default, what is not filled in would reach the server as the name of its own placeholder.
    return {
        "type": "string",
        "title": title,
        "description": "For web searches; may stay empty",
        "sensitive": sensitive,
        "required": False,
        "default": "",
    }


manifest = {
    "manifest_version": "0.3",
    "name": PROGRAM,
    "display_name": TITLE,
    "version": VERSION,
    "description": CARGO["description"],
    "long_description": "Reads, writes, edits, finds and searches files within one directory, searches the web and "
    "reads pages and documents. The Linux kernel (Landlock, 5.13 or newer) keeps the tools for files within that "
    "directory. Searches go to the provider whose key is given, else to DuckDuckGo.",
    "author": {"name": AUTHORS},
    "license": CARGO["license"],
    "keywords": CARGO["keywords"],
    "server": {
        "type": "binary",
        "entry_point": f"server/{PROGRAM}",
        "mcp_config": {
            "command": f"${{__dirname}}/server/{PROGRAM}",
            "args": ["mcp", "--root", "${user_config.directory}"],
            "env": {name: f"${{user_config.{name.lower()}}}" for name in SETTINGS},
        },
    },
    "tools": tools(),
    "compatibility": {"platforms": ["linux"]},
    "user_config": {
        "directory": {
            "type": "directory",
            "title": "Directory",
            "description": "The tools read and write files here, and nowhere else",
            "required": True,
        },
        **{name.lower(): setting(*what) for name, what in SETTINGS.items()},
    },
}
if REPOSITORY:
    manifest["repository"] = {"type": "git", "url": f"{REPOSITORY}.git"}

files = {
    "manifest.json": pretty(manifest),
    f"server/{PROGRAM}": (path("binary").read_bytes(), True),
    **documents(),
}
write(f"{PROGRAM}-{VERSION}-{TARGET}.mcpb", zipped(files))
