"""The official Python SDK as a client. Usage: python_sdk.py IKIGAI-TOOLS DIRECTORY"""

import asyncio
import importlib.metadata
import json
import os
import sys

from calls import arguments, check, check_list, check_structured
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def plain(model):
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


async def talk(binary, files, flags):
    """Calls each tool through a server that was started with these flags."""
    server = StdioServerParameters(command=binary, args=["mcp", *flags], env=dict(os.environ))
    structured = "--structured" in flags
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        hello = plain(await session.initialize())
        tools = plain(await session.list_tools())["tools"]
        names = check_list(tools)
        for tool in tools:
            result = plain(await session.call_tool(tool["name"], arguments(tool, files)))
            (check_structured if structured else check)(tool, result)
        failed = plain(await session.call_tool("file_read", {"file_path": files + "/nothing"}))
        assert failed["isError"] and "FILE_NOT_FOUND" in failed["content"][0]["text"], failed
        commands = [session.call_tool("bash", {"command": f"sleep 0.2; echo {n}"}) for n in range(8)]
        answers = [plain(answer)["content"][0]["text"] for answer in await asyncio.gather(*commands)]
        if structured:
            answers = [json.loads(answer)["output"] for answer in answers]
        assert answers == [str(n) for n in range(8)], answers
    version = importlib.metadata.version("mcp")
    print(f"Python SDK {version}, revision {hello['protocolVersion']}, {flags}: {', '.join(names)}")


async def main(binary, files):
    for flags in [], ["--tools", "all"], ["--structured"]:
        await talk(binary, files, flags)


asyncio.run(main(*sys.argv[1:]))
