// The console's cookie and its path go to nobody else on this machine (attack 35), and a client's token is no way in (attack 26).

import { PAGES, check, open, operator, play, stage, stranger, types, visitor } from './lib.mjs';

async function noOther(browser) {
    const page = await operator(browser, 'grace');
    const cookies = await page.context().cookies();
    check(cookies.length === 1, 'there is one cookie', cookies);
    const [cookie] = cookies;
    const prefix = new URL(page.desk.url).pathname;
    check(cookie.httpOnly && cookie.sameSite === 'Strict', 'no script reads it, and no other site sends it', cookie);
    check(cookie.path === prefix && prefix.length >= 22, 'it is for a path that nobody guesses', { cookie, prefix });
    const evil = await stranger({ '/': 'a page', '/favicon.ico': '' });
    for (const path of Object.values(PAGES)) {
        await open(page, path);
        // As a link would, from each page there is.
        await page.evaluate(url => (location.href = url), `${evil.at('127.0.0.1')}/`);
        await page.waitForURL(`${evil.at('127.0.0.1')}/`);
    }
    const tab = await page.context().newPage();
    for (const host of ['127.0.0.1', 'localhost']) await tab.goto(`${evil.at(host)}/`);
    check(evil.heard.length >= Object.keys(PAGES).length + 2, 'the stranger is visited', evil.heard.length);
    for (const { path, headers } of evil.heard) {
        const said = JSON.stringify({ path, headers });
        check(!headers.cookie && (headers.referer ?? '').replace(/^http:\/\/(127\.0\.0\.1|localhost):\d+\/$/, '') === '' && !(headers.referer ?? '').includes(new URL(page.desk.url).host), 'the stranger gets no cookie, and is not told whence', said);
        check(!said.includes(prefix) && !said.includes(cookie.value), 'nor the path or the secret in another way', said);
    }
}

async function noToken(browser) {
    const desk = await stage.desk();
    const token = await stage.token_of('ada');
    const page = await visitor(browser);
    await page.goto(desk.url);
    await types(page, 'grace', token);
    check((await page.locator('input[name=passphrase]').count()) === 1, 'a token is no passphrase', await page.content());
    const origin = new URL(desk.url).origin;
    for (const value of [token, `Bearer ${token}`]) {
        const context = await browser.newContext({ extraHTTPHeaders: { authorization: `Bearer ${token}` } });
        const names = (await page.context().cookies()).map(cookie => cookie.name).concat(['agent-host', 'session', 'console']);
        await context.addCookies(names.map(name => ({ name, value: encodeURIComponent(value), url: desk.url })));
        const other = await context.newPage();
        await other.goto(`${desk.url}/approvals`);
        check((await other.locator('input[name=passphrase]').count()) === 1, 'nor a cookie, nor a header', await other.content());
        for (const path of ['/', '/approvals', '/login', '/style.css']) {
            const answer = await context.request.get(origin + path, { maxRedirects: 0 });
            check(answer.status() === 404, 'without the prefix there is nothing', { path, status: answer.status() });
        }
    }
}

await play('cookie', async browser => {
    await noOther(browser);
    await noToken(browser);
});
