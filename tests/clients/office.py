"""A stage whose host serves the operator's API, and who comes to it.

The host is started by the play with `run --console`; its clients are relays to it, as they are to any. Operators' passphrases are
set at a terminal, as a person sets them.
"""

import asyncio
import json
import subprocess
from contextlib import asynccontextmanager

import httpx2

from far import free_port
from play import check, say
from screen import Terminal
from stage import Stage, lines

SECRET = "correct horse battery of {}"
# Who there is: an admin over everybody, one who may see, and one who may answer for two principals.
OPERATORS = {
    "ada": {"role": "admin", "principals": "*"},
    "eve": {"role": "viewer", "principals": "*"},
    "ann": {"role": "approver", "principals": ["alice", "bob"]},
    "max": {"role": "admin", "principals": "*"},
}


class Office(Stage):
    """As a stage, with operators, and a host whose console listens at an address of its own."""

    def __init__(self, options, operators=OPERATORS, tls=None, **settings):
        super().__init__(options, servers=settings.pop("servers", ["time"]), **settings)
        self.at = f"127.0.0.1:{free_port()}"
        self.scheme = "https" if tls else "http"
        self.operators = operators
        for name, entitled in operators.items():
            self.append(f"\n[operators.{name}]\n{lines(entitled)}")
        if tls:
            self.append(f"\n[console.tls]\n{lines(tls)}")

    @property
    def url(self):
        # A certificate is of a name.
        return f"https://localhost:{self.at.split(':')[1]}" if self.scheme == "https" else f"http://{self.at}"

    async def start(self, passphrases=True):
        """Starts the host, and returns once it can be logged in to."""
        self.state.mkdir(mode=0o700, exist_ok=True)
        for name in self.operators if passphrases else []:
            person = Terminal([self.host, "passphrase", "set", "--operator", name, "--state", str(self.state)], self.work)
            await person.sees("new passphrase: ")
            person.type(SECRET.format(name) + "\n")
            await person.sees("the same again: ")
            person.type(SECRET.format(name) + "\n")
            await person.ends(0)
        with self.log_file() as log:
            places = ["--config", str(self.config), "--state", str(self.state)]
            self.process = subprocess.Popen([self.host, "run", "--console", self.at, *places], cwd=self.work, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        await self.until(lambda: self.process.poll() is not None or "pages are served" in self.log(), "the host serves its API")
        check(self.process.poll() is None, "the host runs", self.log())
        say("host", f"is at {self.url}")

    @asynccontextmanager
    async def serving(self, **more):
        await self.start(**more)
        yield
        self.process.terminate()
        await asyncio.to_thread(self.process.wait, 60)

    def visitor(self, verify=True):
        """Somebody who speaks HTTP to it, without a login."""
        return Visitor(self, verify)

    async def operator_named(self, name, verify=True):
        """Somebody who is logged in."""
        visitor = self.visitor(verify)
        await visitor.login(name)
        return visitor


class Visitor:
    """What is sent to the API, and what comes back."""

    def __init__(self, office, verify):
        self.office, self.bearer, self.verify = office, None, verify

    async def send(self, name, body=None, method="POST", content=None, **headers):
        """A status and an answer. `content`: the bytes to send in place of JSON."""
        headers = {key.replace("_", "-"): value for key, value in headers.items()}
        if self.bearer:
            headers = {"authorization": f"Bearer {self.bearer}"} | headers
        if method != "GET":
            headers = {"content-type": "application/json"} | headers
            content = json.dumps(body if body is not None else {}).encode() if content is None else content
        async with httpx2.AsyncClient(timeout=60, verify=self.verify) as http:
            response = await http.request(method, f"{self.office.url}/api/v1/{name}", content=content, headers={k: v for k, v in headers.items() if v is not None})
        self.headers = response.headers
        return response.status_code, response.json()

    async def login(self, name):
        status, told = await self.send("login", {"operator": name, "passphrase": SECRET.format(name)})
        check(status == 200 and told["is"] == "logged-in", f"{name} logs in", (status, told))
        self.bearer = told["bearer"]

    async def ask(self, name, **fields):
        """The answer of what must be done."""
        status, told = await self.send(name, fields)
        check(status == 200, f"`{name}` is done", (status, told))
        return told
