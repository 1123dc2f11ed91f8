"""The official Python SDK as a client. Usage: python_sdk.py IKIGAI-TOOLS DIRECTORY"""

import asyncio
import importlib.metadata
import os
import sys

from calls import arguments, check, check_list
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def plain(model):
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


async def main(binary, files):
    server = StdioServerParameters(command=binary, args=["mcp"], env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        hello = plain(await session.initialize())
        tools = plain(await session.list_tools())["tools"]
        names = check_list(tools)
        for tool in tools:
            check(tool, plain(await session.call_tool(tool["name"], arguments(tool, files))))
        failed = plain(await session.call_tool("file_read", {"file_path": files + "/nothing"}))
        assert failed["isError"] and failed["structuredContent"]["error_code"] == "FILE_NOT_FOUND", failed
        commands = [session.call_tool("bash", {"command": f"sleep 0.2; echo {n}"}) for n in range(8)]
        answers = [plain(answer)["structuredContent"]["output"] for answer in await asyncio.gather(*commands)]
        assert answers == [str(n) for n in range(8)], answers
    version = importlib.metadata.version("mcp")
    print(f"Python SDK {version}, revision {hello['protocolVersion']}: {', '.join(names)}")


asyncio.run(main(*sys.argv[1:]))
