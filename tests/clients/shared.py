"""Plays two clients of different eras under one host.

    shared.py --host target/debug/agent-host --tools target/tools --case two

two     each has a set of its own; a revoke reaches the one that was named, the stop both; who goes takes nothing from the other
killed  the host is killed again and again while both call, and comes back: each has what it had and is asked nothing, what was in flight
        is of unknown outcome, and no call ran without a record
"""

import asyncio
import json
import os
import signal
import sys

from eras import ZONE
from main_job import BUILTINS, SUM, TIME, YES, activate, names
from model import Person
from play import arguments, check, perform, say
from processes import children
from real import opened
from stage import Stage

FIRST, SECOND = "python-legacy", "ts-modern"
ECHO = "mcp:honest/echo"
SILENT = "mcp:silent-call/echo"
ARGUMENTS = {TIME: ZONE, SUM: {"a": 17, "b": 25}}
UNKNOWN = "outcome unknown"
KILLS = 3


async def call(model, id):
    return await model.call("call_tool", {"id": id, "arguments": ARGUMENTS.get(id, {})})


async def runs(model, *ids):
    for id in ids:
        text, failed = await call(model, id)
        check(not failed, f"{id} runs", text)


async def refused(model, id, word):
    text, failed = await call(model, id)
    check(failed and word in text, f"{id} is refused: {word}", text)


async def allowed(model, person, *ids):
    """Activates, each time by one yes."""
    before = len(person.asked)
    text, failed = await activate(model, *ids)
    check(not failed and len(person.asked) == before + 1, "one yes activates", text)


async def two(stage):
    one, other = Person(YES), Person(YES)
    async with opened(stage, FIRST, one) as first:
        host, mine = await stage.host_process(), await stage.only_session()
        async with opened(stage, SECOND, other) as second:
            check(await stage.host_process() == host, "both have one host")
            await allowed(first, one, TIME)
            await refused(second, TIME, "not active")
            check(len(await first.list()) == 6 and names(await second.list()) == BUILTINS, "one list grows")
            await allowed(second, other, TIME, SUM)
            await runs(second, TIME, SUM)
            await refused(first, SUM, "not active")

            await stage.operator("revoke", mine, TIME)
            await refused(first, TIME, "revoked")
            await runs(second, TIME, SUM)

            await allowed(first, one, SUM)
            await runs(first, SUM)
            await stage.operator("stop")
            await refused(first, SUM, "stopped")
            await refused(second, TIME, "stopped")
            text, failed = await activate(second, "mcp:time/convert_time")
            check(failed and "stopped" in text and len(other.asked) == 1, "nothing is activated, and nobody asked", text)
            await stage.operator("resume")
            await runs(first, SUM)
            await runs(second, TIME)
        check(await stage.only_session() == mine, "the session of who is gone is over, the other's is not")
        await runs(first, SUM)
    await stage.operator("audit", "verify")


async def over_and_over(model, back):
    """Calls until the host is back; returns how often the tool said that it ran, and how often nobody knows."""
    ran = unknown = 0
    while not back.is_set():
        text, failed = await call(model, ECHO)
        check(not failed or UNKNOWN in text, "a call runs, or nobody knows", text)
        ran, unknown = ran + (not failed), unknown + failed
    return ran, unknown


async def killed_once(stage, first, second):
    """Kills the host while one client waits for a tool that never answers, and the other calls one that does."""
    before = await stage.host_process()
    back = asyncio.Event()
    calls = stage.noted("silent-call", "calls")
    waits = asyncio.create_task(call(second, SILENT))
    busy = asyncio.create_task(over_and_over(first, back))
    await stage.until(lambda: stage.noted("silent-call", "calls") > calls, "the call that is never answered has begun")
    stage.leaders += children(before)
    say("", f"kill -9 {before}")
    os.kill(before, signal.SIGKILL)
    text, failed = await waits
    check(failed and UNKNOWN in text, "what was in flight is of unknown outcome", text)
    await runs(second, TIME)
    check(await stage.host_process() != before, "another host is there")
    back.set()
    return await busy


async def killed(stage):
    for part in ("honest", "silent-call"):
        stage.play_hostile(part, era="legacy", timeout="60s")
    one, other = Person(YES), Person(YES)
    async with opened(stage, FIRST, one) as first, opened(stage, SECOND, other) as second:
        await allowed(first, one, TIME, ECHO)
        await allowed(second, other, TIME, SILENT)
        sessions, listed = await stage.sessions(), names(await first.list())
        ran = unknown = 0
        for _ in range(KILLS):
            answers = await killed_once(stage, first, second)
            ran, unknown = ran + answers[0], unknown + answers[1]
            check(await stage.sessions() == sessions, "the sessions are the same")
            await runs(first, TIME)
            await refused(first, SILENT, "not active")
        check(names(await first.list()) == listed, "and the list is")
        check(len(one.asked) == len(other.asked) == 1, "nobody was asked again", (one.asked, other.asked))
        await stage.operator("revoke", sessions[0], TIME)
        await stage.operator("revoke", sessions[1], TIME)
        await refused(first, TIME, "revoked")
        await refused(second, TIME, "revoked")
    records = (await stage.operator("audit", "show", "--json", shown=False)).splitlines()
    starts = [record["what"]["bound"]["id"] for record in map(json.loads, records) if record["what"]["kind"] == "starting"]
    for id, part, answered in [(ECHO, "honest", ran), (SILENT, "silent-call", 0)]:
        calls = stage.noted(part, "calls")
        say("", f"{part}: {answered} answers, {calls} calls, {starts.count(id)} records of a start")
        check(answered <= calls <= starts.count(id), "no call is without a record", (answered, calls, starts.count(id)))
    check(starts.count(ECHO) <= ran + unknown, "no call was made that no model made", (starts.count(ECHO), ran, unknown))
    check(starts.count(SILENT) == KILLS and ran > 0, "all were made", (starts.count(SILENT), ran))
    await stage.operator("audit", "verify")


CASES = {"two": two, "killed": killed}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    stage = Stage(options)
    sys.exit(perform(stage, CASES[options.case](stage), options.case))
