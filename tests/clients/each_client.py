"""Plays one conversation through a real client: list, search, activate, a person says yes, call, revoke, refused.

    each_client.py --host target/debug/agent-host --tools target/tools --case ts-old:form

The case is a client of `real.py`, and where the person says yes:

form      in the client, which shows forms
terminal  in a terminal of their own, while the model waits; the client shows none
"""

import asyncio
import json
import sys

from eras import LEGACY, MODERN, ZONE
from main_job import BUILTINS, TIME, YES, activate, berlin, names, start, wire_name
from model import Person
from play import arguments, check, perform
from real import CLIENTS, opened
from screen import terminal
from stage import Stage

CONVERT = "mcp:time/convert_time"


async def at_a_terminal(stage, model, *ids):
    """The model asks and waits; a person is shown the question in a terminal, and says yes."""
    waits = asyncio.create_task(activate(model, *ids))
    person = terminal(stage, "approve", await stage.only_request())
    shown = await person.sees("approve? [y/N] ")
    check(all(id in shown for id in ids) and not waits.done(), "the person is shown the ids while the model waits", shown)
    person.type("yes\n")
    await person.ends(0)
    return await waits


async def by_form(person, model, *ids):
    answer = await activate(model, *ids)
    check(len(person.asked) == 1 and all(id in person.asked[0] for id in ids), "the person was asked once, and shown the ids", person.asked)
    return answer


async def conversation(stage, client, where):
    person = Person(YES) if where == "form" else None
    grows = not client.endswith("modern")
    async with opened(stage, client, person) as model:
        spoken = LEGACY if grows else MODERN
        check(model.version in (spoken, None), f"the client and the host speak {spoken}", model.version)
        await start(model)
        text, failed = await (by_form(person, model, TIME, CONVERT) if person else at_a_terminal(stage, model, TIME, CONVERT))
        check(not failed and set(json.loads(text)["active"]) == {TIME, CONVERT}, "a yes activates", text)
        check("input_schema" in json.loads(text)["tools"][0], "the answer has the schema", text)
        if grows:
            if model.hears:
                await model.changed(1)
            time = wire_name(text, TIME)
            check(names(await model.list()) == BUILTINS | {time, wire_name(text, CONVERT)}, "a legacy client's list grows")
            await berlin(model, time)
        else:
            check(names(await model.list()) == BUILTINS and not model.changes, "a modern client's list stays")
        text, failed = await call(model, TIME)
        check(not failed and json.loads(text)["timezone"] == ZONE["timezone"], "the tool runs by its id", text)
        await stage.operator("revoke", await stage.only_session(), TIME)
        text, failed = await call(model, TIME)
        check(failed and "revoked" in text, "a revoked tool is refused, and the refusal says so", text)
        text, failed = await model.call("deactivate_tools", {"tools": [CONVERT]})
        check(not failed, "a tool is given up", text)
        text, failed = await call(model, CONVERT)
        check(failed and "given up" in text, "what was given up runs no more", text)
        check(names(await model.list()) == BUILTINS, "neither is listed")
    await stage.operator("audit", "verify")


async def call(model, id):
    return await model.call("call_tool", {"id": id, "arguments": ZONE})


CASES = {f"{client}:{where}": (client, where) for client in CLIENTS for where in ("form", "terminal")}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    stage = Stage(options, servers=["time"])
    sys.exit(perform(stage, conversation(stage, *CASES[options.case]), options.case))
