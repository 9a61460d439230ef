"""Where persons log in at `issuer.py`: OpenID Connect's code flow, by Authlib, with PKCE and a nonce.

Whoever opens `/authorize` is shown a button for each person there is, and is who they press. A code is good once. What an ID token says is
Authlib's, until a command has it say something else or be signed by another key.
"""

import time
from html import escape

from authlib.oauth2 import OAuth2Error, OAuth2Request
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core.grants import OpenIDCode
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from starlette.routing import Route

PERSONS = {
    "grace": {"sub": "248289761001", "email": "grace@id.example", "email_verified": True, "acr": "mfa"},
    "hugo": {"sub": "112233", "email": "hugo@id.example", "email_verified": False, "acr": "mfa"},
    "mallory": {"sub": "666", "email": "mallory@id.example", "email_verified": True, "acr": "mfa"},
}


class Person(str):
    """Who logged in, by name."""

    def get_user_id(self):
        return PERSONS[self]["sub"]


class Asked(OAuth2Request):
    """A request with its form, as Authlib reads it."""

    def __init__(self, method, uri, headers, form):
        super().__init__(method, uri, headers=headers)
        self.payload, self.fields = BasicOAuth2Payload(form), form

    @property
    def form(self):
        return self.fields

    @property
    def args(self):
        return self.fields


class Code(AuthorizationCodeMixin):
    """One code, and what was asked for with it."""

    def __init__(self, request):
        asked = request.payload.data
        self.person, self.client, self.redirect = request.user, request.client.get_client_id(), request.payload.redirect_uri
        self.scope, self.nonce = request.scope, asked.get("nonce")
        self.code_challenge, self.code_challenge_method = asked.get("code_challenge"), asked.get("code_challenge_method")

    def get_redirect_uri(self):
        return self.redirect

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return self.nonce

    def get_auth_time(self):
        return int(time.time())

    def get_acr(self):
        return PERSONS[self.person]["acr"]

    def get_amr(self):
        return None


def grants(state, family, forged):
    """The grant, and what it says of persons."""

    class Codes(AuthorizationCodeGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post"]

        def save_authorization_code(self, code, request):
            state.codes[code] = Code(request)

        def query_authorization_code(self, code, client):
            found = state.codes.get(code)
            return found if found and found.client == client.get_client_id() else None

        def delete_authorization_code(self, code):
            state.codes = {text: other for text, other in state.codes.items() if other is not code}

        def authenticate_user(self, code):
            return code.person

    class Word(OpenIDCode):
        def exists_nonce(self, nonce, request):
            return any(code.nonce == nonce for code in state.codes.values())

        def resolve_client_private_key(self, client):
            return state.keys[family.get(client.alg, "rsa")]

        def get_client_algorithm(self, client):
            return client.alg

        def get_client_claims(self, client):
            return {"iss": state.address, "aud": [f"{client.name}.{client.alg}"]}

        def get_encode_header(self, client):
            return {"alg": client.alg, "kid": self.resolve_client_private_key(client).kid}

        def generate_user_info(self, user, scope):
            return PERSONS[user]

        def encode_id_token(self, token, request):
            said = super().encode_id_token(token, request)
            return forged(state, said, **state.word) if state.word else said

    return Codes, [Word(require_nonce=True), CodeChallenge(required=True)]


def routes(state, server):
    async def authorize(request):
        query = dict(request.query_params)
        uri = str(request.url).replace("http:", "https:", 1)
        asked = Asked("GET", uri, dict(request.headers), query)
        state.sought = query
        try:
            grant = await run_in_threadpool(server.get_authorization_grant, asked)
            redirect = await run_in_threadpool(grant.validate_authorization_request)
        except OAuth2Error as error:
            return PlainTextResponse(f"{error.error}: {error.description}", 400)
        if request.method == "GET":
            buttons = "".join(f'<button name="person" value="{name}">{name}</button>' for name in PERSONS)
            return HTMLResponse(f"<h1>Who are you?</h1><form method=post action='?{escape(request.url.query)}'>{buttons}</form>")
        person = Person((await request.form())["person"])
        _, _, headers = await run_in_threadpool(grant.create_authorization_response, redirect, person)
        return RedirectResponse(dict(headers)["Location"], 303)

    return [Route("/authorize", authorize, methods=["GET", "POST"])]
