"""The way of a `wire.py` client to a host over HTTP, each message a request of its own, and the host that it comes to.

Each client has a token of its own. A legacy one shakes hands and reads the host's own stream. A modern one names its conversation by the
handle that its first answer had; both are put into what it says and taken out of what it hears here, as a model does it in its arguments,
so that a play is the same over either way.
"""

import http.client
import json
import queue
import re
import signal
import socket
import subprocess
import threading
import time
from contextlib import suppress

from play import check, say

BOTH = "application/json, text/event-stream"
HANDLE = re.compile(r"session: (k_[0-9a-f]{32})")
WAIT = 20


class Http:
    """One client's way. What comes is in `lines`."""

    def __init__(self, site, secret, id, modern):
        self.site, self.secret, self.id, self.modern, self.path = site, secret, id, modern, "/mcp"
        self.headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json", "Accept": BOTH}
        self.session, self.handle, self.lines, self.open = None, None, queue.Queue(), {}

    def request(self, verb, body=None, id=None, **more):
        """One request on a connection of its own, and what is answered."""
        headers = self.headers | more
        if self.session:
            headers |= {"Mcp-Session-Id": self.session, "Mcp-Protocol-Version": "2025-11-25"}
        connection = http.client.HTTPConnection(self.site.at, timeout=60)
        connection.connect()
        self.open[id or connection] = connection.sock
        connection.request(verb, self.path, body, headers)
        return connection.getresponse()

    def write(self, message):
        """Requests are answered meanwhile; anything else is taken once this returns."""
        if isinstance(message, dict) and "id" in message and "method" in message:
            threading.Thread(target=self._ask, args=[message], daemon=True).start()
            return
        answer = self.request("POST", message if isinstance(message, bytes) else json.dumps(message).encode())
        answer.read()
        if isinstance(message, dict) and message.get("method") == "notifications/initialized":
            check(answer.status == 202, "hands are shaken", answer.status)
            threading.Thread(target=self._listen, daemon=True).start()

    def _ask(self, message):
        more, params = {}, message["params"]
        if self.modern:
            more = {"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": message["method"]}
            more |= {"Mcp-Name": params["name"]} if "name" in params else {}
            if self.handle and message["method"] == "tools/call" and "__" not in params["name"]:
                message = message | {"params": params | {"arguments": params["arguments"] | {"session": self.handle}}}
        with suppress(OSError, http.client.HTTPException):
            answer = self.request("POST", json.dumps(message).encode(), message["id"], **more)
            self.session = answer.headers.get("Mcp-Session-Id") or self.session
            if answer.headers.get_content_type() == "text/event-stream":
                return self._events(answer)
            text = answer.read()
            said = json.loads(text) if answer.headers.get_content_type() == "application/json" else {}
            if "jsonrpc" not in said:
                # Refused before anybody read it as a message.
                said = {"error": {"code": answer.status, "message": text.decode()}}
            self._hear(said | {"id": message["id"]})

    def _listen(self):
        with suppress(OSError, http.client.HTTPException):
            self._events(self.request("GET"))

    def _events(self, answer):
        for line in answer:
            if line.startswith(b"data:") and line[5:].strip():
                self._hear(json.loads(line[5:]))

    def _hear(self, message):
        if self.modern and isinstance(message.get("result"), dict):
            content = message["result"].get("content", [])
            for block in list(content):
                if found := HANDLE.fullmatch(block.get("text", "")):
                    self.handle = found[1]
                    content.remove(block)
                elif block.get("text", "").startswith('{"') and "session" in (said := json.loads(block["text"])):
                    self.handle = said.pop("session")
                    block["text"] = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
        self.lines.put(json.dumps(message).encode())

    def leave(self):
        """Ends its session as its era can: nothing ends one that is named by a handle but its credential's end."""
        if self.modern:
            self.site.play.does("token", "revoke", self.id)
        else:
            answer = self.request("DELETE")
            check(answer.status in (200, 202, 204), "a session is ended", answer.status)
        self.kill()

    def close(self, id):
        """Closes the connection of a request."""
        with suppress(OSError):
            self.open.pop(id).shutdown(socket.SHUT_RDWR)

    def kill(self):
        """Closes every connection, whatever is under way on it."""
        for id in list(self.open):
            self.close(id)


class Site:
    """A play's host, reached over HTTP."""

    def __init__(self, play):
        self.play, self.at, self.process = play, "127.0.0.1:0", None

    def start(self):
        before = len(self.listening())
        places = ["--config", str(self.play.config), "--state", str(self.play.state)]
        with self.play.log_file() as log:
            self.process = subprocess.Popen([self.play.host, "run", "--http", self.at, *places], cwd=self.play.work, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + WAIT
        while len(self.listening()) == before:
            check(time.monotonic() < end and self.process.poll() is None, f"the host listens within {WAIT} s")
            time.sleep(0.05)
        self.at = self.listening()[-1]
        say("host", f"listens at {self.at}")

    def listening(self):
        return re.findall(r"clients over HTTP come to http://(\S+)/mcp", self.play.log())

    def guest(self, era, principal, beside=None):
        """A new client, of a new token or of another client's. The host is started for the first."""
        if self.process is None:
            self.start()
        if beside:
            return Http(self, beside.way.secret, beside.way.id, era >= "2026")
        made = json.loads(self.play.does("token", "create", "--principal", principal, "--json"))
        return Http(self, made["secret"], made["token"]["id"], era >= "2026")

    def crash(self):
        say("", "SIGKILL to the host")
        self.process.kill()
        self.process.wait()
        self.start()

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(60)
