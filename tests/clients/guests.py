"""Plays real clients over HTTP, of principals that share a host.

    guests.py --host target/debug/agent-host --tools target/tools --case ts-old

CLIENT       a client of `real.py`, beside one of another principal: found, allowed by its form, called, revoked, refused, and the other
             has and hears nothing of it
inspector    the Inspector's `--cli`, a command each, in the one session of its credential; a person says yes at a terminal
preselected  the URL names a tool: a question waits, and a yes makes it active
token        a token is taken back under its client
killed       the host is killed and comes back: sessions by handle and by credential have what they had
drained      the host is told to end: a stream gets its result, and the host goes
"""

import asyncio
import json
import signal
import sys

from each_client import at_a_terminal, by_form
from eras import ZONE
from inspector import Cli
from main_job import BUILTINS, TIME, YES, activate, berlin, names, start
from model import Person
from play import arguments, check, perform
from real import CLIENTS, opened
from remote import Remote
from screen import terminal

CREDENTIAL = ("--profile", "credential")


async def called(model):
    return await model.call("call_tool", {"id": TIME, "arguments": ZONE})


async def runs(model):
    text, failed = await called(model)
    check(not failed and json.loads(text)["timezone"] == ZONE["timezone"], "the tool runs by its id", text)


async def refused(model, word):
    text, failed = await called(model)
    check(failed and word in text, f"the tool is refused: {word}", text)


async def revoked(stage, principal):
    (session,) = await stage.sessions_of(principal)
    await stage.operator("revoke", session, TIME)


async def side_by_side(stage, client):
    ada, bob = await stage.guest("ada"), await stage.guest("bob")
    one, nobody = Person(YES), Person(YES)
    beside = "python-legacy" if client.endswith("modern") else "python-modern"
    async with opened(ada, client, one) as model, opened(bob, beside, nobody) as other:
        await start(other)
        await start(model)
        text, failed = await by_form(one, model, TIME)
        check(not failed and json.loads(text)["active"] == [TIME], "a yes activates", text)
        await runs(model)
        await refused(other, "not active")
        check(names(await other.list()) == BUILTINS and not other.changes, "the other is listed nothing, and hears nothing")
        await revoked(stage, "ada")
        await refused(model, "revoked")
        check(names(await model.list()) == BUILTINS, "it is listed no more")
        check(not nobody.asked, "the other is asked nothing")
    shown = await stage.operator("audit", "show", "--json", shown=False)
    starts = [record for record in map(json.loads, shown.splitlines()) if record["what"]["kind"] == "starting"]
    check(len(starts) == 1, "one call ran", starts)


async def inspector(stage):
    ada, bob = await stage.guest("ada", *CREDENTIAL), await stage.guest("bob", *CREDENTIAL)
    model, other = Cli(ada, "modern"), Cli(bob, "modern")
    text, failed = await at_a_terminal(stage, model, TIME)
    check(not failed and json.loads(text)["active"] == [TIME], "a yes activates", text)
    await runs(model)
    await refused(other, "not active")
    await revoked(stage, "ada")
    await refused(model, "revoked")


async def preselected(stage):
    ada = await stage.guest("ada", query=f"?tools={TIME}")
    async with opened(ada, "python-legacy") as model:
        check(names(await model.list()) == BUILTINS, "nobody said yes yet")
        person = terminal(stage, "approve", await stage.only_request())
        await person.sees("approve? [y/N] ")
        person.type("yes\n")
        await person.ends(0)
        await runs(model)
        check(len(await model.list()) == 6, "it is listed")


async def token(stage):
    ada, bob = await stage.guest("ada"), await stage.guest("bob")
    async with opened(bob, "python-modern") as other, opened(ada, "python-legacy") as model:
        await start(other)
        await start(model)
        await stage.operator("token", "revoke", ada.token_id)
        text, failed = await model.call("search_tools", {"query": "time"})
        check(failed, "nobody is let in by it", text)
        check(not await stage.sessions_of("ada") and await stage.sessions_of("bob"), "its session is over, the other's is not")
        await other.search("time")


async def killed(stage):
    ada, bob = await stage.guest("ada"), await stage.guest("bob", *CREDENTIAL)
    one, two = Person(YES), Person(YES)
    async with opened(ada, "python-modern", one) as model, opened(bob, "ts-modern", two) as other:
        await start(model)
        await activate(model, TIME)
        await activate(other, TIME)
        sessions = await stage.sessions()
        await stage.end(signal.SIGKILL)
        await stage.start()
        await runs(model)
        await runs(other)
        check(await stage.sessions() == sessions, "the sessions are the same")
        check(len(one.asked) == len(two.asked) == 1, "nobody was asked again", (one.asked, two.asked))


async def drained(stage):
    ada = await stage.guest("ada", *CREDENTIAL)
    async with opened(ada, "python-modern", Person(YES)) as model:
        await start(model)
        async with model.client.listen(tools_list_changed=True) as stream:
            heard = asyncio.create_task(anext(aiter(stream), None))
            await stage.end()
            check(await asyncio.wait_for(heard, 10) is None, "the stream ends as it should")
    check(stage.code == 0, "the host goes", stage.code)
    await stage.start()


async def hosted(stage, conversation, *more):
    async with stage.running_host():
        await conversation(stage, *more)
        await stage.operator("audit", "verify")


OTHERS = {"inspector": inspector, "preselected": preselected, "token": token, "killed": killed, "drained": drained}
CASES = {client: (side_by_side, client) for client in CLIENTS} | {name: (case,) for name, case in OTHERS.items()}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    stage = Remote(options, servers=["time"])
    stage.append('\n[profiles.credential.http]\nsession = "credential"\n')
    sys.exit(perform(stage, hosted(stage, *CASES[options.case]), options.case))
