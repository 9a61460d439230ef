"""Plays `agent-host demo` at a terminal, as whoever just cloned it.

    demo.py --host target/debug/agent-host --tools target/tools --case yes

yes     both questions are allowed: everything is seen, the colours too, and nothing is left
no      the first one is not: the model is refused, and that is the end
elsewhere  variables are set for another host, and TMPDIR is too deep for sockets: it is played as ever
nobody  there is no terminal: it says how it is played all the same
"""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from play import arguments, check, run
from processes import naming
from screen import Terminal


def start(options, env):
    return Terminal([options.host, "demo"], options.home, env=os.environ | {"TMPDIR": options.home, "HOME": options.home} | env)


async def gone(options):
    """The demo took its folder, its host and its servers away."""
    check(not list(Path(options.home).iterdir()), "no folder is left", list(Path(options.home).iterdir()))
    check(not naming(options.home), "no process is left", naming(options.home))


async def yes(options):
    terminal = start(options, {"NO_COLOR": "1"})
    await terminal.sees("read-only; no capabilities")
    await terminal.sees("approve? [y/N] ")
    await terminal.quiet(0.3)
    terminal.type("y\n")
    await terminal.sees("17:30:00+09:00 (Asia/Tokyo)")
    await terminal.sees("approve? [y/N] ")
    terminal.type("yes\n")
    shown = await terminal.ends(0)
    for needed in ["1. Call", "revoked by an operator", "the chain is whole"]:
        check(needed in shown, f"it shows `{needed}`")


async def no(options):
    terminal = start(options, {"NO_COLOR": "1"})
    await terminal.sees("approve? [y/N] ")
    terminal.type("what?\n")
    shown = await terminal.ends(0)
    check("a person said no" in shown and "17:30" not in shown and "the chain is whole" in shown, "a no is a no, and on record")


async def stopped(options):
    terminal = start(options, {"NO_COLOR": "1"})
    await terminal.sees("approve? [y/N] ")
    terminal.process.send_signal(signal.SIGINT)
    await terminal.ends(7)


async def nobody(options):
    argv = [options.host, "demo"]
    ended = subprocess.run(argv, cwd=options.home, stdin=subprocess.DEVNULL, capture_output=True, text=True, start_new_session=True)
    check(ended.returncode == 2 and "`agent-host demo --yes`" in ended.stderr, "it says how", ended)


async def elsewhere(options):
    """What is set for a host of the user's own, and a folder for temporary files that no socket could be named in."""
    deep = Path(options.home) / ("d" * 120)
    deep.mkdir()
    set_for_another = {"ACTIVATION": "deny", "STATE": "/nowhere", "CONFIG": "/nowhere", "PROFILE": "x", "RECORDS_START": "x"}
    env = os.environ | {f"AGENT_HOST_{name}": value for name, value in set_for_another.items()} | {"TMPDIR": str(deep)}
    ended = subprocess.run([options.host, "demo", "--yes"], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    check(ended.returncode == 0 and "the chain is whole" in ended.stdout and not ended.stderr, "it is played all the same", ended)
    deep.rmdir()


CASES = {"yes": yes, "no": no, "stopped": stopped, "nobody": nobody, "elsewhere": elsewhere}


async def play(options):
    with tempfile.TemporaryDirectory() as options.home:
        await CASES[options.case](options)
        await gone(options)


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    sys.exit(run(play(options)))
