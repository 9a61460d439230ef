"""Five real servers behind agent-host: synced, compared with their wire, listed, found, called, killed and started again.

    fleet.py --host target/debug/agent-host --tools target/tools [--case called]

called   the lock file against the wire; then nothing runs that was not called, and a killed server comes back
listed   what the commands for people show, with no server running
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from model import Person
from play import arguments, check, perform, say
from processes import children, command
from stage import Stage

# Tools of each, and how many of them can be served: one of `everything` runs only as a task.
LISTED = {"everything": 13, "filesystem": 14, "git": 12, "memory": 9, "time": 2}
TASK_ONLY = "mcp:everything/simulate-research-query"
TIME = "mcp:time/get_current_time"
LONG = "mcp:everything/trigger-long-running-operation"
# One call of each server, with its arguments and what its answer holds.
CALLS = {
    TIME: ({"timezone": "Europe/Berlin"}, r"Europe/Berlin"),
    "mcp:everything/get-sum": ({"a": 17, "b": 25}, r"42"),
    "mcp:filesystem/read_text_file": ({"path": "files/note.txt"}, r"a note of the test"),
    "mcp:git/git_log": ({"repo_path": "repository", "max_count": 1}, r"the only commit"),
    "mcp:memory/read_graph": ({}, r"entities"),
}
IDS = re.compile(r"mcp:[a-z]+/[A-Za-z0-9_.-]+")


def prepare(folder):
    """What the servers work on: a file, and a repository of one commit."""
    (folder / "files").mkdir()
    (folder / "files/note.txt").write_text("a note of the test\n")
    repository = folder / "repository"
    who = {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@t", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@t"}
    bare = os.environ | who | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "init", "-q", str(repository)], check=True, env=bare)
    subprocess.run(["git", "-C", str(repository), "commit", "-q", "--allow-empty", "-m", "the only commit"], check=True, env=bare)


async def synced(stage):
    """The lock holds every tool, and each digest is that of the bytes on the wire."""
    await stage.operator("sync")
    path = stage.config.with_name("agent-host.lock")
    text = path.read_text()
    lock = json.loads(text)
    held = {alias: len(server["tools"]) for alias, server in lock["servers"].items()}
    check(lock["version"] == 1 and held == LISTED and sum(held.values()) >= 50, "every tool is in the lock", held)
    for alias, settings in stage.servers.items():
        given = [f"--env={name}={value}" for name, value in settings.get("env", {}).items()]
        script = [str(Path(__file__).with_name("digests.py")), "--lock", str(path), "--server", alias, *given]
        compare = [sys.executable, "-B", *script, "--", settings["command"], *settings["args"]]
        done = subprocess.run(compare, capture_output=True, text=True, check=False)
        check(done.returncode == 0, f"the digests of `{alias}` are those of its wire", done.stdout + done.stderr)
        say("", done.stdout.splitlines()[-1])
    await stage.operator("sync")
    check(path.read_text() == text, "a second sync changes nothing")


async def listed(stage):
    """What a person sees of them without starting one."""
    await stage.operator("sync", shown=False)
    out = await stage.operator("servers", "--json", shown=False)
    check(all(f'"{alias}"' in out for alias in LISTED), "every server is listed", out)
    ids = set(IDS.findall(await stage.operator("tools", "--json", shown=False))) - {TASK_ONLY}
    check(len(ids) == sum(LISTED.values()) - 1 and CALLS.keys() <= ids, "every tool that can be served is listed", len(ids))
    out = await stage.operator("search", "what time is it now in a city", "--json", shown=False)
    check(IDS.findall(out)[:1] == [TIME], f"{TIME} is found first", out)


def absolute(stage, arguments):
    """The arguments with their paths in the stage's folder."""
    return {key: str(stage.folder / value) if key.endswith("path") else value for key, value in arguments.items()}


async def activate(model, *ids):
    text, failed = await model.call("activate_tools", {"tools": list(ids)})
    check(not failed, f"{', '.join(ids)} active", text)


async def asked(stage, model, host):
    """Nothing runs until a call; then exactly what was called."""
    check(children(host) == [], "no process runs at the start", children(host))
    await model.search("read a file")
    await activate(model, *CALLS)
    check(children(host) == [], "searching and activating start nothing", children(host))
    for count, (id, (arguments, pattern)) in enumerate(CALLS.items(), 1):
        for _ in range(2):
            text, failed = await model.call("call_tool", {"id": id, "arguments": absolute(stage, arguments)})
            check(not failed and re.search(pattern, text), f"{id} is answered with `{pattern}`", text)
        running = [command(pid) for pid in children(host)]
        check(len(running) == count, f"{count} processes run after calls to {count} servers", running)


def only(host, text):
    pids = [pid for pid in children(host) if text in command(pid)]
    check(len(pids) == 1, f"one child runs `{text}`", pids)
    return pids[0]


async def rested(model, call):
    """Calls, again after a second where the server is left alone because it was lost soon after its start."""
    for _ in range(5):
        text, failed = await model.call("call_tool", call)
        if not (failed and "Nothing ran" in text and "tried again" in text):
            break
        await asyncio.sleep(1)
    return text, failed


async def killed(model, host):
    """Killed in the middle of a call: that call's answer says so, and the next one is answered."""
    await activate(model, LONG)
    before = only(host, "server-everything")
    begin = time.monotonic()
    long = asyncio.create_task(model.call("call_tool", {"id": LONG, "arguments": {"duration": 30, "steps": 30}}))
    await asyncio.sleep(1)
    os.kill(before, signal.SIGKILL)
    text, failed = await long
    check(failed and "may have run" in text and time.monotonic() - begin < 10, "a call whose server was killed may have run", text)
    text, failed = await rested(model, {"id": "mcp:everything/get-sum", "arguments": {"a": 1, "b": 2}})
    check(not failed and "3" in text and only(host, "server-everything") != before, "the next call starts it again", text)
    text, failed = await model.call("call_tool", {"id": TIME, "arguments": {"timezone": "Asia/Tokyo"}})
    check(not failed and "Asia/Tokyo" in text, "its siblings run on", text)


async def called(stage):
    person = Person(("accept", {"approve": True}))
    await synced(stage)
    async with stage.client(person) as model:
        host = await stage.host_process()
        await asked(stage, model, host)
        await killed(model, host)
        stage.leaders += children(host)
    check(len(person.asked) == 2, "the person was asked twice", len(person.asked))


CASES = {"called": called, "listed": listed}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    stage = Stage(options, servers=LISTED)
    prepare(stage.folder)
    sys.exit(perform(stage, CASES[options.case](stage), options.case))
