"""The stage of a play: a folder of its own that goes away at the end, a configuration in it, MCP servers, and agent-host."""

import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client

from model import Python, shows
from play import check, say
from processes import command, groups, naming


def toml(value):
    """A value as TOML writes it; of a table, one that fits on a line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(inner)}" for key, inner in value.items()) + " }"
    return json.dumps(value)


def lines(settings):
    return "".join(f"{key} = {toml(value)}\n" for key, value in settings.items())


@asynccontextmanager
async def python_client(transport, person, mode):
    """A model behind the Python SDK's client on a transport."""
    model = Python()
    client = Client(transport, mode=mode, read_timeout_seconds=60, message_handler=model.heard, elicitation_callback=shows(person))
    async with client:
        model.client = client
        yield model


class Stage:
    """A folder, a configuration of settings, rules and real servers, and agent-host."""

    # Where clients find the host that they don't start themselves (`remote.py`).
    web = None

    def __init__(self, options, servers=("everything", "time"), rules=(), **settings):
        self.host = str(Path(options.host).resolve())
        self.tools = Path(options.tools).resolve()
        self.standalone = options.standalone
        self.folder = Path(tempfile.mkdtemp(prefix="agent-host-play-"))
        self.state = self.folder / "state"
        self.config = self.folder / "agent-host.toml"
        self.work = self.folder / "work"
        self.work.mkdir()
        self.servers = {}
        # Leaders of groups that are the play's and don't have its folder in their command line.
        self.leaders = []
        settings = {"activation": "prompt", "approval": {"wait": "25s"}} | settings
        self.config.write_text(lines(settings))
        for rule in rules:
            self.append(f"\n[[rule]]\n{lines(rule)}")
        for server in servers:
            self.add(server, self.real(server))

    def append(self, text):
        with open(self.config, "a") as config:
            config.write(text)

    def add(self, alias, settings):
        """Puts a server into the configuration."""
        self.servers[alias] = settings
        self.append(f"\n[servers.{alias}]\n{lines(settings)}")

    def play_hostile(self, part, **settings):
        """Adds a part of `tests/servers/hostile.py`, by its name."""
        script = Path(__file__).parents[1] / "servers/hostile.py"
        self.add(part, {"command": sys.executable, "args": [str(script), part, str(self.folder)]} | settings)

    def noted(self, part, what):
        """How often such a part noted that it was started, asked for its list, or called."""
        path = self.folder / f"{part}.{what}"
        return len(path.read_text().splitlines()) if path.exists() else 0

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

    async def close(self):
        """Ends the shared host once the clients are gone, and sees that no process is left."""
        await self.until(lambda: not self.running("serve"), "the clients' ends are gone")
        await self.end_host()
        await self.until(lambda: not self.left(), "no process is left")

    def clear(self):
        """Ends what is left where a play went another way, and takes the folder away."""
        for pid in self.left():
            print(f"still there: {command(pid)}", file=sys.stderr)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def command(self):
        """How a client starts agent-host: the program, and its arguments."""
        way = ["--standalone"] if self.standalone else []
        return self.host, ["serve", *way, "--config", str(self.config), "--state", str(self.state)]

    def running(self, command_word):
        """The processes that run a command of agent-host on this stage."""
        return [pid for pid in naming(str(self.state)) if command(pid).startswith(f"{self.host} {command_word} ")]

    def hosts(self):
        """The hosts that run: each client's own, or the one that the first of them started."""
        return self.running("serve" if self.standalone else "run")

    async def end_host(self):
        """Ends the shared host as an operator does. One of a client's own is gone with the client."""
        for pid in self.hosts():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        await self.until(lambda: not self.hosts(), "the host ends")

    async def until(self, holds, needed):
        """Waits until something holds."""
        for _ in range(100):
            if holds():
                return
            await asyncio.sleep(0.1)
        check(False, needed)

    @asynccontextmanager
    async def client(self, person=None, mode="legacy", more=()):
        """A model behind a Python client of an era, with somebody at it or nobody."""
        command, arguments = self.command()
        server = StdioServerParameters(command=command, args=[*arguments, *more], cwd=self.work)
        with self.log_file() as log:
            async with python_client(stdio_client(server, errlog=log), person, mode) as model:
                yield model

    def log_file(self):
        """What the host says of itself, as a file to write on."""
        return open(self.folder / "host.log", "a")

    async def host_process(self):
        """The process of the one host, once a client's handshake is done."""
        # One that lost the race to start looks at the lock for a moment before it ends.
        await self.until(lambda: len(self.hosts()) == 1, "one host runs")
        return self.hosts()[0]

    def left(self):
        """Every process that has this folder in its command line, or belongs to one of the groups."""
        return naming(str(self.folder)) + groups(self.leaders)

    def log(self):
        """What the host said of itself: to its client, and a shared one in its own file."""
        paths = [self.folder / "host.log", self.state / "host.log"]
        return "".join(path.read_text() for path in paths if path.exists())

    async def operator(self, *words, shown=True):
        """Runs agent-host's command line beside the running host, and returns what it printed."""
        if shown:
            say("operator", f"agent-host {' '.join(words)}")
        process = await asyncio.create_subprocess_exec(
            self.host, *words, "--config", str(self.config), "--state", str(self.state), cwd=self.work, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        out, err = (part.decode() for part in await process.communicate())
        if shown:
            say("", (out + err).strip())
        check(process.returncode == 0, f"`agent-host {' '.join(words)}` succeeds", f"code {process.returncode}: {err}")
        return out

    async def sessions(self):
        """The ids of the sessions that are open."""
        told = json.loads(await self.operator("sessions", "--json", shown=False))
        return [session["asker"]["session"] for session in told["sessions"]]

    async def only_session(self):
        """The id of the one session that is open."""
        sessions = await self.sessions()
        check(len(sessions) == 1, "one session is open", sessions)
        return sessions[0]

    async def only_request(self):
        """The id of the one request that waits for a person, once it does."""
        for _ in range(200):
            # Until the host listens, an operator's command would take the state folder that the host is about to take.
            if (self.state / "operator.sock").exists():
                waiting = json.loads(await self.operator("approvals", "--json", shown=False))
                if waiting:
                    check(len(waiting) == 1, "one request waits", waiting)
                    return waiting[0]["id"]
            await asyncio.sleep(0.1)
        check(False, "a request waits for a person")
