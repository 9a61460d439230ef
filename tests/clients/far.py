"""Real servers over HTTP behind agent-host, in both eras: synced, called, killed, started again, and locked.

    far.py --host target/debug/agent-host --tools target/tools [--case both]

both     one server in both eras and one of Node.js: calls of all; one is killed, which the others don't notice, and is found again
locked   the credential stops to be good: `needs login`, and the tools stay; with the right one the next call runs
"""

import asyncio
import json
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

from main_job import YES, activate
from model import Person
from play import arguments, check, perform, say
from stage import Stage

SCRIPT = Path(__file__).parents[1] / "servers/far.py"
GOOD = "Bearer for-this-server-alone"
ADDS = ["mcp:legacy/add", "mcp:modern/add", "mcp:everything/get-sum"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A program that listens on a port of its own, the same one whenever it is started."""

    def __init__(self, stage, words, environment=None):
        self.port = free_port()
        self.words = [str(word).replace("PORT", str(self.port)) for word in words]
        self.environment = {name: value.replace("PORT", str(self.port)) for name, value in (environment or {}).items()}
        self.stage = stage
        self.process = None

    def url(self):
        return f"http://127.0.0.1:{self.port}/mcp"

    async def start(self):
        log = open(self.stage.folder / "far.out", "a")
        pipes = {"stdin": subprocess.PIPE, "stdout": log, "stderr": log}
        self.process = subprocess.Popen(self.words, env=self.environment or None, start_new_session=True, **pipes)
        self.stage.leaders.append(self.process.pid)
        await self.stage.until(self.listens, "the server listens")

    def listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdin.close()


def sdk(stage):
    return Server(stage, [sys.executable, "-B", SCRIPT, "PORT", stage.folder / "far.requests"])


def everything(stage):
    script = stage.tools / "node/node_modules/@modelcontextprotocol/server-everything/dist/index.js"
    return Server(stage, [shutil.which("node"), script, "streamableHttp"], {"PORT": "PORT"})


async def added(model, id, again=1):
    """The sum that a tool answers with, where it does; tried anew as often as a person would."""
    for _ in range(again):
        text, failed = await model.call("call_tool", {"id": id, "arguments": {"a": 17, "b": 25}})
        if not failed and "42" in text:
            return ""
        await asyncio.sleep(0.5)
    return text


async def all_answer(model, again=1):
    for id in ADDS:
        wrong = await added(model, id, again)
        check(wrong == "", f"{id} is answered", wrong)


async def both(stage):
    far, node = sdk(stage), everything(stage)
    try:
        await far.start()
        await node.start()
        for era in ["legacy", "modern"]:
            stage.add(era, {"url": far.url(), "private": True, "era": era, "headers": {"Authorization": GOOD}})
        stage.add("everything", {"url": f"{node.url()}?key=0123456789abcdef0123456789abcdef", "private": True})
        await stage.operator("sync")
        rows = {row["name"]: row for row in json.loads(await stage.operator("servers", "--json", shown=False))}
        spoken = [rows[name]["protocol"] for name in ["legacy", "modern", "everything"]]
        check(spoken == ["2025-11-25", "2026-07-28", "2025-11-25"], "each is spoken to in its era", spoken)
        check(rows["everything"]["url"] == f"{node.url()}?key=(hidden)", "a secret in a URL is not shown", rows["everything"])
        async with stage.client(Person(YES)) as model:
            text, failed = await activate(model, *ADDS)
            check(not failed, "they are switched on", text)
            await all_answer(model)
            say("", "one server is killed")
            far.kill()
            for id in ADDS[:2]:
                wrong = await added(model, id)
                check("can't be reached" in wrong, "a call of it says why it was not sent", wrong)
            check(await added(model, ADDS[2]) == "", "the other server does not notice")
            await far.start()
            await all_answer(model, again=20)
            say("", "it is killed and started again while nobody calls")
            far.kill()
            await far.start()
            await all_answer(model, again=20)
        seen = set((stage.folder / "far.requests").read_text().splitlines())
        check({line.split(" ", 1)[1] for line in seen} == {GOOD}, "it got its own credential and no other", seen)
    finally:
        far.kill()
        node.kill()


async def locked(stage):
    far, token = sdk(stage), stage.folder / "token"
    token.write_text(GOOD)
    try:
        await far.start()
        headers = {"Authorization": {"file": str(token)}}
        stage.add("legacy", {"url": far.url(), "private": True, "era": "legacy", "headers": headers, "login": "far login"})
        await stage.operator("sync")
        async with stage.client(Person(YES)) as model:
            text, failed = await activate(model, ADDS[0])
            check(not failed and await added(model, ADDS[0]) == "", "it is called", text)
            token.write_text("Bearer of-yesterday")
            far.kill()
            await far.start()
            for _ in range(20):
                wrong = await added(model, ADDS[0])
                if "needs login" in wrong:
                    break
            check("needs login: run `far login`" in wrong, "a call says that a login is missing", wrong)
            check("realm" not in wrong and "yesterday" not in wrong, "and nothing of the challenge or the credential", wrong)
            out = await stage.operator("servers")
            check("needs login" in out, "and so does the operator's list", out)
            check("mcp:legacy/add" in await stage.operator("tools"), "its tools are there")
            token.write_text(GOOD)
            wrong = await added(model, ADDS[0], again=20)
            check(wrong == "", "with the right one it is called", wrong)
    finally:
        far.kill()


CASES = {"both": both, "locked": locked}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    stage = Stage(options, servers=())
    sys.exit(perform(stage, CASES[options.case](stage), options.case))
