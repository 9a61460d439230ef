"""Questions of a real server in the middle of a call, for a client without forms, answered by operators.

    questions.py --host target/debug/agent-host --tools target/tools --case legacy

legacy, modern   an era of the server: a choice is answered at the command line, free text by the API, yes or no declined; what is not a choice is
                 told so and the question waits on; a question ends with its session; a form for a secret or of two fields is refused; who is not
                 over the principal sees nothing, a viewer answers nothing, and nothing is activated by any of it
off              the operator said nothing: the server can ask nobody, as ever
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from main_job import activate
from office import Office
from play import arguments, check, perform, say

SCRIPT = Path(__file__).parents[1] / "servers/asks.py"
TOOLS = [f"mcp:asks/{name}" for name in ["deploy", "annotate", "wipe", "enter", "pair"]]
ME = f"local:{os.geteuid()}"
# Every tool is switched on by a rule, so all that says yes by itself is in force.
OPERATORS = {
    "ada": {"role": "admin", "principals": "*"},
    "eve": {"role": "viewer", "principals": "*"},
    "ann": {"role": "approver", "principals": ["bob"]},
    "amy": {"role": "approver", "principals": [ME]},
}


async def question(office):
    """The one question that waits, once it does."""
    for _ in range(200):
        waiting = json.loads(await office.operator("questions", "--json", shown=False))
        if waiting:
            check(len(waiting) == 1, "one question waits", waiting)
            return waiting[0]
        await asyncio.sleep(0.1)
    check(False, "a question waits")


def named(asked):
    return asked["asker"]["session"], asked["index"]


async def fails(office, *words):
    process = await asyncio.create_subprocess_exec(
        office.host, *words, "--config", str(office.config), "--state", str(office.state), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    _, err = await process.communicate()
    check(process.returncode != 0, f"`{' '.join(words)}` fails", err)
    return err.decode()


def call(model, name):
    return asyncio.create_task(model.call("call_tool", {"id": f"mcp:asks/{name}", "arguments": {}}))


async def asked(office, era):
    add(office, questions="operator", era=era)
    await office.operator("sync")
    async with office.serving():
        async with office.client(mode="legacy") as model:
            text, failed = await activate(model, *TOOLS)
            check(not failed, "a rule switches the tools on", text)
            ann, eve, amy = [await office.operator_named(name) for name in ["ann", "eve", "amy"]]

            # By the command line.
            running = call(model, "deploy")
            one = await question(office)
            session, index = named(one)
            check(one["wording"]["choices"] == ["main", "next"] and index == 1, "its choices are the form's", one)
            about = one["wording"]["context"]
            check(about["server"] == "asks" and about["tool"] == "mcp:asks/deploy" and about["principal"] == ME, "it says what it is about", about)
            shown = await office.operator("questions")
            check("1) main" in shown and "An answer activates nothing" in shown, "a person reads it", shown)
            # Nothing that says yes by itself answers it.
            await asyncio.sleep(1)
            check(not running.done(), "a rule that allows everything answers no question")
            check("not one of the choices" in await fails(office, "reply", session, "1", "everything"), "what is not a choice is told so")
            check("no such question" in await fails(office, "reply", session, "7", "main"), "so is what nobody asked")
            told = await ann.ask("questions")
            check(told["waiting"] == [], "who is not over the principal sees nothing", told)
            told = await ann.ask("reply", session=session, index=1, reply={"reply": "said", "text": "main"})
            check(told["replied"] == {"came": "gone"}, "and answers nothing", told)
            status, told = await eve.send("reply", {"session": session, "index": 1, "reply": {"reply": "said", "text": "main"}})
            check(status == 403, "a viewer answers nothing", (status, told))
            check((await eve.ask("questions"))["waiting"][0]["index"] == 1, "but sees it")
            check((await amy.ask("reply", session=session, index=1, reply={"reply": "said", "text": "all"}))["replied"] == {"came": "not-a-choice"}, "the API says so too")
            await office.operator("reply", session, "1", "next")
            text, failed = await running
            check(text == 'accept {"branch":"next"}' and not failed, "the server heard the choice", text)

            # By the API.
            running = call(model, "annotate")
            one = await question(office)
            session, index = named(one)
            check(index == 2 and one["wording"].get("choices", []) == [] and "\u202e" not in one["wording"]["text"], "free text, its words made visible", one)
            told = await amy.ask("reply", session=session, index=index, reply={"reply": "said", "text": "a note, approve everything"})
            check(told["replied"] == {"came": "taken"}, "the API takes it", told)
            text, failed = await running
            check(text == 'accept {"note":"a note, approve everything"}', "the server heard the text", text)
            told = await amy.ask("reply", session=session, index=index, reply={"reply": "said", "text": "another"})
            check(told["replied"] == {"came": "gone"}, "the second answer is none", told)

            # Yes or no, and a person who says neither.
            running = call(model, "wipe")
            one = await question(office)
            check(one["wording"]["choices"] == ["yes", "no"], "yes or no", one)
            await office.operator("reply", session, str(one["index"]), "--decline")
            text, failed = await running
            check(text == "decline", "the server hears that nobody answers", text)

            # What is not carried over.
            for name, what in [("enter", "a secret"), ("pair", "two fields")]:
                text, failed = await call(model, name)
                check("accept" not in text, f"a form for {what} is not put", text)
            check(json.loads(await office.operator("questions", "--json", shown=False)) == [], "nobody was asked")

            # A question ends with its session.
            running = call(model, "deploy")
            await question(office)
            await office.operator("end", session)
            await running
            check(json.loads(await office.operator("questions", "--json", shown=False)) == [], "it ended with its session")
    told = (office.folder / "asks.told").read_text().splitlines()
    check([line for line in told if line.startswith("accept")] == ['accept {"branch":"next"}', 'accept {"note":"a note, approve everything"}'], "the server was told no more", told)
    records = await office.operator("audit", "show", "--json", shown=False)
    check(records.count('"kind":"inquired"') == 4 and records.count('"kind":"replied"') == 3, "each question and each answer is on record", records[-2000:])
    check('"channel":"console"' in records and '"name":"amy"' in records, "and who answered, by which channel")
    await office.operator("audit", "verify")


async def off(office, _):
    add(office)
    await office.operator("sync")
    async with office.serving():
        async with office.client(mode="legacy") as model:
            await activate(model, *TOOLS)
            text, _ = await call(model, "deploy")
            check("accept" not in text, "nobody was asked", text)
            say("model", text)
    check('"inquired"' not in await office.operator("audit", "show", "--json", shown=False), "no question is on record")


def add(office, **settings):
    office.add("asks", {"command": sys.executable, "args": ["-B", str(SCRIPT), str(office.folder)], "start": "2m"} | settings)


CASES = {"legacy": asked, "modern": asked, "off": off}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    office = Office(options, operators=OPERATORS, servers=[], activation="auto", approval={"wait": "25s", "own": True})
    sys.exit(perform(office, CASES[options.case](office, options.case), options.case))
