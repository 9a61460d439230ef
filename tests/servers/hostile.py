"""An MCP server that misbehaves, for the tests of what agent-host makes of one.

    hostile.py PART FOLDER

Plays one part of the table at the end until its input ends. `FOLDER/PART.starts`, `.lists`, `.calls` and `.cancelled` get a line for each
start, each request for the list, each call and each that is given up. Standard library alone; the wire is one JSON-RPC message a line, legacy era.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

LEGACY = "2025-11-25"
MEBIBYTE = 1024 * 1024
DEEP = 100_000
OUT = sys.stdout.buffer


def put(data):
    OUT.write(data)
    OUT.flush()


def line(message):
    return json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n"


def tool(name, **fields):
    return {"name": name, "description": f"The tool {name} of a hostile server.", "inputSchema": {"type": "object"}} | fields


def result_of(text):
    return {"content": [{"type": "text", "text": text}]}


class Honest:
    """Answers as it should. The parts below each change one thing."""

    part = "honest"

    def __init__(self, folder):
        self.folder = folder
        self.calls = 0
        self.note("starts")

    def note(self, what):
        with open(self.folder / f"{self.part}.{what}", "a") as log:
            log.write(f"{os.getpid()}\n")

    def send(self, message):
        put(line(message))

    def answer(self, id, result):
        self.send({"id": id, "result": result})

    def start(self):
        """Before anything is read."""

    def read(self):
        return sys.stdin.buffer.readline()

    def run(self):
        self.start()
        while text := self.read():
            self.take(json.loads(text))

    def take(self, message):
        id, method, params = message.get("id"), message.get("method"), message.get("params", {})
        if method == "initialize":
            self.greet(id)
        elif method == "tools/list":
            self.note("lists")
            self.list(id, params.get("cursor"))
        elif method == "tools/call":
            self.calls += 1
            self.note("calls")
            self.call(id, params)
        elif method == "notifications/cancelled":
            self.note("cancelled")
        elif method and id is not None:
            self.unknown(id, method)

    def greet(self, id):
        info = {"name": "hostile", "version": "1"}
        self.answer(id, {"protocolVersion": LEGACY, "capabilities": {"tools": {"listChanged": True}}, "serverInfo": info})

    def tools(self):
        return [tool("echo")]

    def list(self, id, cursor):
        self.answer(id, {"tools": self.tools()})

    def call(self, id, params):
        self.answer(id, result_of(f"call {self.calls}: {json.dumps(params.get('arguments'))}"))

    def unknown(self, id, method):
        self.send({"id": id, "error": {"code": -32601, "message": f"no method {method}"}})


# Silence (attack 50).


class SilentInitialize(Honest):
    part = "silent-initialize"

    def take(self, message):
        pass


class SilentDiscover(Honest):
    """Says nothing to a probe for the modern era, and everything else."""

    part = "silent-discover"

    def unknown(self, id, method):
        pass


class SilentList(Honest):
    part = "silent-list"

    def list(self, id, cursor):
        pass


class SilentCall(Honest):
    """Never answers its first call."""

    part = "silent-call"

    def call(self, id, params):
        if self.calls > 1:
            super().call(id, params)


class Hung(Honest):
    """Never answers a call."""

    part = "hung"

    def call(self, id, params):
        pass


class Slow(Honest):
    """Takes its time over each call, one after the other."""

    part = "slow"

    def call(self, id, params):
        time.sleep(0.2)
        super().call(id, params)


class LateCall(Honest):
    """Answers its first call long after anybody waits, and the second at once with what it owes before."""

    part = "late-call"

    def call(self, id, params):
        if self.calls == 1:
            self.owed = id
        else:
            self.answer(self.owed, result_of("an answer that comes too late"))
            super().call(id, params)


# Cursors (attack 48).


class FreshCursors(Honest):
    """Always one more page."""

    part = "fresh-cursors"
    page = 0

    def list(self, id, cursor):
        self.page += 1
        self.answer(id, {"tools": [tool(f"page_{self.page}")], "nextCursor": f"page-{self.page}"})


class SameCursor(Honest):
    part = "same-cursor"

    def list(self, id, cursor):
        self.answer(id, {"tools": [tool("echo")] if cursor is None else [tool("again")], "nextCursor": "here"})


class ThinPages(Honest):
    """Five thousand pages of one tool each, then an end."""

    part = "thin-pages"

    def list(self, id, cursor):
        page = int(cursor or 0) + 1
        self.answer(id, {"tools": [tool(f"thin_{page}")]} | ({"nextCursor": str(page)} if page < 5000 else {}))


class FatPages(Honest):
    """Pages of 12 MiB each, mostly of tools that are too large."""

    part = "fat-pages"

    def list(self, id, cursor):
        page = int(cursor or 0) + 1
        fat = tool("fat", title="x" * (200 * 1024))
        self.answer(id, {"tools": [tool(f"page_{page}")] + [fat] * 60, "nextCursor": str(page)})


class ManyTools(Honest):
    """Five thousand tools on one page."""

    part = "many-tools"

    def tools(self):
        return [tool(f"tool_{at}") for at in range(5000)]


# Lines (attack 49).


class HugeResult(Honest):
    """Answers its first call with a line of 17 MiB."""

    part = "huge-result"

    def call(self, id, params):
        if self.calls == 1:
            self.answer(id, result_of("x" * (17 * MEBIBYTE)))
        else:
            super().call(id, params)


class HugeListing(Honest):
    part = "huge-listing"

    def tools(self):
        return [tool("echo"), tool("huge", description="x" * (17 * MEBIBYTE))]


class EndlessLine(Honest):
    """Its first answer begins, and has no end: 200 MiB without a line feed, then no more calls are answered."""

    part = "endless-line"

    def call(self, id, params):
        put(b'{"jsonrpc":"2.0","id":' + str(id).encode() + b',"result":{"content":[{"type":"text","text":"')
        for _ in range(200):
            put(b"x" * MEBIBYTE)
        signal.pause()


# What is no message (attack 51).

NOISE = [
    b"Starting up...\n",
    b"\n",
    b"   \r\n",
    b'{"jsonrpc":"2.0","id":\n',
    b'"text"\n',
    b"17\n",
    b"null\n",
    b"[]\n",
    b'[{"jsonrpc":"2.0","id":1,"result":{}}]\n',
    b"{}\n",
    b'{"jsonrpc":"1.0","method":"x"}\n',
    b'{"jsonrpc":"2.0","method":7}\n',
    b'{"jsonrpc":"2.0","method":"notifications/unheard_of","params":{"a":1}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":"no"}\n',
    b'{"jsonrpc":"2.0","error":{"code":1,"message":"of nothing"}}\n',
    b"\x00\x01\x02\x1b[2J\x1b]0;title\x07\n",
    b"\xff\xfe{\x00}\x00\n",
    b"\xc3\x28\xa0\xa1\n",
    b"{" * 1000 + b"\n",
]


class Noise(Honest):
    """Everything before, between and after its messages; they themselves begin with a byte order mark and end with CR LF."""

    part = "noise"

    def start(self):
        put(b"".join(NOISE))

    def send(self, message):
        put(b"".join(NOISE) + b"\xef\xbb\xbf" + line(message)[:-1] + b"\r\n" + b"".join(NOISE))


class Torn(Honest):
    """Its first answer has a line feed in its middle."""

    part = "torn"

    def call(self, id, params):
        text = line({"id": id, "result": result_of("torn")})
        put(text.replace(b'"result"', b'\n"result"') if self.calls == 1 else text)


class BadText(Honest):
    """Its first answer is not UTF-8."""

    part = "bad-text"

    def call(self, id, params):
        text = line({"id": id, "result": result_of("HERE")})
        put(text.replace(b"HERE", b"\xff\xfe\xc3\x28") if self.calls == 1 else text)


class BadTextListing(Honest):
    part = "bad-text-listing"

    def list(self, id, cursor):
        put(line({"id": id, "result": {"tools": [tool("echo", title="HERE")]}}).replace(b"HERE", b"\xff\xfe\xc3\x28"))


def deep(text):
    """A message with an array of 100,000 levels in place of its word `"DEEP"`."""
    return text.replace(b'"DEEP"', b"[" * DEEP + b"]" * DEEP)


class DeepMessage(Honest):
    """A notification that nobody could read, then an answer."""

    part = "deep-message"

    def call(self, id, params):
        put(deep(line({"method": "notifications/message", "params": {"level": "info", "data": "DEEP"}})))
        super().call(id, params)


class DeepResult(Honest):
    part = "deep-result"

    def call(self, id, params):
        text = line({"id": id, "result": result_of("deep") | {"structuredContent": {"a": "DEEP"}}})
        put(deep(text) if self.calls == 1 else text)


class DeepDefinition(Honest):
    part = "deep-definition"

    def list(self, id, cursor):
        put(deep(line({"id": id, "result": {"tools": [tool("echo"), tool("deep", inputSchema={"type": "object", "default": "DEEP"})]}})))


# Floods.


class StderrFlood(Honest):
    """100 MiB on standard error before anything else, half of it one line, and more with each call."""

    part = "stderr-flood"

    def start(self):
        for _ in range(50):
            sys.stderr.buffer.write(b"x" * MEBIBYTE)
        for _ in range(50):
            sys.stderr.buffer.write(b"a line of its log\n" * (MEBIBYTE // 18))
        sys.stderr.flush()

    def call(self, id, params):
        sys.stderr.buffer.write(b"\x1b[2J" * MEBIBYTE)
        sys.stderr.flush()
        super().call(id, params)


class Storm(Honest):
    """Says 10,000 times a second that its list changed, for three seconds from its first call on, while it goes on answering."""

    part = "storm"

    def __init__(self, folder):
        super().__init__(folder)
        self.lock = threading.Lock()

    def send(self, message):
        with self.lock:
            super().send(message)

    def blow(self):
        changed = line({"method": "notifications/tools/list_changed"})
        end = time.monotonic() + 3
        while time.monotonic() < end:
            with self.lock:
                put(changed * 100)
            time.sleep(0.01)

    def call(self, id, params):
        if self.calls == 1:
            threading.Thread(target=self.blow, daemon=True).start()
        super().call(id, params)


class Chatter(Honest):
    """200,000 log messages and reports of progress before each answer."""

    part = "chatter"

    def call(self, id, params):
        token = params.get("_meta", {}).get("progressToken", 0)
        log = line({"method": "notifications/message", "params": {"level": "info", "data": "x" * 100}})
        progress = line({"method": "notifications/progress", "params": {"progressToken": token, "progress": 1, "message": "x" * 100}})
        for _ in range(100):
            put((log + progress) * 1000)
        super().call(id, params)


class Asks(Honest):
    """From its first call on it asks the host for things, 100,000 times, and never reads again."""

    part = "asks"

    def call(self, id, params):
        methods = ["sampling/createMessage", "roots/list", "elicitation/create", "ping", "no/such"]
        asked = {"message": "x" * 100, "requestedSchema": {}, "messages": []}
        some = b"".join(line({"id": f"q{at}", "method": methods[at % 5], "params": asked}) for at in range(1000))
        for _ in range(100):
            put(some)
        signal.pause()


class Deaf(Honest):
    """Reads no more once it has listed."""

    part = "deaf"

    def list(self, id, cursor):
        super().list(id, cursor)
        signal.pause()


# Ends (attack 52).


def family(folder):
    """A grandchild in the same group that goes on when its parent has gone. Its command line names the folder."""
    text = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"
    subprocess.Popen([sys.executable, "-c", text, str(folder)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class CrashLoop(Honest):
    part = "crash-loop"

    def start(self):
        family(self.folder)
        sys.stderr.write("no license found\n")
        sys.exit(3)


class CrashCall(Honest):
    """Ends in the middle of each call, and leaves a child."""

    part = "crash-call"

    def call(self, id, params):
        family(self.folder)
        put(b'{"jsonrpc":"2.0","id":')
        os.kill(os.getpid(), signal.SIGKILL)


class CrashLater(Honest):
    """Lists once, ends in the middle of its first call, and from then on at every start."""

    part = "crash-later"

    def start(self):
        if len((self.folder / f"{self.part}.starts").read_text().splitlines()) > 1:
            family(self.folder)
            sys.stderr.write("no license found\n")
            sys.exit(3)

    def call(self, id, params):
        os.kill(os.getpid(), signal.SIGKILL)


class HalfClosed(Honest):
    """Closes its output in the middle of a call, and lives on."""

    part = "half-closed"

    def call(self, id, params):
        os.close(OUT.fileno())
        signal.pause()


class Stubborn(Honest):
    """Ends neither when its input does nor when it is asked to, and has a child that is the same."""

    part = "stubborn"

    def start(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        family(self.folder)

    def run(self):
        super().run()
        while True:
            signal.pause()


# Ids (attack 50).


class WrongIds(Honest):
    """Answers its first call under every id but the right one."""

    part = "wrong-ids"

    def call(self, id, params):
        if self.calls == 1:
            for wrong in [id + 1, id + 1000, -1, 0, 1.5, None, f"{id}x", [id], {"id": id}, 10**30]:
                self.answer(wrong, result_of("the wrong answer"))
        else:
            super().call(id, params)


class Doubled(Honest):
    """Answers everything twice, otherwise the second time."""

    part = "doubled"

    def answer(self, id, result):
        super().answer(id, result)
        super().answer(id, {"tools": [tool("second")]} if "tools" in result else result_of("the second answer"))


# Definitions (attacks 45, 47).


class MalformedTools(Honest):
    """Tools that no host should serve, between two that it should."""

    part = "malformed-tools"

    def list(self, id, cursor):
        tools = [
            tool("first"),
            {"description": "no name", "inputSchema": {"type": "object"}},
            tool(None),
            tool(7),
            tool(""),
            tool("a b"),
            tool("../up"),
            tool("esc\u001b[2J"),
            tool("x" * 300),
            tool("null_schema", inputSchema=None),
            tool("boolean_schema", inputSchema=True),
            tool("array_schema", inputSchema=[]),
            tool("no_object", inputSchema={"type": "string"}),
            {"name": "no_schema"},
            tool("boolean_output", outputSchema=True),
            tool("odd_hint", annotations={"readOnlyHint": "yes"}),
            tool("large", title="x" * (200 * 1024)),
            tool("wordy", description="x" * (20 * 1024)),
            tool("outside", inputSchema={"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/a"}}}),
            tool("task_only", execution={"taskSupport": "required"}),
            tool("twice_KEY"),
            tool("surrogate", title="SURROGATE"),
            None,
            "text",
            [],
            tool("last"),
        ]
        text = line({"id": id, "result": {"tools": tools}})
        put(text.replace(b'"twice_KEY"', b'"twice_key","name":"twice_key"').replace(b"SURROGATE", b"\\ud800"))


class Names(Honest):
    """Names that are the same or could be taken for one another, beside one that could not."""

    part = "names"

    def tools(self):
        pairs = ["read_file", "read_file", "List", "list", "paypal", "paypa1", "send_mail", "s\u0435nd_mail"]
        return [tool(name) for name in [*pairs, "search_tools", "zero\u200bwidth", "tag\U000e0041", "alone"]]


class NotATable(Honest):
    """Its list is no list."""

    part = "no-list"

    def list(self, id, cursor):
        self.answer(id, {"tools": {"echo": tool("echo")}})


PARTS = {kind.part: kind for kind in [Honest, *Honest.__subclasses__()]}

if __name__ == "__main__":
    PARTS[sys.argv[1]](Path(sys.argv[2])).run()
