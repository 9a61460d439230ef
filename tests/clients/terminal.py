"""A person at a terminal of their own, beside a client that shows no forms.

    terminal.py --host target/debug/agent-host --tools target/tools --case approve

approve     one request is shown and asked about; only `y` or `yes`, typed after the question, is a yes
watch       requests come and go on the screen, one at a time
passphrase  a rule demands a strong answer
kinds       a yes for one call, a yes for good, and what is taken back of it
race        two operators answer one request at the same time

The one server is `tests/servers/rogue.py`, so whatever a terminal is shown holds an attack on it.
"""

import asyncio
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

from play import arguments, check, perform, say
from screen import harmless, terminal
from stage import Stage

SECRET = "correct horse battery"


class Desk(Stage):
    """The stage with the rogue server alone."""

    def __init__(self, options, **settings):
        super().__init__(options, servers=[], approval={"wait": "300ms"}, **settings)
        self.add("rogue", {"command": sys.executable, "args": [str(Path(__file__).parents[1] / "servers/rogue.py")]})

    def plain(self, *words):
        """Runs a command without any terminal; returns its code and all that it printed."""
        argv = [self.host, *words, "--state", str(self.state)]
        done = subprocess.run(argv, cwd=self.work, stdin=subprocess.DEVNULL, capture_output=True, text=True, start_new_session=True)
        say("program", f"agent-host {' '.join(words)} -> {done.returncode}: {(done.stdout + done.stderr).strip()}")
        return done.returncode, done.stdout + done.stderr

    def waiting(self):
        code, text = self.plain("approvals", "--json")
        check(code == 0, "what waits is listed", text)
        return json.loads(text)


async def asks(model, number):
    """Asks for a tool; the answer is pending. Returns the request's id."""
    text, failed = await model.call("activate_tools", {"tools": [f"mcp:rogue/tool{number}"]})
    check(not failed and text.startswith("pending"), "the request is pending", text)
    told = re.search(r"`agent-host approve (r_[0-9a-f]{32})( --strong)?` in a terminal", text)
    check(told, "the text says where to approve", text)
    return told[1]


async def active(model, number, wanted):
    text, failed = await model.call("call_tool", {"id": f"mcp:rogue/tool{number}", "arguments": {}})
    check((not failed and "it ran" in text) == wanted, f"the tool {'runs' if wanted else 'does not run'}", text)


async def approve(desk):
    async with desk.client() as model:
        request = await asks(model, 0)
        code, text = desk.plain("approve", request)
        check(code == 2 and "no terminal" in text and "--yes --expect" in text, "without a terminal nobody is asked", text)
        check(desk.plain("approve", request, "--yes")[0] == 2, "`--yes` needs `--expect`")
        code, text = desk.plain("approve", request, "--yes", "--expect", "0" * 64)
        check(code == 6 and "something else" in text, "another digest is refused", text)

        person = terminal(desk, "approve", request, typed=b"yes\n")
        shown = await person.sees("approve? [y/N] ")
        for word in ("mcp:rogue/tool0", "server `rogue`", "destructive", "not checked", "\\u{1b}[2J", "same user: advisory only", request):
            check(word in shown, f"the question shows {word}", shown)
        digest = re.search(r"Digest ([0-9a-f]{64})", shown)[1]
        check([question["digest"] for question in desk.waiting()] == [digest], "programs are told the digest too")
        await person.quiet(1.5)
        await active(model, 0, False)
        person.type("maybe\n")
        check("nothing was decided" in await person.ends(7), "another word decides nothing")
        await active(model, 0, False)
        check([question["id"] for question in desk.waiting()] == [request], "the request still waits")

        person = terminal(desk, "approve", request, "--expect", digest)
        await person.sees("approve? [y/N] ")
        person.type(" YES \n")
        check("approved: 1 tool is active" in await person.ends(0), "a yes approves")
        await active(model, 0, True)
        check(desk.plain("approve", request, "--yes", "--expect", digest)[0] == 4, "a request is answered once")

        request = await asks(model, 1)
        person = terminal(desk, "approve", request)
        await person.sees("approve? [y/N] ")
        person.type("\x03")
        await person.ends(-signal.SIGINT)
        person = terminal(desk, "deny", request)
        await person.sees("deny? [y/N] ")
        person.type("y\n")
        check("denied" in await person.ends(0), "a no is a command of its own")
        text, failed = await model.call("activate_tools", {"tools": ["mcp:rogue/tool1"]})
        check(failed and "said no" in text, "a no is remembered", text)
        principal = re.search(r"local:\d+", shown)[0]
        check(desk.plain("denials", "clear", principal)[0] == 0, "denials are cleared")
        request = await asks(model, 1)
        code, text = desk.plain("approvals")
        check(code == 0 and "\\u{1b}]8;;" in text and request in text, "what waits is shown whole", text)
        harmless(text.replace("\n", "\r\n").encode())

        session = await desk.only_session()
        code, text = desk.plain("why", session, "mcp:rogue/tool0")
        check(code == 0 and "can be called" in text and "never" not in text, "why it can be called", text)
        code, text = desk.plain("why", session, "mcp:rogue/tool1")
        check(code == 0 and re.search(r"no\s+granted\s+never", text) and "no rule matches" in text, "why it can't be called", text)
        code, text = desk.plain("session", session)
        check(code == 0 and "approved" in text and "denied" in text, "a session is shown whole", text)
        check("boundary: same user: advisory only" in desk.plain("sessions")[1], "the boundary is said")
        check("boundary: same user: advisory only" in desk.log(), "the boundary is said at start", desk.log())


async def watch(desk):
    async with desk.client() as model:
        person = terminal(desk, "approvals", "--watch")
        await person.sees("nothing waits for a person; Ctrl-C ends this")
        request = await asks(model, 2)
        shown = await person.sees("approve? [y/N, or `once`, `always`, `deny`] ")
        check(request in shown and "\\u{1b}]52" in shown, "the request is on the screen", shown)
        digest = re.search(r"Digest ([0-9a-f]{64})", shown)[1]
        check(desk.plain("approve", request, "--yes", "--expect", digest)[0] == 0, "it is answered elsewhere")
        await person.sees(f"\nrequest {request} was settled elsewhere")
        person.type("yes\n")
        request = await asks(model, 3)
        shown = await person.sees("approve? [y/N, or `once`, `always`, `deny`] ")
        check(request in shown, "the next one is on the screen", shown)
        await person.quiet(1.5)
        await active(model, 3, False)
        person.type("y\n")
        await person.sees("approved: 1 tool is active")
        await active(model, 3, True)
        request = await asks(model, 4)
        await person.sees("approve? [y/N, or `once`, `always`, `deny`] ")
        person.type("deny\n")
        await person.sees("denied: not asked again")
        request = await asks(model, 5)
        await person.sees("approve? [y/N, or `once`, `always`, `deny`] ")
        person.type("\n")
        await person.sees("nothing was decided")
        await person.sees("nothing else waits for a person, and 1 left undecided")
        check([question["id"] for question in desk.waiting()] == [request], "what was left waits on")
        person.type("\x03")
        await person.ends(0)


async def passphrase(desk):
    async with desk.client() as model:
        request = await asks(model, 6)
        person = terminal(desk, "approve", request)
        check("demands a strong answer" in await person.sees("approve? [y/N] "), "the question says what it takes")
        person.type("y\n")
        check("nothing was decided" in await person.ends(8), "a weak yes is none")

        async def set(first, second, code):
            person = terminal(desk, "passphrase", "set")
            await person.sees("new passphrase: ")
            person.type(first + "\n")
            await person.sees("the same again: ")
            person.type(second + "\n")
            shown = await person.ends(code)
            check(first not in shown and second not in shown, "what is typed is not shown", shown)

        await set(SECRET, SECRET + "!", 2)
        await set(SECRET, SECRET, 0)

        async def strong(typed, code):
            person = terminal(desk, "approve", request, "--strong")
            await person.sees("approve? [y/N] ")
            person.type("yes\n")
            await person.sees("passphrase: ")
            person.type(typed + "\n")
            shown = await person.ends(code)
            check(typed not in shown, "what is typed is not shown", shown)
            return shown

        check("the next try counts in 1 s" in await strong("wrong horse battery", 1), "a wrong one is told, and slowed down")
        await active(model, 6, False)
        await asyncio.sleep(1)
        check("approved" in await strong(SECRET, 0), "the passphrase is strong")
        await active(model, 6, True)
        check("passphrase" in desk.plain("audit", "show")[1], "the record says by what evidence")
    for file in [path for path in desk.folder.rglob("*") if path.is_file()]:
        check(SECRET.encode() not in file.read_bytes(), f"{file.name} does not hold the passphrase")


async def kinds(desk):
    """A yes for one call, a yes for good, and what is taken back of it."""

    def yes(request, *words):
        [question] = desk.waiting()
        check(question["id"] == request, "the request waits")
        return desk.plain("approve", request, *words, "--yes", "--expect", question["digest"])

    async with desk.client() as model:
        check(yes(await asks(model, 0), "--once")[0] == 0, "a yes for one call")
        await active(model, 0, True)
        await active(model, 0, False)
        code, text = yes(await asks(model, 0), "--always")
        check(code == 0 and "is not asked about these definitions again" in text, "a yes for good", text)
        code, text = desk.plain("standing", "list")
        check(code == 0 and "mcp:rogue/tool0" in text and "a weak answer, by socket" in text, "it is listed, with whose word it is", text)
        principal = text.split()[0]
        async with desk.client() as other:
            text, failed = await other.call("activate_tools", {"tools": ["mcp:rogue/tool0"]})
            check(not failed and not text.startswith("pending"), "another session gets it, and nobody is asked", text)
            await active(other, 0, True)
            code, text = desk.plain("standing", "revoke", principal, "mcp:rogue/tool0")
            check(code == 0 and "sessions keep what they hold" in text, "it is taken back", text)
            check(desk.plain("standing", "revoke", principal)[0] == 4, "nothing is left to take back")
            await active(other, 0, True)
        async with desk.client() as third:
            await asks(third, 0)


async def race(desk):
    """Two operators answer at the same time, each by a command of their own."""
    async with desk.client() as model:
        for number in range(6):
            request = await asks(model, number)
            answer = [request, "--yes", "--expect", desk.waiting()[0]["digest"]]
            both = [asyncio.to_thread(desk.plain, word, *answer) for word in ("approve", "deny")]
            (yes, said_yes), (no, said_no) = await asyncio.gather(*both)
            check(sorted([yes == 0, no == 0]) == [False, True], "exactly one decides", f"{said_yes} {said_no}")
            late, text, word = (no, said_no, "approved it") if yes == 0 else (yes, said_yes, "denied it")
            told = late == 7 and f"{word} before" in text and "local:" in text
            check(told or (late == 4 and "does not wait here" in text), "the other is told", text)
            await active(model, number, yes == 0)


STRONG = {"decision": "prompt", "strength": "strong"}
CASES = {
    "approve": (approve, {}),
    "watch": (watch, {}),
    "passphrase": (passphrase, {"rules": [STRONG]}),
    "kinds": (kinds, {}),
    "race": (race, {}),
}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    case, settings = CASES[options.case]
    desk = Desk(options, **settings)
    sys.exit(perform(desk, case(desk), options.case))
