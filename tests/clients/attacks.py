"""Plays hostile inputs of a model and its client, by number: enforcement, ids and sessions.

    attacks.py --host target/debug/agent-host --tools target/tools --case 1

Each case is one entry of the list in `spec/attacks.md`, on the built host over its real pipes, or with `--http` at its endpoint: what is written
is bytes of this script, what comes back is read as it comes. Not every case is one over HTTP; `tests/src/scenario/attacks.rs` says which. Exit code 0 where all went as it must, 1 otherwise, with the reason.
"""

import json
import re

from main_job import BUILTINS
from play import check
from wire import ERAS, LEGACY, MODERN, YES, Door, Play, asks_operator, failed, granted, main, nobody, ran, refused, text, untouched

ECHO = "mcp:plain/echo"
ID = re.compile(r"[srk]_[0-9a-f]{32}")


def bare(answer):
    return {key: value for key, value in answer.items() if key != "id"}


def without_activation(options):
    play = Play(options)
    with play.played():
        for era in ERAS:
            client = play.serve(era, forms=True)
            check(set(client.names()) == BUILTINS, "a fresh session is listed the builtins")
            check(ECHO in text(client.tool("search_tools", query="echo")), "the tool is found")
            there, not_there = [client.tool(name, at=1) for name in ("plain__echo", "nobody__nothing")]
            check(bare(there) == bare(not_there), "a tool that is not active is answered as one that does not exist", [there, not_there])
            refused(there)
            nobody(play, client)
            play.leaves(client)
        untouched(play)
        check(play.does("audit", "show").count("  refused  ") >= 2, "each session's refusals are on record")


def beside_the_client(options):
    """Somebody with the user's id, and whatever that client was started with: a session of their own, and no more."""
    play = Play(options, activation="auto", rules='[[rule]]\ntools = ["mcp:plain/other"]\ndecision = "prompt"\n')
    with play.played():
        client = play.serve(more=["--session", "mine"])
        granted(client.activate(ECHO))
        mine = play.session()
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "plain__echo", "arguments": {}}}
        for line in [call, [call], b"", b"POST / HTTP/1.1\r\n\r\n", b"[" * 50_000]:
            answer = asks_operator(play, line if isinstance(line, bytes) else json.dumps(line).encode())
            check(answer is None or answer["is"] == "failed", "the operators' socket runs no tool", answer)
        for said in [{"door": 2}, {"door": 0}, {"config": "/etc/passwd"}, {"session": mine}, {"token": mine}, {"resume": mine}, {"resume": [mine]}]:
            door = Door(play, **said)
            check("refused" in door.welcome, "what is not a client's first line is refused", door.welcome)
            door.close()
        untold = play.does("sessions")
        for said in [{}, {"name": "mine"}, {"resume": [mine, "0" * 32]}, {"resume": [mine, mine]}, {"principal": "local:0"}]:
            door = Door(play, **said)
            check(door.welcome["session"] != mine, "it is in a session of its own", door.welcome)
            refused(door.call("plain__echo"), "not active")
            refused(door.exchange(call | {"params": {"name": "call_tool", "arguments": {"id": ECHO, "arguments": {}}}}), "not active")
            door.close()
        client.wait(lambda: play.does("sessions") == untold, "none of it is left, and the client's session as it was")
        beside = play.serve(more=["--session", "mine"])
        check(set(beside.names()) == BUILTINS, "a second client is listed the builtins")
        refused(beside.run(ECHO), "not active")
        check(text(beside.activate("mcp:plain/other")).startswith("pending"), "what needs a person needs one")
        untouched(play)
        ran(client.run(ECHO), 1)


def beside_with_its_token(options):
    """Somebody with the client's token, as its configuration has it: conversations of their own, and no more."""
    play = Play(options, activation="auto", rules='[[rule]]\ntools = ["mcp:plain/other"]\ndecision = "prompt"\n')
    with play.played():
        for era in ERAS:
            client, before = play.serve(era), play.count("plain")
            granted(client.activate(ECHO))
            for other in ERAS:
                beside = play.serve(other, beside=client)
                check(set(beside.names()) == BUILTINS, "whoever has the token is listed the builtins")
                for call in [beside.tool("plain__echo"), beside.run(ECHO), beside.tool("call_tool", id=ECHO, arguments={}, approved=True)]:
                    refused(call)
                check(text(beside.activate("mcp:plain/other")).startswith("pending"), "what needs a person needs one")
                if other == MODERN:
                    for handle in [None, "", "mine", f"k_{7:032x}", beside.way.handle[:-1]]:
                        beside.way.handle = handle
                        refused(beside.run(ECHO), "is missing|is unknown|invalid arguments")
                else:
                    for session in [None, "", "mine", f"{7:032x}", beside.way.session[:-1]]:
                        beside.way.session = session
                        refused(beside.run(ECHO))
            check(play.count("plain") == before, "nothing was sent")
            ran(client.run(ECHO))
            play.leaves(client)


def other_machines(options):
    """No address that others reach is listened on in the clear."""
    play = Play(options)
    with play.played():
        for at in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"]:
            said = play.does("run", "--http", at, code=2)
            check("TLS" in said and "hint: " in said and "come to" not in said, "it says why, and what to do", said)
        check(not play.hosts(), "nothing listens")


def grants_of_another_session(options):
    play = Play(options, activation="auto")
    with play.played():
        for era in ERAS:
            first, second = play.serve(era), play.serve(era)
            granted(first.activate(ECHO))
            before = play.count("plain")
            for call in [second.tool("plain__echo"), second.run(ECHO)]:
                refused(call)
            check(set(second.names()) == BUILTINS and second.changes() == 0, "the other hears and sees nothing of it", second.heard)
            check(play.count("plain") == before, "nothing was sent")
            ran(first.run(ECHO))
            play.leaves(first)
            refused(second.run(ECHO), "not active")
            play.leaves(second)


def call_tool_is_no_way_round(options):
    play = Play(options)
    with play.played():
        for era in ERAS:
            client = play.serve(era, forms=True)
            refused(client.run(ECHO, at=1), "not active")
            refused(client.tool("call_tool", id=ECHO, arguments={}, approved=True), "invalid arguments")
            refused(client.tool("call_tool", id="mcp:nobody/nothing", arguments={}), "not active")
            nobody(play, client)
            play.leaves(client)
        untouched(play)


def builtins_are_no_ids(options):
    play = Play(options, activation="auto")
    with play.played():
        client = play.serve(forms=True)
        granted(client.activate(ECHO))
        for id in ["call_tool", "activate_tools", "builtin:activate_tools", "builtin:call_tool"]:
            inner = {"id": ECHO, "arguments": {}}
            refused(client.tool("call_tool", id=id, arguments=inner), "not called through call_tool|no such tool|not active")
            refused(client.activate(id), "no such tool")
        deep = {"id": ECHO, "arguments": {}}
        for _ in range(30):
            deep = {"id": "call_tool", "arguments": deep}
        refused(client.tool("call_tool", **deep))
        nobody(play, client)
        untouched(play)


def ids_are_not_guessed(options):
    seen, states = [], []
    for _ in range(3):
        play = Play(options)
        with play.played():
            client = play.serve()
            session = play.session()
            requests = []
            for at in range(2):
                answer = client.activate(f"mcp:plain/tool_{at}")
                requests += [found for found in ID.findall(text(answer)) if found.startswith("r_")][:1]
                [question] = play.waiting()
                check(question["id"] == requests[-1], "the model is told the request's id", question)
                play.does("deny", question["id"], "--yes", "--expect", question["digest"])
            seen += [session, *requests]
            # What was there and what never was are answered in the same words.
            for words, old, fresh in [
                (["approve", "{}", "--yes", "--expect", "0" * 64], requests[0], f"r_{7:032x}"),
                (["deny", "{}"], requests[1], f"r_{7:032x}"),
                (["session", "{}"], f"s_{8:032x}", f"s_{7:032x}"),
                (["why", "{}", ECHO], f"s_{8:032x}", f"s_{7:032x}"),
            ]:
                said = [play.does(*[word.format(id) for word in words], code=None).replace(id, "ID") for id in (old, fresh)]
                check(words[0] in ("approve", "deny") or said[0] == said[1], "no unknown id is told from another", said)
            play.leaves(client)
            for _ in range(3):
                door = Door(play)
                check(re.fullmatch("[0-9a-f]{32}", door.welcome["key"]), "a key is 128 bits", door.welcome)
                seen += [door.welcome["session"], f"k_{door.welcome['key']}"]
                door.close()
            modern = play.serve(MODERN, forms=True)
            asked = modern.activate(ECHO)["result"]
            states.append(asked["requestState"])
            for forged in ["", "0", "1", states[-1][:-1], states[-1][::-1], f"{1:032x}"]:
                call = {"name": "activate_tools", "arguments": {"tools": [ECHO]}, "requestState": forged, "inputResponses": {"approve": YES}}
                refused(modern.request("tools/call", call), "is to no question that was asked here")
    numbers = [int(id[2:], 16) for id in seen]
    check(all(ID.fullmatch(id) for id in seen) and len(set(numbers)) == len(numbers), "ids are 128 bits, and no two the same", seen)
    halves = [half for number in numbers for half in (number >> 64, number & (2**64 - 1))]
    check(len(set(halves)) == len(halves) and all(half.bit_length() > 32 for half in halves), "neither half of one is a count or a time", seen)
    check(len(set(states)) == 3 and all(len(state) > 40 for state in states), "states are no counts", states)


def what_ended_is_worth_nothing(options):
    play = Play(options, activation="auto")
    with play.played():
        first = play.serve()
        granted(first.activate(ECHO))
        ran(first.tool("plain__echo"), 1)
        old = play.session()
        play.leaves(first)
        for era, more in [(LEGACY, []), (MODERN, ["--session", old])]:
            client = play.serve(era, more=more)
            session = play.session()
            check(session != old, "a client that comes is in a session of its own", session)
            check(set(client.names()) == BUILTINS, "and holds nothing")
            refused(client.run(ECHO), "not active")
            for id in (old, f"s_{1:032x}"):
                for words in (["session", id], ["revoke", id, ECHO], ["why", id, ECHO]):
                    said = play.does(*words, code=4)
                    check("is not a session of this host" in said, "an ended session is one that never was", said)
            play.leaves(client)
        door = Door(play)
        session, key = door.welcome["session"], door.welcome["key"]
        granted(door.call("activate_tools", tools=[ECHO]))
        door.close()
        client.wait(lambda: play.sessions() == [], "a session ends with its client", read=False)
        for resume in ([session, key], [session, "0" * 32], [f"s_{1:032x}", key], [old, key]):
            door = Door(play, resume=resume)
            check(door.welcome["session"] not in (session, old) and door.welcome["key"] != key, "a key that was good opens nothing", door.welcome)
            refused(door.call("plain__echo"), "not active")
            door.close()
        client = play.serve()
        client.way.kill()
        client = play.serve()
        refused(client.run(ECHO), "not active")
        check(play.count("plain") == 1, "no other call reached the server", play.count("plain"))


def revoked_live(options):
    play = Play(options, activation="auto", servers=["held"])
    with play.played():
        other = play.serve()
        granted(other.activate("mcp:held/echo"))
        [theirs] = play.sessions()
        client = play.serve()
        granted(client.activate("mcp:held/echo", "mcp:held/other"))
        client.wait(client.changes, "the client is told of its list")
        [session] = [id for id in play.sessions() if id != theirs]
        flies = client.send("tools/call", {"name": "held__echo", "arguments": {"at": 1}})
        client.wait(lambda: play.count("held") == 1, "the call is on its way")
        told = client.changes()
        said = play.does("revoke", session, "mcp:held/echo")
        check(re.search(r"still running: c_[0-9a-f]{32}", said), "the operator is told that a call runs", said)
        queued = client.send("tools/call", {"name": "held__echo", "arguments": {"at": 2}})
        refused(client.answer(queued), "revoked")
        refused(client.run("mcp:held/echo"), "revoked")
        check(client.changes() == told + 1, "the client is told once", client.heard)
        play.mark("held.go")
        late = client.answer(flies)
        check("its late result" in text(late), "a late result is marked", late)
        check(play.count("held") == 1, "nothing but the first call reached the server", play.count("held"))
        ran(client.tool("held__other"), 2)
        (play.folder / "held.go").unlink()
        flies = client.send("tools/call", {"name": "held__other", "arguments": {}})
        client.wait(lambda: play.count("held") == 3, "the third call is on its way")
        play.does("revoke", session, "mcp:held/other", "--running", "cancel")
        refused(client.answer(flies))
        play.mark("held.go")
        client.settle()
        check(client.changes() == told + 2 and set(client.names()) == BUILTINS, "the client is told of the second as well", client.heard)
        ran(other.run("mcp:held/echo"))
        check(other.changes() == 1 and len(other.names()) == 6, "the other client hears nothing, and keeps its tool", other.heard)


def revoked_before_its_server_is_there(options):
    """The call waits for its server's start: that is the queue."""
    play = Play(options, activation="auto", servers=["held"])
    with play.played():
        play.does("sync")
        client = play.serve()
        granted(client.activate("mcp:held/echo"))
        play.mark("held.slow")
        session, starts = play.session(), play.count("held", "starts")
        waits = client.send("tools/call", {"name": "held__echo", "arguments": {}})
        client.wait(lambda: play.count("held", "starts") > starts, "its server is started")
        play.does("revoke", session, "mcp:held/echo")
        play.mark("held.started")
        play.mark("held.go")
        refused(client.answer(waits), "revoked")
        untouched(play, "held")


def stale_list(options):
    play = Play(options, activation="auto")
    with play.played():
        for era in ERAS:
            client = play.serve(era)
            granted(client.activate(ECHO))
            listed = client.request("tools/list", {})["result"]
            check(era == LEGACY or (listed["ttlMs"] == 0 and listed["cacheScope"] == "private"), "no list is to be kept", listed)
            before = play.count("plain")
            play.does("revoke", play.session(), ECHO)
            calls = [client.run(ECHO)] + ([client.tool("plain__echo")] if era == LEGACY else [])
            [refused(call, "was revoked by an operator") for call in calls]
            check(play.count("plain") == before, "nothing was sent")
            play.leaves(client)


def over_asking(options):
    play = Play(options, activation="auto")
    with play.played():
        client = play.serve(forms=True)
        many = [f"mcp:plain/tool_{at}" for at in range(48)]
        for tools, pattern in [
            ([f"mcp:plain/{at}" for at in range(10_000)], "invalid arguments"),
            (many[:17], "invalid arguments"),
            ([], "invalid arguments"),
            (["*"], "no such tool"),
            (["mcp:plain/*"], "no such tool"),
            (["plain__*"], "no such tool"),
            (["mcp:*/echo"], "no such tool"),
            (["^mcp:plain/.*$"], "no such tool"),
            (["plain"], "no such tool"),
            (["plain__echo"], "no such tool"),
            ([f" {ECHO}"], "no such tool"),
            ([ECHO.upper()], "no such tool"),
            ([ECHO, "mcp:plain/nothing"], "no such tool"),
            ([[ECHO]], "invalid arguments"),
            ([[[[[[ECHO]]]]]], "invalid arguments"),
            ([{"id": ECHO}], "invalid arguments"),
            ([None], "invalid arguments"),
            ([7], "invalid arguments"),
            (ECHO, "invalid arguments"),
            ({"0": ECHO}, "invalid arguments"),
            (["x" * 1_000_000], "no such tool|invalid arguments"),
        ]:
            answer = client.tool("activate_tools", tools=tools)
            refused(answer, pattern)
            check(len(text(answer)) < 8 * 1024, "the answer is short", len(text(answer)))
        check(set(client.names()) == BUILTINS, "nothing became active")
        granted(client.activate(ECHO, ECHO, ECHO))
        check(len(client.names()) == 6, "what is named three times is one")
        granted(client.activate(*many[:16]))
        granted(client.activate(*many[16:32]))
        refused(client.activate(*many[32:40]), "at most 40 can be")
        granted(client.activate(*many[32:39]))
        refused(client.activate(many[39]), "at most 40 can be")
        check(len(client.names()) == 45, "forty are active", client.names())
        nobody(play, client)
        untouched(play)


def activation_flood(options):
    play = Play(options, wait="25s")
    with play.played():
        client = play.serve(forms=True)
        first = client.send("tools/call", {"name": "activate_tools", "arguments": {"tools": [ECHO]}})
        form = client.question()
        others = [client.send("tools/call", {"name": "activate_tools", "arguments": {"tools": [f"mcp:plain/tool_{at}"]}}) for at in range(20)]
        for other in others:
            refused(client.answer(other), "another request")
        check(len(play.waiting()) == 1 and not client.asked, "one waits", client.asked)
        client.reply(form["id"], {"action": "decline"})
        refused(client.answer(first), "a person said no")
        for _ in range(50):
            refused(client.activate(ECHO), "will not be asked again")
        nobody(play, client)
        asked = 1
        for at in range(20):
            sent = client.send("tools/call", {"name": "activate_tools", "arguments": {"tools": [f"mcp:plain/tool_{at}"]}})
            client.wait(lambda: client.asked or sent in client.answers, "it is asked or refused")
            if not client.asked:
                refused(client.answer(sent), "too many questions")
                continue
            asked += 1
            client.reply(client.asked.pop()["id"], {"action": "cancel"})
            refused(client.answer(sent), "ended without a yes")
        check(asked == 10, "ten questions a minute at the most", asked)
        untouched(play)
        play.leaves(client)
        play.does("audit", "verify")
        shown = play.does("audit", "show")
        check(shown.count("denied") >= 1 and "refused" in shown, "refusals are on record", shown[-500:])


CASES = {
    "1": without_activation,
    "2": lambda options: (beside_with_its_token if options.http else beside_the_client)(options),
    "3": call_tool_is_no_way_round,
    "4": builtins_are_no_ids,
    "6": ids_are_not_guessed,
    "8": grants_of_another_session,
    "9": what_ended_is_worth_nothing,
    "11": revoked_live,
    "11-queued": revoked_before_its_server_is_there,
    "12": stale_list,
    "16": over_asking,
    "17": activation_flood,
    "59": other_machines,
}

if __name__ == "__main__":
    main(__doc__, CASES)
