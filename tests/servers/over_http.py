"""One of these servers behind a URL: streamable HTTP of the legacy era in front of a program that speaks over its pipes.

    over_http.py PORT PROGRAM ARGUMENT...

A process of the program for each session. An answer comes as events on the stream of its request, with the steps that are told by that
request's token before it; whatever else the program says comes on the session's own stream. It ends with its parent.
"""

import json
import os
import queue
import secrets
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Session:
    def __init__(self, program):
        self.process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lock, self.streams, self.tokens, self.own = threading.Lock(), {}, {}, queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "method" in message:
                token = message.get("params", {}).get("progressToken", self)
                self.streams.get(self.tokens.get(token), self.own).put(message)
            elif message.get("id") in self.streams:
                self.streams[message["id"]].put(message)

    def write(self, message):
        with self.lock:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def ask(self, message):
        """Every message that belongs to a request, its answer last."""
        id = message["id"]
        self.streams[id] = queue.Queue()
        self.tokens[message.get("params", {}).get("_meta", {}).get("progressToken")] = id
        self.write(message)
        while True:
            said = self.streams[id].get()
            yield said
            if "method" not in said:
                return


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sessions, program = {}, []

    def log_message(self, *_):
        pass

    def session(self):
        return self.sessions.get(self.headers.get("Mcp-Session-Id"))

    def bare(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def events(self, messages, **headers):
        self.close_connection = True
        self.send_response(200)
        for name, value in ({"Content-Type": "text/event-stream", "Connection": "close"} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        for message in messages:
            self.wfile.write(f"event: message\ndata: {json.dumps(message)}\n\n".encode())
            self.wfile.flush()

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if message.get("method") == "initialize":
            session, id = Session(self.program), secrets.token_hex(16)
            self.sessions[id] = session
            return self.events(session.ask(message), **{"Mcp-Session-Id": id})
        session = self.session()
        if session is None:
            return self.bare(404 if "Mcp-Session-Id" in self.headers else 400)
        if "id" in message and "method" in message:
            return self.events(session.ask(message))
        session.write(message)
        self.bare(202)

    def do_GET(self):
        session = self.session()
        if session is None:
            return self.bare(404)
        self.events(iter(session.own.get, None))

    def do_DELETE(self):
        session = self.sessions.pop(self.headers.get("Mcp-Session-Id"), None)
        if session:
            session.process.kill()
        self.bare(200 if session else 404)


def ends_with_parent():
    sys.stdin.read()
    for session in Handler.sessions.values():
        session.process.kill()
    os._exit(0)


if __name__ == "__main__":
    Handler.program = sys.argv[2:]
    threading.Thread(target=ends_with_parent, daemon=True).start()
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
