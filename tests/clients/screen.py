"""A person at a terminal of their own: a pseudo-terminal with agent-host in it."""

import asyncio
import fcntl
import os
import pty
import select
import subprocess
import termios
import time

from play import check, say

WAIT = 20


class Terminal:
    """A terminal with a program in it: what is typed goes in as bytes, what is shown is kept as bytes."""

    def __init__(self, argv, cwd, typed=b"", env=None):
        self.fd, inside = pty.openpty()
        if typed:
            os.write(self.fd, typed)

        def own():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        say("person", " ".join(["agent-host", *argv[1:]]))
        self.process = subprocess.Popen(
            argv, cwd=cwd, env=env, stdin=inside, stdout=inside, stderr=inside, start_new_session=True, preexec_fn=own, close_fds=True
        )
        os.close(inside)
        self.bytes = b""

    def _read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            part = os.read(self.fd, 65536)
        except OSError:  # the other end is gone
            return False
        self.bytes += part
        return bool(part)

    async def sees(self, text, seconds=WAIT):
        """Waits until the text was shown, and returns what was shown since the last time."""
        end = time.monotonic() + seconds
        while text.encode() not in self.bytes:
            alive = await asyncio.to_thread(self._read, 0.1)
            check(alive and time.monotonic() < end, f"the terminal shows {text!r}", self.bytes.decode(errors="replace"))
        shown, _, self.bytes = self.bytes.partition(text.encode())
        shown += text.encode()
        harmless(shown)
        for line in shown.decode().replace("\r", "").splitlines():
            say("", f"| {line}")
        return shown.decode()

    async def quiet(self, seconds):
        """Nothing more is shown for a while, and the program waits."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await asyncio.to_thread(self._read, 0.1)
        check(not self.bytes and self.process.poll() is None, "the program waits", self.bytes)

    def type(self, text):
        os.write(self.fd, text.encode())

    async def ends(self, code):
        """Waits for the end, and returns what was shown until then."""
        while await asyncio.to_thread(self._read, 0.5) and self.process.poll() is None:
            pass
        while self._read(0.1) and select.select([self.fd], [], [], 0)[0]:
            pass
        found = await asyncio.to_thread(self.process.wait, WAIT)
        harmless(self.bytes)
        shown = self.bytes.decode()
        for line in shown.replace("\r", "").splitlines():
            say("", f"| {line}")
        check(found == code, f"it ends with {code}", f"{found}: {shown}")
        os.close(self.fd)
        return shown


def harmless(shown):
    """Byte for byte: lines end with CR LF as the terminal makes them, and nothing else controls it."""
    text = shown.decode()
    plain = text.replace("\r\n", "")
    # What was typed is echoed by the terminal itself: its line feed, and `^C`.
    bad = [c for c in plain if ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 or c in "\u200b\u2028\u2029\u202c\u202e\u2066\u2069\ufeff"]
    check(not bad, "nothing that controls a terminal reaches it", repr(bad))
    check("\nagent-host: approved" not in text.replace("\r", ""), "no line is a stranger's", text)


def terminal(stage, *words, typed=b""):
    """A terminal in which somebody has started agent-host with these words, and has typed something before they could read."""
    return Terminal([stage.host, *words, "--state", str(stage.state)], stage.work, typed)
