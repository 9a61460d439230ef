"""Plays the official conformance suite against the host, over HTTP, with `tests/servers/suite.py` behind it.

    conformance.py --host target/debug/agent-host --tools target/tools --case legacy

Each case is every scenario that the suite has for an era, pending ones too, `-far` with its server behind a URL in place of pipes. The
suite knows nothing of a gateway, so a profile has its tools active from the start, under the names it calls. It brings no credential but the
URL. `tests/data/conformance-ERA.yml` lists what is not passed, each line with the reason; the suite fails where a line is missing, and
where one is passed.

A legacy client has its session whatever the profile says of sessions. A modern one calls by name only where its credential names its
conversation. `modern-handle` is the same with the default, where a handle does: what the suite would call by name is not there then.
"""

import asyncio
import json
import sys
from contextlib import AsyncExitStack
from pathlib import Path

from far import Server
from play import arguments, check, perform, say
from remote import Remote
from stage import lines

TESTS = Path(__file__).parents[1]
sys.path.append(str(TESTS / "servers"))
from suite import RESULTS  # noqa: E402

VERSIONS = {"legacy": "2025-11-25", "modern": "2026-07-28"}
WAIT = 300


def ids():
    return {f"mcp:suite/{name}": name for name in RESULTS}


def expected(case):
    """Which list a case is held against. Where a server is, and how a legacy client's session is named, makes no difference."""
    return case if case == "modern-handle" else case.partition("-")[0]


def unmet(results):
    """A line for each check that was not met, by scenario."""
    for path in sorted(results.glob("*/checks.json")):
        for held in json.loads(path.read_text()):
            if held["status"] in ("FAILURE", "WARNING"):
                yield f"{path.parent.name[7:-25]}:{held['id']} {held['status']} {held.get('errorMessage')}"


async def conformance(stage, case):
    era, _, how = case.partition("-")
    program = [sys.executable, "-B", TESTS / "servers/suite.py", stage.folder]
    relayed = {"era": "legacy", "prompts": True, "resources": True}
    if how == "far":
        far = Server(stage, [sys.executable, "-B", TESTS / "servers/over_http.py", "PORT", *program])
        await far.start()
        stage.add("suite", {"url": far.url(), "private": True} | relayed)
    else:
        stage.add("suite", {"command": str(program[0]), "args": [*map(str, program[1:])]} | relayed)
    stage.append("\n[names]\n" + "".join(f'"{id}" = "{name}"\n' for id, name in ids().items()))
    stage.append(f"\n[profiles.suite]\n{lines({'presets': list(ids())})}\n[profiles.suite.http]\nsession = \"{'handle' if how == 'handle' else 'credential'}\"\n")
    async with stage.running_host(), AsyncExitStack() as left:
        if how == "far":
            left.callback(far.kill)
        secret, _ = await stage.token("suite", "--profile", "suite", "--url")
        modules = stage.tools / "node/node_modules"
        words = ["server", "--url", stage.url.replace("/mcp", f"/s/{secret}/mcp"), "--suite", "all", "--spec-version", VERSIONS[era]]
        words += ["--expected-failures", str(TESTS / f"data/conformance-{expected(case)}.yml"), "--output-dir", str(stage.folder / "results")]
        program = [modules / ".bin/node", modules / "@modelcontextprotocol/conformance/dist/index.js"]
        pipe = asyncio.subprocess.PIPE
        suite = await asyncio.create_subprocess_exec(
            *map(str, program), *words, cwd=stage.work, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=asyncio.subprocess.STDOUT
        )
        told, _ = await asyncio.wait_for(suite.communicate(), WAIT)
        for line in unmet(stage.folder / "results"):
            say("suite", line)
        say("suite", told.decode().partition("=== SUMMARY ===")[2])
        check(suite.returncode == 0, "the suite finds what is expected", suite.returncode)
        check(how == "handle" and era == "modern" or stage.noted("suite", "calls") > 0, "its tools were called")
    check(secret not in stage.log(), "the credential is nowhere in what the host says")


CASES = ["legacy", "modern", "legacy-handle", "modern-handle", "legacy-far", "modern-far"]


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    stage = Remote(options, servers=[], activation="auto", surface="dynamic")
    sys.exit(perform(stage, conformance(stage, options.case), options.case))
