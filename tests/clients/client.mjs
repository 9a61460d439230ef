// A TypeScript client that does as it is told: `node client.mjs TOOLS ERA FORMS COMMAND...`.
// A COMMAND that is a URL is where a host listens, and its argument the headers for it.
// ERA: `old` is version 1 of the SDK, which knows the legacy era alone; `legacy` and `modern` are version 2. FORMS: `forms` or `none`.
// A line of standard input is `{"list": true}`, `{"call": NAME, "arguments": ...}`, `{"do": METHOD, "with": ...}` of the SDK's client, or
// `{"says": ...}` to a form. A line of standard output
// is what was answered, a form, or a notice that the list has changed. `real.py` is at the other end.

import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const [tools, era, forms, command, ...args] = process.argv.slice(2);
const require = createRequire(`${tools}/node/here.js`);
const me = { name: `ts-${era}`, version: '1' };
const capabilities = forms === 'forms' ? { elicitation: { form: {} } } : {};
const tell = what => console.log(JSON.stringify(what));

let says;
const asked = request => {
    tell({ asked: request.params });
    return new Promise(resolve => (says = resolve));
};
const changed = () => tell({ changed: true });

function old() {
    const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
    const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const { ElicitRequestSchema, ToolListChangedNotificationSchema } = require('@modelcontextprotocol/sdk/types.js');
    const client = new Client(me, { capabilities });
    if (forms === 'forms') client.setRequestHandler(ElicitRequestSchema, asked);
    client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
    return { client, StdioClientTransport, StreamableHTTPClientTransport };
}

function current() {
    const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');
    const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');
    const versionNegotiation = { mode: era === 'modern' ? 'auto' : 'legacy' };
    // Each notice as it comes: the SDK waits 300 ms for more of them otherwise, and the conversation may be over by then.
    const listChanged = { tools: { debounceMs: 0, autoRefresh: false, onChanged: changed } };
    const client = new Client(me, { capabilities, versionNegotiation, listChanged });
    if (forms === 'forms') client.setRequestHandler('elicitation/create', asked);
    return { client, StdioClientTransport, StreamableHTTPClientTransport };
}

const { client, StdioClientTransport, StreamableHTTPClientTransport } = era === 'old' ? old() : current();
const call = async params => {
    try {
        const result = await client.callTool(params);
        return { text: result.content[0].text, failed: result.isError === true };
    } catch (error) {
        return { text: error.message, failed: true };
    }
};

const lines = createInterface({ input: process.stdin });
lines.on('close', () => client.close());
lines.on('line', async line => {
    const told = JSON.parse(line);
    if (told.says) says(told.says);
    else if (told.do) tell({ answer: await client[told.do](told.with).catch(error => ({ code: error.code, text: error.message })) });
    else if (told.list) tell({ answer: (await client.listTools()).tools });
    else tell({ answer: await call({ name: told.call, arguments: told.arguments }) });
});
const transport = command.startsWith('http')
    ? new StreamableHTTPClientTransport(new URL(command), { requestInit: { headers: JSON.parse(args[0]) } })
    : new StdioClientTransport({ command, args, stderr: 'inherit' });
await client.connect(transport);
tell({ answer: client.getNegotiatedProtocolVersion?.() ?? null });
