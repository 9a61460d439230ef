"""Changes a configuration under a client that stays: by its file, by a signal, by a command.

    reload.py --host target/debug/agent-host --tools target/tools [--standalone]

under  what is denied is refused and comes back, a server comes and goes, a file that is wrong changes nothing
"""

import asyncio
import os
import re
import signal
import subprocess
import sys

from eras import ZONE
from main_job import SUM, TIME, YES, activate
from model import Person
from play import arguments, check, perform, say
from processes import children, command
from stage import Stage

NARROW = '\n[[rule]]\ntools = ["mcp:time/*"]\ndecision = "deny"\n'
REFUSED = "refused; what was in force still is"


class Beside:
    """The operator, and the model whose tools come and go."""

    def __init__(self, stage, model):
        self.stage, self.model = stage, model

    async def reload(self, code=0):
        """Runs the command to its end, and returns what it said."""
        say("operator", "agent-host reload")
        argv = [self.stage.host, "reload", "--config", str(self.stage.config), "--state", str(self.stage.state)]
        done = await asyncio.to_thread(subprocess.run, argv, cwd=self.stage.work, capture_output=True, text=True, check=False)
        say("", (done.stdout + done.stderr).strip())
        check(done.returncode == code, f"the command ends with {code}", done.returncode)
        return done.stdout + done.stderr

    async def told(self, *words):
        """Reloads, and is told this; or the host was, where its look at the file came first."""
        said = await self.reload()
        for word in words:
            check(word in said or word in self.stage.log(), f"it is told: {word}", said)

    async def policy(self):
        """The digest of the policy in force."""
        return re.search(r"the policy in force is (?:new: )?([0-9a-f]{64})", await self.reload())[1]

    async def time(self, runs, words=""):
        text, failed = await self.model.call("call_tool", {"id": TIME, "arguments": ZONE})
        check(failed != runs and words in text, "the time is told" if runs else f"a call is refused with `{words}`", text)

    async def logged(self, text, count):
        """Waits until the host said something so often, and some looks longer: it says so no more."""
        await self.stage.until(lambda: self.stage.log().count(text) >= count, f"the host says `{text}`")
        count = self.stage.log().count(text)
        await asyncio.sleep(3)
        check(self.stage.log().count(text) == count, f"it said so {count} times, and no more", self.stage.log())


async def narrowed(beside, text):
    """By the file: what a rule denies is refused, and is back once the rule is gone, to the very digest."""
    stage, model = beside.stage, beside.model
    before = await beside.policy()
    say("operator", "adds a rule to the file")
    stage.config.write_text(text + NARROW)
    await model.changed(2)
    await beside.time(False, "policy")
    check("suspended: policy" in await stage.operator("sessions"), "the grant is shown as suspended")
    check(await beside.policy() != before, "another policy is in force")
    say("operator", "puts the old file in its place")
    old = stage.config.with_suffix(".old")
    old.write_text(text)
    os.rename(old, stage.config)
    await model.changed(3)
    await beside.time(True)
    check(await beside.policy() == before, "the policy is the one from before, by its digest")
    await stage.operator("audit", "verify")
    check((await stage.operator("audit", "show", shown=False)).count("policy-set") == 3, "each policy in force is on record")


async def signalled(beside, host):
    told = beside.stage.log().count("nothing changed")
    say("operator", f"kill -HUP {host}")
    os.kill(host, signal.SIGHUP)
    await beside.logged("nothing changed", told + 1)
    await beside.time(True)


async def grown(beside, host):
    """By the command: a server is added and found, then removed, and its process ends."""
    stage, model = beside.stage, beside.model
    text = stage.config.read_text()
    stage.add("everything", stage.real("everything"))
    await beside.told("servers added: everything\n")
    await stage.until(lambda: "server-everything" in " ".join(map(command, children(host))), "it is listed in the background")
    for _ in range(40):
        found = await model.search("add two numbers")
        if SUM in found:
            break
        await asyncio.sleep(0.5)
    check(SUM in found, "it is found", found)
    answer, failed = await activate(model, SUM)
    check(not failed, "it can be activated", answer)
    answer, failed = await model.call("call_tool", {"id": SUM, "arguments": {"a": 17, "b": 25}})
    check(not failed and "42" in answer, "it is called", answer)
    runs = lambda: [pid for pid in children(host) if "server-everything" in command(pid)]
    check(len(runs()) == 1, "its process runs", runs())
    stage.config.write_text(text)
    await beside.told("servers removed: everything\n", "grants suspended: 1\n")
    answer, failed = await model.call("call_tool", {"id": SUM, "arguments": {"a": 1, "b": 2}})
    check(failed, "a tool of it is refused", answer)
    await stage.until(lambda: not runs(), "its process ends")
    await beside.time(True)


async def broken(beside, text):
    """What can't be taken is refused as a whole, once, and the old one stays."""
    stage = beside.stage
    refused = stage.log().count(REFUSED)
    say("operator", "makes a slip in the file")
    stage.config.write_text(text.replace('activation = "prompt"', "activation = prompt") + NARROW)
    said = await beside.reload(code=2)
    check(f"{stage.config}:1:" in said and "hint: " in said, "the command says where the slip is", said)
    await beside.time(True)
    await beside.logged(REFUSED, refused + 1)
    refused = stage.log().count(REFUSED)
    say("operator", "removes the file")
    stage.config.unlink()
    await beside.logged(REFUSED, refused + 1)
    await beside.time(True)
    stage.config.write_text(text)
    check("nothing changed" in await beside.reload(), "the file is back as it was")


async def under(stage):
    text = stage.config.read_text()
    async with stage.client(Person(YES)) as model:
        beside = Beside(stage, model)
        answer, failed = await activate(model, TIME)
        check(not failed, "a yes activates", answer)
        await model.changed(1)
        host, session = await stage.host_process(), await stage.only_session()
        await narrowed(beside, text)
        await signalled(beside, host)
        await grown(beside, host)
        await broken(beside, text)
        check((host, session) == (await stage.host_process(), await stage.only_session()), "host and session are the same")
    await stage.end_host()
    await stage.until(lambda: not stage.hosts(), "no host runs")
    check("no host runs" in await beside.reload(code=4), "without a host there is nothing to reload")


if __name__ == "__main__":
    options = arguments(__doc__, ["under"])
    stage = Stage(options, servers=["time"])
    sys.exit(perform(stage, under(stage), options.case))
