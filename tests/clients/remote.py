"""A stage whose host is reached over HTTP, by whoever has a token.

The host is started by the play and not by its clients; it can be killed, and come back at the same address.
"""

import asyncio
import json
import os
import signal
import subprocess
from contextlib import asynccontextmanager

import httpx2
from mcp.client.streamable_http import streamable_http_client

from play import check, say
from stage import Stage, python_client


class Remote(Stage):
    """As a stage, with a host at an address of its own."""

    at = "127.0.0.1:0"
    # What the host is started with besides.
    more = ()

    async def start(self):
        """Starts the host, and returns once it listens."""
        before = self.told()
        with self.log_file() as log:
            places = ["--config", str(self.config), "--state", str(self.state)]
            self.process = subprocess.Popen([self.host, "run", "--http", self.at, *self.more, *places], cwd=self.work, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        for _ in range(600):
            if self.told() > before:
                break
            check(self.process.poll() is None, "the host starts")
            await asyncio.sleep(0.1)
        self.url = [word for word in self.log().split() if word.endswith("/mcp") and word.startswith("http")][-1]
        self.at = self.url.split("/")[2]
        say("host", f"listens at {self.url}")

    def told(self):
        """How often a host said where it listens."""
        return self.log().count("clients over HTTP come to ")

    @asynccontextmanager
    async def running_host(self):
        await self.start()
        yield
        await self.end()

    async def end(self, by=signal.SIGTERM):
        """Ends the host: as an operator does, or by force. What it started goes too."""
        say("", f"{by.name} to the host")
        os.kill(self.process.pid, by)
        self.code = await asyncio.to_thread(self.process.wait, 60)

    async def token(self, principal, *more):
        """A new token, with its secret."""
        made = json.loads(await self.operator("token", "create", "--principal", principal, "--json", *more, shown=False))
        return made["secret"], made["token"]["id"]

    async def guest(self, principal, *more, query=""):
        """A principal with a token of its own."""
        secret, id = await self.token(principal, *more)
        return Guest(self, principal, Web(self.url + query, secret), id)

    async def sessions_of(self, principal):
        """The ids of a principal's sessions."""
        told = json.loads(await self.operator("sessions", "--json", shown=False))
        return [session["asker"]["session"] for session in told["sessions"] if session["asker"]["principal"] == principal]


class Web:
    """Where a host listens, and what lets a client in."""

    def __init__(self, url, secret):
        self.url = url
        self.headers = {"Authorization": f"Bearer {secret}"}


class Guest:
    """A stage as one principal's clients see it: they have its token, and files of their own."""

    def __init__(self, stage, principal, web, token):
        self.stage, self.principal, self.web, self.token_id = stage, principal, web, token
        self.folder = stage.folder / principal
        self.folder.mkdir(exist_ok=True)

    def __getattr__(self, name):
        return getattr(self.stage, name)

    @asynccontextmanager
    async def client(self, person=None, mode="legacy"):
        async with httpx2.AsyncClient(headers=self.web.headers, timeout=60) as http:
            async with python_client(streamable_http_client(self.web.url, http_client=http), person, mode) as model:
                yield model
