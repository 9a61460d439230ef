"""An MCP server behind a login, and its authorization server, both of the Python SDK, at one port of this machine.

    guarded.py PORT FOLDER [--life SECONDS]

Everybody who opens the page of a login is a new person, who says yes at once: `person 1`, `person 2`, and so on. The tool `whoami`
says whose token it was called with. `given` in FOLDER has a line for each token that was given out: `login` or `refresh`, and the
person. A file `ended` there makes every refresh token worthless.
"""

import argparse
import secrets
import time
from pathlib import Path

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken, AuthorizationCode, OAuthAuthorizationServerProvider, RefreshToken, construct_redirect_uri
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthToken

parser = argparse.ArgumentParser()
parser.add_argument("port", type=int)
parser.add_argument("folder", type=Path)
parser.add_argument("--life", type=int, default=3600)
options = parser.parse_args()
base = f"http://127.0.0.1:{options.port}"


class Provider(OAuthAuthorizationServerProvider):
    def __init__(self):
        self.clients, self.codes, self.access, self.refresh, self.people = {}, {}, {}, {}, 0

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client_info):
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client, params):
        self.people += 1
        code = AuthorizationCode(
            code=secrets.token_urlsafe(32),
            scopes=params.scopes or ["notes"],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            subject=f"person {self.people}",
            **params.model_dump(include={"code_challenge", "redirect_uri", "redirect_uri_provided_explicitly", "resource"}),
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state, iss=base)

    async def load_authorization_code(self, client, authorization_code):
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client, authorization_code):
        return self._give("login", self.codes.pop(authorization_code.code))

    async def load_refresh_token(self, client, refresh_token):
        return None if (options.folder / "ended").exists() else self.refresh.get(refresh_token)

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        return self._give("refresh", self.refresh.pop(refresh_token.token))

    async def load_access_token(self, token):
        found = self.access.get(token)
        return found if found and found.expires_at > time.time() else None

    async def revoke_token(self, token):
        pass

    def _give(self, what, to):
        with open(options.folder / "given", "a") as log:
            log.write(f"{what} {to.subject}\n")
        end = int(time.time()) + options.life
        about = {"client_id": to.client_id, "scopes": to.scopes, "resource": to.resource, "subject": to.subject}
        access = AccessToken(token=secrets.token_urlsafe(32), expires_at=end, **about)
        refresh = RefreshToken(token=secrets.token_urlsafe(32), **about)
        self.access[access.token], self.refresh[refresh.token] = access, refresh
        return OAuthToken(access_token=access.token, expires_in=options.life, refresh_token=refresh.token, scope=" ".join(to.scopes))


server = MCPServer(
    "guarded",
    auth_server_provider=Provider(),
    auth=AuthSettings(
        issuer_url=base,
        resource_server_url=f"{base}/mcp",
        required_scopes=["notes"],
        validate_token_resource=True,
        client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=["notes"], default_scopes=["notes"]),
    ),
)


@server.tool()
def whoami() -> str:
    """Whose token this was called with."""
    return get_access_token().subject


server.run(transport="streamable-http", host="127.0.0.1", port=options.port)
