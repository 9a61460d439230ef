"""Plays clients over HTTP that give a call up by closing its stream.

    given_up.py --host target/debug/agent-host --tools target/tools --case direct --http

The server behind the host never answers, and notes what it is told. Each case is a way that a call of the modern era takes inside of
the host. In the legacy era a stream that is closed says nothing of its call, which goes on; a notice gives it up.
"""

from play import check
from wire import LEGACY, MODERN, Play, granted, main, refused

HUNG = "mcp:hung/echo"


def told(play):
    return play.noted("hung", "cancelled")


def begun(play, client, **meta):
    """A call that runs at its server; gives its id."""
    before = play.noted("hung", "calls")
    call = {"name": "call_tool", "arguments": {"id": HUNG, "arguments": {}}}
    sent = client.send("tools/call", call | ({"_meta": meta} if meta else {}))
    client.wait(lambda: play.noted("hung", "calls") == before + 1, "the call is on its way")
    return sent


def recorded(play):
    """How many calls have ended without anybody knowing what came of them, as the records have it."""
    return play.does("audit", "show").count('"end":"outcome-unknown"')


def gives_up(play, client, sent, how):
    at, ends = told(play), recorded(play)
    how(sent)
    client.wait(lambda: told(play) == at + 1, "its server is told", read=False)
    client.wait(lambda: recorded(play) == ends + 1, "and the record says that nobody knows what came of it", read=False)
    check(sent not in client.answers, "nothing more was answered", client.answers)


def stage(options, more=""):
    play = Play(options, activation="auto", servers=[], rules=more)
    play.play_hostile("hung")
    return play


def modern(options, more="", **meta):
    play = stage(options, more)
    with play.played():
        client = play.serve(MODERN)
        granted(client.activate(HUNG))
        for _ in range(2):
            gives_up(play, client, begun(play, client, **meta), client.way.close)
        refused(client.run("mcp:hung/nothing"), "not active")
        check(told(play) == 2 and play.noted("hung", "calls") == 2, "each call is given up once, and runs once")


def direct(options):
    modern(options)


def progress(options):
    """Who wants to hear how far it is takes the way of rmcp."""
    modern(options, progressToken="p")


def credential(options):
    """As does a conversation of a credential."""
    modern(options, 'profile = "one"\n[profiles.one.http]\nsession = "credential"\n')


def legacy(options):
    play = stage(options)
    with play.played():
        client = play.serve(LEGACY)
        granted(client.activate(HUNG))
        sent = begun(play, client)
        client.way.close(sent)
        other = begun(play, client)
        gives_up(play, client, other, lambda id: client.notify("notifications/cancelled", {"requestId": id}))
        check(told(play) == 1, "a stream that was closed says nothing of its call")


CASES = {"direct": direct, "progress": progress, "credential": credential, "legacy": legacy}

if __name__ == "__main__":
    main(__doc__, CASES)
