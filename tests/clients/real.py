"""The real clients besides the Python SDK's, each as a model talks through it. `opened` opens any of them.

FastMCP in both eras, the TypeScript SDK of version 1, and of version 2 in both eras (`client.mjs`), and the MCP Inspector's `mcpdo` in both.
`mcpdo` is the Inspector's command line that keeps a connection; its `--cli` ends one with each command (`inspector.py`).
A model's `version` is the protocol's that its client says is spoken; nothing where the client can't say.
"""

import asyncio
import json
import os
import shutil
from contextlib import asynccontextmanager
from pathlib import Path

from model import Model
from play import check, say

WAIT = 60


class FastMcp(Model):
    def __init__(self, client):
        super().__init__()
        self.client = client

    @property
    def version(self):
        return self.client.protocol_version

    async def tools(self):
        return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in await self.client.list_tools()]

    async def answer(self, name, arguments):
        result = await self.client.call_tool(name, arguments, raise_on_error=False)
        return result.content[0].text, result.is_error


@asynccontextmanager
async def fastmcp(stage, era, person):
    from fastmcp import Client
    from fastmcp.client.elicitation import ElicitResult
    from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

    async def elicit(message, _kind, params, _context):
        action, content = person.asks(message, params.requested_schema)
        return ElicitResult(action=action, content=content)

    async def heard(message):
        if "ToolListChanged" in type(getattr(message, "root", message)).__name__:
            model.changes.append(message)

    if stage.web:
        transport = StreamableHttpTransport(stage.web.url, headers=stage.web.headers)
    else:
        transport = StdioTransport(*stage.command(), keep_alive=False, log_file=stage.folder / "host.log")
    mode = "auto" if era == "modern" else "legacy"
    client = Client(transport, mode=mode, elicitation_handler=elicit if person else None, message_handler=heard)
    model = FastMcp(client)
    async with client:
        yield model


class TypeScript(Model):
    """A model behind `client.mjs`, which is told one thing at a time."""

    def __init__(self, node, person):
        super().__init__()
        self.node, self.person = node, person
        self.answers = asyncio.Queue()
        self.reading = asyncio.create_task(self.read())

    def tell(self, what):
        self.node.stdin.write(json.dumps(what).encode() + b"\n")

    async def read(self):
        while line := await self.node.stdout.readline():
            told = json.loads(line)
            if "changed" in told:
                self.changes.append(told)
            elif "asked" in told:
                action, content = self.person.asks(told["asked"]["message"], told["asked"]["requestedSchema"])
                self.tell({"says": {"action": action, "content": content}})
            else:
                self.answers.put_nowait(told["answer"])

    async def answered(self):
        return await asyncio.wait_for(self.answers.get(), WAIT)

    async def tools(self):
        self.tell({"list": True})
        return await self.answered()

    async def does(self, method, given=None):
        """What the SDK's client comes to by one of its methods."""
        self.tell({"do": method, "with": given})
        return await self.answered()

    async def answer(self, name, arguments):
        self.tell({"call": name, "arguments": arguments})
        got = await self.answered()
        return got["text"], got["failed"]


@asynccontextmanager
async def typescript(stage, era, person):
    command, arguments = (stage.web.url, [json.dumps(stage.web.headers)]) if stage.web else stage.command()
    script = str(Path(__file__).with_name("client.mjs"))
    words = [script, str(stage.tools), era, "forms" if person else "none", command, *arguments]
    with stage.log_file() as log:
        pipe = asyncio.subprocess.PIPE
        node = await asyncio.create_subprocess_exec(shutil.which("node"), *words, cwd=stage.work, stdin=pipe, stdout=pipe, stderr=log)
    model = TypeScript(node, person)
    model.version = await model.answered()
    yield model
    node.stdin.close()
    await model.reading
    check(await node.wait() == 0, "the client gets to its end", node.returncode)


class Inspector(Model):
    """A model behind `mcpdo`. It is not told of changes."""

    hears = False
    version = None

    def __init__(self, stage, person):
        super().__init__()
        self.stage, self.person = stage, person

    async def mcpdo(self, *words):
        code, out = await inspector(self.stage, "mcpdo/build/mcp-bin.js", "--format", "json", *words)
        check(code in (0, 5), f"`mcpdo {' '.join(words)}` succeeds", f"code {code}: {out}")
        return json.loads(out) if out else {}

    async def tools(self):
        return (await self.mcpdo("@agent-host", "tools/list"))["tools"]

    async def answer(self, name, arguments):
        got = await self.mcpdo("@agent-host", "tools/call", name, json.dumps(arguments))
        if form := got.get("elicitationPending"):
            action, content = self.person.asks(form["message"], form["requestedSchema"])
            said = [json.dumps(content)] if action == "accept" else [f"--{action}"]
            got = await self.mcpdo("elicitation/respond", form["elicitationId"], *said)
        return got["content"][0]["text"], got["isError"]


async def inspector(stage, program, *words):
    """Runs a program of the Inspector, with its own daemon and its own files; returns its code and what it printed."""
    modules = stage.tools / "node/node_modules"
    node = modules / ".bin/node"
    home = {"HOME": str(stage.folder), "MCP_INSPECTOR_DAEMON_DIR": str(stage.folder / "mcpdo"), "MCP_INSPECTOR_SECRET_STORE": "memory"}
    argv = [str(node) if node.exists() else shutil.which("node"), str(modules / "@modelcontextprotocol/inspector/clients" / program), *words]
    with stage.log_file() as log:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *argv, env=os.environ | home, cwd=stage.work, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=log
        )
    out, _ = await asyncio.wait_for(process.communicate(), WAIT)
    return process.returncode, out.decode()


def configured(stage):
    """A file of clients' settings, as the Inspector reads them."""
    path = stage.folder / "mcp.json"
    if stage.web:
        server = {"type": "streamable-http", "url": stage.web.url, "headers": stage.web.headers}
    else:
        command, arguments = stage.command()
        server = {"command": command, "args": arguments, "cwd": str(stage.work)}
    path.write_text(json.dumps({"mcpServers": {"agent-host": server}}))
    return str(path)


@asynccontextmanager
async def mcpdo(stage, era, person):
    model = Inspector(stage, person)
    forms = "form" if person else "off"
    got = await model.mcpdo("connect", "agent-host", "--config", configured(stage), "--era", era, "--elicit", forms)
    check(got["protocolEra"] == era, "the era is the client's", got)
    stage.leaders.append((await model.mcpdo("daemon", "status"))["pid"])
    yield model
    await model.mcpdo("daemon", "stop")


@asynccontextmanager
async def python(stage, era, person):
    async with stage.client(person, mode="auto" if era == "modern" else "legacy") as model:
        yield model


CLIENTS = {
    "python-legacy": (python, "legacy"),
    "python-modern": (python, "modern"),
    "fastmcp-legacy": (fastmcp, "legacy"),
    "fastmcp-modern": (fastmcp, "modern"),
    "ts-old": (typescript, "old"),
    "ts-legacy": (typescript, "legacy"),
    "ts-modern": (typescript, "modern"),
    "mcpdo-legacy": (mcpdo, "legacy"),
    "mcpdo-modern": (mcpdo, "modern"),
}


def opened(stage, name, person=None):
    """A model behind a client, with a person who answers its forms, or without forms."""
    kind, era = CLIENTS[name]
    say("client", name)
    return kind(stage, era, person)
