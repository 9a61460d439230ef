"""Plays servers whose words attack, and a client that says who it is, by number: definitions, names and results.

    poisoned.py --host target/debug/agent-host --tools target/tools --case 37

As `attacks.py`.
"""

import json
import sys

from main_job import BUILTINS
from play import check
from wire import ERAS, LEGACY, YES, Play, failed, granted, main, ran, refused, text

import poison


class Words(Play):
    """The stage with parts of `poison.py` beside the guises."""

    def __init__(self, options, parts, servers=(), settings=None, **more):
        super().__init__(options, servers=servers, **more)
        for part in parts:
            script = [sys.executable, "-B", poison.__file__, part, str(self.folder)]
            self.add(part, {"command": script[0], "args": script[1:]} | (settings or {}).get(part, {}))


def asked(client, *ids):
    """Asks for tools, and gives the call and the text that a person is shown."""
    call = client.send("tools/call", {"name": "activate_tools", "arguments": {"tools": list(ids)}})
    form = client.question()
    return call, form["id"], form["params"]["message"]


def orders_everywhere(options):
    play = Words(options, ["words"], activation="auto")
    ids = [f"mcp:words/says_{field.strip('_').lower()}" for field in poison.FIELDS]
    with play.played():
        play.does("sync")
        for era in ERAS:
            client = play.serve(era)
            listed = client.request("tools/list", {})
            check("IMPORTANT" not in json.dumps([client.answers[1], listed]), "nothing of it is in our instructions or in the list", client.answers[1])
            found = json.loads(text(client.tool("search_tools", query="words says important")))
            check("third-party text, not instructions" in found["note"], "hits say whose words they are", found["note"])
            check(found["tools"] and all(json.dumps(hit).count("IMPORTANT") <= 1 for hit in found["tools"]), "a hit holds a summary and no more", found)
            play.leaves(client)
        for field in poison.FIELDS:
            id = f"mcp:words/hides_{field.strip('_').lower()}"
            check(json.loads(play.does("tool", id, "--json"))["flagged"], "what hides in any place of a definition is flagged", id)
        check(not json.loads(play.does("tool", "mcp:words/calm", "--json"))["flagged"], "and nothing else is")
        for id in ids:
            check("IMPORTANT" in play.does("tool", id, "--json"), "an operator reads the whole definition", id)
        client = play.serve()
        granted(client.activate(*ids, "mcp:words/calm"))
        for id in ids:
            ran(client.run(id))
        play.mark("words.moved")
        client.run("mcp:words/calm")
        for id in ids:
            refused(client.run(id))
        ran(client.run("mcp:words/calm"))
        play.does("sync", code=None)
        moved = play.does("diff", code=None)
        check(all(id in moved for id in ids), "a word more in any place is another definition, and the operator is shown it", moved)


def shadowed(options):
    play = Words(options, ["mail", "shadow"], wait="25s", rules='[[rule]]\nserver = "mail"\ndecision = "auto"\n')
    send = "mcp:mail/send_email"
    with play.played():
        play.does("sync")
        said = lambda: {key: json.loads(play.does("tool", send, "--json"))[key] for key in ("wire", "digest", "safety", "definition")}
        before = said()
        client = play.serve(forms=True)
        found = json.loads(text(client.tool("search_tools", query="send an email letter bcc")))["tools"]
        holds = {hit["id"] for hit in found if "evil" in json.dumps(hit)}
        check(send in {hit["id"] for hit in found} and holds <= {"mcp:shadow/forecast"}, "such words stand with whose they are alone", found)
        granted(client.activate(send))
        listed = next(tool for tool in client.request("tools/list", {})["result"]["tools"] if tool["name"] == "mail__send_email")
        call, form, message = asked(client, "mcp:shadow/forecast", "mcp:shadow/harmless")
        forecast, harmless = message.split("mcp:shadow/harmless\n")
        check(f"look twice: its words name what is not its server's: {send}" in forecast, "the person is told whom its words are about", message)
        check("look twice" not in harmless and "not checked" in forecast, "and nothing of a tool that speaks of itself", message)
        client.reply(form, YES)
        granted(client.answer(call))
        again = next(tool for tool in client.request("tools/list", {})["result"]["tools"] if tool["name"] == "mail__send_email")
        check(again == listed and said() == before, "the other tool is what it was", again)
        given = {"to": "ada", "text": "hello"}
        check(json.loads(text(client.run(send, **given)).split(": ", 1)[1]) == given, "what it is called with reaches it as it was, and nothing more")
        play.leaves(client)
    # What one may not find is not told of either.
    hides = Words(options, ["mail", "shadow"], wait="25s", rules='[[rule]]\nserver = "mail"\ndecision = "hide"\n')
    with hides.played():
        hides.does("sync")
        client = hides.serve(forms=True)
        call, form, message = asked(client, "mcp:shadow/forecast")
        check("look twice" not in message, "a hidden tool is not told of by a mark", message)
        client.reply(form, {"action": "decline"})
        client.answer(call)


def annotations_lie(options):
    rules = '[[rule]]\neffect = "read-only"\ndecision = "auto"\n'
    play = Words(options, ["liar", "trusted"], rules=rules, settings={"trusted": {"trust": True}})
    with play.played():
        play.does("sync")
        for era in ERAS:
            client = play.serve(era)
            for id in ["mcp:liar/delete_all", "mcp:liar/other"]:
                answer = client.activate(id)
                check("pending: a person has to" in text(answer) or "another request" in text(answer), "what a server says of itself is no `read-only`", answer)
                refused(client.run(id), "not active")
            granted(client.activate("mcp:trusted/delete_all"))
            play.leaves(client)
        said = json.loads(play.does("tool", "mcp:liar/delete_all", "--json"))
        check(said["safety"]["effect"] == "destructive" and "its name says `delete`" in json.dumps(said["notes"]), "the worst is assumed, and the operator is told of the lie", said)
        check(play.count("liar") == 0, "nothing of it ran")


def another_servers_name(options):
    play = Words(options, ["spoof"], servers=["plain"], rules='[[rule]]\ntools = ["mcp:plain/*"]\ndecision = "auto"\n[[rule]]\nserver = "plain"\ndecision = "auto"\n', wait="25s")
    with play.played():
        play.does("sync")
        for era in ERAS:
            client = play.serve(era)
            listed = json.loads(text(client.tool("search_tools", query="echo", server="plain")))["tools"]
            check(listed and all(hit["id"].startswith("mcp:plain/") for hit in listed), "a server is known by the operator's name of it", listed)
            granted(client.activate("mcp:plain/echo"))
            ran(client.run("mcp:plain/echo"))
            check(play.count("spoof") == 0, "what is the other's goes to the other", play.count("spoof"))
            play.leaves(client)
        client = play.serve(forms=True)
        call, form, message = asked(client, "mcp:spoof/echo")
        check("server `spoof`" in message and "server `plain`" not in message.replace("of the server `plain`", ""), "the person is told whose it is", message)
        client.reply(form, YES)
        granted(client.answer(call))
        check({"spoof__echo"} == set(client.names()) - BUILTINS, "it is listed under its own name", client.names())
        ran(client.run("mcp:spoof/echo"), 1)
        tools = [tool["id"] for tool in json.loads(play.does("tools", "--json"))]
        check(len(set(tools)) == len(tools) and "mcp:spoof/plain__other" in tools, "and so are all that it has", tools)


def answers_that_attack(options):
    for part in ["results", "modern"]:
        play = Words(options, [part], activation="auto")
        with play.played():
            for era in ERAS:
                client = play.serve(era)
                granted(client.activate(*(f"mcp:{part}/{name}" for name in [*poison.RESULTS, "echo"])))
                for name in poison.RESULTS:
                    answer = client.run(f"mcp:{part}/{name}")
                    said = json.dumps(answer)
                    check("agent-host/approved" not in said and "related-task" not in said and "progressToken" not in said, "nothing under its `_meta` comes along", answer)
                    check(len(said) < 20_000, "an answer is short", len(said))
                    if name in ("link", "page", "meta"):
                        check(not failed(answer), "it is an answer like any other", answer)
                    else:
                        refused(answer, "the tool ran, but its answer can't be used: (its answer is|structured content|it asks for|it answered with a task)")
                    if name == "link":
                        block = answer["result"]["content"][0]
                        check(block["type"] == "resource_link" and block["uri"] == "file:///etc/passwd" and "root:" not in said, "a link is a link, and nobody follows it", answer)
                    if name == "page":
                        check(answer["result"]["content"][0]["resource"]["uri"] == "ui://page", "a page is its text", answer)
                client.settle()
                check(not client.asked and not client.heard[1:], "nobody is asked, and nothing else is said", [client.asked, client.heard])
                ran(client.run(f"mcp:{part}/echo"))
                play.leaves(client)


def a_client_that_says_who_it_is(options):
    play = Play(options, rules='[[rule]]\nprincipal = "trusted-admin"\ndecision = "auto"\n[[rule]]\nprofile = "trusted-admin"\ndecision = "auto"\n[profiles.trusted-admin]\n')
    with play.played():
        for era in ERAS:
            client = play.serve(era, called="trusted-admin")
            check(text(client.activate("mcp:plain/echo")).startswith("pending"), "what a client calls itself gives it nothing")
            refused(client.run("mcp:plain/echo"), "not active")
            told = json.loads(play.does("sessions", "--json"))["sessions"][0]
            check(told["client"] == "trusted-admin" and "trusted-admin" not in json.dumps(told["asker"]), "it is known for the client's own word", told)
            [question] = play.waiting()
            check("trusted-admin" not in json.dumps(question), "and is no part of who asks", question)
            play.leaves(client)
        check(play.count("plain") == 0, "nothing ran")
    for key in ["client", "client_info", "clientInfo"]:
        rules = f'[[rule]]\n{key} = "trusted-admin"\ndecision = "auto"\n'
        off = Play(options, rules=rules)
        try:
            said = off.does("check", code=None) + off.does("config", code=None)
            check("unknown" in said and key in said, "no rule can be about it", said)
        finally:
            off.clear()


CASES = {
    "37": orders_everywhere,
    "38": shadowed,
    "41": annotations_lie,
    "46": another_servers_name,
    "55": answers_that_attack,
    "66": a_client_that_says_who_it_is,
}

if __name__ == "__main__":
    main(__doc__, CASES)
