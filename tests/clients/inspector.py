"""The Inspector's command line as a client. Usage: inspector.py MCP-INSPECTOR IKIGAI-TOOLS DIRECTORY"""

import json
import os
import subprocess
import sys

from calls import arguments, check, check_list

inspector, binary, files = sys.argv[1:]
# The Inspector hands a server what it is told to, and little else of the environment.
told = [
    f"{name}={os.environ[name]}" for name in os.environ if name.startswith(("IKIGAI_", "BRAVE_", "GOOGLE_", "LENS_"))
]


def ask(*request):
    environment = [word for pair in told for word in ("-e", pair)]
    command = [inspector, "--cli", binary, "mcp", *environment, "--method", *request]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return json.loads(done.stdout)


tools = ask("tools/list")["tools"]
names = check_list(tools)
for tool in tools:
    given = [f"{name}={value}" for name, value in arguments(tool, files).items()]
    call = ["tools/call", "--tool-name", tool["name"]]
    for argument in given:
        call += ["--tool-arg", argument]
    check(tool, ask(*call))
print(f"Inspector: {', '.join(names)}")
