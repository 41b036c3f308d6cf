"""A fastmcp server with a few tools: fast.py stdio, or fast.py http|sse PORT."""

import asyncio
import sys

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

server = FastMCP("fast", instructions="Sums, and little else.")


@server.tool(annotations={"readOnlyHint": True})
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool(annotations={"readOnlyHint": True})
async def count(to: int, context: Context) -> str:
    """Counts, and reports each step."""
    for step in range(1, to + 1):
        await context.report_progress(step, to)
        await asyncio.sleep(0.01)
    return f"counted to {to}"


@server.tool
def fail() -> str:
    """Fails."""
    raise ToolError("the well is dry")


@server.resource("notes://today")
def today() -> str:
    """What is on for today."""
    return "nothing"


if __name__ == "__main__":
    transport, *port = sys.argv[1:]
    if transport == "stdio":
        server.run(transport="stdio", show_banner=False)
    else:
        server.run(transport=transport, host="127.0.0.1", port=int(port[0]), show_banner=False)
