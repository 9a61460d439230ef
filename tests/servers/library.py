"""An MCP server with prompts, resources and a template, made with the Python SDK, for tests of what is relayed besides tools.

    library.py ALIAS FOLDER

FOLDER/ALIAS.starts gets a line for each start. One of its words holds what a reader would not see.
"""

import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp.types import ResourceLink

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


if __name__ == "__main__":
    server.run("stdio")
