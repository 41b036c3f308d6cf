"""The Python SDK's client against a server of helve's: prints what it sees, a line each.

client.py MODE URL
client.py MODE COMMAND ARGUMENT...
"""

import asyncio
import json
import sys

from mcp import Client, MCPError, StdioServerParameters
from mcp_types import ElicitResult

asked = []


async def elicit(context, params):
    asked.append(params.message)
    fields = params.requested_schema["properties"]
    if "name" in fields:
        return ElicitResult(action="accept", content={"name": "Ada"})
    # A question of permission: one choice, whose first value allows.
    return ElicitResult(
        action="accept",
        content={name: choices(field)[0] for name, field in fields.items()},
    )


def choices(field):
    if "enum" in field:
        return field["enum"]
    return [choice["const"] for choice in field["oneOf"]]


def said(result):
    words = "".join(getattr(block, "text", f"<{block.type}>") for block in result.content)
    return ("error: " if result.is_error else "") + words


async def main(mode, target):
    async with Client(target, mode=mode, elicitation_callback=elicit) as client:
        print("protocol", client.protocol_version)
        print("instructions", client.instructions)
        tools, cursor = [], None
        while True:
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None:
                break
        print("tools", *[tool.name for tool in tools])
        hints = {tool.name: tool.annotations for tool in tools}
        print("add reads only", hints["add"].read_only_hint)

        result = await client.call_tool("add", {"numbers": [1, 2, 3]})
        print("add", said(result), json.dumps(result.structured_content))

        steps = []

        async def progress(done, total, message):
            steps.append((done, total))

        result = await client.call_tool("count", {"to": 3}, progress_callback=progress)
        print("count", said(result), "in order" if steps == sorted(steps) and steps else steps, steps[-1:])

        print("greet", said(await client.call_tool("greet")), asked)
        asked.clear()
        print("forget", said(await client.call_tool("forget")), len(asked), "question")
        print("fail", said(await client.call_tool("fail")))
        print("add", said(await client.call_tool("add", {"numbers": "many"})))
        try:
            print("nothing", said(await client.call_tool("nothing")))
        except MCPError as error:
            print("nothing", error.error.code)

        try:
            await client.call_tool("wait", read_timeout_seconds=2)
        except MCPError:
            print("wait given up")
        print("add", said(await client.call_tool("add", {"numbers": [4]})))

        resources = [resource.uri for resource in (await client.list_resources()).resources]
        for uri in sorted(str(uri) for uri in resources):
            contents = (await client.read_resource(uri)).contents
            first = contents[0].text.splitlines()[0] if contents else None
            print("resource", uri, first)


if __name__ == "__main__":
    mode, *rest = sys.argv[1:]
    if rest[0].startswith("http"):
        target = rest[0]
    else:
        target = StdioServerParameters(command=rest[0], args=rest[1:])
    asyncio.run(asyncio.wait_for(main(mode, target), 200))
