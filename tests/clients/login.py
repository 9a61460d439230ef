"""Logins at a server of the Python SDK, by a browser that is this script.

    login.py --host target/debug/agent-host --tools target/tools

Exit code 0 where all went as it must, 1 otherwise, with the reason.
"""

import os
import re
import socket
import stat
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from play import check, say
from wire import Play, failed, main, text

ALIAS, WHOAMI = "far", "mcp:far/whoami"


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Guarded:
    """The server, and the operator's commands about it."""

    def __init__(self, play, port):
        self.play, self.url = play, f"http://127.0.0.1:{port}/mcp"

    def log_in(self, *words):
        """The command, with a browser that opens its page. All that it printed."""
        say("operator", " ".join(["login", ALIAS, *words]))
        places = ["--config", str(self.play.config), "--state", str(self.play.state)]
        command = [self.play.host, "login", ALIAS, "--no-browser", *words, *places]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            said = ""
            for line in process.stdout:
                said += line
                say("host", line)
                if line.startswith("http"):
                    with urllib.request.urlopen(line.strip(), timeout=20) as page:
                        check(page.status == 200 and b"close this page" in page.read(), "the browser comes to an end")
            said += process.stderr.read()
        check(process.returncode == 0, "the login comes to its end", said)
        return said

    def given(self):
        return (self.play.folder / "given").read_text().splitlines()


@contextmanager
def guarded(options, life=3600, **settings):
    play, port = Play(options, servers=()), free_port()
    script = Path(__file__).parents[1] / "servers/guarded.py"
    with play.played(), open(play.folder / "guarded.log", "w") as log:
        command = [sys.executable, "-B", str(script), str(port), str(play.folder), "--life", str(life)]
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        try:
            end = time.monotonic() + 30
            while socket.socket().connect_ex(("127.0.0.1", port)):
                check(server.poll() is None and time.monotonic() < end, "the server listens", (play.folder / "guarded.log").read_text()[-2000:])
                time.sleep(0.1)
            there = Guarded(play, port)
            play.add(ALIAS, {"url": there.url, "private": True} | settings)
            yield there
        finally:
            server.kill()
            server.wait()


def tokens(file):
    """Every secret of a login."""
    return re.findall(r'"(?:access|refresh)_token":"([^"]+)"', file.read_text())


def kept(options):
    """A login is made, kept for its owner alone, and forgotten."""
    with guarded(options) as there:
        said = there.log_in()
        check("logged in at `far`, for the operator" in said, "it says for whom", said)
        file = there.play.state / "logins/far.json"
        modes = [stat.S_IMODE(os.stat(path).st_mode) for path in (file, file.parent)]
        check(modes == [0o600, 0o700], "it is its owner's alone", modes)
        secrets = tokens(file)
        check(len(secrets) == 2 and not any(secret in said for secret in secrets), "no token is printed")
        check(there.given() == ["login person 1"], "one token was given out", there.given())
        there.play.does("logout", ALIAS)
        check(not file.exists(), "it is forgotten")
        check("nobody is logged in" in there.play.does("logout", ALIAS, code=4), "there is nothing to forget")


def whose(options):
    """Each principal has a login of its own where the operator says so, and nowhere else."""
    with guarded(options, identity="per-principal") as there:
        check("for `ann`" in there.log_in("--principal", "ann"), "ann is logged in")
        check("for the operator" in there.log_in(), "so is the operator")
        check(len(list((there.play.state / "logins").rglob("*.json"))) == 2, "each has a file")
        there.play.does("logout", ALIAS, "--principal", "eve", code=4)
    with guarded(options) as there:
        said = there.play.does("login", ALIAS, "--no-browser", "--principal", "ann", code=2)
        check("the operator's login" in said, "nobody has one of their own", said)


def runs(client, holds, what):
    """Calls the tool until its answer is as it must be: a server that could not be used is left alone for a moment."""
    end, answer = time.monotonic() + 20, None
    while not (answer and holds(answer)):
        check(time.monotonic() < end, what, answer)
        if answer:
            client.settle(0.5)
        answer = client.run(WHOAMI)


def used(options):
    """What is behind a login is reached with it, and what lacks one says so, with the command."""
    needs = "needs login: run `agent-host login far`"
    with guarded(options, life=6) as there:
        play = there.play
        check(needs in play.does("sync", ALIAS, code=None), "nobody has logged in")
        there.log_in()
        play.does("sync", ALIAS)
        client = play.serve()
        client.activate(WHOAMI)
        check("acts there as the operator, with one login for everybody" in play.does("approvals"), "a person is shown as whom")
        play.approve()
        runs(client, lambda answer: "person 1" in text(answer), "it is called as who logged in")
        client.settle(4)
        runs(client, lambda answer: "person 1" in text(answer), "and so again")
        check("refresh person 1" in there.given(), "with a token that was renewed", there.given())
        (play.folder / "ended").touch()
        client.settle(7)
        runs(client, lambda answer: failed(answer) and needs in text(answer), "a login that ended says what to do")
        check(needs in play.does("servers"), "so does the list of servers")
        (play.folder / "ended").unlink()
        there.log_in()
        runs(client, lambda answer: "person 2" in text(answer), "and it goes on once somebody has")
        secrets = tokens(play.state / "logins/far.json")
        said = play.log() + play.does("audit", "show") + (play.folder / "agent-host.lock").read_text()
        check(not any(secret in said for secret in secrets), "no token is in the log, the records or the lock file")


def own(options):
    """Each principal acts with a login of its own, and nobody with another's."""
    with guarded(options, identity="per-principal") as there:
        play = there.play
        there.log_in()
        play.does("sync", ALIAS)
        there.log_in("--principal", "ann")
        people = []
        for principal, more in [("ann", ("--principal", "ann")), ("the operator", ())]:
            client = play.serve(more=more)
            client.activate(WHOAMI)
            named = "`ann`" if more else "`local:"
            check(f"acts there as {named}" in play.does("approvals"), "a person is shown as whom")
            play.approve()
            runs(client, lambda answer: "person" in text(answer), f"{principal} calls it")
            people.append(re.search("person [0-9]", text(client.run(WHOAMI)))[0])
        check(people == ["person 2", "person 1"], "each as themselves", people)
        eve = play.serve(more=("--principal", "eve"))
        eve.activate(WHOAMI)
        play.approve()
        runs(eve, lambda answer: failed(answer) and "agent-host login far --principal eve" in text(answer), "who has none gets nobody's")


CASES = {"kept": kept, "whose": whose, "used": used, "own": own}

if __name__ == "__main__":
    main(__doc__, CASES)
