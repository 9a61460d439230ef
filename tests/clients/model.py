"""Who talks in a play: a model through its client, and the person at that client."""

import asyncio
import json

import mcp_types as types

from play import check, say


def estimate(value):
    """Tokens, estimated as bytes / 4."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()) // 4


def readable(text):
    """An answer as a person reads it: the JSON of a builtin as lines, everything else as it is."""
    try:
        answer = json.loads(text)
        tools = answer["tools"]
    except (ValueError, KeyError, TypeError):
        return text if len(text) < 900 else text[:900] + " ..."
    if "active" in answer:
        return "\n".join([f"active: {', '.join(answer['active'])}"] + [f"  {tool['id']} is called {tool['name']}" for tool in tools])
    return "\n".join(f"{tool['id']}  {tool['signature']}  {tool['summary']}" for tool in tools) or answer.get("hint", "nothing")


def handle(text):
    """The handle of a new session in an answer, if one is there."""
    try:
        return json.loads(text).get("session")
    except (ValueError, AttributeError):
        return None


class Person:
    """Whoever sits at the client and is shown its forms. `asked` holds the messages of those."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    def asks(self, message, schema):
        """Shows a form, and returns what the person does and what they filled in."""
        self.asked.append(message)
        say("person", "is asked:")
        for line in message.splitlines():
            say("", f"| {line}")
        say("", f"| ({', '.join((schema or {}).get('properties', {}))})")
        action, content = self.answer
        say("person", f"{action} {json.dumps(content)}" if content else action)
        return action, content


class Model:
    """What a model can do through its client: list, and call. `tools` and `answer` are each client's own."""

    # Whether the client can be asked what notices it heard.
    hears = True
    # The handle of its session, which it passes with each call once an answer said it.
    session = None

    def __init__(self):
        self.changes = []

    async def list(self):
        tools = await self.tools()
        say("client", f"lists {len(tools)} tools, about {estimate(tools)} tokens: {', '.join(tool['name'] for tool in tools)}")
        return tools

    async def call(self, name, arguments):
        """Calls, and returns the text and whether it is an error."""
        say("model", f"{name} {json.dumps(arguments, ensure_ascii=False)}")
        text, failed = await self.answer(name, arguments | ({"session": self.session} if self.session else {}))
        self.session = self.session or handle(text)
        say("refused" if failed else "answer", readable(text))
        if len(text) > 400:
            say("", f"(about {estimate(text)} tokens)")
        return text, failed

    async def search(self, query, **more):
        text, failed = await self.call("search_tools", {"query": query} | more)
        check(not failed, "a search is answered", text)
        return [hit["id"] for hit in json.loads(text)["tools"]]

    async def changed(self, count):
        """Waits until the list was said to have changed so often."""
        for _ in range(100):
            if len(self.changes) >= count:
                say("client", "hears that its list of tools has changed")
                return
            await asyncio.sleep(0.05)
        check(False, f"list_changed is seen {count} times", len(self.changes))


class Python(Model):
    """A model behind the Python SDK's client."""

    def __init__(self):
        super().__init__()
        self.client = None
        # Every notice, by its kind.
        self.notices = []

    @property
    def version(self):
        return self.client.protocol_version

    async def tools(self):
        tools = (await self.client.list_tools(cache_mode="bypass")).tools
        return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]

    async def answer(self, name, arguments):
        try:
            result = await self.client.call_tool(name, arguments)
        except Exception as error:  # a protocol error is an answer too
            return str(error), True
        return "\n".join(getattr(block, "text", f"[{block.type}]") for block in result.content), bool(result.is_error)

    async def heard(self, message):
        self.notices.append(type(message).__name__)
        if isinstance(message, types.ToolListChangedNotification):
            self.changes.append(message)


def shows(person):
    """How the Python SDK's client shows a person its forms; nothing where nobody is there."""

    async def elicit(_context, params):
        action, content = person.asks(params.message, getattr(params, "requested_schema", None))
        return types.ElicitResult(action=action, content=content)

    return elicit if person else None
