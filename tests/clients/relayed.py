"""Prompts and resources of real servers, relayed to the Python client in both eras.

    relayed.py --host target/debug/agent-host --tools target/tools [--case legacy]

legacy, modern   an era, of the client and of the servers, over stdio. Of three servers alike one is relayed, one is not, and one is hidden: what the first has
                 is listed under its alias, comes from it alone, and is on record; the others' is unknown, and they are not started
                 What an argument could be is asked of its server alone; that a list changed is told to who may use it
handles          over HTTP, where handles name sessions: a client has them without one, in the Python SDK and the TypeScript one, and nothing of what its
                 profile hides; it hears of changes on a stream of its own
none             where nothing is relayed, there are no such methods
"""

import asyncio
import sys
from pathlib import Path

from mcp.shared.exceptions import MCPError
from mcp.types import PromptReference, ResourceTemplateReference

from main_job import activate
from play import arguments, check, perform
from real import typescript
from remote import Remote

SCRIPT = Path(__file__).parents[1] / "servers/library.py"
OURS = "mcp+books:library://"


async def error_of(asked):
    """The code and the words with which a request is refused."""
    try:
        answer = await asked
    except MCPError as error:
        return error.error.code, error.error.message
    check(False, "it is refused", answer)


def add(stage, alias, **settings):
    stage.add(alias, {"command": sys.executable, "args": ["-B", str(SCRIPT), alias, str(stage.folder)]} | settings)


async def text_of(client, uri):
    read = (await client.read_resource(uri)).contents[0]
    check(str(read.uri).startswith(OURS), "what is read is known by the URI here", read.uri)
    return read.text


async def relayed(stage, era):
    relay = {"prompts": True, "resources": True, "era": era, "start": "2m"}
    add(stage, "books", **relay)
    add(stage, "plain", era=era, start="2m")
    add(stage, "secret", **relay)
    stage.append('\n[[rule]]\ntools = ["mcp:secret/*"]\ndecision = "hide"\n')
    await stage.operator("sync")
    started = {alias: stage.noted(alias, "starts") for alias in ["plain", "secret"]}
    async with stage.client(mode="legacy" if era == "legacy" else "2026-07-28") as model:
        client = model.client
        text, failed = await activate(model, "mcp:books/find")
        check(not failed, "the tool is switched on", text)
        found = await client.call_tool("call_tool", {"id": "mcp:books/find", "arguments": {"title": "Persuasion"}})
        link = next(block for block in found.content if block.type == "resource_link")

        prompts = (await client.list_prompts()).prompts
        check([prompt.name for prompt in prompts] == ["books__summary"], "one server's prompts are listed", prompts)
        check(prompts[0].description == "Asks\\u{200b} for a summary of a book.", "its words are made visible", prompts[0])
        got = await client.get_prompt("books__summary", {"book": "Emma"})
        check(got.messages[0].content.text == "Please sum Emma up, from books.", "the prompt is the server's", got)

        listed = (await client.list_resources()).resources
        check([str(one.uri) for one in listed] == [f"{OURS}catalog"], "its resources say whose they are", listed)
        templates = (await client.list_resource_templates()).resource_templates
        check([one.uri_template for one in templates] == [f"{OURS}books/{{title}}"], "so do its templates", templates)
        check(await text_of(client, f"{OURS}catalog") == "what books has", "a resource is read")
        check(await text_of(client, f"{OURS}books/Emma") == "Emma of books", "so is one that a template leads to")

        check(await text_of(client, str(link.uri)) == "Persuasion of books", "a link in a result can be read here", link)

        answers = [await error_of(client.read_resource(uri)) for uri in ["mcp+plain:library://catalog", "mcp+secret:library://catalog", "mcp+nobody:library://catalog", "library://catalog"]]
        check(len(set(answers)) == 1 and "not found" in answers[0][1], "what is not relayed, hidden or nowhere is unknown alike", answers)
        answers = [await error_of(client.get_prompt(name, {"book": "Emma"})) for name in ["plain__summary", "secret__summary", "books__nothing", "summary"]]
        check(len(set(answers)) == 1 and answers[0][0] == -32602, "so is a prompt", answers)
        await completes(client)
        told = await listening(model, era)
        await activate(model, "mcp:books/grow")
        await client.call_tool("call_tool", {"id": "mcp:books/grow", "arguments": {}})
        await hears(stage, told)
        if era == "modern":
            model.listener.cancel()
        check([prompt.name for prompt in (await client.list_prompts()).prompts] == ["books__lend", "books__summary"], "what came is listed")
        check(await text_of(client, f"{OURS}news") == "news of books", "and can be read")

        missing = await error_of(client.read_resource(f"{OURS}nowhere"))
        check("server `books`" in missing[1], "what the server has not, it says itself", missing)
        check({alias: stage.noted(alias, "starts") for alias in started} == started, "the others were not started", started)
    # Once the host ended, what it noted is written.
    await stage.end_host()
    shown = await stage.operator("audit", "show", "--json", shown=False)
    asked = [shown.count(f'"method":"{method}"') for method in ["prompts/get", "resources/read"]]
    check(asked == [1, 5], "each that was asked for is on record", asked)
    check(shown.count('"method":"completion/complete"') == 2, "and each completion")


async def completes(client):
    found = (await client.complete(PromptReference(type="ref/prompt", name="books__summary"), {"name": "book", "value": "E"})).completion
    check(found.values == ["Emma", "Evelina"], "a prompt's argument is completed, by nothing that hides something", found)
    found = (await client.complete(ResourceTemplateReference(type="ref/resource", uri=f"{OURS}books/{{title}}"), {"name": "title", "value": "I"})).completion
    check(found.values == ["Ivanhoe"], "so is a template's", found)
    refs = [PromptReference(type="ref/prompt", name=name) for name in ["secret__summary", "plain__summary", "summary"]]
    refs += [ResourceTemplateReference(type="ref/resource", uri=uri) for uri in ["mcp+secret:library://books/{title}", "library://books/{title}"]]
    answers = [await error_of(client.complete(ref, {"name": "book", "value": ""})) for ref in refs]
    check(len(set(answers)) == 1 and answers[0][0] == -32602, "what is not relayed, hidden or nowhere is unknown alike", answers)


async def listening(model, era):
    """What a client is told of its lists, in the way of its era, as it comes."""
    if era == "legacy":
        return model.notices
    told, opened = [], asyncio.Event()

    async def listen():
        async with model.client.listen(tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True) as stream:
            opened.set()
            async for event in stream:
                told.append(type(event).__name__)

    model.listener = asyncio.create_task(listen())
    await asyncio.wait_for(opened.wait(), 20)
    return told


async def hears(stage, told):
    kinds = lambda: {kind for kind in ("prompt", "resource") if any(kind in one.lower() for one in told)}
    await stage.until(lambda: kinds() == {"prompt", "resource"}, "both changes are heard")
    check(len(told) <= 8, "and not each time that the server says so", told)


async def handles(stage, _):
    relay = {"prompts": True, "resources": True, "start": "2m", "shared": True}
    add(stage, "books", **relay)
    add(stage, "secret", **relay)
    stage.append('\n[[rule]]\ntools = ["mcp:secret/*"]\ndecision = "hide"\n')
    stage.append('\n[profiles.bare]\ntools = ["mcp:nobody/*"]\n')
    await stage.operator("sync")
    async with stage.running_host():
        ada, bob = await stage.guest("ada"), await stage.guest("bob", "--profile", "bare")
        async with ada.client(mode="auto") as model, bob.client(mode="auto") as other:
            client = model.client
            check(client.server_capabilities.prompts.list_changed and client.server_capabilities.completions is not None, "it is told what there is", client.server_capabilities)
            check(other.client.server_capabilities.prompts is None and other.client.server_capabilities.resources is None, "and who may use nothing, of nothing", other.client.server_capabilities)
            check([prompt.name for prompt in (await client.list_prompts()).prompts] == ["books__summary"], "one server's prompts are listed")
            got = await client.get_prompt("books__summary", {"book": "Emma"})
            check(got.messages[0].content.text == "Please sum Emma up, from books.", "the prompt is the server's", got)
            check([str(one.uri) for one in (await client.list_resources()).resources] == [f"{OURS}catalog"], "so are its resources")
            check(len((await client.list_resource_templates()).resource_templates) == 1, "and its template")
            check(await text_of(client, f"{OURS}catalog") == "what books has", "a resource is read")
            await completes(client)
            answers = [await error_of(client.read_resource(uri)) for uri in ["mcp+secret:library://catalog", "mcp+nobody:library://catalog"]]
            check(len(set(answers)) == 1, "what is hidden is as what is nowhere", answers)
            for asked in [other.client.list_prompts(), other.client.read_resource(f"{OURS}catalog"), other.client.get_prompt("books__summary", {"book": "x"})]:
                check((await error_of(asked))[0] == -32601, "to who may use nothing there is no such method")
            check(await stage.sessions() == [], "no session was opened for any of it")

            heard, others = await listening(model, "modern"), await listening(other, "modern")
            text, failed = await activate(model, "mcp:books/grow")
            await model.call("call_tool", {"id": "mcp:books/grow", "arguments": {}})
            await hears(stage, heard)
            check("books__lend" in [prompt.name for prompt in (await client.list_prompts()).prompts], "what came is listed")
            check(others == [], "who may not use it hears of nothing", others)
            model.listener.cancel()
            other.listener.cancel()
        async with typescript(ada, "modern", None) as node:
            prompts = (await node.does("listPrompts"))["prompts"]
            check([prompt["name"] for prompt in prompts] == ["books__lend", "books__summary"], "the TypeScript client lists them", prompts)
            got = await node.does("getPrompt", {"name": "books__summary", "arguments": {"book": "Emma"}})
            check(got["messages"][0]["content"]["text"] == "Please sum Emma up, from books.", "and gets one", got)
            read = await node.does("readResource", {"uri": f"{OURS}catalog"})
            check(read["contents"][0]["text"] == "what books has", "and reads", read)
            found = await node.does("complete", {"ref": {"type": "ref/prompt", "name": "books__summary"}, "argument": {"name": "book", "value": "P"}})
            check(found["completion"]["values"] == ["Persuasion"], "and completes", found)
        await stage.operator("stop")
        async with ada.client(mode="2026-07-28") as model:
            check((await error_of(model.client.list_prompts()))[0] == -32601, "where everything is stopped there is none of it")
    shown = await stage.operator("audit", "show", "--json", shown=False)
    asked = [line for line in shown.splitlines() if '"relayed"' in line]
    check(len(asked) == 7 and all("ada" in line for line in asked), "each that was asked for is on record, under its principal", asked)


async def none(stage, _):
    add(stage, "plain")
    async with stage.client() as model:
        for asked in [model.client.list_prompts(), model.client.list_resources(), model.client.read_resource("mcp+plain:library://catalog")]:
            code, _ = await error_of(asked)
            check(code == -32601, "it is no method", code)


CASES = {"legacy": relayed, "modern": relayed, "handles": handles, "none": none}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    stage = Remote(options, servers=[], activation="auto")
    sys.exit(perform(stage, CASES[options.case](stage, options.case), options.case))
