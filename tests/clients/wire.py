"""A client that writes and reads the messages itself, in either era, and a stage for it: no library in between.

What comes in is kept: requests to the client in `asked`, notices in `heard`, answers until they are waited for. A client comes over the
pipes of a process that it started, or with `--http` as `wire_http.py` does: the same plays, and nothing is written twice.
"""

import asyncio
import json
import queue
import re
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

from play import arguments, check, run, say
from stage import Stage

sys.path.append(str(Path(__file__).resolve().parents[1] / "servers"))

import guises
from wire_http import Site

LEGACY, MODERN = "2025-11-25", "2026-07-28"
ERAS = [LEGACY, MODERN]
WAIT = 20
YES = {"action": "accept", "content": {"approve": True}}


def short(message):
    text = repr(message) if isinstance(message, bytes) else message if isinstance(message, str) else json.dumps(message)
    return text if len(text) < 300 else f"{text[:300]} ... ({len(text)} characters)"


def text(answer):
    """The text of a call's answer, or of its error."""
    if "error" in answer:
        return answer["error"]["message"]
    return "\n".join(block.get("text", "") for block in answer["result"].get("content", []))


def failed(answer):
    return "error" in answer or answer["result"].get("isError", False)


class Pipes:
    """The way to a host over the pipes of a process that its client started. What comes is in `lines`, and at the end None."""

    def __init__(self, command, cwd, log, env=None):
        self.process = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def write(self, message):
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def leave(self):
        """Closes its end, as a client does that goes, and waits for the process."""
        self.process.stdin.close()
        self.process.wait(WAIT)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Wire:
    """One client, in one era, on its way to the host."""

    def __init__(self, way, era, forms, called="wire"):
        self.info = {"name": called, "version": "1"}
        self.way, self.era, self.last, self.asked, self.heard, self.answers = way, era, 0, [], [], {}
        self.capabilities = {"elicitation": {"form": {}} if era == MODERN else {}} if forms else {}
        if era == LEGACY:
            self.request("initialize", {"protocolVersion": LEGACY, "capabilities": self.capabilities, "clientInfo": self.info})
            self.notify("notifications/initialized")
        else:
            self.request("server/discover", {})

    def write(self, message):
        say("client", short(message))
        self.way.write(message)

    def notify(self, method, params=None):
        self.write({"jsonrpc": "2.0", "method": method, "params": params or {}})

    def send(self, method, params):
        """Sends a request, and returns its id."""
        self.last += 1
        if self.era == MODERN:
            says = {"protocolVersion": MODERN, "clientCapabilities": self.capabilities, "clientInfo": self.info}
            params = params | {"_meta": {f"io.modelcontextprotocol/{key}": value for key, value in says.items()} | params.get("_meta", {})}
        self.write({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        return self.last

    def _next(self, seconds):
        """The next message, put where it belongs. None where nothing came; an end is not one."""
        try:
            line = self.way.lines.get(timeout=max(seconds, 0.001))
        except queue.Empty:
            return None
        check(line is not None, "the host is still there")
        message = json.loads(line)
        say("host", short(message))
        if "method" in message:
            (self.asked if "id" in message else self.heard).append(message)
        else:
            self.answers[message.get("id")] = message
        return message

    def wait(self, holds, what, read=True):
        """Reads until something holds."""
        end = time.monotonic() + WAIT
        while not holds():
            check(time.monotonic() < end, f"{what} within {WAIT} s")
            self._next(0.05) if read else time.sleep(0.1)

    def answer(self, id):
        self.wait(lambda: id in self.answers, f"request {id} is answered")
        return self.answers[id]

    def request(self, method, params):
        return self.answer(self.send(method, params))

    def tool(self, name, **arguments):
        return self.request("tools/call", {"name": name, "arguments": arguments})

    def activate(self, *ids, **more):
        return self.tool("activate_tools", tools=list(ids), **more)

    def run(self, id, **arguments):
        return self.tool("call_tool", id=id, arguments=arguments)

    def names(self):
        return [listed["name"] for listed in self.request("tools/list", {})["result"]["tools"]]

    def settle(self, seconds=0.3):
        """Reads whatever still comes."""
        while self._next(seconds):
            pass

    def question(self):
        """Waits for the one request for an answer that is open in the legacy era."""
        self.wait(lambda: self.asked, "the client is asked")
        return self.asked.pop()

    def reply(self, id, result):
        self.write({"jsonrpc": "2.0", "id": id, "result": result})

    def changes(self):
        return sum(notice["method"] == "notifications/tools/list_changed" for notice in self.heard)

    def leave(self):
        """Goes as a client does."""
        self.way.leave()


class Play(Stage):
    """The stage with guises as its servers, and clients that write lines."""

    def __init__(self, options, activation="prompt", wait="300ms", rules="", servers=("plain",), approval=""):
        super().__init__(options, servers=[])
        self.config.write_text(f'activation = "{activation}"\napproval = {{ wait = "{wait}"{approval} }}\n{rules}')
        self.clients, self.site = [], None
        for guise in servers:
            self.add(guise, {"command": sys.executable, "args": ["-B", guises.__file__, guise, str(self.folder)]})
        if options.http:
            self.site = Site(self)

    def serve(self, era=LEGACY, forms=False, more=(), env=None, beside=None, principal="ada", called="wire"):
        """A client that comes, with what its process is started with besides. Over HTTP it is somebody's, with a token of its own or the
        very token of the client that it is `beside`."""
        if self.site:
            way = self.site.guest(era, principal, beside)
        else:
            command, arguments = self.command()
            with self.log_file() as log:
                way = Pipes([command, *arguments, *more], self.work, log, env)
        client = Wire(way, era, forms, called)
        self.clients.append(client)
        if self.site and era == MODERN:
            # Its conversation begins with its first search.
            client.tool("search_tools", query="nothing at all")
        return client

    def crash(self, client):
        """The host is killed, and is there again: with a client of its own where that started it."""
        if self.site:
            self.site.crash()
        else:
            client.way.kill()

    def does(self, *words, code=0):
        """Runs a command of the operator's without a terminal, and returns all that it printed."""
        argv = [self.host, *words, "--config", str(self.config), "--state", str(self.state)]
        done = subprocess.run(argv, cwd=self.work, stdin=subprocess.DEVNULL, capture_output=True, start_new_session=True)
        out = (done.stdout + done.stderr).decode()
        say("operator", f"agent-host {' '.join(words)} -> {done.returncode}: {short(out.strip())}")
        check(code is None or done.returncode == code, f"`agent-host {' '.join(words)}` ends with {code}", f"{done.returncode}: {out}")
        return out

    def waiting(self):
        return json.loads(self.does("approvals", "--json"))

    def sessions(self):
        return [session["asker"]["session"] for session in json.loads(self.does("sessions", "--json"))["sessions"]]

    def session(self):
        """The id of the one session that is open."""
        sessions = self.sessions()
        check(len(sessions) == 1, "one session is open", sessions)
        return sessions[0]

    def leaves(self, client):
        """A client goes, and its session ends with it."""
        open = len(self.sessions())
        client.leave()
        client.wait(lambda: len(self.sessions()) < open, "a session ends with its client", read=False)

    def approve(self):
        """A person's yes from elsewhere, to what waits."""
        [question] = self.waiting()
        self.does("approve", question["id"], "--yes", "--expect", question["digest"])

    def mark(self, name):
        (self.folder / name).touch()

    def count(self, guise, what="calls"):
        path = self.folder / f"{guise}.{what}"
        return len(path.read_text().splitlines()) if path.exists() else 0

    @contextmanager
    def played(self):
        """Ends everything in the end, and shows the host's log where something was off."""
        try:
            yield
        except BaseException:
            print(self.log()[-4000:], file=sys.stderr)
            raise
        finally:
            for client in self.clients:
                client.way.kill()
            if self.site:
                self.site.end()
            try:
                asyncio.run(self.close())
            finally:
                self.clear()


def refused(answer, pattern=""):
    check(failed(answer) and re.search(pattern, text(answer)), f"it is refused with `{pattern}`", answer)


def granted(answer):
    check(not failed(answer) and '"active"' in text(answer), "it is active", answer)


def ran(answer, number=None):
    check(not failed(answer) and re.match(rf"call {number or '[0-9]+'}:", text(answer)), f"it ran, as call {number}", answer)


def untouched(play, guise="plain"):
    check(play.count(guise) == 0, f"no call reached `{guise}`", play.count(guise))


def nobody(play, client):
    """Nobody was asked, and nothing waits."""
    client.settle()
    check(not client.asked and play.waiting() == [], "nobody is asked", client.asked)


def asks_operator(play, line):
    """One line on the operators' socket, as any program of this user can write it. What is answered, or none."""
    say("program", f"writes to the operators' socket: {short(line)}")
    with socket.socket(socket.AF_UNIX) as end:
        end.settimeout(WAIT)
        end.connect(str(play.state / "operator.sock"))
        end.sendall(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")
        answer = end.makefile("rb").readline()
    say("host", short(answer.decode()))
    return json.loads(answer) if answer else None


class Door:
    """A program of this user at the clients' socket, with no relay in between."""

    def __init__(self, play, resume=None, **said):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(WAIT)
        self.socket.connect(str(play.state / "client.sock"))
        self.lines = self.socket.makefile("rb")
        hello = {"door": 1, "version": "1", "config": str(play.config.resolve()), "profile": None, "principal": None, "name": None}
        self.welcome = self.exchange(hello | {"resume": resume} | said)

    def exchange(self, message):
        """Writes one line, and returns the next that comes; None at the end."""
        say("program", f"writes to the clients' socket: {short(message)}")
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.socket.sendall(data + b"\n")
        line = self.lines.readline()
        say("host", short(line.decode()))
        return json.loads(line) if line else None

    def call(self, name, **arguments):
        """Calls as a legacy client that shook hands."""
        hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "door", "version": "1"}}
        self.exchange({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
        self.socket.sendall(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        answer = self.exchange({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
        while answer.get("id") != 1:
            answer = json.loads(self.lines.readline())
        return answer

    def close(self):
        self.lines.close()
        self.socket.close()


def main(about, cases):
    """Plays the case that the command line names."""
    options = arguments(about, cases, flags={"http": "clients come over HTTP"})

    async def play():
        await asyncio.to_thread(cases[options.case], options)
        say("", f"all as it must be ({options.case}{', over HTTP' if options.http else ''})")

    sys.exit(run(play()))
