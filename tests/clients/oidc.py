"""An operator logs in to the console at a real OpenID provider, and approves what demands a strong yes; nobody else gets in that way.

    oidc.py --host target/debug/agent-host --tools target/tools

signs    a plain HTTP client follows every step: it is who the provider says, its yes is strong, and its login ends with its entry
attacks  answers that are stolen, old, repeated, of another browser, of another provider, or signed by somebody else
email    the claim is `email`, and counts only where it is verified
tls      beyond loopback, over TLS: a passphrase and a provider, with cookies that are of that one host alone
browser  the same as `signs` in Chromium, from the login page on
"""

import http.client
import json
import ssl
import sys
import time
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from beside_console import Forms, Visitor
from browser import Desk
from oauth import Issuer, free
from play import arguments, check, perform, say
from stage import lines

sys.path.append(str(Path(__file__).parents[1] / "servers"))
from issuer import certified  # noqa: E402

TIME = "mcp:time/get_current_time"
BACK = "/login/oidc/back"
WORD = {"grace": "248289761001", "hugo": "112233"}


class Provider(Issuer):
    """The provider, and the page on which a person says who they are."""

    def answers(self, url, person):
        """Where the provider sends the browser of that person."""
        parts = urlsplit(url)
        check(f"{parts.scheme}://{parts.netloc}" == self.address and parts.path == "/authorize", "the browser goes to the provider", url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=20)
        connection.request("POST", f"/authorize?{parts.query}", urlencode({"person": person}), {"Content-Type": "application/x-www-form-urlencoded"})
        answer = connection.getresponse()
        text = answer.read().decode()
        check(answer.status == 303, "the provider takes what it is asked", text)
        return answer.getheader("Location")


class Browser(Visitor):
    """A browser without a window: it keeps each cookie by its name."""

    def __init__(self, desk):
        super().__init__(desk)
        self.kept, self.set, self.trusted = {}, [], desk.trusted

    def connection(self):
        if self.trusted:
            return http.client.HTTPSConnection(self.at, timeout=30, context=self.trusted)
        return http.client.HTTPConnection(self.at, timeout=30)

    def sends(self, method, path, fields=None, **headers):
        connection = self.connection()
        body = urlencode(fields) if fields is not None else None
        kind = {"Content-Type": "application/x-www-form-urlencoded", "Origin": self.origin} if body is not None else {}
        cookies = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.kept.items())} if self.kept else {}
        connection.request(method, path, body, kind | cookies | headers)
        answer = connection.getresponse()
        text, self.set = answer.read().decode(), answer.headers.get_all("Set-Cookie") or []
        for line in self.set:
            name, value = line.split(";")[0].split("=", 1)
            self.kept.pop(name, None)
            if value:
                self.kept[name] = value
        connection.close()
        return answer.status, text

    def begins(self, to="/"):
        """Presses the button of the login page. Returns where it leads."""
        _, page = self.page("/login?" + urlencode({"to": to}))
        [form] = [form for form in Forms(page).found if form["action"].endswith("/login/oidc")]
        status, page = self.sends("POST", form["action"], form["fields"])
        check(status == 200, "a login is begun", f"{status} {page}")
        return led(page)

    def comes_back(self, url, **headers):
        parts = urlsplit(url)
        return self.sends("GET", f"{parts.path}?{parts.query}", **headers)

    def logs_in(self, desk, person, to="/"):
        return self.comes_back(desk.provider.answers(self.begins(to), person))

    def is_in(self):
        return "Log out" in self.page("/approvals")[1]


def led(page):
    """Where a page leads on by itself."""
    return page.split('http-equiv="refresh" content="0;url=')[1].split('"')[0].replace("&amp;", "&")


class Staffed(Desk):
    """A desk whose operators are known at a provider."""

    # Whose certificate it is believed by; none where it speaks without TLS.
    trusted = None

    def __init__(self, options, provider, more="", operators=None, **settings):
        self.provider = provider
        named = operators or {"grace": {"role": "admin", "oidc": WORD["grace"]}, "hugo": {"role": "admin"}}
        strong = {"tools": [TIME], "decision": "prompt", "strength": "strong"}
        super().__init__(options, operators=named, rules=[strong], **settings)
        secret = self.folder / "secret"
        secret.write_text("sealed\n")
        secret.chmod(0o600)
        self.append(f'\n[console.oidc]\nissuer = "{provider.address}"\nclient_id = "console.RS256"\nclient_secret = {{ file = "secret" }}\n{more}\n')

    async def provider_is(self):
        return self.provider.address


async def signs(desk):
    async with desk.opened():
        await desk.asks("ada", TIME)
        await desk.waits()
        browser = Browser(desk)
        there = browser.begins("/approvals?x=1")
        asked = {name: values[0] for name, values in parse_qs(urlsplit(there).query).items()}
        say("browser", f"goes to the provider with {sorted(asked)}")
        check(asked["redirect_uri"] == f"{desk.console}{BACK}" and asked["code_challenge_method"] == "S256", "the way back is the console's own", asked)
        check(len(asked["state"]) == 43 and len(asked["nonce"]) == 43 and len({asked["state"], asked["nonce"], asked["code_challenge"]}) == 3, "nothing can be guessed", asked)
        [cookie] = browser.set
        check("HttpOnly; SameSite=Lax" in cookie and f"Path={browser.prefix};" in cookie and "Max-Age=600" in cookie, "the browser is remembered for a while", cookie)
        other = parse_qs(urlsplit(Browser(desk).begins()).query)
        check(other["state"][0] != asked["state"] and other["nonce"][0] != asked["nonce"], "each login is another")
        status, page = browser.comes_back(desk.provider.answers(there, "grace"))
        check(status == 200 and led(page) == f"{browser.prefix}/approvals?x=1", "it leads on to the page that was asked for", f"{status} {page}")
        check(sum("SameSite=Strict" in line for line in browser.set) == 1 and "agent-host-passing" not in browser.kept, "the way is forgotten", browser.set)
        check("grace" in browser.page("/logins")[1], "she is who the configuration says")
        status, page = browser.sends("POST", *browser.form("approve"))
        check(status == 303, "she approves", f"{status} {page}")
        check(not (await desk.answered("ada"))["failed"], "and her yes is strong")
        [decided] = await desk.decisions(TIME)
        check('"oidc"' in json.dumps(decided) and '"strong"' in json.dumps(decided) and '"grace"' in json.dumps(decided), "the record says by which way", decided)
        again = Browser(desk)
        again.login("grace", desk.passphrases["grace"])
        check(again.is_in(), "a passphrase is a login still")
        text = desk.config.read_text()
        desk.config.write_text(text.replace(WORD["grace"], "another"))
        say("operator", "says that grace is somebody else at the provider")
        await desk.operator("reload")
        check(not browser.is_in() and again.is_in(), "a login ends with what it rests on, and no other")
        status, page = Browser(desk).logs_in(desk, "grace")
        check(status == 403 and WORD["grace"] in page, "nobody has that name now", f"{status} {page}")


async def attacks(desk):
    provider = desk.provider
    async with desk.opened():
        await desk.asks("ada", TIME)
        await desk.waits()

        async def refused(name, browser, status, page, says=""):
            say("console", f"{name}: {status}")
            check(status == 403 and says in page, f"{name} is refused", f"{status} {page}")
            check(not browser.is_in(), f"{name} is no login")

        for person in ("mallory", "hugo"):
            browser = Browser(desk)
            await refused(f"{person}, whom no operator names", browser, *browser.logs_in(desk, person), "you are nobody here")

        now = int(time.time())
        honest = {"header": {}, "claims": {}, "key": "RS256"}
        for name, word, says in [
            ("another nonce", {"claims": {"nonce": "x" * 43}}, "another login"),
            ("no nonce", {"claims": {"nonce": None}}, "another login"),
            ("another audience", {"claims": {"aud": ["other"]}}, "another audience"),
            ("two audiences", {"claims": {"aud": ["console.RS256", "other"]}}, "another audience"),
            ("another party", {"claims": {"azp": "other"}}, "another audience"),
            ("another issuer", {"claims": {"iss": "https://other.example"}}, "another issuer"),
            ("an expired one", {"claims": {"exp": now - 90}}, "expired"),
            ("one without an end", {"claims": {"exp": None}}, "missing"),
            ("one made later", {"claims": {"iat": now + 600}}, "not made in this login"),
            ("one made before", {"claims": {"iat": now - 600}}, "not made in this login"),
            ("an access token", {"header": {"typ": "at+jwt"}}, "no ID token"),
            ("an unsigned one", {"header": {"alg": "none"}, "key": "none"}, "signed JWT"),
            ("the public key as a secret", {"header": {"alg": "HS256"}, "key": "public"}, "algorithm"),
            ("a stranger's signature", {"key": "stranger"}, "signature"),
            ("a stranger's key", {"header": {"kid": "stranger"}, "key": "stranger"}, "not one of the issuer"),
            ("no subject", {"claims": {"sub": None}}, "no subject"),
        ]:
            provider.does(do="word", **{"is": honest | word})
            browser = Browser(desk)
            await refused(name, browser, *browser.logs_in(desk, "grace"), says)
        provider.does(do="word", **{"is": None})

        # An answer is good once, and in the browser alone that began.
        victim, thief = Browser(desk), Browser(desk)
        url = provider.answers(victim.begins(), "grace")
        await refused("an answer in a browser that began nothing", thief, *thief.comes_back(url), "began no such login")
        thief.begins()
        await refused("an answer to another browser's login", thief, *thief.comes_back(url), "began no such login")
        thief.kept = {"agent-host-passing": parse_qs(urlsplit(url).query)["state"][0]}
        await refused("the state as a cookie", thief, *thief.comes_back(url), "began no such login")
        kept = dict(victim.kept)
        status, _ = victim.comes_back(url)
        check(status == 200 and victim.is_in(), "the browser that began gets in, whatever others tried", status)
        replay = Browser(desk)
        replay.kept = kept
        await refused("the same answer again", replay, *replay.comes_back(url), "began no such login")
        code, browser = parse_qs(urlsplit(url).query)["code"][0], Browser(desk)
        own = parse_qs(urlsplit(browser.begins()).query)["state"][0]
        await refused("a code that was used", browser, *browser.comes_back(f"{BACK_OF(desk)}?{urlencode({'code': code, 'state': own})}"), "gives nothing for the code")
        injected, browser = provider.answers(Browser(desk).begins(), "grace"), Browser(desk)
        own = parse_qs(urlsplit(browser.begins()).query)["state"][0]
        stolen = parse_qs(urlsplit(injected).query)["code"][0]
        await refused("a code of another login", browser, *browser.comes_back(f"{BACK_OF(desk)}?{urlencode({'code': stolen, 'state': own})}"), "gives nothing for the code")
        for name, change in [("another provider's word for it", "&iss=https%3A%2F%2Fother.example"), ("a state twice", "&state=x")]:
            browser = Browser(desk)
            await refused(name, browser, *browser.comes_back(provider.answers(browser.begins(), "grace") + change))
        for query in ("", "?code=x", "?state=x", "?error=access_denied&state=x", "?code=&state="):
            await refused(f"`{query}`", Browser(desk), *Browser(desk).comes_back(f"{BACK_OF(desk)}{query}"))

        # It leads nowhere else, and is begun by nobody else's page.
        for to in ("//evil.example", "https://evil.example/", "/\\evil.example"):
            browser = Browser(desk)
            status, page = browser.logs_in(desk, "grace", to)
            check(led(page) == f"{browser.prefix}/", f"`{to}` leads to the front page", page)
        browser = Browser(desk)
        for headers in ({"Origin": "https://evil.example"}, {"Origin": "null", "Sec-Fetch-Site": "cross-site"}):
            status, _ = browser.sends("POST", f"{browser.prefix}/login/oidc", {"to": "/"}, **headers)
            check(status == 403 and not browser.kept, "another page begins no login", status)
        status, _ = browser.page("/login/oidc")
        check(status == 404 and not browser.kept, "nor does a link", status)
        status, page = browser.page("/login", Host="evil.example")
        check(status == 403, "nor another name", page)
        await desk.waits()

        # The provider does not send the console to other places.
        text = desk.config.read_text()
        for at, (name, value) in enumerate([("token_endpoint", "http://169.254.169.254/token"), ("token_endpoint", "http://2852039166/token"), ("authorization_endpoint", "javascript:alert(1)"), ("issuer", "https://other.example")]):
            provider.does(do="metadata", set={name: value})
            desk.config.write_text(text.replace("[console.oidc]", f'[console.oidc]\nacr = ["fresh-{at}", "mfa"]'))
            await desk.operator("reload", shown=False)
            browser = Browser(desk)
            _, page = browser.page("/login")
            [form] = [form for form in Forms(page).found if form["action"].endswith("/login/oidc")]
            status, page = browser.sends("POST", form["action"], form["fields"])
            if status == 200:
                status, page = browser.comes_back(provider.answers(led(page), "grace"))
            check(status in (403, 502) and not browser.is_in(), f"`{name}` at {value} is not gone to", f"{status} {page}")
        provider.does(do="metadata", set={})
        desk.config.write_text(text)
        await desk.operator("reload", shown=False)
        check(Browser(desk).logs_in(desk, "grace")[0] == 200, "all is well in the end")


def BACK_OF(desk):
    return f"{desk.console}{BACK}"


async def email(desk):
    async with desk.opened():
        for person, status in [("grace", 200), ("hugo", 403)]:
            browser = Browser(desk)
            found, page = browser.logs_in(desk, person)
            check(found == status and browser.is_in() == (status == 200), f"{person}: {status}", f"{found} {page}")
        check("not verified" in page, "it says why", page)
        sought = desk.provider.does(do="sought")
        check(sought["scope"] == "openid email" and sought["max_age"] == "300" and sought["acr_values"] == "mfa", "it asks for what it demands", sought)
        honest = {"header": {}, "claims": {}, "key": "RS256"}
        for claims in ({"acr": "pwd"}, {"acr": None}, {"auth_time": int(time.time()) - 600}, {"auth_time": None}, {"email_verified": "true"}):
            desk.provider.does(do="word", **{"is": honest | {"claims": claims}})
            browser = Browser(desk)
            found, page = browser.logs_in(desk, "grace")
            check(found == 403 and not browser.is_in(), f"{claims} is refused", page)


class Elsewhere(Staffed):
    """One that listens beyond loopback, over TLS."""

    def __init__(self, options, provider, **settings):
        port = free()
        super().__init__(options, provider, **settings)
        self.more = ("--console", f"0.0.0.0:{port}")
        certificate, key = certified(self.folder)
        self.trusted = ssl.create_default_context(cafile=certificate)
        self.append(f'\n[console]\nhosts = ["localhost:{port}"]\ntls = {{ certificate = "{certificate}", key = "{key}" }}\n')


async def tls(desk):
    async with desk.opened():
        await desk.asks("ada", TIME)
        await desk.waits()
        check(desk.console.startswith("https://localhost:"), "the pages are under the name that browsers use", desk.console)
        browser = Browser(desk)
        status, page = browser.login("grace", desk.passphrases["grace"])
        [cookie] = browser.set
        check(cookie.startswith("__Host-agent-host=") and cookie.endswith("; Path=/; HttpOnly; SameSite=Strict; Secure"), "the cookie is of this host alone", cookie)
        check(browser.is_in(), "a passphrase lets her in", page)
        hers = browser.kept["__Host-agent-host"]
        other = Browser(desk)
        other.kept = {"agent-host": hers}
        check(not other.is_in(), "under another name it is no cookie of ours")
        other = Browser(desk)
        there = other.begins()
        [cookie] = other.set
        check(cookie.startswith("__Host-agent-host-passing=") and "; Path=/; HttpOnly; SameSite=Lax; Secure; " in cookie, "nor is the way's another's", cookie)
        status, page = other.comes_back(desk.provider.answers(there, "grace"))
        check(status == 200 and other.is_in(), "a provider lets her in", f"{status} {page}")
        status, page = other.sends("POST", *other.form("approve"))
        check(status == 303 and not (await desk.answered("ada"))["failed"], "and her yes is strong", f"{status} {page}")
        plain = http.client.HTTPConnection(desk.console.split("/")[2], timeout=10)
        try:
            plain.request("GET", "/login")
            told = plain.getresponse().read()
        except (http.client.HTTPException, OSError):
            told = b""
        check(b"passphrase" not in told, "in the clear nothing is served", told)


MAIL = {"grace": {"role": "admin", "oidc": "grace@id.example"}, "hugo": {"role": "admin", "oidc": "hugo@id.example"}}
CASES = {
    "signs": (signs, {}),
    "attacks": (attacks, {}),
    "email": (email, {"operators": MAIL, "more": 'claim = "email"\nscopes = ["email"]\nacr = ["mfa"]\nmax_age = "5m"'}),
    "tls": (tls, {"stage": Elsewhere}),
    "browser": (lambda desk: desk.story("oidc"), {}),
}


if __name__ == "__main__":
    options = arguments(__doc__, CASES)
    story, settings = CASES[options.case]
    provider = Provider()
    try:
        desk = settings.pop("stage", Staffed)(options, provider, **settings)
        code = perform(desk, story(desk), options.case)
    finally:
        provider.process.kill()
    sys.exit(code)
