"""Plays hostile inputs of a client, by number: the answers that come back with a call's own state, and a host that is killed meanwhile.

    states.py --host target/debug/agent-host --tools target/tools --case 20

As `attacks.py`. What a client may write in place of such an answer is `consent.py`'s.
"""

import time

from play import check
from wire import ERAS, LEGACY, MODERN, YES, Play, failed, granted, main, nobody, ran, refused, text, untouched

ECHO = "mcp:plain/echo"


def asked(client, *ids):
    """The question to what a modern client wants, in place of a result."""
    result = client.activate(*ids)["result"]
    check(result["resultType"] == "input_required" and "approve" in result["inputRequests"], "it is asked", result)
    return result["requestState"]


def says(client, state, *ids, answer=YES, name="activate_tools"):
    """The same call again, with a person's answer; gives its id."""
    return client.send("tools/call", {"name": name, "arguments": {"tools": list(ids)}, "requestState": state, "inputResponses": {"approve": answer}})


def a_state_is_used_once(options):
    play = Play(options)
    with play.played():
        client = play.serve(MODERN, forms=True)
        state = asked(client, ECHO)
        granted(client.answer(says(client, state, ECHO)))
        ran(client.run(ECHO), 1)
        play.does("revoke", play.session(), ECHO)
        for _ in range(2):
            refused(client.answer(says(client, state, ECHO)), "used already")
        refused(client.run(ECHO), "revoked")
        other = "mcp:plain/other"
        state = asked(client, other)
        both = [client.answer(at) for at in [says(client, state, other), says(client, state, other)]]
        check(sum("used already" in text(answer) for answer in both) == 1, "of two at once one counts", both)
        refused(client.answer(says(client, state, other, answer={"action": "decline"})), "used already")
        nobody(play, client)
        check(play.count("plain") == 1, "nothing else ran")


def a_state_of_somebody_else(options):
    play = Play(options)
    with play.played():
        client = play.serve(MODERN, forms=True)
        state = asked(client, ECHO)
        [question] = play.waiting()
        strangers = [play.serve(MODERN, forms=True)]
        if play.site:
            strangers += [play.serve(MODERN, forms=True, beside=client), play.serve(MODERN, forms=True, principal="bob")]
        for stranger in strangers:
            refused(stranger.answer(says(stranger, state, ECHO)), "question of another call|no question that was asked here")
            refused(stranger.run(ECHO), "not active")
        for ids in [(ECHO, "mcp:plain/other"), ("mcp:plain/other",), ()]:
            refused(client.answer(says(client, state, *ids)), "question of another call")
        refused(client.answer(says(client, state, ECHO, name="deactivate_tools")), "question of another call")
        for at in range(0, len(state), 5):
            forged = state[:at] + ("A" if state[at] == "B" else "B") + state[at + 1 :]
            refused(client.answer(says(client, forged, ECHO)), "no question that was asked here")
        check([one["id"] for one in play.waiting()] == [question["id"]], "it waits on, and nobody else is asked", play.waiting())
        refused(client.run(ECHO), "not active")
        play.does("deny", question["id"], "--yes", "--expect", question["digest"])
        refused(client.answer(says(client, state, ECHO)))
        refused(client.answer(says(client, state, ECHO)), "used already")
        check(play.waiting() == [], "a yes that comes too late is none")
        untouched(play)


def forged_states(options):
    """A yes of a modern client, to what nobody asked."""
    play = Play(options)
    with play.played():
        client = play.serve(MODERN, forms=True)
        bare = {"name": "activate_tools", "arguments": {"tools": [ECHO]}, "inputResponses": {"approve": YES}}
        result = client.request("tools/call", bare)["result"]
        check(result["resultType"] == "input_required", "without a state it is asked", result)
        for state in ["", "x", "rs1.AAAA.AAAA", "A" * 100_000, play.session(), play.waiting()[0]["id"]]:
            refused(client.answer(says(client, state, ECHO)), "no question that was asked here")
        refused(client.run(ECHO), "not active")
        check(len(play.waiting()) == 1, "it waits on")
        untouched(play)


def a_client_that_accepts_everything(options):
    other = "mcp:plain/other"
    play = Play(options, rules='[[rule]]\ntools = ["mcp:plain/other"]\ndecision = "prompt"\nstrength = "strong"\n')
    with play.played():
        for era in ERAS:
            client = play.serve(era, forms=True)
            pending = client.activate(other)
            check(text(pending).startswith("pending") and "--strong` in a terminal" in text(pending), "a form would not be enough", pending)
            client.settle()
            check(not client.asked, "so none is sent", client.asked)
            if era == LEGACY:
                [client.reply(id, YES) for id in range(8)]
            else:
                for state in ["x", play.waiting()[0]["id"]]:
                    refused(client.answer(says(client, state, other)))
            [question] = play.waiting()
            play.does("approve", question["id"], "--yes", "--expect", question["digest"], code=None)
            check(len(play.waiting()) == 1, "it waits on, for a stronger word than this user's", play.waiting())
            refused(client.run(other), "not active")
            play.leaves(client)
        untouched(play)


def killed_in_between(options):
    """Over HTTP a conversation outlives its host, and what was granted in it."""
    play = Play(options)
    with play.played():
        client, ids = play.serve(MODERN, forms=True), [f"mcp:plain/tool_{at}" for at in range(6)]
        state = asked(client, ECHO)
        play.crash(client)
        refused(client.answer(says(client, state, ECHO)), "no question that was asked here")
        refused(client.run(ECHO), "not active")
        for [old] in [play.waiting()] if play.waiting() else []:
            play.does("deny", old["id"], "--yes", "--expect", old["digest"])
        for at, id in enumerate(ids):
            state, before = asked(client, id), play.count("plain")
            says(client, state, id)
            time.sleep(at * 0.004)
            play.crash(client)
            recorded = len([line for line in play.does("audit", "show").splitlines() if "  granted  " in line and id in line])
            answer = client.run(id)
            check(recorded == (0 if failed(answer) else 1), "it is granted with its record, or not at all", [recorded, answer])
            check(play.count("plain") == before + recorded, "and runs once, or not at all")
            refused(client.answer(says(client, state, id)), "no question that was asked here")
        play.does("audit", "verify")


CASES = {
    "19-modern": forged_states,
    "20": a_state_is_used_once,
    "21": a_state_of_somebody_else,
    "25": a_client_that_accepts_everything,
    "67": killed_in_between,
}

if __name__ == "__main__":
    main(__doc__, CASES)
