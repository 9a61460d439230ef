"""Looks everywhere for the token that stands in a client's URL: it is shown once, where it is made, and nowhere else.

    url_key.py --host target/debug/agent-host --tools target/tools

The host logs all that it can. A client comes by such a URL in both eras, does its work, and is refused in every way there is; then its
token is taken back. What it was answered, the log, every file of the state folder, the operator's commands and every page of the console
are searched for the token and for its beginning.
"""

import http.client
import json
import os
import re
import sys

from beside_console import Visitor
from browser import Desk
from play import arguments, check, perform, say

BOTH = "application/json, text/event-stream"
TIME = "mcp:time/get_current_time"
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}


def message(method, params):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def modern(name, **given):
    says = {"protocolVersion": "2026-07-28", "clientCapabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    meta = {f"io.modelcontextprotocol/{key}": value for key, value in says.items()}
    headers = {"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name}
    return message("tools/call", {"name": name, "arguments": given, "_meta": meta}), headers


class Client:
    """Whoever has the URL, and keeps all that comes back."""

    def __init__(self, at, token):
        self.at, self.path, self.heard = at, f"/s/{token}/mcp", []

    def sends(self, body=None, verb="POST", path=None, expect=200, **headers):
        connection = http.client.HTTPConnection(self.at, timeout=60)
        given = {"Content-Type": "application/json", "Accept": BOTH} | headers
        connection.request(verb, self.path if path is None else path, body, given)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        self.heard.append(f"{answer.status} {answer.reason} {answer.getheaders()} {text}")
        say("host", self.heard[-1][:160])
        check(answer.status == expect, f"{verb} is answered {expect}", self.heard[-1])
        return answer, text


def works(client):
    """In both eras, and without a yes."""
    body, headers = modern("search_tools", query="time")
    _, text = client.sends(body, **headers)
    handle = json.loads(json.loads(text)["result"]["content"][0]["text"])["session"]
    for name, given in [("activate_tools", {"tools": [TIME]}), ("call_tool", {"id": TIME, "arguments": {"timezone": "Nowhere"}}), ("tool_details", {"id": "mcp:time/nothing"})]:
        body, headers = modern(name, session=handle, **given)
        client.sends(body, **headers)
    answer, _ = client.sends(message("initialize", HELLO))
    session = {"Mcp-Session-Id": answer.getheader("Mcp-Session-Id"), "Mcp-Protocol-Version": "2025-11-25"}
    client.sends(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}), expect=202, **session)
    client.sends(message("tools/list", {}), **session)
    client.sends(message("nothing/known", {}), **session)
    client.sends(message("tools/list", {}), expect=404, **session | {"Mcp-Session-Id": "another"})
    client.sends(verb="DELETE", expect=202, **session)


def is_refused(client):
    """In every way that a request can be wrong."""
    client.sends(message("tools/list", {}), expect=403, Host="evil.example")
    client.sends(message("tools/list", {}), expect=403, Origin="http://evil.example")
    client.sends(message("tools/list", {}), path=f"{client.path}?key=x", expect=400)
    client.sends(message("tools/list", {}), path=f"{client.path}/more", expect=404)
    client.sends(message("tools/list", {}), path=client.path.removesuffix("/mcp"), expect=404)
    client.sends("[]", expect=400)
    client.sends("{", expect=415)
    client.sends("x", expect=415, **{"Content-Type": "text/plain"})
    client.sends("{}", expect=406, Accept="text/html")
    client.sends(json.dumps({"x": "y" * 2_000_000}), expect=413)
    client.sends(verb="PUT", expect=405)
    client.sends(verb="GET", expect=400)
    body, headers = modern("search_tools", query="time")
    client.sends(body, expect=400, **headers | {"Mcp-Name": "call_tool"})


async def shown(desk, visitor):
    """All that an operator can see."""
    for words in [["sessions"], ["approvals"], ["audit", "show"], ["audit", "verify"], ["token", "list"], ["servers"], ["config"], ["policy", "show"]]:
        for more in [[], ["--json"]]:
            if words + more != ["audit", "verify", "--json"]:
                yield f"`agent-host {' '.join(words + more)}`", await desk.operator(*words, *more, shown=False)
    seen, todo = set(), ["/", "/approvals", "/sessions", "/audit", "/tokens", "/catalog", "/servers", "/policy"]
    while todo and len(seen) < 200:
        path = todo.pop()
        seen.add(path)
        status, page = visitor.page(path)
        yield f"the page {path}", page
        found = re.findall(rf'href="{re.escape(visitor.prefix)}(/[^"#]*)"', page) if status == 200 else []
        todo += [path for path in sorted(set(found)) if path not in seen and path not in todo]
    check(len(seen) > 12, "the console has pages", seen)


async def hidden(desk):
    async with desk.running_host():
        token, id = await desk.token("ada", "--url")
        header, _ = await desk.token("bob")
        client, nobody = Client(desk.at, token), Client(desk.at, header)
        works(client)
        is_refused(client)
        nobody.sends(message("tools/list", {}), expect=401)
        visitor = Visitor(desk)
        visitor.login("grace", desk.passphrases["grace"])
        places = dict([(where, text) async for where, text in shown(desk, visitor)])
        await desk.operator("token", "revoke", id)
        client.sends(message("tools/list", {}), expect=401)
        places |= {f"{where}, afterwards": text async for where, text in shown(desk, visitor)}
    places |= {f"answer {at}": text for at, text in enumerate(client.heard + nobody.heard)}
    places |= {"the log": desk.log()}
    places |= {str(path): path.read_bytes().decode("latin-1") for path in desk.state.rglob("*") if path.is_file()}
    check(" TRACE " in desk.log() and len(places) > 60, "all is logged, and much is looked at", len(places))
    check("ada" in places["`agent-host sessions`"] and id in places["`agent-host audit show`"], "its work is there to be seen", places["`agent-host audit show`"][-2000:])
    for secret in (token, header):
        for part in (secret, secret[:20], secret[4:24], secret[-20:]):
            where = [place for place, text in places.items() if part in text]
            check(not where, "the token is nowhere", where)
    say("", f"{len(places)} places")


CASES = {"hidden": hidden}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    os.environ["AGENT_HOST_LOG"] = "trace"
    desk = Desk(options, activation="auto")
    sys.exit(perform(desk, CASES[options.case](desk), options.case))
