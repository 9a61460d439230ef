"""A desktop notification when something begins to wait, shown by a `notify-send` of this script's own.

    notify.py --host target/debug/agent-host --tools target/tools

The program that stands in for the desktop's writes down how it was called, and then does as the part it plays. Exit code
0 where all went as it must, 1 otherwise, with the reason.
"""

import json
import os
import sys
import time

from processes import naming
from play import check
from wire import MODERN, Play, main

WORDS = ["--app-name=agent-host", "agent-host", "1 request waits for a person: agent-host approvals"]
STANDS_IN = """#!{python}
import json, os, sys
with open({log!r}, "a") as log:
    log.write(json.dumps([sys.argv, dict(os.environ), os.getcwd(), sorted(os.listdir("/proc/self/fd"))]) + "\\n")
{then}
"""


def stand_in(play, then):
    folder = play.folder / "bin"
    folder.mkdir(exist_ok=True)
    program = folder / "notify-send"
    program.write_text(STANDS_IN.format(python=sys.executable, log=str(play.folder / "shown"), then=then))
    program.chmod(0o700)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(play.folder), "DISPLAY": ":7", "SECRET": "x", "AGENT_HOST_APPROVAL_NOTIFY": "true"}


def shown(play):
    path = play.folder / "shown"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def asks(play, client, number):
    answer = client.activate(f"mcp:plain/tool_{number}")
    check("pending" in str(answer), "it waits", answer)
    return play.waiting()[0]


def says_no(play, question):
    play.does("deny", question["id"], "--yes", "--expect", question["digest"])


def off(options):
    """Nothing is shown unless the file says so, whatever the environment says."""
    play = Play(options)
    with play.played():
        client = play.serve(env=stand_in(play, ""))
        asks(play, client, 0)
        time.sleep(2.5)
        check(shown(play) == [], "it is off", shown(play))
        check("`AGENT_HOST_APPROVAL_NOTIFY` is not known" in play.log(), "the environment switches nothing on", play.log())


def on(options):
    play = Play(options, approval=", notify = true")
    with play.played():
        client = play.serve(env=stand_in(play, ""), era=MODERN)
        begin = time.monotonic()
        first = asks(play, client, 0)
        client.wait(lambda: shown(play), "the desktop is notified")
        [[argv, environment, folder, files]] = shown(play)
        check(argv[1:] == WORDS, "its text is the host's own, and nothing else", argv)
        check(set(environment) - {"LC_CTYPE"} == {"PATH", "HOME", "DISPLAY"} and folder == "/", "it is given nothing of ours", [environment, folder])
        check(len(files) <= 5, "no file of ours is open in it", files)
        says_no(play, first)
        client.settle(1.5)
        second = asks(play, client, 1)
        client.settle(3)
        check(len(shown(play)) == 1, "another one is not shown at once")
        client.wait(lambda: len(shown(play)) == 2, "what still waits is made up for")
        check(time.monotonic() - begin > 10, "ten seconds after the first", time.monotonic() - begin)
        client.settle(2)
        check(len(shown(play)) == 2 and shown(play)[1][0][1:] == WORDS, "once", shown(play))
        says_no(play, second)


def hangs(options):
    """A program that never ends holds nothing up, and is ended; one that can't be run is said once."""
    play = Play(options, approval=", notify = true")
    with play.played():
        then = "import subprocess, time\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', sys.argv[0]])\ntime.sleep(600)"
        client = play.serve(env=stand_in(play, then))
        question = asks(play, client, 0)
        client.wait(lambda: shown(play), "the desktop is notified")
        begin = time.monotonic()
        says_no(play, question)
        client.tool("search_tools", query="echo")
        check(time.monotonic() - begin < 4.5, "nothing waits for it")
        client.wait(lambda: not naming(str(play.folder / "bin/notify-send")), "it is ended, and what it started")
        client.wait(lambda: "did not end within 5 s" in play.log(), "and the operator is told")
        (play.folder / "bin/notify-send").unlink()
        client.settle(max(0, 11 - (time.monotonic() - begin)))
        asks(play, client, 1)
        client.settle(3)
        check(play.log().count("could not be put on the desktop") == 1, "once", play.log())
        client.leave()


CASES = {"off": off, "on": on, "hangs": hangs}

if __name__ == "__main__":
    main(__doc__, CASES)
