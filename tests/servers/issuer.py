"""A small authorization server: Authlib's, over HTTP on this machine, with keys that it makes as it starts.

    issuer.py [--tls FOLDER]

It has what a resource server and its clients need: metadata (RFC 8414), keys, and a token endpoint for client credentials (RFC 6749)
that makes access tokens (RFC 9068) for the resource that was asked for (RFC 8707). Persons log in there too (`persons.py`). With --tls it speaks HTTPS, and its certificate,
which nobody else vouches for, is in that folder as cert.pem. It says its address on the first line, then takes one
command a line, as JSON, and answers each with a line. No command is a route: over HTTP it does what such a server does.

    {"do": "token", "alg": "ES256", "client": "robot", "scope": "tools:read", "resource": "http://127.0.0.1/mcp"}
        a token as its own endpoint gives it to that client
    {"do": "forge", "token": T, "header": {}, "claims": {}, "key": "RS256" | "stranger" | "public" | "none"}
        the same token with other parts (null takes one away), signed by that key: the issuer's, somebody else's, or with the issuer's
        public key as a shared secret
    {"do": "jwk", "key": "stranger"}      that key as a client would write it into a header
    {"do": "rotate", "bits": 2048}        other keys, under other names
    {"do": "keys", "are": "there" | "gone" | "moved" | "late" | "huge" | "mixed"}
    {"do": "metadata", "set": {}}         what it says of itself, changed
    {"do": "asked"}                       how often it was asked for its keys
    {"do": "word", "is": {"header": {}, "claims": {}, "key": "RS256"}}
        what it says of persons from now on, as of a forged token; with null, the truth
    {"do": "sought"}                      what the last login asked for
"""

import argparse
import asyncio
import datetime
import hashlib
import ipaddress
import hmac
import json
import socket
import ssl
import sys
import threading
import time
import urllib.parse
import urllib.request
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from pathlib import Path

import uvicorn
from authlib.oauth2.rfc6749 import AuthorizationServer, ClientMixin
from authlib.oauth2.rfc6749.grants import ClientCredentialsGrant
from authlib.oauth2.rfc9068 import JWTBearerTokenGenerator
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from joserfc.jwk import ECKey, KeySet, OctKey, OKPKey, RSAKey
from joserfc.jws import JWSRegistry
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

import persons

SECRET = "sealed"
FAMILY = {"ES256": "ec", "ES384": "ec384", "EdDSA": "ed"}
# Authlib signs by what its library recommends, which is but a part of what issuers use.
JWSRegistry.recommended.extend(["RS384", "RS512", "PS256", "PS384", "PS512", "ES384", "EdDSA"])


def made(generation, bits=2048):
    """New keys, each under a name of its own."""
    named = lambda name: {"kid": f"{name}-{generation}", "use": "sig"}
    return {
        "rsa": RSAKey.generate_key(bits, named("rsa")),
        "ec": ECKey.generate_key("P-256", named("ec")),
        "ec384": ECKey.generate_key("P-384", named("ec384")),
        "ed": OKPKey.generate_key("Ed25519", named("ed")),
    }


class State:
    """What commands change."""

    def __init__(self, address, trusted):
        self.trusted = trusted
        self.address, self.generation, self.keys, self.serve = address, 1, made(1), "there"
        self.stranger = RSAKey.generate_key(2048, {"kid": "stranger"})
        self.asked, self.metadata = 0, {}
        self.codes, self.word, self.sought = {}, None, None


class Client(ClientMixin):
    """A client named `NAME.ALGORITHM`, whose tokens are signed by that one."""

    def __init__(self, name):
        self.name, self.alg = name.rsplit(".", 1)
        self.resource = None

    def get_client_id(self):
        return self.name

    def check_client_secret(self, client_secret):
        return client_secret == SECRET

    def check_endpoint_auth_method(self, method, endpoint):
        return method in ("client_secret_basic", "client_secret_post")

    def check_grant_type(self, grant_type):
        return grant_type in ("client_credentials", "authorization_code")

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_redirect_uri(self, redirect_uri):
        # Registered: the path of a console's, wherever on this machine it is.
        return redirect_uri.startswith(("http://127.0.0.1:", "https://localhost:")) and redirect_uri.endswith("/login/oidc/back")

    def get_allowed_scope(self, scope):
        return scope


class ForResource(ClientCredentialsGrant):
    """Client credentials for one resource."""

    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post"]

    def create_token_response(self):
        self.request.client.resource = self.request.payload.data.get("resource")
        return super().create_token_response()


class Tokens(JWTBearerTokenGenerator):
    """Access tokens by one algorithm."""

    def __init__(self, state, alg):
        super().__init__(state.address, alg)
        self.state = state

    def get_jwks(self):
        return KeySet([self.state.keys[FAMILY.get(self.alg, "rsa")]])

    def get_audiences(self, client, user, scope):
        return client.resource


class Server(AuthorizationServer):
    """Authlib's server in Starlette's hands."""

    def __init__(self, state):
        super().__init__()
        self.register_grant(ForResource)
        self.register_grant(*persons.grants(state, FAMILY, forged))
        tokens = lambda client, **of: Tokens(state, client.alg)(client=client, **of)
        self.register_token_generator("default", tokens)

    def query_client(self, client_id):
        return Client(client_id) if "." in client_id else None

    def save_token(self, token, request):
        pass

    def send_signal(self, name, *args, **kwargs):
        pass

    def create_oauth2_request(self, request):
        return persons.Asked(request["method"], request["uri"], request["headers"], request["form"])

    def handle_response(self, status, body, headers):
        return JSONResponse(body, status, dict(headers))


def routes(state):
    server = Server(state)

    async def metadata(request):
        own = {
            "issuer": state.address,
            "authorization_endpoint": f"{state.address}/authorize",
            "token_endpoint": f"{state.address}/token",
            "jwks_uri": f"{state.address}/jwks",
            "grant_types_supported": ["client_credentials", "authorization_code"],
            "code_challenge_methods_supported": ["S256"],
            "response_types_supported": ["code"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        }
        return JSONResponse(own | state.metadata)

    async def token(request):
        form = dict(await request.form())
        # Authlib takes plain HTTP for a slip; here nobody listens on the wire.
        uri = str(request.url).replace("http:", "https:", 1)
        asked = {"method": request.method, "uri": uri, "headers": dict(request.headers), "form": form}
        asked["headers"]["Authorization"] = request.headers.get("authorization")
        return await run_in_threadpool(server.create_token_response, asked)

    async def jwks(request):
        state.asked += 1
        keys = [key.as_dict(private=False) for key in state.keys.values()]
        if state.serve == "gone":
            return Response(status_code=503)
        if state.serve == "moved":
            return RedirectResponse("/elsewhere")
        if state.serve == "late":
            await asyncio.sleep(30)
        if state.serve == "huge":
            keys.append({"kty": "oct", "k": "A" * 300_000})
        if state.serve == "mixed":
            shared = OctKey.generate_key(256, {"kid": "shared"}).as_dict(private=True)
            foreign = {"kty": "AKP", "alg": "ML-DSA-44", "kid": "later", "pub": "AA"}
            keys = [shared, foreign, {"kty": "EC", "crv": "secp256k1", "kid": "coin", "x": "AA", "y": "AA"}, {}, 7, *keys]
        return JSONResponse({"keys": keys})

    async def elsewhere(request):
        return JSONResponse({"keys": [key.as_dict(private=False) for key in state.keys.values()]})

    return [
        Route("/.well-known/oauth-authorization-server", metadata),
        Route("/token", token, methods=["POST"]),
        Route("/jwks", jwks),
        Route("/elsewhere", elsewhere),
        *persons.routes(state, server),
    ]


def encoded(part):
    return urlsafe_b64encode(part if isinstance(part, bytes) else json.dumps(part).encode()).rstrip(b"=").decode()


def decoded(part):
    return json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def changed(part, by):
    return {name: value for name, value in (part | by).items() if value is not None}


def obtained(state, alg, client, scope, resource):
    form = urllib.parse.urlencode({"grant_type": "client_credentials", "scope": scope, "resource": resource}).encode()
    request = urllib.request.Request(f"{state.address}/token", form)
    request.add_header("Authorization", "Basic " + b64encode(f"{client}.{alg}:{SECRET}".encode()).decode())
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=state.trusted))
    with opener.open(request) as response:
        return json.load(response)["access_token"]


def forged(state, token, header, claims, key):
    first, second, _ = token.split(".")
    text = f"{encoded(changed(decoded(first), header))}.{encoded(changed(decoded(second), claims))}"
    if key == "none":
        return f"{text}."
    if key == "public":
        secret = state.keys["rsa"].as_pem(private=False)
        return f"{text}.{encoded(hmac.new(secret, text.encode(), hashlib.sha256).digest())}"
    own = state.stranger if key == "stranger" else state.keys["rsa"]
    return f"{text}.{encoded(own.private_key.sign(text.encode(), padding.PKCS1v15(), SHA256()))}"


def done(state, do, **of):
    match do:
        case "token":
            return obtained(state, **of)
        case "forge":
            return forged(state, **of)
        case "jwk":
            return state.stranger.as_dict(private=False)
        case "rotate":
            state.generation += 1
            state.keys = made(state.generation, of.get("bits", 2048))
        case "keys":
            state.serve = of["are"]
        case "metadata":
            state.metadata = of["set"]
        case "asked":
            return state.asked
        case "word":
            state.word = of["is"]
        case "sought":
            return state.sought


def certified(folder):
    """A certificate for this machine and its key, as files."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "issuer")])
    now = datetime.datetime.now(datetime.timezone.utc)
    here = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(x509.random_serial_number()).add_extension(here, critical=False)
    made = made.not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1))
    cert, secret = folder / "cert.pem", folder / "key.pem"
    cert.write_bytes(made.sign(key, SHA256()).public_bytes(Encoding.PEM))
    secret.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return cert, secret


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--tls", type=Path)
    folder = options.parse_args().tls
    cert, secret = certified(folder) if folder else (None, None)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    address = f"{'https' if folder else 'http'}://127.0.0.1:{listener.getsockname()[1]}"
    state = State(address, ssl.create_default_context(cafile=cert) if cert else None)
    config = uvicorn.Config(
        Starlette(routes=routes(state)), log_level="warning", access_log=False, ssl_certfile=cert, ssl_keyfile=secret
    )
    server = uvicorn.Server(config)
    threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True).start()
    while not server.started:
        time.sleep(0.02)
    print(json.dumps(state.address), flush=True)
    for line in sys.stdin:
        print(json.dumps(done(state, **json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
