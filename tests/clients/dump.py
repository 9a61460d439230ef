"""The tools of the real servers that tests/tools pins, and of agent-host's samples, as the lines of `benches/sets/own/tools.jsonl`.

A line has id, server, name, description and input_schema, each as the server says it. Lines go by id, so that two dumps can be compared. The
tools of `written.jsonl` beside it, which no server has, are among them.

    target/tools/python/bin/python tests/clients/dump.py --host target/debug/agent-host --tools target/tools > benches/sets/own/tools.jsonl
"""

import argparse
import asyncio
import json
import subprocess
import tempfile
from pathlib import Path

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp_types import ListRootsResult

from stage import Stage

REAL = ["everything", "filesystem", "git", "memory", "time"]
SAMPLES = ["clock", "files", "notes", "text"]


async def refuse(*_):
    raise RuntimeError("nothing is called here")


async def no_roots(_):
    return ListRootsResult(roots=[])


async def listed(command, arguments, env=None):
    """What a server lists to a client that can do everything: some tools are there for such clients alone."""
    with tempfile.TemporaryFile("w+") as log:
        transport = stdio_client(StdioServerParameters(command=command, args=arguments, env=env), errlog=log)
        able = {"sampling_callback": refuse, "elicitation_callback": refuse, "list_roots_callback": no_roots}
        async with Client(transport, mode="legacy", **able) as client:
            await asyncio.sleep(1)
            return (await client.list_tools()).tools


async def dump(stage):
    (stage.folder / "files").mkdir()
    subprocess.run(["git", "init", "--quiet", stage.folder / "repository"], check=True)
    for server in REAL:
        settings = stage.real(server)
        yield server, await listed(settings["command"], settings["args"], settings.get("env"))
    for sample in SAMPLES:
        folder = ["--folder", str(stage.work)] if sample in ("files", "notes") else []
        yield f"sample-{sample}", await listed(stage.host, ["sample-server", *folder, sample])


async def main(options):
    stage = Stage(options, servers=())
    lines = []
    async for server, tools in dump(stage):
        for tool in tools:
            said = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
            known = {"id": f"{server}:{tool.name}", "server": server, "name": tool.name, "description": said.get("description", "")}
            line = json.dumps(known | {"input_schema": said["inputSchema"]}, ensure_ascii=False)
            assert str(stage.folder) not in line, f"a path of this machine: {line}"
            lines.append((known["id"], line))
    stage.clear()
    written = Path(__file__).parents[2] / "benches/sets/own/written.jsonl"
    lines += [(json.loads(line)["id"], line) for line in written.read_text().splitlines()]
    print("\n".join(line for _, line in sorted(lines)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", required=True, help="the agent-host binary")
    parser.add_argument("--tools", required=True, help="the folder that tests/tools/install filled")
    options = parser.parse_args()
    options.standalone = True
    asyncio.run(main(options))
