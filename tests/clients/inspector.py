"""Plays the MCP Inspector's `--cli`, which starts agent-host for each command and ends it after.

    inspector.py --host target/debug/agent-host --tools target/tools --case waits

So a session is one command long, and what a person allows is gone with it. Possible are: to list and to search, to ask for a tool and wait
for a person, and to call what is active from the start. Not possible are: to call in a next command what was allowed in this one, and to be
revoked. `--cli` shows no forms and hears of no changes. The Inspector's `mcpdo` keeps its connection and can do the rest
(`each_client.py`).

waits   a command waits for a person at a terminal, and is answered; the next one is a new session
preset  what the rules say `auto` of is called by its name, in one command, under `surface = "full"`
"""

import asyncio
import json
import sys

from each_client import at_a_terminal
from eras import ZONE
from main_job import TIME, start
from model import Model
from play import arguments, check, perform
from real import configured, inspector
from stage import Stage


class Cli(Model):
    """A model behind one command after the other. A tool that is not listed in the command's own session is not even asked for."""

    def __init__(self, stage, era):
        super().__init__()
        self.stage, self.era = stage, era

    async def command(self, *words):
        where = ["--cli", "--quiet", "--format", "json", "--config", configured(self.stage), "--server", "agent-host"]
        code, out = await inspector(self.stage, "launcher/build/index.js", *where, "--protocol-era", self.era, *words)
        check(code in (0, 5), f"the command ends well, or with a tool's error: {words}", f"{code}: {out}")
        return json.loads(out)["result"] if out else {"content": [{"text": "not listed"}], "isError": True}

    async def tools(self):
        return (await self.command("--method", "tools/list"))["tools"]

    async def answer(self, name, arguments):
        got = await self.command("--method", "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments))
        return got["content"][0]["text"], got["isError"]


async def waits(stage):
    for era in ("legacy", "modern"):
        model = Cli(stage, era)
        await start(model)
        text, failed = await at_a_terminal(stage, model, TIME)
        check(not failed and json.loads(text)["active"] == [TIME], "the command that waited is answered: active", text)
        text, failed = await model.call("call_tool", {"id": TIME, "arguments": ZONE})
        check(failed and "not active in this session" in text, "the next command is another session", text)
        for _ in range(100):
            if await stage.sessions() == []:
                break
            await asyncio.sleep(0.1)
        else:
            check(False, "no session is left")
    await stage.operator("audit", "verify")


async def preset(stage):
    for era in ("legacy", "modern"):
        text, failed = await Cli(stage, era).call("time__get_current_time", ZONE)
        check(not failed and json.loads(text)["timezone"] == ZONE["timezone"], "what the rules allow is called in one command", text)
    text, failed = await Cli(stage, era).call("everything__get-sum", {"a": 1, "b": 2})
    check(failed and text == "not listed", "the client itself refuses what is not listed", text)


CASES = {
    "waits": (waits, {"servers": ["time"]}),
    "preset": (preset, {"surface": "full", "rules": [{"server": "time", "decision": "auto"}]}),
}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    case, settings = CASES[options.case]
    stage = Stage(options, **settings)
    sys.exit(perform(stage, case(stage), options.case))
