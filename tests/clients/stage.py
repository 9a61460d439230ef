"""A stage for real conversations: agent-host between the Python MCP client and MCP servers.

Everything lies in a folder of its own that goes away at the end. What is said is printed as it is said. A check that
does not hold raises `Off`, with what the conversation needed and got.
"""

import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
import textwrap
import time
from contextlib import asynccontextmanager
from pathlib import Path

import mcp_types as types
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client

from processes import children, command, groups, naming


class Off(Exception):
    """The conversation went another way than it must."""


def check(holds, needed, got=""):
    if not holds:
        raise Off(f"{needed}" + (f"; got: {got}" if got != "" else ""))


def say(who, text):
    """One line of the transcript, wrapped at spaces."""
    wrap = textwrap.TextWrapper(104, drop_whitespace=False, break_long_words=False, break_on_hyphens=False)
    lines = [part for line in str(text).splitlines() for part in (wrap.wrap(line) or [""])]
    for at, line in enumerate(lines or [""]):
        print(f"{who if at == 0 else '':>9}  {line}".rstrip(), flush=True)


def estimate(value):
    """Tokens, estimated as bytes / 4."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()) // 4


def wire(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def readable(text):
    """An answer as a person reads it: the JSON of a builtin as lines, everything else as it is."""
    try:
        answer = json.loads(text)
        tools = answer["tools"]
    except (ValueError, KeyError, TypeError):
        return text if len(text) < 900 else text[:900] + " ..."
    if "active" in answer:
        return "\n".join([f"active: {', '.join(answer['active'])}"] + [f"  {tool['id']} is called {tool['name']}" for tool in tools])
    return "\n".join(f"{tool['id']}({tool['parameters']})  {tool['summary']}" for tool in tools) or answer.get("hint", "nothing")


class Person:
    """Whoever sits at the client and is shown its forms."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    async def elicit(self, _context, params):
        self.asked.append(params)
        schema = getattr(params, "requested_schema", None) or {}
        say("person", "is asked:")
        for line in params.message.splitlines():
            say("", f"| {line}")
        say("", f"| ({', '.join(schema.get('properties', {}))})")
        action, content = self.answer
        say("person", f"{action} {json.dumps(content)}" if content else action)
        return types.ElicitResult(action=action, content=content)


class Model:
    """What a model can do through its client: list, and call."""

    def __init__(self, client, changes):
        self.client = client
        self.changes = changes

    async def list(self):
        tools = [wire(tool) for tool in (await self.client.list_tools(cache_mode="bypass")).tools]
        say("client", f"lists {len(tools)} tools, about {estimate(tools)} tokens: {', '.join(tool['name'] for tool in tools)}")
        return tools

    async def call(self, name, arguments):
        """Calls, and returns the text and whether it is an error."""
        say("model", f"{name} {json.dumps(arguments, ensure_ascii=False)}")
        try:
            result = await self.client.call_tool(name, arguments)
        except Exception as error:  # a protocol error is an answer too
            text, failed = str(error), True
        else:
            text = "\n".join(getattr(block, "text", f"[{block.type}]") for block in result.content)
            failed = bool(result.is_error)
        say("refused" if failed else "answer", readable(text))
        if len(text) > 400:
            say("", f"(about {estimate(text)} tokens)")
        return text, failed

    async def search(self, query, **more):
        text, failed = await self.call("search_tools", {"query": query} | more)
        check(not failed, "a search is answered", text)
        return [hit["id"] for hit in json.loads(text)["tools"]]

    async def changed(self, count):
        """Waits until the list was said to have changed so often."""
        for _ in range(100):
            if len(self.changes) >= count:
                say("client", "hears that its list of tools has changed")
                return
            await asyncio.sleep(0.05)
        raise Off(f"list_changed was seen {len(self.changes)} times, not {count}")


def toml(value):
    """A value as TOML writes it; of a table, one that fits on a line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(inner)}" for key, inner in value.items()) + " }"
    return json.dumps(value)


class Stage:
    """A folder, a configuration, and agent-host."""

    def __init__(self, host, tools, activation, wait="25s", servers=None, alone=False):
        self.host = str(Path(host).resolve())
        self.tools = Path(tools).resolve()
        self.alone = alone
        self.folder = Path(tempfile.mkdtemp(prefix="agent-host-play-"))
        self.state = self.folder / "state"
        self.config = self.folder / "agent-host.toml"
        self.work = self.folder / "work"
        self.work.mkdir()
        self.servers = {}
        text = f"activation = {toml(activation)}\napproval = {toml({'wait': wait})}\n"
        self.config.write_text(text)
        for alias in servers if servers is not None else ["everything", "time"]:
            self.add(alias, self.real(alias))

    def add(self, alias, settings):
        """Puts a server into the configuration."""
        self.servers[alias] = settings
        with open(self.config, "a") as config:
            config.write(f"\n[servers.{alias}]\n" + "".join(f"{key} = {toml(value)}\n" for key, value in settings.items()))

    def real(self, alias):
        """The settings of a real server, of those that tests/tools pins. What it works on lies in the stage's folder."""
        node = self.tools / "node/node_modules/@modelcontextprotocol"
        python = self.tools / "python/bin"
        at = lambda name: str(self.folder / name)
        commands = {
            "everything": ["node", node / "server-everything/dist/index.js", "stdio"],
            "filesystem": ["node", node / "server-filesystem/dist/index.js", at("files")],
            "memory": ["node", node / "server-memory/dist/index.js"],
            "time": [python / "mcp-server-time", "--local-timezone", "Europe/Berlin"],
            "git": [python / "mcp-server-git", "--repository", at("repository")],
        }
        program, *args = map(str, commands[alias])
        settings = {"command": shutil.which(program), "args": args}
        return settings | ({"env": {"MEMORY_FILE_PATH": at("memory.json")}} if alias == "memory" else {})

    def close(self):
        self.end_host()
        shutil.rmtree(self.folder, ignore_errors=True)

    def end_host(self):
        """Ends the host that the clients shared."""
        host = self.shared()
        if host:
            os.kill(host, signal.SIGTERM)
            for _ in range(100):
                if not command(host):
                    break
                time.sleep(0.05)

    def command(self):
        """How a client starts agent-host: the program, and its arguments."""
        return self.host, ["serve", *(["--standalone"] if self.alone else []), "--config", str(self.config), "--state", str(self.state)]

    @asynccontextmanager
    async def client(self, person=None, mode="legacy", more=()):
        """A model behind a client of an era, with somebody at it or nobody."""
        changes = []

        async def heard(message):
            if isinstance(message, types.ToolListChangedNotification):
                changes.append(message)

        command, arguments = self.command()
        server = StdioServerParameters(command=command, args=[*arguments, *more], cwd=self.work)
        with open(self.folder / "host.log", "a") as log:
            client = Client(
                stdio_client(server, errlog=log),
                mode=mode,
                read_timeout_seconds=60,
                message_handler=heard,
                elicitation_callback=person.elicit if person else None,
            )
            async with client:
                yield Model(client, changes)

    def shared(self):
        """The process of the host that the clients share, if it runs."""
        lock = self.state / "lock"
        pid = lock.read_text().strip() if lock.exists() else ""
        return int(pid) if pid and command(pid).startswith(f"{self.host} run ") else None

    async def host_process(self):
        """The process of the host that serves the client, once its handshake is done."""
        if not self.alone:
            check(self.shared(), "one host runs")
            return self.shared()
        hosts = [pid for pid in children(os.getpid()) if command(pid).startswith(self.host)]
        check(len(hosts) == 1, "one host runs", hosts)
        return hosts[0]

    async def nothing_left(self, leaders=()):
        """Waits until no process is left that has this folder in its command line, or belongs to one of these groups."""
        self.end_host()
        for _ in range(50):
            left = naming(str(self.folder)) + groups(leaders)
            if not left:
                return
            await asyncio.sleep(0.1)
        check(False, "no process is left", [command(pid) for pid in left])

    def log(self):
        """What client and host said on their standard errors."""
        logs = [self.folder / "host.log", self.state / "host.log"]
        return "".join(path.read_text() for path in logs if path.exists())

    async def operator(self, *words, shown=True):
        """Runs agent-host's command line beside the running host, and returns what it printed."""
        say("operator", f"agent-host {' '.join(words)}")
        process = await asyncio.create_subprocess_exec(
            self.host, *words, "--config", str(self.config), "--state", str(self.state), cwd=self.work, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        out, err = (part.decode() for part in await process.communicate())
        if shown:
            say("", (out + err).strip())
        check(process.returncode == 0, f"`agent-host {' '.join(words)}` succeeds", f"code {process.returncode}: {err}")
        return out

    async def only_session(self):
        """The id of the one session that is open."""
        sessions = json.loads(await self.operator("sessions", "--json", shown=False))["sessions"]
        check(len(sessions) == 1, "one session is open", sessions)
        return sessions[0]["asker"]["session"]


def run(main):
    """Runs a conversation to its exit code."""
    try:
        asyncio.run(main)
    except BaseException as error:
        parts = [error]
        while hasattr(parts[0], "exceptions"):  # a group of them
            parts = list(parts[0].exceptions)
        for part in parts:
            kind = "" if isinstance(part, Off) else f"{type(part).__name__}: "
            print(f"OFF: {kind}{part}", file=sys.stderr)
        return 1
    return 0
