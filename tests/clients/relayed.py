"""Prompts and resources of real servers, relayed to the Python client in both eras.

    relayed.py --host target/debug/agent-host --tools target/tools [--case legacy]

legacy, modern   an era, of the client and of the servers, over stdio. Of three servers alike one is relayed, one is not, and one is hidden: what the first has
                 is listed under its alias, comes from it alone, and is on record; the others' is unknown, and they are not started
none             where nothing is relayed, there are no such methods
"""

import sys
from pathlib import Path

from mcp.shared.exceptions import MCPError

from main_job import activate
from play import arguments, check, perform, say
from stage import Stage

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
        missing = await error_of(client.read_resource(f"{OURS}nowhere"))
        check("server `books`" in missing[1], "what the server has not, it says itself", missing)
        check({alias: stage.noted(alias, "starts") for alias in started} == started, "the others were not started", started)
    # Once the host ended, what it noted is written.
    await stage.end_host()
    shown = await stage.operator("audit", "show", "--json", shown=False)
    asked = [shown.count(f'"method":"{method}"') for method in ["prompts/get", "resources/read"]]
    check(asked == [1, 4], "each that was asked for is on record", asked)


async def none(stage, _):
    add(stage, "plain")
    async with stage.client() as model:
        for asked in [model.client.list_prompts(), model.client.list_resources(), model.client.read_resource("mcp+plain:library://catalog")]:
            code, _ = await error_of(asked)
            check(code == -32601, "it is no method", code)


CASES = {"legacy": relayed, "modern": relayed, "none": none}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    stage = Stage(options, servers=[], activation="auto")
    sys.exit(perform(stage, CASES[options.case](stage, options.case), options.case))
