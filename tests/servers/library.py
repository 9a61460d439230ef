"""An MCP server with prompts, resources and a template, made with the Python SDK, for tests of what is relayed besides tools.

    library.py ALIAS FOLDER

FOLDER/ALIAS.starts gets a line for each start, FOLDER/ALIAS.completed for each completion. One of its words holds what a reader would not
see, and so does one of its completions. `grow` gives it one more prompt and one more resource, and says so twenty times in either era.
"""

import sys
from pathlib import Path

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.resources import TextResource
from mcp.types import Completion, PromptReference, ResourceLink

alias, folder = sys.argv[1], Path(sys.argv[2])
with open(folder / f"{alias}.starts", "a") as log:
    log.write("started\n")

server = MCPServer("library", version="1")


@server.prompt(description="Asks\u200b for a summary of a book.")
def summary(book: str) -> str:
    return f"Please sum {book} up, from {alias}."


@server.resource("library://catalog", name="catalog", mime_type="text/plain")
def catalog() -> str:
    return f"what {alias} has"


@server.resource("library://books/{title}", name="book")
def book(title: str) -> str:
    return f"{title} of {alias}"


@server.tool()
def find(title: str) -> ResourceLink:
    """Finds a book, and answers with a link to it."""
    return ResourceLink(type="resource_link", uri=f"library://books/{title}", name=title)


@server.tool()
async def grow(ctx: Context) -> str:
    """Has one more prompt and resource from now on."""
    server.add_prompt(Prompt.from_function(lambda: "Please lend me one.", name="lend"))
    server.add_resource(TextResource(uri="library://news", name="news", text=f"news of {alias}"))
    for _ in range(20):
        await ctx.notify_prompts_changed()
        await ctx.notify_resources_changed()
        if str(ctx.request_context.protocol_version) < "2026":
            await ctx.session.send_prompt_list_changed()
            await ctx.session.send_resource_list_changed()
    return "grown"


@server.completion()
async def completed(ref, argument, context):
    with open(folder / f"{alias}.completed", "a") as log:
        log.write(f"{getattr(ref, 'name', None) or ref.uri} {argument.name}\n")
    titles = ["Emma", "Emma\u200b", "Evelina", "Persuasion"] if isinstance(ref, PromptReference) else ["Ivanhoe"]
    return Completion(values=[title for title in titles if title.startswith(argument.value)], has_more=False)


if __name__ == "__main__":
    server.run("stdio")
