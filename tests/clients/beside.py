"""Plays hostile servers beside an honest one, and looks at what becomes of each.

    beside.py --host target/debug/agent-host --tools target/tools --case PART ...

Each PART is one of `tests/servers/hostile.py`; all that are named run at the same time, behind one host. The honest
server is called before, during and after. At the end the host's peak of memory is under its bound, and no process is left.
What each part must end as stands in TABLE, and in words in spec chapter 11 ("Servers that misbehave").
"""

import asyncio
import json
import re
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "servers"))

import hostile
from play import arguments, check, perform, say
from processes import children, peak
from stage import Stage

# The peak of an honest run is about 55 MiB in a debug build, the table of words among them; a server's pages may have 64 MiB, an
# index of four thousand tools takes about 20, and one line may have 16 and is held twice while it is read.
PEAK = 160 * 1024 * 1024
SIBLING = "mcp:time/get_current_time"
SLOWEST = 5  # seconds that the honest server's answer may take meanwhile

# Answers to a call, as (is it an error, a pattern of its text).
LATE = (True, r"no answer in time.* may have run")
LOST = (True, r"the call was lost.* may have run")

UNREACHED = (True, r"Nothing ran")


def ran(number):
    return (False, rf"^call {number}: ")


class Part:
    """What must become of one part: the tools served (and no others, but where there are `more`), the answers to calls of
    `echo`, one after the other, and what the operator is told."""

    def __init__(self, served=("echo",), calls=(), told=None, absent=(), more=False, starts=None, lists=None, rest=0, peak=PEAK, **settings):
        self.served, self.calls, self.told, self.absent = served, calls, told, absent
        self.more = more or bool(absent)
        # At most so many starts of the process, and requests for its list.
        self.starts, self.lists = starts, lists
        # Seconds between its calls, and what the host's memory may come to.
        self.rest, self.peak = rest, peak
        self.settings = {"era": "legacy", "start": "10s", "timeout": "20s"} | settings


TABLE = {
    "honest": Part(calls=[ran(1), ran(2)], starts=1),
    # Attack 48.
    "fresh-cursors": Part(served=["page_1", "page_256"], absent=["page_257"], told=r"more than 256 pages", starts=1),
    "same-cursor": Part(served=["echo", "again"], told=r"a page that it named before", starts=1),
    "thin-pages": Part(served=["thin_1", "thin_256"], absent=["thin_257"], told=r"more than 256 pages", starts=1),
    "fat-pages": Part(served=[f"page_{at}" for at in range(1, 7)], told=r"longer than 67108864 bytes", starts=1),
    "many-tools": Part(served=["tool_0", "tool_1000"], more=True, told=r"more than 4096 tools", starts=1),
    # Attack 49.
    "huge-result": Part(calls=[(True, r"longer than"), ran(2)], starts=1),
    "huge-listing": Part(served=[], told=r"longer than"),
    "endless-line": Part(calls=[LATE], timeout="5s"),
    # Attack 50.
    "silent-initialize": Part(served=[], told=r"did not shake hands within 2s", start="2s"),
    "silent-discover": Part(calls=[ran(1)], era="auto", start="20s"),
    "silent-list": Part(served=[], told=r"list of tools was not whole within 60s"),
    "silent-call": Part(calls=[LATE, ran(2)], starts=1, timeout="2s"),
    "hung": Part(calls=[LATE, LATE], starts=1, timeout="2s"),
    "slow": Part(calls=[ran(1), ran(2)], starts=1),
    "late-call": Part(calls=[LATE, ran(2), ran(3)], starts=1, timeout="2s"),
    "wrong-ids": Part(calls=[LATE, ran(2)], starts=1, timeout="2s"),
    "doubled": Part(calls=[ran(1), ran(2), ran(3)], starts=1),
    # Attack 51.
    "noise": Part(calls=[ran(1), ran(2)], starts=1),
    "torn": Part(calls=[LATE, (False, "torn")], starts=1, timeout="2s"),
    "bad-text": Part(calls=[LATE, (False, "HERE")], starts=1, timeout="2s"),
    "bad-text-listing": Part(served=[], told=r"`bad-text-listing`: its list"),
    "deep-message": Part(calls=[ran(1), ran(2)], starts=1),
    "deep-result": Part(calls=[(True, r"can't be used: its answer is nested too deep"), (False, "deep")], starts=1, timeout="2s"),
    "deep-definition": Part(calls=[ran(1)], absent=["deep"], starts=1),
    # Floods, of attacks 50 and 51.
    "stderr-flood": Part(calls=[ran(1), ran(2)], starts=1),
    # Once at the start, and six times in the one minute that this does not last.
    "storm": Part(calls=[ran(at + 1) for at in range(20)], starts=1, lists=7),
    "chatter": Part(calls=[ran(1)], starts=1, timeout="30s"),
    "asks": Part(calls=[LATE, LATE], timeout="2s"),
    "deaf": Part(calls=[LATE, LATE], timeout="2s"),
    # Attack 52.
    "crash-loop": Part(served=[], told=r"no license found", starts=4),
    "crash-call": Part(calls=[LOST, LOST], starts=4, rest=4),
    "crash-later": Part(calls=[LOST] + [UNREACHED] * 8, starts=4),
    "half-closed": Part(calls=[LOST, LOST], rest=6),
    "stubborn": Part(calls=[ran(1)], starts=1),
    # Attacks 44, 45 and 47.
    "malformed-tools": Part(served=["array_schema", "first", "last"], told=r"not served", starts=1),
    "names": Part(served=["alone", "search_tools", "send_mail"], told=r"not served", starts=1),
    "no-list": Part(served=[], told=r"not a list"),
}


async def sibling(model):
    """Calls the honest server, and checks that it answers, and soon."""
    begin = time.monotonic()
    text, failed = await model.call("call_tool", {"id": SIBLING, "arguments": {"timezone": "Europe/Berlin"}})
    took = time.monotonic() - begin
    check(not failed and "Europe/Berlin" in text and took < SLOWEST, f"the honest server answers within {SLOWEST} s", f"{took:.1f} s: {text}")


async def finds(model, alias, name):
    return f"mcp:{alias}/{name}" in await model.search(f"mcp:{alias}/{name}", limit=1)


async def served(model, alias, part):
    """Waits until the part's tools can be found; then looks for others."""
    ids = [f"mcp:{alias}/{name}" for name in part.served]
    for _ in range(300):
        if all([await finds(model, alias, name) for name in part.served]):
            break
        await asyncio.sleep(0.1)
    else:
        check(False, f"{alias}: {', '.join(ids)} can be found")
    for name in part.absent:
        check(not await finds(model, alias, name), f"{alias}: `{name}` can't be found")
    if not part.more:
        text, failed = await model.call("search_tools", {"query": "hostile tool", "server": alias, "limit": 16})
        check(failed == (not ids), f"{alias}: a server without tools is none", text)
        others = set() if failed else {hit["id"] for hit in json.loads(text)["tools"]} - set(ids)
        check(not others, f"{alias}: no other tool can be found", others)


async def attack(model, alias, part):
    """Calls as often as the part says, each time with what must come of it."""
    for at, (must_fail, pattern) in enumerate(part.calls):
        text, failed = await model.call("call_tool", {"id": f"mcp:{alias}/echo", "arguments": {"at": at}})
        await asyncio.sleep(part.rest)
        check(failed == must_fail and re.search(pattern, text), f"{alias}: call {at + 1} is answered with `{pattern}`", text[:300])


async def meanwhile(model, tasks):
    """Calls the honest server until the tasks are done, and once at the least."""
    done = asyncio.gather(*tasks)
    while True:
        await sibling(model)
        await asyncio.sleep(0.2)
        if done.done():
            return await done


async def told(stage, alias, part):
    """Waits until the operator was told what the part must be told of; a list is waited for a minute."""
    for _ in range(700):
        if part.told is None or re.search(part.told, stage.log()):
            return
        await asyncio.sleep(0.1)
    check(False, f"{alias}: the operator is told `{part.told}`", stage.log())


async def beside(stage, parts):
    check(TABLE.keys() == hostile.PARTS.keys(), "each part of the hostile server has its row here", TABLE.keys() ^ hostile.PARTS.keys())
    for alias, part in parts.items():
        stage.play_hostile(alias, **part.settings)
    async with stage.client() as model:
        host = await stage.host_process()
        text, failed = await model.call("activate_tools", {"tools": [SIBLING]})
        check(not failed, "the honest tool is activated", text)
        await sibling(model)
        for alias, part in parts.items():
            await served(model, alias, part)
            if part.calls:
                text, failed = await model.call("activate_tools", {"tools": [f"mcp:{alias}/echo"]})
                check(not failed, f"{alias}: its tool is activated", text)
        await meanwhile(model, [attack(model, alias, part) for alias, part in parts.items()])
        await sibling(model)
        for alias, part in parts.items():
            await told(stage, alias, part)
        most = peak(host)
        stage.leaders += children(host)
    say("", f"the host's peak of memory: {most / 2**20:.0f} MiB")
    bound = max(part.peak for part in parts.values())
    check(most < bound, f"the host's peak of memory is under {bound >> 20} MiB", f"{most / 2**20:.0f} MiB")
    for alias, part in parts.items():
        for what, most in [("starts", part.starts), ("lists", part.lists)]:
            seen = stage.noted(alias, what)
            check(most is None or 1 <= seen <= most, f"{alias}: 1 to {most} {what}", seen)
    check(len(stage.log()) < 64 * 1024, "the host's log is short", len(stage.log()))


if __name__ == "__main__":
    options = arguments(__doc__, TABLE, several=True)
    stage = Stage(options, servers=["time"], activation="auto")
    parts = {alias: TABLE[alias] for alias in options.case}
    sys.exit(perform(stage, beside(stage, parts), ", ".join(parts)))
