// Markup, scripts and icons of a server are words on every page of the console, and no more (attack 31).

import { PAGES, check, open, operator, play, say, stage } from './lib.mjs';

const HOSTILE = 'mcp:markup/markup';
// What no page of the console is made of, and what would mean that a word of the server became an element.
const STRANGE = 'img, iframe, object, embed, base, meta[http-equiv], svg [onload], animate, #strange, [onerror], [onload], [onfocus], [onmouseover], [autofocus]:not(input), a[href^="javascript:"], a[href*=":9/"], main script, main style, main link, style:not(head style)';

async function harmless(page, path, expects) {
    await open(page, path);
    await page.waitForLoadState('networkidle').catch(() => {});
    const found = await page.locator(STRANGE).evaluateAll(elements => elements.map(element => element.outerHTML.slice(0, 200)));
    check(found.length === 0, `${path}: no element is a stranger's`, found);
    const text = await page.locator('main').textContent();
    if (expects) check(text.includes('<img src=x onerror=alert(1)>'), `${path}: the text is shown as it was written`, text.slice(0, 2000));
    const handlers = await page.evaluate(() => [...document.querySelectorAll('*')].flatMap(element => [...element.attributes]).filter(({ name }) => name.startsWith('on')).length);
    check(handlers === 0, `${path}: nothing has a handler in an attribute`);
}

await play('markup', async browser => {
    const page = await operator(browser, 'grace');
    const asked = [];
    page.on('request', request => asked.push(request.url()));
    await open(page, '/approvals');
    await stage.asks('ada', HOSTILE, 'mcp:markup/markup_0', 'mcp:markup/markup_3');
    await page.locator('main').getByText(HOSTILE).first().waitFor();
    await harmless(page, '/approvals', true);
    const session = await stage.session('ada');
    const tool = `/catalog/tool?id=${encodeURIComponent(HOSTILE)}`;
    const search = `/catalog?q=${encodeURIComponent('<script>alert(0)</script>')}`;
    const paths = [...Object.values(PAGES), `/sessions/${session}`, '/catalog?q=alert', search, tool];
    for (const path of paths) await harmless(page, path, path === tool);
    const origin = new URL(page.desk.url).origin;
    const outside = asked.filter(url => !url.startsWith(origin));
    check(outside.length === 0, 'nothing is loaded from elsewhere', outside);
    check(page.faults.length === 0, 'nothing ran, and nothing even tried', page.faults);
    const headers = (await page.context().request.get(`${page.desk.url}/approvals`)).headers();
    const policy = headers['content-security-policy'];
    check(!/unsafe|\*|data:/.test(policy) && policy.includes("default-src 'none'"), 'scripts and styles are the own files alone', policy);
    check(headers['x-content-type-options'] === 'nosniff' && headers['referrer-policy'] === 'no-referrer', 'the other headers', headers);
    say(`${paths.length} pages show it as text`);
});
