// What every play in a browser is made of: Chromium, an operator who is logged in, the stage at the other end, what is said and checked.
//
// A play runs under `browser.py`, which has the host and its clients. What is asked of it is a line of JSON on standard output, what it
// answers one on standard input, so a play reads as one story. `play(name, story)` is a script's whole main.

import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

export const [tools, pictures] = process.argv.slice(2);
const require = createRequire(`${tools}/node/here.js`);
const { chromium } = require('playwright-core');

// With the machine's network closed, what Chromium does on its own account fails many times a second; it is turned off.
const QUIET = ['quic', 'background-networking', 'component-update', 'sync'].map(part => `--disable-${part}`);
const FLAGS = ['--disable-gpu', '--no-first-run', ...QUIET];
const PATIENCE = 60_000;

class Off extends Error {}

export function check(holds, needed, got) {
    if (!holds) throw new Off(got === undefined ? needed : `${needed}; got: ${typeof got === 'string' ? got : JSON.stringify(got)}`);
}

const tell = what => process.stdout.write(`${JSON.stringify(what)}\n`);
export const say = text => tell({ say: text });

// The stage: `await stage.asks('ada', 'mcp:time/convert_time')` is `asks` of `browser.py`.
const answers = new Map();
let last = 0;
const ask = (verb, args) =>
    new Promise((resolve, reject) => {
        answers.set(++last, { resolve, reject });
        tell({ ask: verb, args, id: last });
    });
export const stage = new Proxy({}, { get: (_, verb) => (...args) => ask(verb, args) });

const lines = createInterface({ input: process.stdin });
lines.on('line', line => {
    const { id, answer, failed } = JSON.parse(line);
    const waits = answers.get(id);
    answers.delete(id);
    if (failed === undefined) waits.resolve(answer);
    else waits.reject(new Off(failed));
});

// Servers of strangers, which end with the play.
const strangers = [];

/** A server of a stranger on a port of its own: `pages` are its HTML by path, `heard` every request to it. */
export async function stranger(pages = {}) {
    const heard = [];
    const server = createServer((request, response) => {
        heard.push({ path: request.url, headers: request.headers });
        const page = pages[request.url];
        response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' });
        response.end(page ?? 'nothing');
    });
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
    strangers.push(server);
    return { heard, pages, port: server.address().port, at: host => `http://${host}:${server.address().port}` };
}

/** Waits until something holds. */
export async function until(holds, needed) {
    const end = Date.now() + PATIENCE;
    while (!(await holds())) {
        check(Date.now() < end, needed);
        await new Promise(resolve => setTimeout(resolve, 25));
    }
}

/** A page in a context of its own, with `faults`: every dialog, and every error that the page reports. */
export async function visitor(browser, settings = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...settings });
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    page.faults = [];
    page.on('dialog', dialog => {
        page.faults.push(`a dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    page.on('console', message => {
        // The browser asks the host for an icon by itself, outside of the console's path, where there is nothing.
        const icon = message.location().url.endsWith('/favicon.ico');
        if (['error', 'warning'].includes(message.type()) && !icon) page.faults.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', error => page.faults.push(`an error: ${error.message}`));
    return page;
}

/** Fills in the login page; where it leads is the caller's to see. */
export async function types(page, name, passphrase) {
    const field = page.locator('input[name=name]');
    if (await field.count()) await field.fill(name);
    await page.fill('input[name=passphrase]', passphrase);
    await Promise.all([page.waitForNavigation({ waitUntil: 'domcontentloaded' }), page.press('input[name=passphrase]', 'Enter')]);
}

/** An operator who is logged in, at the front page. */
export async function operator(browser, name, settings = {}) {
    const page = await visitor(browser, settings);
    const desk = await stage.desk();
    await page.goto(desk.url);
    await types(page, name, desk.passphrases[name]);
    check((await page.locator('nav').count()) > 0, `${name} is logged in`, await page.content());
    page.desk = desk;
    return page;
}

/** The button that answers a request, by one of its tools: `approve` or `deny`. */
export const answer = (page, word, id) => page.locator('article.request').filter({ hasText: id }).locator(`button[name=decision][value=${word}]`);

/** The button that takes a tool back, on its session's page. */
export const revoke = (page, id) => page.getByRole('button', { name: `revoke ${id}`, exact: true });

/** Presses a button, and waits for the page that comes of it. */
export async function press(page, button) {
    const before = await page.evaluate(() => performance.timeOrigin);
    await button.click();
    // The click itself waits for what it leads to; a page that came anew has another beginning.
    await until(async () => (await page.evaluate(() => performance.timeOrigin).catch(() => before)) !== before, 'another page comes');
    await page.waitForLoadState('domcontentloaded');
}

/** Goes to a button with the keyboard alone. */
export async function focus(page, button) {
    for (let presses = 0; presses < 100; presses++) {
        await page.keyboard.press('Tab');
        if (await button.evaluate(button => button === document.activeElement)) return;
    }
    throw new Off('the button is reached by the keyboard');
}

/** The pages of the menu, by name. */
export const PAGES = { overview: '/', approvals: '/approvals', remembered: '/remembered', sessions: '/sessions', catalog: '/catalog', servers: '/servers', policy: '/policy', tokens: '/tokens', audit: '/audit' };

/** Goes to a page of the console by its path behind the prefix, such as `/approvals`. */
export async function open(page, path) {
    const answer = await page.goto(`${page.desk.url}${path}`, { waitUntil: 'domcontentloaded' });
    check(answer.ok(), `${path} is shown`, answer.status());
}

export async function play(name, story) {
    let browser;
    try {
        browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: FLAGS });
        await story(browser);
        say(`all as it must be (${name})`);
    } catch (error) {
        console.error(error instanceof Off ? `OFF: ${error.message}` : error.stack);
        process.exitCode = 1;
    } finally {
        await browser?.close();
        strangers.forEach(server => server.close());
        strangers.forEach(server => server.closeAllConnections());
        lines.close();
    }
}
