"""An MCP server with the tools that the official conformance suite calls.

    suite.py FOLDER

Names, contents and the schema are the suite's own, as its scenarios describe them. What it wants of a server that asks its client
(elicitation, sampling) is not here: agent-host lets no upstream do that.
"""

import json
import sys
import time
from pathlib import Path

from hostile import LEGACY, Honest, result_of, tool

# An image of one pixel, and a sound of no length.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}

TEXT = {"type": "text", "text": "This is a simple text response for testing."}
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": WAV, "mimeType": "audio/wav"}


def resource(uri, kind, text):
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": text}}


EMBEDDED = resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
MIXED = resource("test://mixed-content-resource", "application/json", json.dumps({"test": "data", "value": 123}))

RESULTS = {
    "test_simple_text": {"content": [TEXT]},
    "test_image_content": {"content": [IMAGE]},
    "test_audio_content": {"content": [AUDIO]},
    "test_embedded_resource": {"content": [EMBEDDED]},
    "test_multiple_content_types": {"content": [TEXT, IMAGE, MIXED]},
    "test_error_handling": result_of("This tool intentionally returns an error for testing") | {"isError": True},
    "test_tool_with_progress": result_of("three steps were made"),
    "test_logging_tool": result_of("something was logged"),
    "test_streaming_elicitation": result_of("nobody was asked"),
    "test_trigger_tool_change": result_of("a tool is gone, or back"),
    "test_trigger_prompt_change": result_of("a prompt is there, or gone"),
    "json_schema_2020_12_tool": result_of("ok"),
    "test_passing": result_of("still here"),
    "test_header": result_of("a header said so, too"),
}

MARKED = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}


PROMPTS = [
    {"name": "test_simple_prompt", "description": "A simple prompt."},
    {"name": "test_prompt_with_arguments", "description": "One with arguments.", "arguments": [{"name": "arg1", "required": True}, {"name": "arg2", "required": True}]},
]
RESOURCES = [{"uri": "test://static-text", "name": "static-text", "description": "A text.", "mimeType": "text/plain"}]
TEMPLATES = [{"uriTemplate": "test://template/{id}/data", "name": "template", "description": "Data by id.", "mimeType": "application/json"}]
READ = {"contents": [{"uri": "test://static-text", "mimeType": "text/plain", "text": "This is the content of the static text resource."}]}
ANSWERS = {
    "resources/read": READ,
    "prompts/list": {"prompts": PROMPTS},
    "resources/list": {"resources": RESOURCES},
    "resources/templates/list": {"resourceTemplates": TEMPLATES},
}


class Suite(Honest):
    part = "suite"
    passed = prompted = False

    def greet(self, id):
        capabilities = {"tools": {"listChanged": True}, "prompts": {"listChanged": True}, "resources": {}}
        self.answer(id, {"protocolVersion": LEGACY, "capabilities": capabilities, "serverInfo": {"name": "suite", "version": "1"}})

    def unknown(self, id, method):
        if method == "prompts/list" and self.prompted:
            self.answer(id, {"prompts": [*PROMPTS, {"name": "test_triggered_prompt", "description": "One that comes and goes."}]})
        elif method in ANSWERS:
            self.answer(id, ANSWERS[method])
        else:
            super().unknown(id, method)

    def tools(self):
        schemas = {"json_schema_2020_12_tool": SCHEMA, "test_header": MARKED}
        names = [name for name in RESULTS if not (self.passed and name == "test_passing")]
        return [tool(name, inputSchema=schemas.get(name, {"type": "object", "properties": {}})) for name in names]

    def call(self, id, params):
        name, token = params["name"], params.get("_meta", {}).get("progressToken")
        if name == "test_tool_with_progress" and token is not None:
            self.steps(token)
        elif name == "test_logging_tool":
            self.send({"method": "notifications/message", "params": {"level": "error", "data": "something"}})
        elif name == "test_streaming_elicitation":
            asked = {"message": "who is there?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}
            self.send({"id": "ask", "method": "elicitation/create", "params": asked})
        elif name == "test_trigger_tool_change":
            self.passed = not self.passed
            self.send({"method": "notifications/tools/list_changed"})
        elif name == "test_trigger_prompt_change":
            self.prompted = not self.prompted
            self.send({"method": "notifications/prompts/list_changed"})
        self.answer(id, RESULTS[name])

    def steps(self, token):
        for progress in (0, 50, 100):
            self.send({"method": "notifications/progress", "params": {"progressToken": token, "progress": progress, "total": 100}})
            time.sleep(0.05)


if __name__ == "__main__":
    Suite(Path(sys.argv[1])).run()
