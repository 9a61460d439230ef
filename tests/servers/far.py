"""An MCP server over streamable HTTP, made with the Python SDK, for tests of servers behind URLs.

    far.py PORT LOG

It speaks both eras on one endpoint, takes requests with one credential alone, and leaves a line in LOG for each request: its method of
HTTP and the credential that came with it. It ends with its parent.
"""

import sys
import threading

import uvicorn
from mcp.server.mcpserver import Context, MCPServer

CREDENTIAL = "Bearer for-this-server-alone"

server = MCPServer("far", version="1")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two whole numbers."""
    return a + b


@server.tool()
async def count(steps: int, context: Context) -> str:
    """Counts up, and tells how far it is."""
    for step in range(steps):
        await context.report_progress(step + 1, steps, f"step {step + 1}")
    return f"counted to {steps}"


def guarded(app, log):
    """Looks at what came before the SDK does."""

    async def serve(scope, receive, send):
        if scope["type"] != "http":
            return await app(scope, receive, send)
        given = dict(scope["headers"]).get(b"authorization", b"none").decode()
        with open(log, "a") as lines:
            lines.write(f"{scope['method']} {given}\n")
        if given == CREDENTIAL:
            return await app(scope, receive, send)
        challenge = [(b"www-authenticate", b"Bearer realm=far"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 401, "headers": challenge})
        await send({"type": "http.response.body", "body": b""})

    return serve


def ends_with_parent(running):
    sys.stdin.read()
    running.should_exit = True


if __name__ == "__main__":
    port, log = int(sys.argv[1]), sys.argv[2]
    app = guarded(server.streamable_http_app(), log)
    running = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error", timeout_graceful_shutdown=1))
    threading.Thread(target=ends_with_parent, args=[running], daemon=True).start()
    running.run()
