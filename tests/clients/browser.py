"""Plays operators in a browser: Chromium at the console of a host that real clients use.

    browser.py --host target/debug/agent-host --tools target/tools --case approve

The story of each case is `console/CASE.mjs`; this has the host and the clients, and does what the story asks of it.
"""

import asyncio
import json
import shutil
import sys
import time
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from fleet import prepare
from play import arguments, check, perform, say
from remote import Remote
from screen import terminal
from stage import lines

HERE = Path(__file__).parent
PICTURES = HERE.parents[1] / "docs/src/console"
LONG = 4 * 1024 * 1024


class Desk(Remote):
    """A remote stage with operators, and with clients that do what a story asks."""

    more = ("--console", "127.0.0.1:0")

    def __init__(self, options, operators=None, guests=("ada",), guises=(), asking=False, person=None, servers=("time",), **settings):
        super().__init__(options, servers=servers, **settings)
        self.guests, self.person, self.passphrases = guests, person, {}
        prepare(self.folder)
        (self.folder / "notes").mkdir()
        for part in guises:
            script = str(HERE.parent / "servers/guises.py")
            self.add(part, {"command": sys.executable, "args": [script, part, str(self.folder)]})
        if asking:
            self.add("asks", {"command": sys.executable, "args": [str(HERE.parent / "servers/asks.py"), str(self.folder)], "start": "2m", "questions": "operator"})
        for name, entitled in (operators or {"grace": {"role": "admin"}}).items():
            self.append(f"\n[operators.{name}]\n{lines({'principals': '*'} | entitled)}")
            self.passphrases[name] = f"correct horse of {name}"
        self.models, self.tokens, self.asked = {}, {}, {}

    async def start(self):
        self.state.mkdir(mode=0o700, exist_ok=True)
        for name, passphrase in self.passphrases.items():
            person = terminal(self, "passphrase", "set", "--operator", name)
            for asked in ("new passphrase: ", "the same again: "):
                await person.sees(asked)
                person.type(passphrase + "\n")
            await person.ends(0)
        # The host has every tool from its first moment, however long a server takes to start.
        await self.operator("sync", shown=False)
        await super().start()
        self.console = (await self.operator("console")).strip().rstrip("/")

    def real(self, alias):
        if alias not in SAMPLES:
            return super().real(alias)
        folder = ["--folder", str(self.folder / alias)] if alias in ("files", "notes") else []
        return {"command": self.host, "args": ["sample-server", alias, *folder]}

    # What a story can ask for.

    async def desk(self):
        return {"url": self.console, "passphrases": self.passphrases}

    async def asks(self, guest, *ids):
        """A client asks for tools, and waits for the answer. Returns the instant at which it did, in milliseconds."""
        asked = time.time() * 1000
        self.asked[guest] = asyncio.create_task(self.activates(self.models[guest], ids))
        return asked

    async def activates(self, model, ids):
        """Asks, and again where nobody answered while the call waited."""
        text, failed = "pending", False
        while text.startswith("pending"):
            text, failed = await model.call("activate_tools", {"tools": list(ids)})
        return text, failed

    async def answered(self, guest):
        """What that came to."""
        text, failed = await asyncio.wait_for(self.asked.pop(guest), 60)
        return {"text": text, "failed": failed}

    async def calls(self, guest, id, given):
        text, failed = await self.models[guest].call("call_tool", {"id": id, "arguments": given})
        return {"text": text, "failed": failed}

    async def searches(self, guest, query):
        return await self.models[guest].search(query)

    async def waiting(self):
        return json.loads(await self.operator("approvals", "--json", shown=False))

    async def waits(self, count=1):
        """What waits for a person, once so many requests do."""
        for _ in range(200):
            if len(found := await self.waiting()) == count:
                return found
            await asyncio.sleep(0.05)
        check(False, f"{count} requests wait", found)

    async def begins(self, guest, id, arguments):
        """A client calls a tool whose server asks a person first."""
        self.asked[f"{guest}'s call"] = asyncio.create_task(self.calls(guest, id, arguments))

    async def question(self):
        """The one question of a server that waits for a person, once it does: its path in the console."""
        for _ in range(200):
            if found := json.loads(await self.operator("questions", "--json", shown=False)):
                return f"/questions/{found[0]['asker']['session']}/{found[0]['index']}"
            await asyncio.sleep(0.05)
        check(False, "a question waits")

    async def forgets(self, guest):
        """Nothing is left of a decision: a no can be asked again, a yes is taken back."""
        session = await self.session(guest)
        await self.operator("denials", "clear", guest, shown=False)
        for tool in json.loads(await self.operator("session", session, "--json", shown=False))["session"]["active"]:
            await self.operator("revoke", session, tool["grant"]["bound"]["id"], shown=False)

    async def session(self, guest):
        (session,) = await self.sessions_of(guest)
        return session

    async def decisions(self, id):
        """What was decided about a tool, in order: whether it was a yes, and whose."""
        shown = await self.operator("audit", "show", "--json", shown=False)
        records = [record["what"] for record in map(json.loads, shown.splitlines()) if id in json.dumps(record["what"])]
        decided = [what for what in records if what["kind"] in ("granted", "denied")]
        return [{"approved": what["kind"] == "granted", "what": what} for what in decided]

    async def figure(self, text):
        """A measured line, which the test shows."""
        say("figure", text)

    async def cli(self, *words):
        return await self.operator(*words)

    async def token_of(self, guest):
        return self.tokens[guest]

    # The play.

    @asynccontextmanager
    async def opened(self):
        """The host with its clients."""
        async with self.running_host(), AsyncExitStack() as clients:
            for name in self.guests:
                guest = await self.guest(name)
                self.tokens[name] = guest.web.headers["Authorization"].removeprefix("Bearer ")
                self.models[name] = await clients.enter_async_context(guest.client(self.person))
            yield
            for waits in self.asked.values():
                waits.cancel()
            await self.operator("audit", "verify")

    async def story(self, name):
        async with self.opened():
            await self.told_in(HERE / f"console/{name}.mjs")

    async def told_in(self, script):
        """Runs a story to its end."""
        pipe = asyncio.subprocess.PIPE
        node = await asyncio.create_subprocess_exec(
            shutil.which("node"), str(script), str(self.tools), str(PICTURES), stdin=pipe, stdout=pipe, stderr=pipe, limit=LONG
        )
        reading = asyncio.create_task(node.stderr.read())
        doing = set()
        while line := await node.stdout.readline():
            told = json.loads(line)
            if "say" in told:
                say("browser", told["say"])
            else:
                task = asyncio.create_task(self.does(node, told))
                doing.add(task)
                task.add_done_callback(doing.discard)
        code, errors = await node.wait(), (await reading).decode().strip()
        check(code == 0, "the story gets to its end", f"{code}: {errors}")

    async def does(self, node, told):
        try:
            answer = {"answer": await getattr(self, told["ask"])(*told["args"])}
        except Exception as error:
            answer = {"failed": f"{told['ask']}: {type(error).__name__}: {error}"}
        node.stdin.write(json.dumps({"id": told["id"]} | answer).encode() + b"\n")


SAMPLES = ("clock", "files", "notes", "text")
READING = {"server": "clock", "principal": "nightly", "decision": "auto"}
ASKING = {"server": "asks", "decision": "auto"}
STRONG = {"tools": ["mcp:memory/delete_*", "mcp:git/git_commit"], "decision": "prompt", "strength": "strong"}
TEAM = {"grace": {"role": "admin"}, "ida": {"role": "approver"}}
ENTITLED = {"grace": {"role": "approver", "principals": ["ada"]}, "hugo": {"role": "admin", "principals": ["bob"]}, "vera": {"role": "viewer"}}
LIVELY = {"servers": [*SAMPLES, "git", "memory"], "guises": ["wiki"], "asking": True, "guests": ["ada", "bob", "nightly"], "operators": TEAM, "rules": [READING, ASKING, STRONG]}

CASES = {
    "approve": {},
    "revoke": {"activation": "auto"},
    "race": {"operators": TEAM},
    "plain": {},
    "origins": {},
    "cookie": {},
    "link": {"operators": ENTITLED},
    "markup": {"servers": [], "guises": ["markup"]},
    "barriers": LIVELY,
    "screens": LIVELY,
}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    desk = Desk(options, **CASES[options.case])
    sys.exit(perform(desk, desk.story(options.case), options.case))
