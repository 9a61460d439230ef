"""FastMCP's search in the tools of a folder: what it takes, as JSON."""

import asyncio
import json
import sys
import time
from collections import Counter
from pathlib import Path

import fastmcp
from fastmcp import FastMCP
from fastmcp.server.transforms.search import BM25SearchTransform
from fastmcp.tools.base import Tool, ToolResult

SEARCHES = 1000
PATIENCE = 20.0
HITS = 8
QUERY_BYTES = 256


class Listed(Tool):
    async def run(self, arguments):
        return ToolResult(content="")


def lines(name):
    with open(Path(sys.argv[1]) / name, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def resident():
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS:"))


async def timed(queries, search):
    """Microseconds of CPU for each search, for at most a thousand and no longer than patience lasts."""
    micros, start = [], time.monotonic()
    while len(micros) < SEARCHES and time.monotonic() - start < PATIENCE:
        before = time.process_time_ns()
        await search(queries[len(micros) % len(queries)])
        micros.append((time.process_time_ns() - before) / 1000)
    return micros


async def main():
    tools = lines("tools.jsonl")
    queries = [line["query"].encode()[:QUERY_BYTES].decode(errors="ignore") for line in lines("queries.jsonl")]
    transform = BM25SearchTransform(max_results=HITS)
    server = FastMCP("bench")
    names = Counter()
    for tool in tools:
        # Names must differ. A server's own stands before each, as it does where FastMCP mounts one; doubles are counted.
        name = f"{tool['server']}_{tool['name']}"
        names[name] += 1
        name += f"_{names[name]}" if names[name] > 1 else ""
        schema = {"type": "object", **(tool.get("input_schema") or {})}
        server.add_tool(Listed(name=name, description=tool.get("description") or "", parameters=schema))
    server.add_transform(transform)

    async def whole(query):
        await server.call_tool("search_tools", {"query": query})

    async def index(query):
        transform._index.query(query, HITS)

    # The first search builds the index.
    before, wall, cpu = resident(), time.monotonic(), time.process_time()
    await whole(queries[0])
    build_ms, build_cpu_ms = (time.monotonic() - wall) * 1000, (time.process_time() - cpu) * 1000
    micros = await timed(queries, whole)
    taken = {"version": fastmcp.__version__, "tools": len(tools), "build_ms": build_ms, "build_cpu_ms": build_cpu_ms}
    taken |= {"resident": resident() - before, "micros": micros, "index_micros": await timed(queries, index)}
    print(json.dumps(taken))


asyncio.run(main())
