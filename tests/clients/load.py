"""Plays servers that are killed, hung and slowed under load: no session but theirs sees an error.

    load.py --host target/debug/agent-host --tools target/tools --case beside

Sessions of one principal and of others call an honest server, one call after the other. Beside them, for as long, sessions call
servers that never answer, answer slowly, and are killed again and again, many calls at a time; one of those sessions is of the same
principal as an honest one.
"""

import asyncio
import json
import os
import signal
import sys
from contextlib import AsyncExitStack, suppress

from play import arguments, check, perform, say
from processes import naming
from remote import Remote

CALM = ("ada", "bob", "cyd")
# Who calls which troubled server, and how many calls at a time.
TROUBLED = {"hung": ("ada", 8), "slow": ("dan", 8), "killed": ("eve", 4)}
# Calls of each honest session.
CALLS = 150


def tool(alias):
    return f"mcp:{alias}/echo"


async def call(model, alias, says):
    """A call as it is answered, without a word in the transcript: there are many."""
    return await model.answer("call_tool", {"id": tool(alias), "arguments": {"says": says}})


async def calm(name, model, done):
    for number in range(CALLS):
        says = f"{name} {number}"
        text, failed = await call(model, "honest", says)
        check(not failed and says in text, f"call {number} of {name} is answered", text)
        done[name] = number + 1


async def troubled(alias, model, over, told):
    """Calls until it is told to end, and notes what came of each call."""
    number = 0
    while not over.is_set():
        number += 1
        says = f"{alias} {number}"
        text, failed = await call(model, alias, says)
        check(failed or says in text, f"an answer of `{alias}` is the call's own", text)
        told[alias].append(failed)


async def killer(stage, over):
    while not over.is_set():
        await asyncio.sleep(0.3)
        for pid in naming(str(stage.folder / "killed")):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


async def opened(stage, stack, principal, alias):
    guest = await stage.guest(principal)
    model = await stack.enter_async_context(guest.client())
    text, failed = await model.call("activate_tools", {"tools": [tool(alias)]})
    check(not failed, f"{principal} has {tool(alias)}", text)
    return model


async def beside(stage):
    over, done, told = asyncio.Event(), {}, {alias: [] for alias in TROUBLED}
    async with stage.running_host(), AsyncExitStack() as stack:
        quiet = {name: await opened(stage, stack, name, "honest") for name in CALM}
        loud = {alias: await opened(stage, stack, who, alias) for alias, (who, _) in TROUBLED.items()}
        async with asyncio.TaskGroup() as group:
            for alias, model in loud.items():
                for _ in range(TROUBLED[alias][1]):
                    group.create_task(troubled(alias, model, over, told))
            group.create_task(killer(stage, over))
            async with asyncio.TaskGroup() as honest:
                for name, model in quiet.items():
                    honest.create_task(calm(name, model, done))
            over.set()
        say("", f"calls: {json.dumps(done)}; of the troubled, failed of all: " + ", ".join(f"{alias} {sum(all)} of {len(all)}" for alias, all in told.items()))
        check(done == dict.fromkeys(CALM, CALLS), "every honest call was answered", done)
        check(told["hung"] and all(told["hung"]), "no call of the hung server was answered", told["hung"])
        check(any(told["killed"]), "calls of the killed server failed")
        check(told["slow"] and not any(told["slow"]), "the slow server answers, slowly")
        for _ in range(10):
            text, failed = await call(loud["killed"], "killed", "again")
            if not failed:
                break
            await asyncio.sleep(1)
        check(not failed, "left alone, it runs again", text)
        await stage.operator("audit", "verify")


if __name__ == "__main__":
    options = arguments(__doc__, {"beside": beside})
    stage = Remote(options, servers=[], activation="auto")
    stage.play_hostile("honest")
    stage.play_hostile("hung", timeout="1s")
    stage.play_hostile("slow")
    (stage.folder / "killed").mkdir()
    script = stage.servers["honest"]["args"][0]
    stage.add("killed", stage.servers["honest"] | {"args": [script, "honest", str(stage.folder / "killed")]})
    sys.exit(perform(stage, beside(stage), options.case))
