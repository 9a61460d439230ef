"""A person takes over what other clients on a machine have: a home of its own, a checkout in it, and `agent-host init`.

    init.py --host target/debug/agent-host

Every server here leaves a mark when it is started, so that none can be started before a yes, or after a no. No client's file
may change by a byte.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from play import check, run, say
from screen import Terminal

SERVER = Path(__file__).parents[1] / "servers/rogue.py"
SECRET = "tok_FAKE_0000000000000501"


class Home:
    """A home folder with clients in it, and a checkout."""

    def __init__(self, folder):
        self.home = Path(folder).resolve() / "home"
        self.shop = self.home / "shop"
        self.marks = self.home / "marks"
        for folder in [self.shop / ".git", self.shop / ".vscode", self.home / ".cursor", self.marks]:
            folder.mkdir(parents=True)
        own = {"mcp-clock": self.server("clock") | {"env": {"CLOCK_TOKEN": SECRET}}}
        self.write(self.home / ".cursor/mcp.json", json.dumps({"mcpServers": own}))
        self.write(self.home / ".claude.json", '{\n  "mcpServers": {\n    "lost": { "command": "demo" }\n')
        self.write(self.home / ".codex/config.toml", "[mcp_servers.far]\nurl = \"https://me:secret@far.example.test/mcp\"\n")
        checkout = {"evil\x1b[2J": self.server("evil"), "good": self.server("good")}
        self.write(self.shop / ".mcp.json", json.dumps({"mcpServers": checkout}))
        self.write(self.shop / ".vscode/mcp.json", "// ours\n" + json.dumps({"servers": {"good": self.server("good")}}))
        self.config = self.home / ".config/agent-host/agent-host.toml"
        self.before = self.bytes()
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"]:
            os.environ.pop(name, None)
        os.environ["HOME"] = str(self.home)

    def server(self, name):
        script = f"touch '{self.marks / name}'; exec '{sys.executable}' '{SERVER}'"
        return {"command": "sh", "args": ["-c", script]}

    @staticmethod
    def write(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def bytes(self):
        """Every client's file."""
        kinds = [".cursor", ".claude.json", ".codex", "shop"]
        paths = [path for kind in kinds for path in [self.home / kind, *(self.home / kind).rglob("*")] if path.is_file()]
        return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}

    def started(self):
        return sorted(mark.name for mark in self.marks.iterdir())

    def untouched(self):
        check(self.bytes() == self.before, "no client's file has changed")


def plain(host, home, *words):
    """Runs without any terminal; returns the code and all that was printed."""
    done = subprocess.run([host, *words], cwd=home.shop, stdin=subprocess.DEVNULL, capture_output=True, text=True, start_new_session=True)
    text = done.stdout + done.stderr
    say("program", f"agent-host {' '.join(words)} -> {done.returncode}: {text.strip()}")
    check(SECRET not in text, "no secret is shown", text)
    return done.returncode, text


async def play(host):
    with tempfile.TemporaryDirectory(prefix="agent-host-init-") as folder:
        home = Home(folder)
        code, text = plain(host, home, "init")
        check(code == 2 and "no terminal" in text, "without a terminal nobody is asked", text)
        code, text = plain(host, home, "init", "--dry-run")
        check(code == 0 and "servers.clock.command" in text and "nothing was written" in text, "a dry run shows", text)
        check(f"{home.home / '.claude.json'}:" in text and "nothing of it is taken" in text, "what can't be read is named", text)
        check(not home.config.exists() and not home.started(), "nothing was written or started", home.started())
        home.untouched()

        other = str(home.home / "other/agent-host.toml")
        code, text = plain(host, home, "init", "--yes", "--config", other, "--state", str(home.home / "other/state"))
        check(code == 0 and "no flag says yes to them" in text, "a flag takes no project's server", text)
        check(Path(other).read_text().count("[servers.") == 1, "the user's own are taken", Path(other).read_text())
        check("clock: 9 tools" in text and home.started() == ["clock"], "what was taken is asked for its tools, and nothing else", text)
        check("clock" in Path(other).with_suffix(".lock").read_text(), "the lock file has them")
        (home.marks / "clock").unlink()

        person = Terminal([host, "init", "--no-sync"], home.shop, typed=b"y\ny\ny\n")
        shown = await person.sees("take over the server of your own (`clock`)? [y/N] ")
        check("\\u{1b}[2J" in shown and SECRET not in shown and "holds a user or a password" in shown, "all is shown", shown)
        await person.quiet(1)
        person.type("y\n")
        shown = await person.sees("and run this as shown? [y/N] ")
        check("evil" in shown and f"touch '{home.marks / 'evil'}'" in shown.replace("\r\n", ""), "the command is shown whole", shown)
        person.type("maybe\n")
        shown = await person.sees("take over `good`, and run this as shown? [y/N] ")
        check(not home.started() and not home.config.exists(), "nothing is done before all was asked", home.started())
        person.type(" YES \n")
        shown = await person.ends(0)
        check("added 2 servers" in shown, "both are added", shown)
        check("Cursor (~/.cursor/mcp.json)" in shown and '"agent-host": {' in shown and "claude mcp add" in shown, "what to paste", shown)
        check(SECRET not in shown, "no secret is shown", shown)
        text = home.config.read_text()
        check("[servers.clock]" in text and "[servers.good]" in text and "evil" not in text, "our file has them", text)
        check(SECRET not in text and home.config.stat().st_mode & 0o777 == 0o600, "our file holds no secret", text)
        kept = home.home / ".local/state/agent-host/secrets/clock.CLOCK_TOKEN"
        check(kept.read_text() == SECRET and kept.stat().st_mode & 0o777 == 0o600, "the secret has a file of its own")
        check(not home.started(), "nothing was started", home.started())
        check(plain(host, home, "sync")[0] == 0 and home.started() == ["clock", "good"], "what was allowed can be started", home.started())
        lock = home.config.with_suffix(".lock").read_text()
        check("clock" in lock and "good" in lock and SECRET not in lock, "the lock file has both")
        home.untouched()

        code, said = plain(host, home, "init", "--dry-run", "--from", "cursor")
        check(code == 0 and "there already" in said and "would also hold" not in said, "where nothing is new, nothing is promised", said)

        person = Terminal([host, "init"], home.shop)
        shown = await person.sees("and run this as shown? [y/N] ")
        check("there already, as `clock`" in shown and "`good`, and run" not in shown, "what is there is not asked about", shown)
        person.type("\n")
        check("nothing was taken over" in await person.ends(0), "a line end is no yes")
        check(home.config.read_text() == text and "evil" not in home.started(), "nothing was written or started")
        home.untouched()
        # A variable that leads into the checkout makes nothing of it the user's own; what is too long to be looked through is not asked.
        home.write(home.shop / ".codex/config.toml", "[mcp_servers.evil2]\ncommand = \"sh\"\n")
        home.write(home.shop / ".mcp.json", json.dumps({"mcpServers": {"flood": {"command": "sh", "args": ["x"]} | {f"key{n}": 1 for n in range(100)}}}))
        os.environ["CODEX_HOME"] = str(home.shop / ".codex")
        code, shown = plain(host, home, "init", "--yes", "--no-sync")
        check(code == 0 and home.config.read_text() == text, "a flag takes nothing of a checkout", shown)
        person = Terminal([host, "init", "--no-sync"], home.shop)
        shown = await person.sees("take over `evil2`, and run this as shown? [y/N] ")
        check("`flood` is not taken" in shown and "over `flood`" not in shown, "a flood is not asked about", shown)
        person.type("n\n")
        await person.ends(0)
        check(home.config.read_text() == text, "nothing was written")
        say("", "all as it must be")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", required=True, help="the agent-host binary")
    parser.add_argument("--tools", help="not used")
    sys.exit(run(play(str(Path(parser.parse_args().host).resolve()))))
