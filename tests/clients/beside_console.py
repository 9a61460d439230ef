"""The model's shell beside the console: a process with the client's token, its user id, its files, and loopback.

    beside_console.py --host target/debug/agent-host --tools target/tools

The client asked for a tool of which a rule demands a strong answer. The shell reads what its user can read, and then tries every way to a
yes that there is: the operators' socket, a terminal, the console, the API, and a client that says yes to every form. Each word that stands in
a file is tried at each of them, as passphrase, cookie and bearer. What its user can write is another matter: see `boundary.md` of the book.
"""

import http.client
import json
import re
import secrets
import socket
import sys
from html.parser import HTMLParser
from urllib.parse import urlencode, urlsplit

from browser import Desk
from main_job import YES
from model import Person
from play import arguments, check, perform, say
from screen import terminal

TIME = "mcp:time/get_current_time"
# No rule demands more than any yes for it.
WEAK = "mcp:time/convert_time"
ZONE = {"timezone": "Europe/Berlin"}


class Forms(HTMLParser):
    """The forms of a page: where each goes, its fields, and its buttons."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "form":
            self.found.append({"action": given.get("action"), "fields": {}, "buttons": []})
        elif tag == "input" and self.found and given.get("type") not in ("checkbox", "radio", "submit"):
            self.found[-1]["fields"][given.get("name")] = given.get("value") or ""
        elif tag == "button" and self.found:
            self.found[-1]["buttons"].append(given)


class Visitor:
    """Whoever comes to the console without a browser. It keeps a cookie, and sends what it likes."""

    def __init__(self, desk):
        parts = urlsplit(desk.console)
        self.at, self.origin, self.prefix = parts.netloc, f"{parts.scheme}://{parts.netloc}", parts.path
        self.cookie = None

    def sends(self, method, path, fields=None, **headers):
        """What comes back: the status and the text."""
        connection = http.client.HTTPConnection(self.at, timeout=20)
        body = urlencode(fields) if fields is not None else None
        kind = {"Content-Type": "application/x-www-form-urlencoded", "Origin": self.origin} if body is not None else {}
        cookie = {"Cookie": self.cookie} if self.cookie else {}
        connection.request(method, path, body, kind | cookie | headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        if set := answer.getheader("Set-Cookie"):
            self.cookie = set.split(";")[0]
        connection.close()
        return answer.status, text

    def page(self, path, **headers):
        return self.sends("GET", self.prefix + path, **headers)

    def asks(self, name, body, **headers):
        """An operation of the API."""
        connection = http.client.HTTPConnection(self.at, timeout=20)
        connection.request("POST", f"/api/v1/{name}", json.dumps(body), {"Content-Type": "application/json"} | headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def login(self, name, passphrase):
        _, page = self.page("/login")
        [form] = [form for form in Forms(page).found if "passphrase" in form["fields"]]
        return self.sends("POST", form["action"], form["fields"] | {"name": name, "passphrase": passphrase})

    def form(self, word):
        """The form that has a button of that word, filled in so that it is pressed."""
        _, page = self.page("/approvals")
        for form in Forms(page).found:
            for button in form["buttons"]:
                if button.get("value") == word:
                    return form["action"], form["fields"] | {button["name"]: button["value"]}
        check(False, f"the page has a button `{word}`", page)


def asks_socket(desk, what):
    with socket.socket(socket.AF_UNIX) as operator:
        operator.connect(str(desk.state / "operator.sock"))
        operator.sendall(json.dumps(what).encode() + b"\n")
        return json.loads(operator.makefile().readline())


class Shell:
    """What the model can run, and what it knows of the request that waits."""

    def __init__(self, desk, token, question):
        self.desk, self.token, self.question = desk, token, question

    async def waits_still(self, after):
        waiting = await self.desk.waiting()
        check([question["id"] for question in waiting] == [self.question["id"]], f"{after}: it still waits", waiting)
        refused = await self.desk.calls("ada", TIME, ZONE)
        check(refused["failed"], f"{after}: the tool does not run", refused)
        say("shell", f"{after}: nothing")

    def readable(self):
        """Every word, line and quoted text in whatever its user can read of the host; databases and logs too."""
        words = {self.token.encode()}
        for path in [path for path in self.desk.folder.rglob("*") if path.is_file()]:
            content = path.read_bytes()
            words |= set(re.findall(rb"[!-~]{12,256}", content)) | set(re.findall(rb"[0-9a-z_]{16,128}", content))
            words |= set(re.findall(rb"[ -~]{12,128}", content)) | set(re.findall(rb'"([ -~]{12,128}?)"', content))
        return sorted(word.decode() for word in words)

    def answer(self):
        asker = self.question["asker"]
        return {"session": asker["session"], "request": self.question["id"], "shown": self.question["digest"], "answer": {"decision": "approve"}}

    async def by_socket(self):
        answer = {"do": "answer", "passphrase": None} | self.answer()
        check(asks_socket(self.desk, answer)["answered"] == "too-weak", "its user's word is too weak")
        for more in [{"strength": "strong"}, {"channel": "console"}, {"by": "grace"}, {"operator": "grace"}, {"passphrase": self.token}]:
            said = json.dumps(asks_socket(self.desk, answer | more))
            check("granted" not in said, f"{more} grants nothing", said)
        await self.waits_still("the operators' socket")

    async def by_command(self):
        for typed in ("y\n", "yes\n"):
            person = terminal(self.desk, "approve", self.question["id"])
            await person.sees("approve? [y/N] ")
            person.type(typed)
            await person.ends(8)
        await self.waits_still("a terminal of its own")

    async def by_console(self):
        visitor = Visitor(self.desk)
        digits = (self.desk.state / "console-path").read_text()
        check(visitor.prefix == f"/c/{digits}", "its user can read where the console is")
        for name in ("grace", "owner", "root", "ada", "local:0"):
            status, page = visitor.login(name, self.token)
            check(status >= 400, f"the token logs nobody in as {name}", f"{status} {page}")
        for cookie in [None, f"agent-host={self.token}", f"agent-host={digits}", f"agent-host={secrets.token_hex(16)}"]:
            visitor.cookie = cookie
            for headers in [{}, {"Authorization": f"Bearer {self.token}"}]:
                status, page = visitor.page("/approvals", **headers)
                check(self.question["id"] not in page, "no page shows the request", page)
                for csrf in ("", self.token, digits):
                    status, page = visitor.sends("POST", self.desk.form[0], self.desk.form[1] | {"csrf": csrf}, **headers)
                    check(status >= 400 or "passphrase" in page or not page, "no form is taken", f"{status} {page}")
        await self.waits_still("the console")

    async def by_api(self):
        """The operators' API: without a login, with the client's token, and with guessed logins and bearers."""
        visitor = Visitor(self.desk)
        shown = [{}, {"Cookie": f"agent-host={self.token}"}]
        shown += [{"Authorization": f"Bearer {word}"} for word in (self.token, visitor.prefix.removeprefix("/c/"), f"aho_{secrets.token_hex(16)}")]
        for headers in shown:
            for name, body in [("answer", self.answer()), ("approvals", {}), ("create-token", {"token": {"principal": "ada"}}), ("resume", {})]:
                status, told = visitor.asks(name, body, **headers)
                check(status == 401, f"`{name}` with {sorted(headers)} is 401", f"{status} {told}")
        for name in ("grace", "owner", "root", "ada", "local:0"):
            for word in (self.token, "", "password", name):
                status, told = visitor.asks("login", {"operator": name, "passphrase": word})
                check(status >= 400 and "bearer" not in told, f"no guess logs in as {name}", f"{status} {told}")
        await self.waits_still("the API")

    async def by_words(self):
        """Whatever stands in a file that it can read, at each channel: as a cookie, as a bearer, and as a passphrase."""
        visitor, words = Visitor(self.desk), self.readable()
        check(len(words) > 100 and self.desk.passphrases["grace"] not in words, "there are words, and the passphrase is none of them", len(words))
        for word in words:
            plain = re.sub(r"[^!-~]|[;,\"\\]", "", word)
            visitor.cookie = f"agent-host={plain}"
            _, page = visitor.page("/approvals")
            check(self.question["id"] not in page, "no word of a file is a login", word)
            visitor.cookie = None
            status, told = visitor.asks("answer", self.answer(), Authorization=f"Bearer {plain}")
            check(status in (400, 401), "no word of a file is a bearer", f"{word}: {status} {told}")
        # After a wrong one the next is not looked at for longer and longer: that nobody can try many is what holds here.
        for word in words[:60]:
            status, told = visitor.asks("login", {"operator": "grace", "passphrase": word})
            check(status >= 400 and "bearer" not in told, "no word of a file is a passphrase at the API", f"{word}: {status} {told}")
            told = asks_socket(self.desk, {"do": "answer", "passphrase": word} | self.answer())
            check("granted" not in json.dumps(told), "no word of a file is a passphrase at the socket", f"{word}: {told}")
        await self.waits_still(f"{len(words)} words of files")

    async def by_client(self):
        """The client, which says yes to every form that it is shown: it was shown none of this."""
        check(not any(TIME in message for message in self.desk.person.asked), "no form is shown of what takes a strong yes", self.desk.person.asked)
        text, failed = await self.desk.models["ada"].call("activate_tools", {"tools": [TIME], "approved": True})
        check(failed, "no argument is a yes", text)
        await self.waits_still("the client's own word")


async def story(desk):
    async with desk.opened():
        # Whoever sits at the client says yes to every form, as a hook would. Where no more is demanded, that is a yes.
        text, failed = await desk.activates(desk.models["ada"], [WEAK])
        check(not failed and len(desk.person.asked) == 1, "the form of a tool that takes any yes is answered", (text, desk.person.asked))
        await desk.asks("ada", TIME)
        [question] = await desk.waits()
        # What no shell can have: a login. It is used to learn how the right form looks, and to say yes in the end.
        grace = Visitor(desk)
        status, _ = grace.login("grace", desk.passphrases["grace"])
        check(status < 400 and grace.cookie, "an operator logs in", status)
        desk.form = grace.form("approve")
        shell = Shell(desk, desk.tokens["ada"], question)
        await shell.by_socket()
        await shell.by_command()
        await shell.by_console()
        await shell.by_api()
        await shell.by_words()
        await shell.by_client()
        status, page = grace.sends("POST", *grace.form("approve"))
        check(status < 400, "the operator's own yes is taken", f"{status} {page}")
        check(not (await desk.answered("ada"))["failed"], "and is strong")
        ran = await desk.calls("ada", TIME, ZONE)
        check(not ran["failed"], "the tool runs", ran)


if __name__ == "__main__":
    options = arguments(__doc__, {"shell": None})
    desk = Desk(options, rules=[{"tools": [TIME], "decision": "prompt", "strength": "strong"}], person=Person(YES))
    sys.exit(perform(desk, story(desk), options.case))
