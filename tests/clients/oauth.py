"""A client that knows nothing but the address of the endpoint gets itself a token of the operator's authorization server, and comes in.

    oauth.py --host target/debug/agent-host --tools target/tools

discovers  by 401, metadata and token endpoint, as MCP's own client does it; its scope decides what it may find; a forged token gets nothing, and a good one
           nothing more once the operator takes the issuer out of the configuration
"""

import asyncio
import json
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
from mcp.client import Client
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.streamable_http import streamable_http_client

from play import arguments, check, perform, say
from stage import Stage

HINT = "/.well-known/oauth-protected-resource/mcp"


class Issuer:
    """The authorization server, and what the play has it do."""

    def __init__(self):
        script = Path(__file__).parents[1] / "servers/issuer.py"
        command = [sys.executable, "-B", "-W", "ignore", script]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = json.loads(self.process.stdout.readline())

    def does(self, **command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


class Kept:
    """What a client keeps of its login, in memory."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


def free():
    with socket.socket() as port:
        port.bind(("127.0.0.1", 0))
        return port.getsockname()[1]


async def found(url, auth, mode):
    """What such a client finds."""
    async with httpx2.AsyncClient(auth=auth, timeout=30) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            answer = await client.call_tool("search_tools", {"query": "current time"})
            return answer.content[0].text


async def refused(url, token):
    """How a request with this token, or none, is answered."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with httpx2.AsyncClient(timeout=30) as http:
        answer = await http.post(url, json=body, headers=headers)
    return answer.status_code, answer.headers.get("www-authenticate", ""), answer.text


async def discovers(stage, issuer, url, port):
    argv = [stage.host, "run", "--config", str(stage.config), "--state", str(stage.state), "--http", f"127.0.0.1:{port}"]
    with stage.log_file() as log:
        subprocess.Popen(argv, cwd=stage.work, stdout=log, stderr=log)
    await stage.until(lambda: "clients over HTTP come to" in stage.log(), "the host listens")
    status, challenge, _ = await refused(url, None)
    say("host", f"{status}  {challenge}")
    check(status == 401 and HINT in challenge and 'scope="tools:time"' in challenge and "error" not in challenge, "401 leads on", challenge)
    for mode in ("legacy", "auto"):
        auth = ClientCredentialsOAuthProvider(
            server_url=url, storage=Kept(), client_id="robot.ES256", client_secret="sealed", issuer=issuer.address
        )
        text = await found(url, auth, mode)
        say("model", text)
        check("mcp:time/get_current_time" in text and "mcp:everything" not in text, f"{mode}: it comes in under its profile", text)
    sessions = await stage.operator("sessions")
    check("oauth:robot" in sessions, "its principal is the issuer's subject", sessions)
    good = issuer.does(do="token", alg="RS256", client="robot", scope="tools:time", resource=url)
    other = issuer.does(do="token", alg="RS256", client="robot", scope="tools:time", resource="https://other.example/mcp")
    none = issuer.does(do="token", alg="RS256", client="robot", scope="mail", resource=url)
    forged = lambda key, **header: issuer.does(do="forge", token=good, header=header, claims={"sub": "admin"}, key=key)
    for name, token, expected, code in [
        ("for another audience", other, 401, "invalid_token"),
        ("unsigned", forged("none", alg="none"), 401, "invalid_token"),
        ("with the public key as a secret", forged("public", alg="HS256"), 401, "invalid_token"),
        ("by a stranger", forged("stranger"), 401, "invalid_token"),
        ("with a scope that gives nothing", none, 403, "insufficient_scope"),
    ]:
        status, challenge, text = await refused(url, token)
        say("host", f"{name}: {status}  {challenge}")
        check((status, code in challenge, HINT in challenge) == (expected, True, True), f"a token {name} is refused", challenge)
        check("mcp:" not in text and "search_tools" not in text, "and is told of no tool", text)
    check((await refused(url, good))[0] not in (401, 403), "the good one is none of them")
    stage.config.write_text(stage.config.read_text().split("\n[oauth]")[0])
    say("operator", "takes the issuer out of the configuration")
    await stage.operator("reload")
    status, challenge, _ = await refused(url, good)
    check((status, HINT in challenge) == (401, False), "then its token is none", challenge)


if __name__ == "__main__":
    options = arguments(__doc__, ["discovers"])
    stage, issuer, port = Stage(options), Issuer(), free()
    url = f"http://127.0.0.1:{port}/mcp"
    stage.append('\n[profiles.clock]\ntools = ["mcp:time/*"]\n')
    stage.append(f'\n[oauth]\nissuer = "{issuer.address}"\nresource = "{url}"\nscopes = {{ "tools:time" = "clock" }}\n')
    try:
        code = perform(stage, discovers(stage, issuer, url, port), options.case)
    finally:
        issuer.process.kill()
    sys.exit(code)
