// One conversation of a TypeScript client with agent-host, in the era it is told: `node eras.mjs TOOLS ERA COMMAND...`.
// `old` is version 1 of the SDK, which knows the legacy era alone; `legacy` and `modern` are version 2.
// Prints what it saw as one JSON object. `eras.py` judges it.

import { createRequire } from 'node:module';

const [tools, era, command, ...args] = process.argv.slice(2);
const require = createRequire(`${tools}/node/here.js`);
const ID = 'mcp:time/get_current_time';
const SAYS = { action: 'accept', content: { approve: true } };
const seen = { asked: [], changes: 0 };
const me = { name: `ts-${era}`, version: '1' };
const capabilities = { elicitation: { form: {} } };

const asked = request => {
    seen.asked.push(request.params.message);
    return SAYS;
};
const changed = () => {
    seen.changes += 1;
};

function build() {
    if (era === 'old') {
        const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
        const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
        const { ElicitRequestSchema, ToolListChangedNotificationSchema } = require('@modelcontextprotocol/sdk/types.js');
        const client = new Client(me, { capabilities });
        client.setRequestHandler(ElicitRequestSchema, asked);
        client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
        return { client, StdioClientTransport };
    }
    const { Client } = require('@modelcontextprotocol/client');
    const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');
    const versionNegotiation = { mode: era === 'modern' ? 'auto' : 'legacy' };
    // Each notice as it comes: the SDK waits 300 ms for more of them otherwise, and the conversation may be over by then.
    const listChanged = { tools: { debounceMs: 0, autoRefresh: false, onChanged: changed } };
    const client = new Client(me, { capabilities, versionNegotiation, listChanged });
    client.setRequestHandler('elicitation/create', asked);
    return { client, StdioClientTransport };
}

const { client, StdioClientTransport } = build();
await client.connect(new StdioClientTransport({ command, args, stderr: 'inherit' }));
const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    return { failed: result.isError === true, text: result.content[0].text };
};
const names = async () => (await client.listTools()).tools.map(tool => tool.name);

seen.version = client.getNegotiatedProtocolVersion?.();
seen.instructions = client.getInstructions();
seen.first = await names();
seen.found = (await call('search_tools', { query: 'what time is it now in a city' })).text;
seen.active = await call('activate_tools', { tools: [ID] });
seen.ran = await call('call_tool', { id: ID, arguments: { timezone: 'Europe/Berlin' } });
seen.then = await names();
seen.given = await call('deactivate_tools', { tools: [ID] });
seen.refused = await call('call_tool', { id: ID, arguments: { timezone: 'Europe/Berlin' } });
await client.close();
console.log(JSON.stringify(seen));
