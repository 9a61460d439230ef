"""Plays the Python SDK's client in both eras, under each surface.

    eras.py --host target/debug/agent-host --tools target/tools --case modern

modern   a modern client: a person says yes, the list stays, the tool runs by its id and is taken back
decline  a person says no to a modern client's form
silent   a modern client without forms: the request is pending
streams  `surface = "dynamic"`: a modern client listens, and hears of a yes and of a revoke
named    `serve --session NAME`: the question names the session
stable   `surface = "stable"`: a legacy client's list stays too
full     `surface = "full"`: what the rules say `auto` of is there from the start, in both eras
"""

import asyncio
import json
import sys

from main_job import BUILTINS, NO, SUM, TIME, YES, activate, berlin, names, start
from model import Person
from play import arguments, check, perform, say
from stage import Stage

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
ZONE = {"timezone": "Europe/Berlin"}


def speaks(model, version):
    check(model.version == version, f"the client and the host speak {version}", model.version)


async def by_id(model):
    text, failed = await model.call("call_tool", {"id": TIME, "arguments": ZONE})
    check(not failed and json.loads(text)["timezone"] == ZONE["timezone"], "the tool runs by its id", text)


async def unchanged(model):
    check(names(await model.list()) == BUILTINS and not model.changes, "the list stays as it is")


async def modern(stage):
    person = Person(YES)
    async with stage.client(person, mode="auto") as model:
        speaks(model, MODERN)
        check("call_tool" in model.client.instructions, "the instructions say how tools are run", model.client.instructions)
        await start(model)
        text, failed = await activate(model, TIME)
        check(not failed and json.loads(text)["active"] == [TIME], "a yes activates", text)
        check(json.loads(text)["tools"][0]["input_schema"]["type"] == "object", "the answer has the schema", text)
        check(len(person.asked) == 1 and TIME in person.asked[0], "the person was asked once, and shown the id", person.asked)
        check("every conversation in this process" in person.asked[0], "and for whom it holds", person.asked[0])
        await unchanged(model)
        await by_id(model)
        text, failed = await model.call("time__get_current_time", ZONE)
        check(failed and "Unknown tool" in text, "what is not listed is not called by name", text)
        text, failed = await activate(model, TIME, SUM)
        check(not failed and len(person.asked) == 2 and TIME not in person.asked[1], "what is active is not asked about again", text)
        await stage.operator("revoke", await stage.only_session(), TIME)
        text, failed = await model.call("call_tool", {"id": TIME, "arguments": ZONE})
        check(failed and "revoked" in text, "a revoked tool is refused, and the refusal says so", text)
        await unchanged(model)
    await stage.operator("audit", "verify")


async def decline(stage):
    person = Person(NO)
    async with stage.client(person, mode="auto") as model:
        speaks(model, MODERN)
        for _ in range(2):
            text, failed = await activate(model, TIME)
            check(failed and "said no" in text, "a no is a refusal that says so", text)
        check(len(person.asked) == 1, "after a no nobody is asked again", len(person.asked))
        text, failed = await model.call("call_tool", {"id": TIME, "arguments": ZONE})
        check(failed, "a tool that was declined does not run", text)


async def silent(stage):
    async with stage.client(mode="auto") as model:
        speaks(model, MODERN)
        text, failed = await activate(model, TIME)
        check(not failed and text.startswith("pending"), "without a form the request is pending", text)
        check("`agent-host approve r_" in text, "the text says where to approve", text)
        text, failed = await model.call("call_tool", {"id": TIME, "arguments": ZONE})
        check(failed, "a tool that nobody allowed does not run", text)


async def streams(stage):
    person = Person(YES)
    async with stage.client(person, mode="auto") as model:
        speaks(model, MODERN)
        async with model.client.listen(tools_list_changed=True) as stream:
            check(stream.honored.tools_list_changed, "the stream is for the list", stream.honored)
            heard = aiter(stream)
            await start(model)
            text, failed = await activate(model, TIME)
            check(not failed, "a yes activates", text)
            event = await asyncio.wait_for(anext(heard), 5)
            say("client", f"hears {type(event).__name__} on its stream")
            name = json.loads(text)["tools"][0]["name"]
            check(names(await model.list()) == BUILTINS | {name}, "the tool is listed now")
            await berlin(model, name)
            await stage.operator("revoke", await stage.only_session(), TIME)
            await asyncio.wait_for(anext(heard), 5)
            check(names(await model.list()) == BUILTINS, "a revoked tool is listed no more")


async def named(stage):
    person = Person(YES)
    async with stage.client(person, mode="auto", more=["--session", "the week's review"]) as model:
        text, failed = await activate(model, TIME)
        check(not failed and "for the session `the week's review`?" in person.asked[0], "the question names it", text)


async def stable(stage):
    person = Person(YES)
    async with stage.client(person) as model:
        speaks(model, LEGACY)
        await start(model)
        text, failed = await activate(model, TIME)
        check(not failed and "this session" in person.asked[0], "a yes activates, for this session", text)
        await by_id(model)
        await unchanged(model)


async def full(stage):
    for mode, version in [("legacy", LEGACY), ("auto", MODERN)]:
        async with stage.client(mode=mode) as model:
            speaks(model, version)
            tools = await model.list()
            check(names(tools) == BUILTINS | {"time__get_current_time", "time__convert_time"}, "the time server's are there", names(tools))
            await berlin(model, "time__get_current_time")
    check("2 tools are active from the start" in stage.log(), "the host says so", stage.log())


RULE = {"server": "time", "decision": "auto"}
CASES = {
    "modern": (modern, {}),
    "decline": (decline, {}),
    "silent": (silent, {"approval": {"wait": "1s"}}),
    "streams": (streams, {"surface": "dynamic"}),
    "named": (named, {}),
    "stable": (stable, {"surface": "stable"}),
    "full": (full, {"surface": "full", "rules": [RULE]}),
}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    case, settings = CASES[options.case]
    stage = Stage(options, **settings)
    sys.exit(perform(stage, case(stage), options.case))
