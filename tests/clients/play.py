"""What every play is made of: what it says, what it checks, its command line and its end.

What is said is printed as it is said. A check that does not hold raises `Off`, with what the conversation needed and got. A play's
exit code is 0 where all went as it must, 1 otherwise, with the reason.
"""

import argparse
import asyncio
import sys
import textwrap


class Off(Exception):
    """The conversation went another way than it must."""


def check(holds, needed, got=""):
    if not holds:
        raise Off(f"{needed}" + (f"; got: {got}" if got != "" else ""))


def say(who, text):
    """One line of the transcript, wrapped at spaces."""
    wrap = textwrap.TextWrapper(104, drop_whitespace=False, break_long_words=False, break_on_hyphens=False)
    lines = [part for line in str(text).splitlines() for part in (wrap.wrap(line) or [""])]
    for at, line in enumerate(lines or [""]):
        print(f"{who if at == 0 else '':>9}  {line}".rstrip(), flush=True)


def arguments(doc, cases, several=False, flags=()):
    """The command line of a play: where the programs are, which of its cases is played, the first one without a word, and flags of its own."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", required=True, help="the agent-host binary")
    parser.add_argument("--tools", required=True, help="the folder that tests/tools/install filled")
    parser.add_argument("--standalone", action="store_true", help="a host in each client's process, and no shared one")
    for flag, about in dict(flags).items():
        parser.add_argument(f"--{flag}", action="store_true", help=about)
    how = {"nargs": "+", "required": True} if several else {"default": next(iter(cases))}
    parser.add_argument("--case", choices=cases, metavar="CASE", help=", ".join(cases), **how)
    return parser.parse_args()


def perform(stage, conversation, name):
    """Plays a conversation on its stage to the exit code. No process of it is left afterwards."""

    async def play():
        try:
            await conversation
            await stage.close()
            say("", f"all as it must be ({name})")
        except BaseException:
            print(stage.log()[-8000:], file=sys.stderr)
            raise
        finally:
            stage.clear()

    return run(play())


def run(play):
    """Runs a play to its exit code."""
    try:
        asyncio.run(play)
    except BaseException as error:
        for part in parts(error):
            kind = "" if isinstance(part, Off) else f"{type(part).__name__}: "
            print(f"OFF: {kind}{part}", file=sys.stderr)
        return 1
    return 0


def parts(error):
    """The errors of a group, however deep they lie in it."""
    return [leaf for inner in error.exceptions for leaf in parts(inner)] if hasattr(error, "exceptions") else [error]
