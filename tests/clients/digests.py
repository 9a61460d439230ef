"""Computes the digests of a server's tools from the bytes on its wire, and compares them with a lock file.

    digests.py                                                    only what the vectors of the spec say
    digests.py -- node server.js stdio                            prints each tool's digest
    digests.py --lock agent-host.lock --server time -- program    compares

Standard library alone, and nothing of agent-host but its spec: chapter 2 (CAT-3) and `spec/vectors`. Reads the vectors
first, always. Exit code 0 where everything agrees, 1 otherwise, with what does not.
"""

import argparse
import base64
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
from decimal import Decimal
from pathlib import Path

DEPTH, NODES = 32, 8192
LEGACY, MODERN = "2025-11-25", "2026-07-28"
META = "io.modelcontextprotocol/"
ME = {"name": "digests", "version": "1"}
PATIENCE = 30  # seconds for one server from start to end
SPACE = " \t\n\r"


class Bad(Exception):
    """A text that has no digest, or something that does not agree."""


class Literal(str):
    """A number as it was written."""


# Reading: keys kept with their order and number, literals kept, so nothing is lost before it is hashed.


def unique(pairs):
    keys = set()
    for key, _ in pairs:
        if key in keys:
            raise Bad(f"an object has the key `{key}` twice")
        keys.add(key)
    return dict(pairs)


def constant(text):
    raise Bad(f"`{text}` is not JSON")


READER = json.JSONDecoder(object_pairs_hook=unique, parse_float=Literal, parse_int=Literal, parse_constant=constant)
# Finds where a value ends, whatever is in it.
SKIPPER = json.JSONDecoder(object_pairs_hook=len, parse_float=len, parse_int=len)


def read(text):
    try:
        return READER.decode(text)
    except (ValueError, RecursionError) as error:
        raise Bad(f"malformed: {error}") from error


def past(text, at, characters=SPACE):
    while text[at] in characters:
        at += 1
    return at


def members(text, at):
    """Each key of the object at this place, with where its value starts. White space before the place is passed over."""
    at = past(text, past(text, at) + 1)
    while text[at] != "}":
        key, at = json.decoder.scanstring(text, at + 1)
        at = past(text, past(text, past(text, at) + 1))
        yield key, at
        at = past(text, SKIPPER.raw_decode(text, at)[1], SPACE + ",")


def member(text, at, wanted):
    found = [place for key, place in members(text, at) if key == wanted]
    if len(found) != 1:
        raise Bad(f"`{wanted}` is there {len(found)} times")
    return found[0]


def items(text, at):
    """The text of each item of the array at this place, as it was sent."""
    at = past(text, at + 1)
    while text[at] != "]":
        end = SKIPPER.raw_decode(text, at)[1]
        yield text[at:end]
        at = past(text, end, SPACE + ",")


# Writing: RFC 8785, and a literal after 0x01 where a double is not the same number.


def es6(value):
    """A double as ECMAScript writes it: the shortest digits, placed by its rules."""
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    digits = "".join(map(str, digits))
    point = len(digits) + exponent
    digits = digits.rstrip("0")
    if not digits:
        return "0"
    count = len(digits)
    if count <= point <= 21:
        text = digits + "0" * (point - count)
    elif 0 < point <= 21:
        text = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{digits}"
    else:
        text = f"{digits[0]}{'.' if count > 1 else ''}{digits[1:]}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return ("-" if sign else "") + text


def number(literal):
    if not literal.lower().partition("e")[0].strip("-0."):
        return "0"
    value = float(literal)
    if value in (float("inf"), float("-inf")) or value == 0 or Decimal(literal) != Decimal(repr(value)):
        return "\x01" + literal
    return es6(value)


def write(value, depth=DEPTH):
    """The canonical form, and how many values it holds."""
    if isinstance(value, Literal):
        return number(value), 1
    if isinstance(value, (dict, list)) and depth == 0:
        raise Bad(f"nested deeper than {DEPTH} levels")
    if isinstance(value, dict):
        parts = [(json.dumps(key, ensure_ascii=False), write(value[key], depth - 1)) for key in sorted(value, key=lambda key: key.encode("utf-16-be"))]
        return "{" + ",".join(f"{key}:{text}" for key, (text, _) in parts) + "}", 1 + sum(count for _, (_, count) in parts)
    if isinstance(value, list):
        parts = [write(item, depth - 1) for item in value]
        return "[" + ",".join(text for text, _ in parts) + "]", 1 + sum(count for _, count in parts)
    return json.dumps(value, ensure_ascii=False), 1


def canonical(text):
    try:
        written, count = write(read(text))
        if count > NODES:
            raise Bad(f"more than {NODES} JSON values")
        return written.encode()
    except UnicodeEncodeError as error:
        raise Bad("malformed: a lone surrogate") from error


def digest(domain, *parts):
    sha = hashlib.sha256(f"agent-host/{domain}/1\0".encode())
    for part in parts:
        sha.update(len(part).to_bytes(8, "big") + part)
    return sha.digest()


def of_definition(text):
    return digest("definition", canonical(text)).hex()


# The vectors of the spec.


def tried(run, text):
    try:
        return run(text)
    except Bad as error:
        return {"error": str(error)}


def same(file, case, made):
    failed, must_fail = "error" in made, "error" in case["out"]
    if failed != must_fail or (not failed and made != {key: case["out"][key] for key in made}):
        raise Bad(f"{file}: {json.dumps(case['in'])} gives {made}")


def vectors(folder):
    """Compares every vector, and returns how many there were."""

    def cases(file):
        return json.loads((folder / file).read_text())

    def of_parts(case):
        sha = digest(case["domain"], *(part.encode() for part in case["parts"]))
        return {"digest": sha.hex(), "short": sha.hex()[:8], "base32": base64.b32encode(sha[:5]).decode().lower()}

    def of_canonical(text):
        return {"canonical": canonical(text).decode(), "digest": of_definition(text)}

    # What makes a definition one that is served is for others to judge; here every one that has a digest counts.
    definitions = [case for case in cases("definitions.json") if "digest" in case["out"]]
    for case in cases("digests.json"):
        same("digests.json", case, of_parts(case["in"]))
    for case in cases("canonical.json"):
        same("canonical.json", case, tried(of_canonical, case["in"]))
    for case in definitions:
        same("definitions.json", case, {"digest": of_definition(case["in"])})
    return len(definitions) + len(cases("canonical.json")) + len(cases("digests.json"))


# The wire: one message a line, requests one after the other.


class Wire:
    def __init__(self, command, environment, cwd, era):
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        self.modern = era == "modern"
        self.count = 0
        self.changed = False
        self.process = subprocess.Popen(
            command, env=kept | environment, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        self.watch = threading.Timer(PATIENCE, self.kill)
        self.watch.start()

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def close(self):
        self.watch.cancel()
        self.process.stdin.close()
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            pass
        self.kill()
        self.process.wait()

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, parameters):
        """Sends a request and returns the text of the line that answers it, and where in it the result starts."""
        self.count += 1
        if self.modern:
            meta = {f"{META}protocolVersion": MODERN, f"{META}clientCapabilities": {}, f"{META}clientInfo": ME}
            parameters = parameters | {"_meta": meta}
        self.send({"id": self.count, "method": method, "params": parameters})
        for line in self.process.stdout:
            text = line.decode()
            message = json.loads(text)
            if "method" in message and "id" in message:
                known = {"result": {}} if message["method"] == "ping" else {"error": {"code": -32601, "message": "not declared"}}
                self.send({"id": message["id"]} | known)
            elif "method" in message:
                self.changed |= message["method"] == "notifications/tools/list_changed"
            elif message.get("id") == self.count and "result" in message:
                return text, member(text, 0, "result")
            elif message.get("id") == self.count:
                raise Bad(f"`{method}` is answered with {message}")
        raise Bad(f"`{method}` is not answered")

    def greet(self):
        if self.modern:
            self.ask("server/discover", {})
        else:
            self.ask("initialize", {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": ME})
            self.send({"method": "notifications/initialized"})

    def list(self):
        """The text of each tool, as it was sent."""
        tools, cursor = [], {}
        while True:
            text, at = self.ask("tools/list", cursor)
            tools += items(text, member(text, at, "tools"))
            following = json.loads(text)["result"].get("nextCursor")
            if following is None:
                return tools
            cursor = {"cursor": following}

    def tools(self):
        """As `list`; anew where the server said meanwhile that its list changed."""
        self.greet()
        tools = self.list()
        while self.changed:
            self.changed = False
            tools = self.list()
        return tools


def name_of(tool):
    name = json.loads(tool).get("name")
    return name if isinstance(name, str) else json.dumps(name)


def by_name(pairs):
    found = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return {name: sorted(values) for name, values in found.items()}


class Locked:
    """What a lock file says of one server."""

    def __init__(self, path, alias):
        text = path.read_text()
        at = member(text, member(text, 0, "servers"), alias)
        whole = json.loads(text)["servers"][alias]
        self.era = "modern" if (whole.get("protocol") or "") >= MODERN else "legacy"
        self.refused = {tool["name"] for tool in whole.get("refused", [])}
        self.tools = by_name((tool["name"], tool["digest"]) for tool in whole["tools"])
        # The definitions it keeps, as they are written in it.
        kept = (tool[member(tool, 0, "definition") :] for tool in items(text, member(text, at, "tools")))
        self.kept = by_name((name_of(raw), of_definition(raw)) for raw in (text[: SKIPPER.raw_decode(text)[1]] for text in kept))


def compare(wire, locked):
    if locked.tools != locked.kept:
        raise Bad(f"the lock file's digests are not those of its own definitions: {differing(locked.tools, locked.kept)}")
    wire = {name: digests for name, digests in wire.items() if name not in locked.refused}
    if wire != locked.tools:
        raise Bad(f"the wire says otherwise than the lock file: {differing(wire, locked.tools)}")


def differing(one, other):
    return ", ".join(sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name)))


def main(options):
    count = vectors(options.vectors)
    if not options.command:
        print(f"{count} vectors agree")
        return
    locked = Locked(options.lock, options.server) if options.lock else None
    wire = Wire(options.command, dict(pair.split("=", 1) for pair in options.env), options.cwd, options.era or (locked.era if locked else "legacy"))
    try:
        tools = [(name_of(tool), of_definition(tool)) for tool in wire.tools()]
    finally:
        wire.close()
    for name, made in tools:
        print(f"{made}  {name}")
    if locked:
        compare(by_name(tools), locked)
        print(f"{len(tools)} tools of `{options.server}` agree with {options.lock.name}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=Path, default=Path(__file__).parents[2] / "spec/vectors", help="the folder of the spec's vectors")
    parser.add_argument("--lock", type=Path, help="the lock file to compare with")
    parser.add_argument("--server", help="the server's alias in it")
    parser.add_argument("--era", choices=["legacy", "modern"], help="the era to speak; else the lock file's, else legacy")
    parser.add_argument("--cwd", help="the folder to run the server in")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="a variable of the server's environment")
    parser.add_argument("command", nargs="*", help="the program and its arguments, after `--`")
    try:
        main(parser.parse_args())
    except (Bad, OSError, ValueError) as error:
        sys.exit(f"OFF: {error}")
