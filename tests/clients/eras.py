"""Plays clients of both eras, under each surface.

    eras.py --host target/debug/agent-host --tools target/tools --case modern

modern   a modern client: a person says yes, the list stays, the tool runs by its id and is taken back
decline  a person says no to a modern client's form
silent   a modern client without forms: the request is pending
streams  `surface = "dynamic"`: a modern client listens, and hears of a yes and of a revoke
named    `serve --session NAME`: the question names the session
stable   `surface = "stable"`: a legacy client's list stays too
full     `surface = "full"`: what the rules say `auto` of is there from the start, in both eras
fastmcp  the FastMCP client in both eras: a person says yes, the tool runs
ts-old, ts-legacy, ts-modern  the same with the TypeScript SDK: version 1, and version 2 in each era

Exit code 0 where all went as it must, 1 otherwise, with the reason.
"""

import argparse
import asyncio
import json
import shutil
import sys
from pathlib import Path

from main_job import BUILTINS, NO, SUM, TIME, YES, activate, berlin, names, start
from stage import Person, Stage, check, run, say

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
ZONE = {"timezone": "Europe/Berlin"}


def speaks(model, version):
    got = model.client.protocol_version
    check(got == version, f"the client and the host speak {version}", got)


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
        check(len(person.asked) == 1 and TIME in person.asked[0].message, "the person was asked once, and shown the id", person.asked)
        check("every conversation in this process" in person.asked[0].message, "and for whom it holds", person.asked[0].message)
        await unchanged(model)
        await by_id(model)
        text, failed = await model.call("time__get_current_time", ZONE)
        check(failed and "Unknown tool" in text, "what is not listed is not called by name", text)
        text, failed = await activate(model, TIME, SUM)
        check(not failed and len(person.asked) == 2 and TIME not in person.asked[1].message, "what is active is not asked about again", text)
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
        check(not failed and "for the session `the week's review`?" in person.asked[0].message, "the question names it", text)


async def stable(stage):
    person = Person(YES)
    async with stage.client(person) as model:
        speaks(model, LEGACY)
        await start(model)
        text, failed = await activate(model, TIME)
        check(not failed and "this session" in person.asked[0].message, "a yes activates, for this session", text)
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


async def fastmcp(stage):
    from fastmcp import Client
    from fastmcp.client.elicitation import ElicitResult
    from fastmcp.client.transports import StdioTransport

    for mode, listed in [("legacy", 6), ("auto", 5)]:
        asked = []

        async def elicit(message, _kind, _params, _context):
            asked.append(message)
            return ElicitResult(action="accept", content={"approve": True})

        transport = StdioTransport(*stage.command(), keep_alive=False, log_file=stage.folder / "host.log")
        async with Client(transport, mode=mode, elicitation_handler=elicit) as client:
            say("client", f"FastMCP, {mode}")
            active = await client.call_tool("activate_tools", {"tools": [TIME]})
            check(len(asked) == 1 and TIME in asked[0] and json.loads(active.content[0].text)["active"] == [TIME], "a yes activates", active)
            tools = await client.list_tools()
            check(len(tools) == listed, f"{listed} tools are listed", tools)
            ran = await client.call_tool("call_tool", {"id": TIME, "arguments": ZONE})
            check(json.loads(ran.content[0].text)["timezone"] == ZONE["timezone"], "the tool runs", ran)
            await stage.operator("revoke", await stage.only_session(), TIME)
            refused = await client.call_tool("call_tool", {"id": TIME, "arguments": ZONE}, raise_on_error=False)
            check(refused.is_error and "revoked" in refused.content[0].text, "a revoked tool is refused", refused)


def typescript(era):
    async def case(stage):
        command, arguments = stage.command()
        words = [shutil.which("node"), str(Path(__file__).with_name("eras.mjs")), str(stage.tools), era, command, *arguments]
        with open(stage.folder / "host.log", "a") as log:
            node = await asyncio.create_subprocess_exec(*words, cwd=stage.work, stdout=asyncio.subprocess.PIPE, stderr=log)
        out, _ = await asyncio.wait_for(node.communicate(), 60)
        check(node.returncode == 0, "the client gets to its end", node.returncode)
        seen = json.loads(out)
        say("client", json.dumps(seen, indent=1))
        grows = era != "modern"
        check(set(seen["first"]) == BUILTINS and TIME in seen["found"], "builtins are listed, and the tool is found", seen)
        check(len(seen["asked"]) == 1 and TIME in seen["asked"][0] and not seen["active"]["failed"], "one yes activates", seen)
        check(seen.get("version", LEGACY) == (LEGACY if grows else MODERN), "the era is the client's", seen)
        check(len(seen["then"]) == (6 if grows else 5) and (seen["changes"] > 0) == grows, "the list is as its era has it", seen)
        check(json.loads(seen["ran"]["text"])["timezone"] == ZONE["timezone"], "the tool runs", seen)
        check(seen["refused"]["failed"] and "given up" in seen["refused"]["text"], "what was given up runs no more", seen)

    return case


RULE = '[[rule]]\nserver = "time"\ndecision = "auto"\n'
CASES = {
    "modern": (modern, ""),
    "decline": (decline, ""),
    "silent": (silent, ""),
    "streams": (streams, 'surface = "dynamic"\n'),
    "named": (named, ""),
    "stable": (stable, 'surface = "stable"\n'),
    "full": (full, 'surface = "full"\n'),
    "fastmcp": (fastmcp, ""),
    "ts-old": (typescript("old"), ""),
    "ts-legacy": (typescript("legacy"), ""),
    "ts-modern": (typescript("modern"), ""),
}


async def play(options):
    case, settings = CASES[options.case]
    stage = Stage(options.host, options.tools, "prompt", wait="1s" if options.case == "silent" else "25s")
    stage.config.write_text(settings + stage.config.read_text() + (RULE if options.case == "full" else ""))
    try:
        await case(stage)
        say("", f"all as it must be ({options.case})")
    except BaseException:
        print(stage.log(), file=sys.stderr)
        raise
    finally:
        stage.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", required=True, help="the agent-host binary")
    parser.add_argument("--tools", required=True, help="the folder that tests/tools/install filled")
    parser.add_argument("--case", choices=CASES, default="modern")
    sys.exit(run(play(parser.parse_args())))
