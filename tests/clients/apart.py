"""Plays the recipe of `docs/src/boundary.md`, a host under a user of its own, and then a shell of its client's user against that host.

    apart.py --host target/debug/agent-host

The commands are those of the page, with throw-away names and folders in place of its own. The user is gone afterwards, and so is all that ran
as it. The shell is `nobody`, with the client's token. Becoming another user takes root and `useradd`: without them this says so and ends.
"""

import argparse
# Looked up by name once the shell is another user, who may not read the interpreter's own files.
import encodings.idna
import http.client
import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from far import free_port
from play import check, run, say
from processes import become, each

PAGE = Path(__file__).parents[2] / "docs/src/boundary.md"
TOOL = "mcp:clock/current_time"
NOBODY = pwd.getpwnam("nobody")
READY = "clients over HTTP come to"


def blocks():
    """The recipe's three scripts: the user, the configuration, the service."""
    recipe = PAGE.read_text().split("## A separate user")[1].split("### Over standard input")[0]
    found = re.findall(r"```sh,no-run\n(.*?)```", recipe, re.S)
    check(len(found) == 4 and "useradd" in found[0] and "host doctor" in found[1] and "ExecStart" in found[2], "the page has the recipe", found)
    return found


def as_shell(does):
    """What a process of the client's user gets by this: an answer, or the name of the error. Nothing of root's is left in it."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            become(NOBODY)
            os.chdir("/")
            told = {"got": does()}
        except BaseException as error:
            told = {"error": type(error).__name__, "what": str(error)}
        os.write(write, json.dumps(told).encode())
        os._exit(0)
    os.close(write)
    return child, read


def told(started):
    child, read = started
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text)


def got(started):
    """The answer of what must come of it."""
    answer = told(started)
    check("got" in answer, "the client's user is answered", answer)
    return answer["got"]


class Client:
    """The model's client, over HTTP, with nothing but a URL and a token."""

    def __init__(self, at, token):
        self.at, self.session = at, None
        self.headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if token:
            self.headers["Authorization"] = f"Bearer {token}"

    def post(self, body):
        connection = http.client.HTTPConnection(self.at, timeout=60)
        more = {"Mcp-Session-Id": self.session, "Mcp-Protocol-Version": "2025-11-25"} if self.session else {}
        connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0"} | body), self.headers | more)
        answer = connection.getresponse()
        text = answer.read().decode()
        self.session = answer.getheader("Mcp-Session-Id") or self.session
        return answer.status, text

    def opens(self):
        me = {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "shell", "version": "1"}}
        status, text = self.post({"id": 1, "method": "initialize", "params": me})
        if status == 200:
            self.post({"method": "notifications/initialized"})
        return status, self.session

    def calls(self, tool, given):
        _, text = self.post({"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": given}})
        answers = [json.loads(line) for line in re.findall(r"\{.*\}", text)]
        [answer] = [answer["result"] for answer in answers if answer.get("id") == 2]
        return answer.get("isError", False), answer["content"][0]["text"]


class Place:
    """The recipe's names, each replaced by one that is thrown away."""

    def __init__(self, host):
        self.built = host
        self.folder = Path(tempfile.mkdtemp(prefix="agent-host-apart-"))
        self.folder.chmod(0o755)
        self.user = f"aht{os.getpid()}"
        self.home, self.program = self.folder / "home", self.folder / "bin/agent-host"
        self.config, self.state = self.home / "agent-host.toml", self.home / "state"
        self.at = f"127.0.0.1:{free_port()}"
        self.unit = self.folder / "agent-host.service"
        self.program.parent.mkdir(mode=0o755)
        self.process = None

    def named(self, text):
        for old, new in [
            ("/var/lib/agenthost", self.home),
            ("/usr/local/bin/agent-host", self.program),
            ("/home/alice/.cargo/bin/agent-host", self.built),
            ("/etc/systemd/system/agent-host.service", self.unit),
            ("127.0.0.1:8750", self.at),
            ("--client alice", f"--client {NOBODY.pw_name}"),
            ("systemctl enable --now agent-host", "true"),
        ]:
            text = text.replace(old, str(new))
        return re.sub(r"\bagenthost\b", self.user, text)

    def does(self, script):
        """A block of the recipe, as root's shell runs it. An alias is one from the next line on."""
        done = subprocess.run(["bash", "-e", "-O", "expand_aliases", "-c", self.named(script)], capture_output=True, text=True, cwd=self.home if self.home.exists() else "/")
        check(done.returncode == 0, "the recipe's commands run", (done.returncode, done.stdout, done.stderr))
        return done.stdout

    def start(self):
        """The unit's command, as the unit's user, with its umask and its environment."""
        unit = self.unit.read_text()
        command = re.search(r"^ExecStart=(.*)$", unit, re.M)[1].split()
        account = pwd.getpwnam(self.user)
        check(re.search(r"^User=(.*)$", unit, re.M)[1] == self.user and f"Environment=HOME={self.home}" in unit, "the unit is of that user", unit)
        own = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": [], "umask": 0o077, "start_new_session": True}
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home)}
        self.process = subprocess.Popen(command, env=environment, cwd="/", stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **own)
        shown = []
        for line in self.process.stderr:
            shown.append(line)
            if READY in line:
                return "".join(shown)
        check(False, "the host starts", shown)

    def operator(self, *words):
        return subprocess.run([self.program, *words, "--state", self.state], capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd="/")

    def waiting(self):
        return json.loads(self.operator("approvals", "--json").stdout)

    def clear(self):
        if self.process:
            with_group = lambda number: os.killpg(self.process.pid, number)
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                with_group(signal.SIGKILL)
                self.process.wait(30)
        try:
            uid = pwd.getpwnam(self.user).pw_uid
        except KeyError:
            uid = None
        if uid is not None:
            left = [pid for pid, *_ in each() if owner(pid) == uid]
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            subprocess.run(["userdel", self.user], check=False, capture_output=True)
            check(not left, "no process of that user is left", left)
        shutil.rmtree(self.folder)


def owner(pid):
    try:
        return Path(f"/proc/{pid}").stat().st_uid
    except OSError:
        return None


def connects(path):
    def does():
        with socket.socket(socket.AF_UNIX) as one:
            one.connect(str(path))
            return "in"

    return does


def attacks(place, question):
    """What a shell of the client's user tries, by name, and what must come of it: an error of this kind."""
    pid, program = place.process.pid, str(place.program)
    files = sorted(path for path in place.home.rglob("*") if path.is_file())
    check({place.config, place.state / "ledger.sqlite"} <= set(files), "the host's files are there", files)
    denied = "PermissionError"
    for path in files:
        yield f"reads {path.name}", lambda path=path: path.read_bytes().hex(), denied
        yield f"writes {path.name}", lambda path=path: path.write_text("activation = \"auto\""), denied
    yield "lists the home", lambda: os.listdir(place.home), denied
    yield "makes a file there", lambda: (place.home / "more").write_text(""), denied
    yield "moves the home away", lambda: place.home.rename(place.folder / "away"), denied
    yield "rewrites the program", lambda: place.program.write_bytes(b""), denied
    yield "removes the program", place.program.unlink, denied
    for name in ("operator.sock", "client.sock"):
        yield f"connects to {name}", connects(place.state / name), denied
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        yield f"sends {number.name}", lambda number=number: os.kill(pid, number), denied
    for name in ("mem", "environ", "fd"):
        path = f"/proc/{pid}/{name}"
        yield f"opens {path}", lambda path=path: os.listdir(path) if path.endswith("fd") else open(path, "rb").read(1).hex(), denied
    yield "becomes that user", lambda: os.setuid(pwd.getpwnam(place.user).pw_uid), denied
    for words in [
        ("approve", question["id"], "--yes", "--expect", question["digest"]),
        ("deny", question["id"], "--yes", "--expect", question["digest"]),
        ("stop",),
        ("sessions",),
        ("token", "create", "--principal", "alice"),
        ("audit", "show"),
    ]:
        more = ["--state", str(place.state)]
        yield f"agent-host {words[0]}", lambda words=words: subprocess.check_output([program, *words, *more], stderr=subprocess.DEVNULL).decode(), "CalledProcessError"
    # The same as root: a way that is closed to everybody shows nothing.
    check(connects(place.state / "operator.sock")() == "in" and place.config.read_text(), "who may come in does")


def story(place):
    user, configuration, service, _ = blocks()
    place.does(user)
    shown = place.does(configuration)
    check("well   boundary: separate user" in shown and "wrong" not in shown, "doctor says that the client is another user", shown)
    say("doctor", next(line for line in shown.splitlines() if "boundary" in line))
    [token] = set(re.findall(r"\bah[a-z]*_[0-9A-Za-z_-]{20,}", shown))
    place.does(service)
    judged = shutil.which("systemd-analyze") and subprocess.run(["systemd-analyze", "verify", place.unit], capture_output=True, text=True)
    if judged:
        ours = [line for line in judged.stderr.splitlines() if place.unit.name in line]
        check(not ours, "systemd takes the unit", ours)
    said = place.start()
    check("first token" not in said, "the host makes no token by itself", said)

    stranger, client = Client(place.at, None), Client(place.at, token)
    check(got(as_shell(stranger.opens))[0] == 401, "without the token nobody comes in")
    status, client.session = got(as_shell(client.opens))
    check(status == 200, "the client comes in", status)
    asks = as_shell(lambda: client.calls("activate_tools", {"tools": [TOOL]}))
    for _ in range(200):
        if waits := place.waiting():
            break
        time.sleep(0.05)
    [question] = waits
    for name, does, error in attacks(place, question):
        came = told(as_shell(does))
        check(came.get("error") == error, f"the client's user {name}: {error}", came)
        say("shell", f"{name}: {came['error']}")
    check([one["id"] for one in place.waiting()] == [question["id"]] and place.process.poll() is None, "the request waits, and the host runs")
    done = place.operator("approve", question["id"], "--yes", "--expect", question["digest"])
    check(done.returncode == 0, "root's yes is strong enough", (done.stdout, done.stderr))
    failed, text = got(asks)
    if not failed and text.startswith("pending"):
        failed, text = got(as_shell(lambda: client.calls("activate_tools", {"tools": [TOOL]})))
    failed, text = got(as_shell(lambda: client.calls("call_tool", {"id": TOOL, "arguments": {}})))
    check(not failed, "the client's call runs", text)
    shown = place.does(configuration.splitlines()[-1].join([next(line for line in configuration.splitlines() if line.startswith("alias")) + "\n", "\n"]))
    check("well   host: it answers" in shown and "well   boundary: separate user" in shown, "doctor says the same beside the running host", shown)


async def play(host):
    if os.geteuid() != 0 or not shutil.which("useradd"):
        say("", "skipped: not root, or no useradd: another user can't be made here")
        return
    before = Path("/etc/passwd").read_text()
    place = Place(host)
    try:
        story(place)
    finally:
        place.clear()
    check(Path("/etc/passwd").read_text() == before, "no user is left")
    say("", "all as it must be (apart)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", required=True)
    sys.exit(run(play(str(Path(parser.parse_args().host).resolve()))))
