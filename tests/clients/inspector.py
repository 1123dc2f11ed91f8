"""The Inspector's command line as a client. Usage: inspector.py MCP-INSPECTOR IKIGAI-TOOLS DIRECTORY"""

import json
import subprocess
import sys

from calls import arguments, check, check_list

inspector, binary, files = sys.argv[1:]


def ask(*request):
    command = [inspector, "--cli", binary, "mcp", "--method", *request]
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
