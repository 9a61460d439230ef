"""The operator's API over TCP: who gets in, what each may do, and the same from a terminal elsewhere.

    operator_api.py --host target/debug/agent-host --tools target/tools --case rules

rules     attacks 26, 57, 58 and 64 at the API; roles; two operators at once; bounds; the end of a login
terminal  `agent-host --at https://...`: a login typed at a terminal, over TLS that a CA of ours vouches for; the same words and exit codes
fuzz      schemathesis sends what the checked-in document allows, and what it does not
"""

import asyncio
import http.client
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from main_job import YES
from model import Person
from office import OPERATORS, SECRET, Office
from play import arguments, check, perform, say
from screen import Terminal

DOCUMENT = Path(__file__).parents[2] / "spec/schemas/operator-api.json"
TIME = "mcp:clock/current_time"
STRONG = {"decision": "prompt", "strength": "strong"}
PATHS = json.loads(DOCUMENT.read_text())["paths"]
NAMES = [(path.removeprefix("/api/v1/"), method.upper(), operation) for path, kinds in PATHS.items() for method, operation in kinds.items()]


def example(operation):
    content = operation.get("requestBody", {}).get("content", {})
    return content.get("application/json", {}).get("example")


async def asks(model):
    for _ in range(300):
        text, failed = await model.call("activate_tools", {"tools": [TIME]})
        if "no such tool here" not in text:
            break
        # Its server is still being listed.
        await asyncio.sleep(0.2)
    check(not failed and text.startswith("pending"), "the request is pending", text)


def answer(question, decision):
    return {"session": question["asker"]["session"], "request": question["id"], "shown": question["digest"], "answer": {"decision": decision}}


async def waiting(visitor):
    """The one question that waits, with the digest that an answer names."""
    told = await visitor.ask("approvals")
    check(len(told["waiting"]) == 1, "one request waits", told)
    question = told["waiting"][0]
    return question | {"digest": told["shown"][question["id"]]}


async def nobody_gets_in(office):
    """Attack 26: without a login nothing is answered, whatever else is shown."""
    token = json.loads(await office.operator("token", "create", "--principal", "alice", "--json", shown=False))["secret"]
    cookie = {"cookie": f"agent-host={'0' * 32}; __Host-agent-host={'0' * 32}"}
    shown = {
        "nothing": {},
        "a client's MCP token": {"authorization": f"Bearer {token}"},
        "a token of nobody's": {"authorization": f"Bearer aho_{'0' * 32}"},
        "a password": {"authorization": "Basic YWRhOmFkYQ=="},
        "a cookie": cookie,
    }
    for what, headers in shown.items():
        for name, method, operation in NAMES:
            if name != "login":
                status, told = await office.visitor().send(name, example(operation), method=method, **headers)
                check(status == 401 and told["is"] == "failed", f"with {what}, `{name}` is 401", (status, told))
        say("stranger", f"with {what}: 401 from all {len(NAMES) - 1}")


def raw(office, name, host, body=b"{}", **headers):
    """As somebody who writes the request by hand."""
    connection = http.client.HTTPConnection(office.at, timeout=20)
    connection.putrequest("POST", f"/api/v1/{name}", skip_host=True)
    for key, value in ({"Host": host, "Content-Type": "application/json", "Content-Length": str(len(body))} | headers).items():
        connection.putheader(key, value)
    connection.endheaders(body)
    response = connection.getresponse()
    told = response.read()
    connection.close()
    return response.status, told


async def foreign_names(office, ada):
    """Attack 57, for each kind of path under /api."""
    port, bearer = office.at.split(":")[1], {"Authorization": f"Bearer {ada.bearer}"}
    for name in ("sessions", "login", "nothing", "openapi.json"):
        for host in ("evil.example", f"127.0.0.1.evil.example:{port}", "localhost:1", "localhost"):
            check(raw(office, name, host, **bearer)[0] == 403, f"`{name}` at the name {host} is 403")
        for origin in ("http://evil.example", "null", f"http://localhost:1"):
            check(raw(office, name, office.at, Origin=origin, **bearer)[0] == 403, f"`{name}` from a page of {origin} is 403")
    check(raw(office, "sessions", f"localhost:{port}", **bearer)[0] == 200, "a name of ours is answered to")


async def malformed(office, ada):
    """Attacks 58 and 64: other types, long bodies, and what is no request."""
    for status, name, sent in [
        (415, "stop", {"content_type": "text/plain"}),
        (415, "stop", {"content_type": None}),
        (413, "why", {"content": b" " * (2 * 1024 * 1024 + 1)}),
        (400, "stop", {"content": b""}),
        (400, "stop", {"content": b"[]"}),
        (400, "stop", {"content": b"{}{}"}),
        (400, "stop", {"body": {"do": "sessions"}}),
        (400, "stop", {"body": {"more": 1}}),
        (400, "why", {"content": b'{"tool":"mcp:time/now","tool":"mcp:time/now","session":"s_' + b"0" * 32 + b'"}'}),
        (400, "stop", {"content": b"{" + b'"a":[' * 100_000}),
        (404, "grant", {}),
        (404, "console", {}),
        (404, "stop/now", {}),
        (404, "", {}),
        (405, "stop", {"method": "GET"}),
        (405, "stop", {"method": "PUT"}),
        (405, "openapi.json", {}),
    ]:
        got, told = await ada.send(name, **sent)
        check(got == status and told["is"] == "failed", f"`{name}` with {str(sent)[:40]} is {status}", (got, told))
    check((await ada.ask("sessions"))["stopped"] is None, "nothing of it was done")


async def roles(office, ada, model):
    eve, ann = await office.operator_named("eve"), await office.operator_named("ann")
    await asks(model)
    question = await waiting(eve)
    status, told = await eve.send("answer", answer(question, "approve"))
    check(status == 403 and "eve" in told["what"], "a viewer may see and not answer", (status, told))
    check((await ann.ask("approvals"))["waiting"] == [], "who is over others does not see it")
    status, told = await ann.send("answer", answer(question, "approve"))
    check(told.get("answered") == {"void": {"waits": False, "ended": None}}, "and it is not there for their answer", (status, told))
    for visitor, name in [(eve, "stop"), (ann, "stop"), (ann, "resume"), (eve, "tokens"), (ann, "create-token")]:
        operation = next(operation for found, _, operation in NAMES if found == name)
        check((await visitor.send(name, example(operation)))[0] == 403, f"`{name}` takes another role")
    status, told = await ada.send("answer", answer(question, "approve") | {"passphrase": SECRET.format("ada")})
    check(status == 400, "a passphrase belongs to the login", (status, told))
    check((await waiting(ada))["id"] == question["id"], "the request still waits")
    return question


async def race(office, ada, question, model):
    others = [ada, await office.operator_named("max")]
    told = await asyncio.gather(*(visitor.ask("answer", **answer(question, "approve")) for visitor in others))
    came = sorted(next(iter(each["answered"])) for each in told)
    check(came == ["before", "granted"], "one of two answers stands, and the other is told", told)
    before = next(each["answered"]["before"] for each in told if "before" in each["answered"])
    check(before["by"]["name"] in ("ada", "max") and "active" in before["ended"], "who decided and how it ended is told", before)
    text, failed = await model.call("call_tool", {"id": TIME, "arguments": {}})
    check(not failed, "the tool runs", text)
    session = await ada.ask("session", session=question["asker"]["session"])
    by = session["session"]["session"]["active"][0]["grant"]["by"]
    check(by["channel"] == "console" and by["strength"] == "strong", "the record says by what evidence", by)


async def logins(office):
    max = await office.operator_named("max")
    max_again = await office.operator_named("max")
    check((await max.ask("logout"))["is"] == "logged-out", "a login is ended")
    check((await max.send("sessions"))[0] == 401, "its bearer is worth nothing")
    check((await max_again.send("sessions"))[0] == 200, "another login of the same operator stands")
    stranger = office.visitor()
    for name in ("max", "nobody"):
        status, told = await stranger.send("login", {"operator": name, "passphrase": "wrong horse battery"})
        check(status == 401 and stranger.headers.get("retry-after"), f"a wrong passphrase of {name} is 401", (status, told))
        status, told = await stranger.send("login", {"operator": name, "passphrase": SECRET.format("max")})
        check(status == 401 and stranger.headers.get("retry-after"), "and the next try waits, right or wrong", (status, told))
    check((await max_again.send("sessions"))[0] == 200, "who is logged in is not locked out by it")


async def rules(office):
    async with office.serving(), office.client() as model:
        await nobody_gets_in(office)
        ada = await office.operator_named("ada")
        status, document = await ada.send("openapi.json", method="GET")
        check(status == 200 and document == json.loads(DOCUMENT.read_text()), "the document is served to who is logged in")
        check(ada.headers["cache-control"] == "no-store", "nothing is kept of an answer")
        await foreign_names(office, ada)
        await malformed(office, ada)
        question = await roles(office, ada, model)
        await race(office, ada, question, model)
        await logins(office)
    check(ada.bearer not in office.log(), "the log holds no bearer")
    for file in [path for path in office.folder.rglob("*") if path.is_file()]:
        text = file.read_bytes()
        check(ada.bearer.encode() not in text and SECRET.format("ada").encode() not in text, f"{file.name} holds no secret")


def certificates(folder):
    """A CA, and a certificate of `localhost` that it vouches for."""
    import datetime

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    now = datetime.datetime.now(datetime.timezone.utc)

    def certificate(name, key, signer, by, is_ca):
        named = lambda text: x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])
        made = x509.CertificateBuilder().subject_name(named(name)).issuer_name(named(by)).public_key(key.public_key())
        made = made.serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(days=1))
        made = made.add_extension(x509.BasicConstraints(is_ca, None), critical=True)
        if not is_ca:
            made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        return made.sign(signer, hashes.SHA256())

    pem = serialization.Encoding.PEM
    for name in ("ours", "another"):
        authority = ec.generate_private_key(ec.SECP256R1())
        (folder / f"{name}.pem").write_bytes(certificate(f"CA {name}", authority, authority, f"CA {name}", True).public_bytes(pem))
        if name == "ours":
            key = ec.generate_private_key(ec.SECP256R1())
            (folder / "host.pem").write_bytes(certificate("localhost", key, authority, "CA ours", False).public_bytes(pem))
            (folder / "host.key").touch(0o600)
            (folder / "host.key").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))


async def terminal(office):
    certificates(office.folder)
    port = office.at.split(":")[1]
    async with office.serving(), office.client() as model:
        await asks(model)

        async def far(*words, whom="ada", typed=None, ca="ours", code=0, answers=()):
            """An operator's command from elsewhere: no configuration and no state folder of the host's."""
            place = ["--at", f"https://localhost:{port}", "--ca", str(office.folder / f"{ca}.pem"), "--as-operator", whom]
            home = office.folder / "elsewhere"
            home.mkdir(exist_ok=True)
            environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
            person = Terminal([office.host, *place, *words], home, env=environment)
            await person.sees(f"passphrase of {whom} at localhost:{port}: ")
            person.type((typed or SECRET.format(whom)) + "\n")
            for prompt, text in answers:
                await person.sees(prompt)
                person.type(text + "\n")
            shown = await person.ends(code)
            check(SECRET.format(whom) not in shown, "what is typed is not shown")
            check(not any(path.is_file() for path in home.rglob("*")), "nothing of the login is kept")
            return shown

        check("UnknownIssuer" in await far("sessions", ca="another", code=1), "another CA's word is not taken")
        check("wrong" in await far("sessions", typed="wrong horse battery", whom="max", code=1), "a wrong passphrase is told")
        waits = json.loads((await far("approvals", "--json")).split("\n", 1)[1])
        request, session = waits[0]["id"], waits[0]["asker"]["session"]
        check("eve" in await far("approve", request, "--yes", "--expect", waits[0]["digest"], whom="eve", code=1), "a viewer may not")
        check("something else" in await far("approve", request, "--yes", "--expect", "0" * 64, code=6), "another digest is refused")
        check("nothing was decided" in await far("approve", request, answers=[("approve? [y/N] ", "maybe")], code=7), "another word decides nothing")
        check("approved: 1 tool is active" in await far("approve", request, "--strong", answers=[("approve? [y/N] ", "y")]), "a yes approves")
        text, failed = await model.call("call_tool", {"id": TIME, "arguments": {}})
        check(not failed, "the tool runs", text)
        check(TIME in await far("sessions"), "sessions are listed")
        check("approved" in await far("session", session), "a session is shown whole")
        check("taken back" in await far("revoke", session, TIME), "a tool is taken back")
        check("nothing was taken back" in await far("revoke", session, TIME, code=4), "once")
        check("everything is stopped" in await far("stop"), "everything is stopped")
        check("the stop is lifted" in await far("resume"), "and resumed")
        words = ["--at", f"https://localhost:{port}", "sessions"]
        done = subprocess.run([office.host, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, start_new_session=True)
        check(done.returncode == 2 and "typed at a terminal" in done.stderr, "without a terminal nobody logs in", done.stderr)
        for wrong in (["--at", "http://host.example", "sessions"], ["--at", f"https://localhost:{port}", "audit", "verify"], ["--at", f"https://localhost:{port}", "sync"]):
            done = subprocess.run([office.host, *wrong], stdin=subprocess.DEVNULL, capture_output=True, text=True, start_new_session=True)
            check(done.returncode == 2, f"{wrong} is a slip", done)
        ada = await office.operator_named("ada", verify=str(office.folder / "ours.pem"))
        check((await ada.ask("sessions"))["stopped"] is None, "the API says the same")


async def fuzz(office):
    soak = bool(os.environ.get("AGENT_SOAK"))
    async with office.serving():
        max = await office.operator_named("max")
        settings = office.folder / "schemathesis.toml"
        settings.touch(0o600)
        settings.write_text(f'[auth.openapi.login]\nbearer = "{max.bearer}"\n')

        async def schemathesis(*more):
            program = [str(office.tools / "python/bin/schemathesis"), "--config-file", str(settings), "run", str(DOCUMENT)]
            given = ["--url", office.url, "--workers", "2", "--max-examples", "400" if soak else "20", "--no-color", "--suppress-health-check", "all"]
            checks = ["--checks", ",".join(CHECKS), *([] if soak else ["--seed", "7"])]
            from_ = time.monotonic()
            environment = {"PATH": os.environ["PATH"], "HOME": str(office.folder)}
            process = await asyncio.create_subprocess_exec(
                *program, *given, *checks, *more, cwd=office.work, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
            )
            out, _ = await asyncio.wait_for(process.communicate(), 1800 if soak else 240)
            say("stranger", out.decode()[-6000:])
            check(process.returncode == 0, "the document is kept to", f"code {process.returncode}")
            say("", f"{time.monotonic() - from_:.0f} s")

        # A login is ended by one of them, and held up by the other: they come last, by themselves.
        doors = ["login", "logout"]
        await schemathesis(*(word for name in doors for word in ("--exclude-operation-id", name)))
        check((await max.send("sessions"))[0] == 200, "the host is there, and the login stands")
        await schemathesis(*(word for name in doors for word in ("--include-operation-id", name)), "--phases", "examples,coverage,fuzzing")
        check(office.process.poll() is None, "the host is there")
        check("panicked" not in office.log(), "nothing in it broke", office.log()[-2000:])


CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "ignored_auth",
]
CASES = {"rules": rules, "terminal": terminal, "fuzz": fuzz}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    tls = {"certificate": "host.pem", "key": "host.key"} if options.case == "terminal" else None
    stage = Office(options, tls=tls, servers=[], rules=[STRONG] if options.case != "fuzz" else [])
    stage.add("clock", {"command": stage.host, "args": ["sample-server", "clock"]})
    sys.exit(perform(stage, CASES[options.case](stage), options.case))
