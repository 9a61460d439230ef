"""An MCP server that asks a person in the middle of a call, made with the Python SDK, in either era.

    asks.py FOLDER

FOLDER/asks.told gets a line for each answer, as the server heard it.
"""

import sys
from pathlib import Path
from typing import Annotated, Literal

from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel

folder = Path(sys.argv[1])
server = MCPServer("asks", version="1")


class Branch(BaseModel):
    branch: Literal["main", "next"]


class Note(BaseModel):
    note: str


class Sure(BaseModel):
    sure: bool


class Login(BaseModel):
    password: str


class Both(BaseModel):
    first: str
    second: str


def told(outcome):
    data = getattr(outcome, "data", None)
    text = f"{outcome.action} {data.model_dump_json() if data else ''}".strip()
    with open(folder / "asks.told", "a") as log:
        log.write(text + "\n")
    return text


def branch_of() -> Elicit[Branch]:
    return Elicit("Deploy which branch?", Branch)


def note_of() -> Elicit[Note]:
    return Elicit("What is it\u202e for?", Note)


def sure_of() -> Elicit[Sure]:
    return Elicit("Delete everything?", Sure)


def login_of() -> Elicit[Login]:
    return Elicit("Log in, please", Login)


def both_of() -> Elicit[Both]:
    return Elicit("Two things", Both)


@server.tool()
def deploy(outcome: Annotated[ElicitationResult[Branch], Resolve(branch_of)]) -> str:
    """Deploys a branch that a person chooses."""
    return told(outcome)


@server.tool()
def annotate(outcome: Annotated[ElicitationResult[Note], Resolve(note_of)]) -> str:
    """Keeps a note in a person's words."""
    return told(outcome)


@server.tool()
def wipe(outcome: Annotated[ElicitationResult[Sure], Resolve(sure_of)]) -> str:
    """Deletes what a person is sure of."""
    return told(outcome)


@server.tool()
def enter(outcome: Annotated[ElicitationResult[Login], Resolve(login_of)]) -> str:
    """Asks for what no form may ask for."""
    return told(outcome)


@server.tool()
def pair(outcome: Annotated[ElicitationResult[Both], Resolve(both_of)]) -> str:
    """Asks for two things at once."""
    return told(outcome)


if __name__ == "__main__":
    server.run("stdio")
