"""Plays what stands beside a host on its machine: the user's browser, and another user's program in the host's place.

    beside_host.py --host target/debug/agent-host --tools target/tools --case opens

opens      `console --open` gives the page's address to the platform's opener, as its one argument; without one it says so
stranger   what listens where the host should is another user's: a client is told so, and sends it nothing. Takes root; else it says that it
           was skipped
"""

import json
import os
import pwd
import socket
import subprocess
import sys

from play import arguments, check, perform, say
from processes import become
from remote import Remote

OPENER = """#!/bin/sh
printf '%s\\n' "$#" "$@" "$PWD" > "{told}.new"
mv "{told}.new" "{told}"
"""


async def opens(stage, _):
    opener, told, path = stage.folder / "bin", stage.folder / "told", os.environ["PATH"]
    opener.mkdir()
    for name in ("xdg-open", "open"):
        (opener / name).write_text(OPENER.format(told=told))
        (opener / name).chmod(0o755)
    async with stage.running_host():
        url = (await stage.operator("console")).strip()
        os.environ["PATH"] = f"{opener}:{path}"
        try:
            check((await stage.operator("console")).strip() == url and not told.exists(), "nothing is opened unasked")
            check((await stage.operator("console", "--open")).strip() == url, "the address is printed as well")
            await stage.until(told.exists, "the opener is run")
            check(told.read_text().splitlines() == ["1", url, "/"], "it is given the address, and nothing else", told.read_text())
            os.environ["PATH"] = str(stage.folder)
            check((await stage.operator("console", "--open")).strip() == url, "without an opener it goes on, and prints the address")
        finally:
            os.environ["PATH"] = path


async def stranger(stage, _):
    if os.geteuid() != 0:
        return say("", "skipped: not root")
    nobody, there = pwd.getpwnam("nobody"), stage.folder / "there"
    there.mkdir()
    os.chown(there, nobody.pw_uid, nobody.pw_gid)
    stage.folder.chmod(0o755)
    stage.state.mkdir(mode=0o700)
    ready, heard = os.pipe(), there / "heard"
    child = os.fork()
    if child == 0:
        try:
            become(nobody)
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(str(there / "client.sock"))
            listener.listen()
            os.write(ready[1], b"1")
            came, _ = listener.accept()
            heard.write_bytes(came.recv(1 << 16))
        finally:
            os._exit(0)
    os.read(ready[0], 1)
    (stage.state / "client.sock").symlink_to(there / "client.sock")
    command, words = stage.command()
    ask = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}}
    done = subprocess.run([command, *words], cwd=stage.work, input=json.dumps(ask).encode() + b"\n", capture_output=True, timeout=60)
    os.waitpid(child, 0)
    said = (done.stdout + done.stderr).decode()
    check(done.returncode != 0 and f"is user {nobody.pw_uid}'s" in done.stderr.decode(), "the client is told whose it is", said)
    check(f"is user {nobody.pw_uid}'s" in done.stdout.decode(), "and so is who asked through it", said)
    check(heard.read_bytes() == b"", "nothing was said to it", heard.read_bytes())


class Served(Remote):
    more = ("--console", "127.0.0.1:0")


CASES = {"opens": opens, "stranger": stranger}

if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    stage = Served(options, servers=[])
    sys.exit(perform(stage, CASES[options.case](stage, options.case), options.case))
