"""The Python client over HTTP by a certificate of the host's own, which is renewed while the host runs.

    tls.py --host target/debug/agent-host --tools target/tools
"""

import asyncio
import shutil
import ssl
import sys
from pathlib import Path

import httpx2
from mcp.client.streamable_http import streamable_http_client

from main_job import activate
from operator_api import certificates
from play import arguments, check, perform, say
from remote import Remote
from stage import lines, python_client


class Trusting:
    """A client that trusts one authority, and what came of it."""

    def __init__(self, url, secret, authority):
        self.url, self.authority = url, authority
        self.headers = {"Authorization": f"Bearer {secret}"}

    def http(self):
        return httpx2.AsyncClient(headers=self.headers, timeout=60, verify=ssl.create_default_context(cafile=self.authority))

    async def lists(self):
        async with self.http() as http:
            async with python_client(streamable_http_client(self.url, http_client=http), None, "2026-07-28") as model:
                return len((await model.client.list_tools()).tools)

    async def is_refused(self):
        """Whether a connection gets nowhere, whoever vouches for the certificate by now."""
        async with self.http() as http:
            try:
                await http.get(self.url.replace("/mcp", "/health"))
            except httpx2.ConnectError:
                return True
        return False


async def renewed(stage):
    first, second = stage.folder / "first", stage.folder / "second"
    for folder in [first, second]:
        folder.mkdir()
        certificates(folder)
    for file in ["host.pem", "host.key"]:
        shutil.copy(first / file, stage.folder / file)
    async with stage.running_host():
        check(stage.url.startswith("https://"), "TLS is spoken", stage.url)
        secret, _ = await stage.token("ada")
        # A certificate is of a name.
        url = stage.url.replace("127.0.0.1", "localhost")
        old, new = (Trusting(url, secret, folder / "ours.pem") for folder in [first, second])
        check(await old.lists() == 5, "a client that trusts its authority is served")
        check(await new.is_refused(), "one that does not goes no further")
        say("", "the certificate is half renewed")
        shutil.copy(second / "host.pem", stage.folder / "host.pem")
        await asyncio.sleep(1.5)
        check(await old.lists() == 5, "one that can't be used is not used")
        say("", "it is renewed")
        shutil.copy(second / "host.key", stage.folder / "host.key")
        for _ in range(50):
            if await old.is_refused():
                break
            await asyncio.sleep(0.2)
        check(await new.lists() == 5, "a renewed one is used without a new start")
        check(await old.is_refused(), "and the old one is not")


CASES = {"renewed": renewed}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    stage = Remote(options, servers=["time"], activation="auto")
    stage.append(f"\n[http.tls]\n{lines({'certificate': 'host.pem', 'key': 'host.key'})}")
    sys.exit(perform(stage, CASES[options.case](stage), options.case))
