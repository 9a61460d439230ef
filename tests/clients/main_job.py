"""Plays the main job on real programs, or one of its variants.

    main_job.py --host target/debug/agent-host --tools target/tools [--case main]

main     a person says yes, two tools are called, one is taken back, the records are verified
decline  a person says no: nothing is active, and asking again asks nobody
auto     the policy says yes: nobody is asked
deny     the policy says no: nobody is asked
silent   a client without forms: the request is pending, and nothing is active
"""

import json
import sys

from model import Person, estimate
from play import arguments, check, perform, say
from stage import Stage

BUILTINS = {"search_tools", "activate_tools", "call_tool", "deactivate_tools", "tool_details"}
TIME = "mcp:time/get_current_time"
SUM = "mcp:everything/get-sum"
YES = ("accept", {"approve": True})
NO = ("decline", None)


def names(tools):
    return {tool["name"] for tool in tools}


async def start(model):
    """The first list, and the search that finds the tool of the time."""
    tools = await model.list()
    check(names(tools) == BUILTINS and len(tools) == 5, "the first list is the five builtins", names(tools))
    check(estimate(tools) < 700, "the first list is small", estimate(tools))
    found = await model.search("what time is it now in a city")
    check(found and found[0] == TIME, f"{TIME} is found first", found)


async def activate(model, *ids):
    return await model.call("activate_tools", {"tools": list(ids)})


async def berlin(model, name):
    text, failed = await model.call(name, {"timezone": "Europe/Berlin"})
    check(not failed and json.loads(text)["timezone"] == "Europe/Berlin", "the time server answers", text)


def wire_name(text, id):
    shown = {tool["id"]: tool["name"] for tool in json.loads(text)["tools"]}
    check(id in shown, f"the answer shows {id}", text)
    return shown[id]


async def main(stage):
    person = Person(YES)
    async with stage.client(person) as model:
        await start(model)
        text, failed = await activate(model, TIME)
        check(not failed, "a yes activates", text)
        check(len(person.asked) == 1 and TIME in person.asked[0], "the person was asked once, and shown the id", person.asked)
        time = wire_name(text, TIME)
        await model.changed(1)
        check(names(await model.list()) == BUILTINS | {time}, "the tool is listed now")
        await berlin(model, time)

        found = await model.search("add two numbers")
        check(SUM in found, f"{SUM} is found", found)
        text, failed = await activate(model, SUM)
        check(not failed and len(person.asked) == 2, "a second yes activates the second tool", text)
        sum = wire_name(text, SUM)
        text, failed = await model.call("call_tool", {"id": SUM, "arguments": {"a": 17, "b": 25}})
        check(not failed and "42" in text, "the sum is 42", text)
        await model.changed(2)

        session = await stage.only_session()
        await stage.operator("revoke", session, TIME)
        text, failed = await model.call(time, {"timezone": "Europe/Berlin"})
        check(failed and "revoked" in text, "a revoked tool is refused, and the refusal says so", text)
        check(time not in names(await model.list()), "a revoked tool is listed no more")
        text, failed = await model.call(sum, {"a": 1, "b": 2})
        check(not failed and "3" in text, "the other tool still runs", text)
        await stage.operator("audit", "verify")
    await stage.operator("audit", "verify")
    check(len(person.asked) == 2, "the person was asked twice in all", len(person.asked))


async def decline(stage):
    person = Person(NO)
    async with stage.client(person) as model:
        await start(model)
        for _ in range(2):
            text, failed = await activate(model, TIME)
            check(failed and "said no" in text, "a no is a refusal that says so", text)
        check(len(person.asked) == 1, "after a no nobody is asked again", len(person.asked))
        check(names(await model.list()) == BUILTINS and not model.changes, "nothing became active")
        text, failed = await model.call("call_tool", {"id": TIME, "arguments": {"timezone": "Europe/Berlin"}})
        check(failed, "a tool that was declined does not run", text)
    say("", "the client goes, the host ends; the same person comes back")
    await stage.end_host()
    async with stage.client(person) as model:
        text, failed = await activate(model, TIME)
        check(failed and "said no" in text and len(person.asked) == 1, "a no outlives its session and its process", text)


async def auto(stage):
    person = Person(NO)
    async with stage.client(person) as model:
        await start(model)
        text, failed = await activate(model, TIME, SUM)
        check(not failed, "the policy activates", text)
        await model.changed(1)
        check(len(await model.list()) == 7, "both tools are listed")
        await berlin(model, wire_name(text, TIME))
    check(not person.asked, "nobody is asked", len(person.asked))


async def deny(stage):
    person = Person(YES)
    async with stage.client(person) as model:
        await start(model)
        text, failed = await activate(model, TIME)
        check(failed and "policy" in text, "the policy refuses, and says so", text)
        check(names(await model.list()) == BUILTINS, "nothing became active")
    check(not person.asked, "nobody is asked", len(person.asked))


async def silent(stage):
    async with stage.client() as model:
        await start(model)
        text, failed = await activate(model, TIME)
        check(not failed and text.startswith("pending"), "without a form the request is pending", text)
        check(names(await model.list()) == BUILTINS, "nothing is active yet")
        text, failed = await model.call("call_tool", {"id": TIME, "arguments": {"timezone": "Europe/Berlin"}})
        check(failed, "a tool that nobody allowed does not run", text)


CASES = {
    "main": (main, {}),
    "decline": (decline, {}),
    "auto": (auto, {"activation": "auto"}),
    "deny": (deny, {"activation": "deny"}),
    "silent": (silent, {"approval": {"wait": "1s"}}),
}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    case, settings = CASES[options.case]
    stage = Stage(options, **settings)
    sys.exit(perform(stage, case(stage), options.case))
