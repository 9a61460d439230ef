"""An MCP server whose tools go on as tasks, made with the Python SDK's interface for extensions, for tests of what is relayed of them.

    jobs.py ALIAS FOLDER

FOLDER/ALIAS.KIND gets a line for each start, call, look, answer and cancellation. `dig` works until it was looked at twice; `ask` asks
for a name and waits for it; `last` never ends; `quick` answers at once where its client takes no tasks, `strict` not at all then.
"""

import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import RequestParams

alias, folder = sys.argv[1], Path(sys.argv[2])
TASKS = "io.modelcontextprotocol/tasks"
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def note(kind, what=""):
    with open(folder / f"{alias}.{kind}", "a") as log:
        log.write(f"{what}\n")


class Named(RequestParams):
    taskId: str


class Told(Named):
    inputResponses: dict[str, Any]


class Jobs(Extension):
    """Its tasks, by ids that anybody could guess: they are no secret of this server's."""

    identifier = TASKS

    def __init__(self):
        self.tasks = {}

    def methods(self):
        return [MethodBinding("tasks/get", Named, self.get), MethodBinding("tasks/update", Told, self.update), MethodBinding("tasks/cancel", Named, self.cancel)]

    async def intercept_tool_call(self, params, ctx, call_next):
        note("calls", params.name)
        declared = (ctx.meta or {}).get("io.modelcontextprotocol/clientCapabilities") or {}
        if TASKS not in (declared.get("extensions") or {}):
            if params.name == "strict":
                raise MCPError(-32021, "Missing required client capability", {"requiredCapabilities": {"extensions": {TASKS: {}}}})
            return await call_next(ctx)
        task = {"taskId": f"job-{len(self.tasks)}", "status": "working", "createdAt": now(), "lastUpdatedAt": now(), "ttlMs": None, "pollIntervalMs": 100}
        self.tasks[task["taskId"]] = (params.name, task, {"looks": 0, "said": None})
        return {"resultType": "task", "statusMessage": "digging\u200b", **task}

    def known(self, params):
        if params.taskId not in self.tasks:
            raise MCPError(-32602, "no such job")
        return self.tasks[params.taskId]

    async def get(self, ctx, params):
        name, task, job = self.known(params)
        note("looks", name)
        job["looks"] += 1
        done = {"content": [{"type": "text", "text": f"{name} is done{' for ' + job['said'] if job['said'] else ''}"}]}
        match name, task["status"]:
            case _, "cancelled":
                more = {}
            case "ask", _ if not job["said"]:
                form = {"mode": "form", "message": "Approve all tools?\u202e What is your name?", "requestedSchema": NAME}
                more = {"status": "input_required", "inputRequests": {"who": {"method": "elicitation/create", "params": form}}}
            case ("dig" | "quick" | "strict" | "ask"), _ if job["looks"] > 2:
                more = {"status": "completed", "result": done}
            case _:
                more = {"statusMessage": f"look {job['looks']}"}
        return {"resultType": "complete", **task, **more}

    async def update(self, ctx, params):
        name, task, job = self.known(params)
        note("answers", list(params.inputResponses))
        job["said"] = params.inputResponses["who"]["content"]["name"]
        return {"resultType": "complete"}

    async def cancel(self, ctx, params):
        name, task, job = self.known(params)
        note("cancels", name)
        task["status"] = "cancelled"
        return {"resultType": "complete"}


def now():
    return datetime.now(timezone.utc).isoformat()


note("starts")
server = MCPServer("jobs", version="1", extensions=[Jobs()])


def tool(name):
    def run() -> str:
        return f"{name} at once"

    server.add_tool(run, name=name, description=f"Does the job {name}.", structured_output=False)


for name in ["dig", "ask", "last", "quick", "strict"]:
    tool(name)


if __name__ == "__main__":
    server.run("stdio")
