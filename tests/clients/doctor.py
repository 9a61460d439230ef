"""Plays `agent-host doctor` on setups that are well and on broken ones.

    doctor.py --host target/debug/agent-host

Each row of `CASES` is one setup: its configuration, what is done to its files, the words after `doctor`, the exit code, what must be said and
what must not. No program is started but where `--start` says so.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from play import check, run, say

CLOCK = '\n[servers.clock]\ncommand = "HOST"\nargs = ["sample-server", "clock"]\n'
STRONG = '\n[[rule]]\ntools = ["mcp:clock/*"]\ndecision = "prompt"\nstrength = "strong"\n'
# A server that leaves a mark where it is started.
MARK = '\n[servers.mark]\ncommand = "/bin/sh"\nargs = ["-c", "touch FOLDER/started; exit 3"]\n'
PASSPHRASE = "correct horse battery"


def mode(name, bits):
    return lambda setup: os.chmod(setup.folder / name, bits)


def written(name, text, bits=0o600):
    def write(setup):
        path = setup.folder / name
        path.touch(bits)
        path.write_text(text)
        path.chmod(bits)

    return write


def synced(setup):
    setup.cli("sync", code=0)


def running(setup):
    setup.start()


def and_then(*steps):
    return lambda setup: [step(setup) for step in steps]


# A server that lists one tool, as a file of its folder describes it.
CHANGING = """
import json, pathlib, sys
text = pathlib.Path(__file__).with_name("description").read_text()
tools = [{"name": "now", "description": text, "inputSchema": {"type": "object"}}]
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    server = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "changing", "version": "1"}}
    told = {"initialize": server, "tools/list": {"tools": tools}}.get(asked["method"])
    end = {"result": told} if told else {"error": {"code": -32601, "message": "no such method"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"]} | end), flush=True)
"""
CHANGES = f'\n[servers.changing]\ncommand = "{sys.executable}"\nargs = ["FOLDER/changing.py"]\n'


def accepted(setup):
    """Its tool is accepted as it was first."""
    written("changing.py", CHANGING)(setup)
    written("description", "Says what time it is.")(setup)
    setup.cli("sync", code=0)
    digest = json.loads(setup.cli("tool", "mcp:changing/now", "--json", code=0))["digest"]
    setup.cli("accept", "mcp:changing/now", "--expect", digest, "--yes", code=0)
    written("description", "Says what time it was.")(setup)


# name: configuration, what is done, words, code, what is said, what is not.
CASES = {
    "well": (CLOCK, synced, [], 0, ["well   configuration", "well   lock file", "well   secrets", "well   servers"], ["wrong"]),
    "the boundary is advisory, and each file is named": (
        CLOCK,
        and_then(synced, running),
        [],
        0,
        [
            "note   boundary: same user: advisory only",
            "rewrite the configuration: FOLDER/agent-host.toml",
            "rewrite the lock file: FOLDER/agent-host.lock",
            "read and rewrite the records: FOLDER/state/ledger.sqlite",
            "read and rewrite the operators' socket: FOLDER/state/operator.sock",
            "rewrite the program agent-host: HOST",
            "rewrite the program of server `clock`: HOST",
            "end the running host, process PID, and read and change its memory",
            "give any yes but a strong one",
            "hint: a user of its own",
            "well   host: it answers",
        ],
        ["wrong"],
    ),
    "another user is held apart": (CLOCK, synced, ["--client", "nobody"], 0, ["well   boundary: separate user"], ["advisory", "wrong"]),
    "the superuser is nobody apart": (CLOCK, synced, ["--client", "root"], 0, ["same user: advisory only"], ["separate user: the host"]),
    "no configuration": (None, None, [], 1, ["wrong  configuration: ", "can't be read"], []),
    "a configuration that is none": ("activation = 3\n", None, [], 1, ["wrong  configuration: ", "agent-host.toml:1", "note   boundary"], ["Traceback"]),
    "a configuration that others write": (CLOCK, mode("agent-host.toml", 0o666), [], 1, ["others can write", "`chmod go-w"], []),
    "a secret in the configuration": (
        CLOCK + 'env = { TOKEN = "swordfish" }\n',
        mode("agent-host.toml", 0o644),
        [],
        1,
        ["wrong  secrets: others may use the configuration", "`chmod go-rwx FOLDER/agent-host.toml`"],
        ["swordfish"],
    ),
    "a secret's file": (
        CLOCK + 'env = { TOKEN = { file = "token" } }\n',
        written("token", "swordfish", 0o644),
        [],
        1,
        ["others may use `TOKEN` of server `clock`: FOLDER/token", "`chmod go-rwx FOLDER/token`"],
        ["swordfish"],
    ),
    "a secret's file beside another user": (
        CLOCK + 'env = { TOKEN = { file = "token" } }\n',
        written("token", "swordfish", 0o644),
        ["--client", "nobody"],
        1,
        ["wrong  boundary: separate user is not held apart: `nobody`", "can read `TOKEN` of server `clock`: FOLDER/token", "`namei -l FOLDER/token`"],
        ["swordfish", "well   boundary"],
    ),
    "a program that another user replaces": (
        '\n[servers.tool]\ncommand = "FOLDER/bin/tool"\n',
        and_then(lambda setup: (setup.folder / "bin").mkdir(), written("bin/tool", "#!/bin/sh\n", 0o755), mode("bin", 0o777)),
        ["--client", "nobody"],
        1,
        ["can rewrite or replace the program of server `tool`: FOLDER/bin/tool"],
        ["well   boundary"],
    ),
    "a state folder that others enter": (CLOCK, mode("state", 0o755), [], 1, ["others may use the state folder: FOLDER/state"], []),
    "a passphrase's hash that others read": (
        CLOCK,
        written("state/passphrase", "{}", 0o644),
        [],
        1,
        ["others may use a passphrase's hash: FOLDER/state/passphrase", "passphrase: that of `owner` can't be read"],
        [],
    ),
    "a login that others read": (
        CLOCK,
        and_then(lambda setup: (setup.folder / "state/logins").mkdir(), written("state/logins/far.json", "{}", 0o644)),
        [],
        1,
        ["others may use a login at a server: FOLDER/state/logins/far.json"],
        [],
    ),
    "a strong yes that nobody can give": (CLOCK + STRONG, None, [], 1, ["wrong  answers: 1 rule demands a strong yes", "`agent-host passphrase set`"], []),
    "a strong yes that root gives": (CLOCK + STRONG, None, ["--client", "nobody"], 0, ["root's answer", "is strong"], ["wrong"]),
    "a strong yes that viewers can't give": (
        CLOCK + STRONG + '\n[operators.eve]\nrole = "viewer"\nprincipals = "*"\n',
        None,
        [],
        1,
        ["operator `eve` has none", "`agent-host passphrase set --operator eve`", "wrong  answers: 1 rule demands"],
        [],
    ),
    "a console that nobody logs in to": (CLOCK + '\n[console]\nlisten = "127.0.0.1:8751"\n', None, [], 1, ["nobody can log in to the console"], []),
    "a console in the clear": (CLOCK + '\n[console]\nlisten = "0.0.0.0:8751"\n', None, [], 1, ["wrong  console: it would listen at 0.0.0.0:8751"], []),
    "a console behind a proxy": (
        CLOCK + '\n[console]\nlisten = "0.0.0.0:8751"\nproxy = true\n',
        None,
        [],
        1,
        ["note   console: it listens at 0.0.0.0:8751 in the clear, for a proxy"],
        ["wrong  console"],
    ),
    "a certificate that is not there": (
        CLOCK + '\n[http]\n[http.tls]\ncertificate = "c.pem"\nkey = "k.pem"\n',
        None,
        [],
        1,
        ["wrong  http: FOLDER/c.pem can't be read", "wrong  http: FOLDER/k.pem can't be read"],
        [],
    ),
    "everything is switched on": ('activation = "auto"\n' + CLOCK, None, [], 0, ["note   answers: `activation = \"auto\"` and no rule"], ["wrong"]),
    "a program that is not there": ('\n[servers.gone]\ncommand = "no-such-program"\n', None, [], 1, ["`gone`: its program `no-such-program` is not found"], []),
    "a credential that is missing": (
        CLOCK + 'env = { TOKEN = { file = "nothing" } }\n',
        None,
        [],
        1,
        ["wrong  servers: `clock`: needs login", "FOLDER/nothing"],
        [],
    ),
    "a server that was never asked": (CLOCK, None, [], 0, ["note   lock file: server `clock` has not told its tools yet", "`agent-host sync clock`"], ["wrong"]),
    "a lock file that is none": (CLOCK, written("agent-host.lock", "{", 0o644), [], 1, ["wrong  lock file: "], []),
    "a tool that moved": (
        CHANGES,
        and_then(accepted, synced),
        [],
        1,
        ["wrong  lock file: 1 tool moved since accepted", "         mcp:changing/now", "`agent-host diff`"],
        ["well   lock file"],
    ),
    "a server that lists something else by now": (CHANGES, accepted, ["--start"], 1, ["wrong  start: `changing`", "`agent-host sync changing`"], []),
    "a tool that is gone": (
        CHANGES,
        and_then(accepted, written("changing.py", CHANGING.replace('"now"', '"then"')), synced),
        [],
        0,
        ["note   lock file: 1 tool accepted once and no longer served", "mcp:changing/now: "],
        ["wrong"],
    ),
    "a server that does not start, not tried": (MARK, None, [], 0, ["note   lock file"], ["wrong", "STARTED"]),
    "a server that does not start, tried": (MARK + CLOCK, None, ["--start"], 1, ["wrong  start: `mark`", "well   start: `clock`: it starts and lists", "STARTED"], []),
    "a server that the running host does not have": (
        CLOCK,
        and_then(running, lambda setup: setup.append('\n[servers.later]\ncommand = "/bin/true"\n')),
        [],
        1,
        ["wrong  servers: `later`: not in the running host", "`agent-host reload`"],
        [],
    ),
    "a host that is stopped": (CLOCK, and_then(running, lambda setup: setup.cli("stop", code=0)), [], 0, ["note   host: everything is stopped"], []),
}


class Setup:
    def __init__(self, host, text):
        self.host = host
        self.folder = Path(tempfile.mkdtemp(prefix="agent-host-doctor-"))
        # As a home is: others look in, and what is to be closed is closed by itself.
        self.folder.chmod(0o755)
        (self.folder / "state").mkdir(mode=0o700)
        self.process = None
        if text is not None:
            written("agent-host.toml", self.named(text))(self)

    def named(self, text):
        pid = str(self.process.pid) if self.process else "PID"
        return text.replace("FOLDER", str(self.folder)).replace("HOST", self.host).replace("PID", pid)

    def append(self, text):
        path = self.folder / "agent-host.toml"
        path.write_text(path.read_text() + text)

    def places(self):
        return ["--config", str(self.folder / "agent-host.toml"), "--state", str(self.folder / "state")]

    def cli(self, *words, code):
        done = subprocess.run([self.host, *words, *self.places()], capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=self.folder, timeout=120)
        check(done.returncode == code, f"`{' '.join(words)}` ends with {code}", (done.returncode, done.stdout, done.stderr))
        return done.stdout

    def start(self):
        log = open(self.folder / "log", "w+")
        self.process = subprocess.Popen([self.host, "run", *self.places()], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.PIPE, text=True)
        # It says this last, and is ready then.
        for line in self.process.stderr:
            if line.startswith("boundary: "):
                return
        check(False, "the host starts")

    def clear(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(60)
        shutil.rmtree(self.folder)


def examine(host, name, case):
    text, done, words, code, said, unsaid = case
    setup = Setup(host, text)
    try:
        if done:
            done(setup)
        shown = setup.cli("doctor", *words, code=code)
        shown += "STARTED" if (setup.folder / "started").exists() else ""
        for expected in said:
            check(setup.named(expected) in shown, f"{name}: `{setup.named(expected)}` is said", shown)
        for other in unsaid:
            check(setup.named(other) not in shown, f"{name}: `{other}` is not said", shown)
        document = json.loads(setup.cli("doctor", "--json", *words, code=code))
        wrong = [finding for finding in document["findings"] if finding["level"] == "wrong"]
        check(document["wrong"] == len(wrong) and bool(wrong) == (code == 1), f"{name}: the document counts what is wrong", document)
        check(all(finding["hint"] for finding in wrong), f"{name}: each wrong thing has a hint", wrong)
        check(re.search(r"advisory", shown) is None or document["boundary"] == "same-user", f"{name}: one boundary", document["boundary"])
    finally:
        setup.clear()
    say("doctor", f"{name}: {len(wrong)} wrong")


async def all_of(host):
    for name, case in CASES.items():
        examine(host, name, case)
    say("", "all as it must be (doctor)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", required=True)
    sys.exit(run(all_of(str(Path(parser.parse_args().host).resolve()))))
