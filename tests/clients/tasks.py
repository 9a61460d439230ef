"""Tasks of a real server, relayed to the Python client: over stdio, and over HTTP to two principals.

    tasks.py --host target/debug/agent-host --tools target/tools [--case stdio]

stdio    a call becomes a task of ours, is followed to its end, asks its question through the client, is cancelled by the client, and with the
         grant that an operator takes back; each is on record, begun and ended
http     the same by a handle; a task's id is nothing to another principal
plain    a client that takes no tasks, or shakes hands: it is answered at once, or told why not
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import httpx2
import mcp_types as types
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.extension import ClientExtension, ResultClaim
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from pydantic import ConfigDict

from main_job import activate
from model import Person, Python, shows
from play import arguments, check, perform
from remote import Remote

SCRIPT = Path(__file__).parents[1] / "servers/jobs.py"
TASKS = "io.modelcontextprotocol/tasks"


class Created(types.Result):
    model_config = ConfigDict(extra="allow")
    result_type: Literal["task"]
    taskId: str


class Taking(ClientExtension):
    """A client that takes tasks, and looks at them itself."""

    identifier = TASKS

    def claims(self):
        async def never(*_):
            raise AssertionError("tasks are looked at by hand")

        return [ResultClaim(result_type="task", model=Created, resolve=never)]


class About(types.RequestParams):
    model_config = ConfigDict(extra="allow")
    taskId: str


class Ask(types.Request[About, str]):
    name_param = "taskId"


class Told(types.Result):
    model_config = ConfigDict(extra="allow")


class Tasks:
    """What a client does with its calls that go on."""

    def __init__(self, client, handle=None):
        self.client = client
        self.more = {"session": handle} if handle else {}

    async def begin(self, tool):
        given = {"id": f"mcp:jobs/{tool}", "arguments": {}, **self.more}
        created = await self.client.session.call_tool("call_tool", given, allow_claimed=True)
        check(isinstance(created, Created), f"`{tool}` became a task", created)
        task = created.model_dump(by_alias=True)
        check(task["taskId"].startswith("task_") and len(task["taskId"]) == 37, "its id is ours", task)
        check(task["ttlMs"] and task["ttlMs"] <= 65 * 60 * 1000, "it has an age", task)
        return task["taskId"]

    async def ask(self, method, task, **more):
        request = Ask(method=method, params=About(taskId=task, **more))
        return (await self.client.session.send_request(request, Told)).model_dump(by_alias=True)

    async def until(self, task, status):
        seen = []
        for _ in range(200):
            now = await self.ask("tasks/get", task)
            seen.append(now)
            if now["status"] == status:
                return now
            await asyncio.sleep(0.1)
        check(False, f"the task is {status} in time", seen[-1])

    async def unknown(self, task):
        try:
            answer = await self.ask("tasks/get", task)
        except MCPError as error:
            return error.error.code, error.error.message
        check(False, "the task is unknown", answer)


def taking(transport, person):
    return Client(transport, mode="2026-07-28", read_timeout_seconds=60, extensions=[Taking()], elicitation_callback=shows(person))


@asynccontextmanager
async def taking_over(guest):
    async with httpx2.AsyncClient(headers=guest.web.headers, timeout=60) as http:
        async with taking(streamable_http_client(guest.web.url, http_client=http), Person(("decline", None))) as client:
            yield client


def words(task):
    return task["result"]["content"][0]["text"]


async def follow(stage, tasks):
    """One to its end, one with a question, one that the client ends."""
    dig = await tasks.begin("dig")
    done = await tasks.until(dig, "completed")
    check("dig is done" in words(done) and "_meta" not in done["result"], "its end is the server's result", done)
    ask = await tasks.begin("ask")
    asking = await tasks.until(ask, "input_required")
    form = asking["inputRequests"]["who"]["params"]
    check(form["message"].startswith("The server `jobs` asks, not agent-host: ") and "\\u{202e}" in form["message"], "the question says whose it is", form)
    answer = {"action": "accept", "content": {"name": "Ada"}}
    await tasks.ask("tasks/update", ask, inputResponses={"other": answer})
    check(stage.noted("jobs", "answers") == 0, "what is not asked is not passed on")
    await tasks.ask("tasks/update", ask, inputResponses={"who": answer})
    done = await tasks.until(ask, "completed")
    check("for Ada" in words(done) and stage.noted("jobs", "answers") == 1, "the answer came to the server, once", done)
    last = await tasks.begin("last")
    await tasks.ask("tasks/cancel", last)
    await tasks.until(last, "cancelled")
    await stage.until(lambda: stage.noted("jobs", "cancels") == 1, "the server's own task is cancelled")
    return dig


async def stdio(stage):
    person = Person(("decline", None))
    command, given = stage.command()
    server = StdioServerParameters(command=command, args=given, cwd=stage.work)
    with stage.log_file() as log:
        async with taking(stdio_client(server, errlog=log), person) as client:
            model = Python()
            model.client = client
            text, failed = await activate(model, *[f"mcp:jobs/{tool}" for tool in ["dig", "ask", "last"]])
            check(not failed, "the jobs are switched on", text)
            tasks = Tasks(client)
            await follow(stage, tasks)
            last = await tasks.begin("last")
            session = await stage.only_session()
            await stage.operator("revoke", session, "mcp:jobs/last", "--running", "cancel")
            taken = await tasks.until(last, "completed")
            check(taken["result"]["isError"], "a revoke ends the task, and says so", taken)
            await stage.until(lambda: stage.noted("jobs", "cancels") == 2, "and the server's")
            code, _ = await tasks.unknown("task_" + "0" * 32)
            check(code == -32602, "no other id is a task", code)
            await client.session.call_tool("call_tool", {"id": "mcp:jobs/dig", "arguments": {}}, allow_claimed=True)
            left = await tasks.begin("ask")
            await tasks.until(left, "input_required")
    await stage.end_host()
    await stage.until(lambda: stage.noted("jobs", "calls") == 6, "each call was made once")
    shown = await stage.operator("audit", "show", "--json", shown=False)
    begun, ended, told = (shown.count(word) for word in ['"kind":"starting"', '"kind":"ended"', '"method":"tasks/update"'])
    check(begun == ended == 6 and told == 1, "each call's start and end are on record, and the answer", (begun, ended, told))


async def http(stage):
    async with stage.running_host():
        ada, bob = await stage.guest("ada"), await stage.guest("bob")
        async with taking_over(ada) as client, taking_over(bob) as other:
            tasks = await switched_on(client)
            known = await follow(stage, tasks)
            theirs = await switched_on(other)
            unknown = await theirs.unknown("task_" + "0" * 32)
            check(unknown[0] == -32602 and unknown == await theirs.unknown(known), "another principal's task is as one that is nowhere", unknown)
            check((await tasks.ask("tasks/get", known))["status"] == "completed", "its own sees it")
            last = await tasks.begin("last")
            [session] = await stage.sessions_of("ada")
            await stage.operator("end", session)
            gone = await tasks.unknown(last)
            check(gone[0] == -32602, "a task is gone with its session", gone)
            await stage.until(lambda: stage.noted("jobs", "cancels") == 2, "and was cancelled")


async def switched_on(client):
    found = json.loads((await client.call_tool("search_tools", {"query": "job dig"})).content[0].text)
    given = {"tools": [f"mcp:jobs/{tool}" for tool in ["dig", "ask", "last"]], "session": found["session"]}
    active = await client.call_tool("activate_tools", given)
    check(not active.is_error, "the jobs are switched on", active)
    return Tasks(client, found["session"])


async def plain(stage):
    for mode in ["legacy", "2026-07-28"]:
        async with stage.client(mode=mode) as model:
            text, failed = await activate(model, "mcp:jobs/quick", "mcp:jobs/strict")
            check(not failed, "the jobs are switched on", text)
            text, failed = await model.call("call_tool", {"id": "mcp:jobs/quick", "arguments": {}})
            check(not failed and text == "quick at once", "it is answered at once", text)
            text, failed = await model.call("call_tool", {"id": "mcp:jobs/strict", "arguments": {}})
            check(failed and "only as a task" in text, "or told why not", text)
            try:
                answer = await Tasks(model.client).ask("tasks/get", "task_0")
            except MCPError as error:
                check(error.error.code == -32021, "and has no tasks", error.error)
            else:
                check(False, "and has no tasks", answer)


CASES = {"stdio": stdio, "http": http, "plain": plain}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    stage = (Remote if options.case == "http" else Remote.__base__)(options, servers=[], activation="auto")
    stage.add("jobs", {"command": sys.executable, "args": ["-B", str(SCRIPT), "jobs", str(stage.folder)], "start": "2m", "shared": True})
    sys.exit(perform(stage, CASES[options.case](stage), options.case))
