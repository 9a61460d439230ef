// A stranger's page, on this machine and elsewhere, in the browser of an operator who is logged in (attacks 27, 28, 35).
//
// The worst is assumed: the page knows the console's path, the request, and the token of its forms.

import { answer, check, open, operator, play, press, say, stage, stranger, until } from './lib.mjs';

const TIME = 'mcp:time/get_current_time';

/** The form that approves, as the page has it: where it goes, and each field. */
const formOf = locator =>
    locator.evaluate(button => {
        const form = button.form;
        const fields = Object.fromEntries(new FormData(form, button));
        return { action: new URL(button.getAttribute('formaction') ?? form.getAttribute('action'), location.href).href, fields };
    });

const escaped = text => String(text).replace(/&/g, '&amp;').replace(/"/g, '&quot;');
const hidden = fields => Object.entries(fields).map(([name, value]) => `<input type=hidden name="${escaped(name)}" value="${escaped(value)}">`).join('');

function pages({ action, fields }) {
    const body = JSON.stringify(new URLSearchParams(fields).toString());
    const url = JSON.stringify(action);
    const types = ['application/x-www-form-urlencoded', 'text/plain'];
    const fetches = types.map(type => `fetch(${url}, { method: 'POST', mode: 'no-cors', credentials: 'include', headers: { 'content-type': '${type}' }, body: ${body} })`);
    const form = (more, inner) => `<form method=post action="${escaped(action)}" ${more}>${inner}</form><script>document.forms[0].submit()</script>`;
    const query = `${action}?${new URLSearchParams(fields)}`;
    return {
        '/form': form('', hidden(fields)),
        '/bare': form('', hidden({ ...fields, csrf: '' })),
        '/plain': form('enctype=text/plain', hidden(fields)),
        '/multipart': form('enctype=multipart/form-data', hidden(fields)),
        '/fetch': `<script>Promise.allSettled([${fetches}]).then(() => (document.title = 'done'))</script>`,
        '/beacon': `<script>navigator.sendBeacon(${url}, new URLSearchParams(${body})); fetch('/bare').then(() => (document.title = 'done'))</script>`,
        '/image': `<img src="${escaped(query)}" onerror="document.title = 'done'" onload="document.title = 'done'">`,
        '/link': `<a href="${escaped(query)}">a link</a>`,
    };
}

async function stillWaits(what) {
    const waiting = await stage.waiting();
    check(waiting.length === 1, `${what}: the request still waits`, waiting);
}

await play('origins', async browser => {
    const page = await operator(browser, 'grace');
    await stage.asks('ada', TIME);
    await stage.waits();
    await open(page, '/approvals');
    const form = await formOf(answer(page, 'approve', TIME));
    const evil = await stranger(pages(form));
    // `127.0.0.1` with another port is the same site to a browser, so even a cookie that is `Strict` comes along; `localhost` is another.
    for (const host of ['127.0.0.1', 'localhost']) {
        const tab = await page.context().newPage();
        for (const path of Object.keys(evil.pages)) {
            await tab.goto(evil.at(host) + path);
            if (/fetch|beacon|image/.test(path)) await until(async () => (await tab.title()) === 'done', `${path} is done`);
            if (path === '/link') await Promise.all([tab.waitForNavigation(), tab.click('a')]);
            await tab.waitForLoadState('networkidle');
            await stillWaits(`${host}${path}`);
        }
        await tab.close();
        say(`nothing of ${host} was taken for an answer`);
    }
    for (const wrong of ['', 'x', form.fields.csrf.slice(0, -1), form.fields.csrf.toUpperCase()]) {
        const status = await page.evaluate(
            async ({ action, fields }) => (await fetch(action, { method: 'POST', body: new URLSearchParams(fields) })).status,
            { action: form.action, fields: { ...form.fields, csrf: wrong } }
        );
        check(status === 403, 'the own page without its token is refused', { wrong, status });
        await stillWaits('a wrong token');
    }

    evil.pages['/frame'] = `<iframe src="${page.desk.url}/approvals" width=900 height=600></iframe><object data="${page.desk.url}/approvals"></object>`;
    const tab = await page.context().newPage();
    await tab.goto(`${evil.at('127.0.0.1')}/frame`);
    await tab.waitForLoadState('networkidle');
    for (const frame of tab.frames().slice(1)) {
        check(!frame.url().startsWith(page.desk.url), 'no frame shows the console', frame.url());
        check(!(await frame.content()).includes(TIME), 'nor a word of it');
    }
    const headers = (await page.context().request.get(`${page.desk.url}/approvals`)).headers();
    check(headers['x-frame-options'] === 'DENY' && headers['content-security-policy'].includes("frame-ancestors 'none'"), 'frames are refused', headers);

    await press(page, answer(page, 'approve', TIME));
    check(!(await stage.answered('ada')).failed, 'the operator themselves can still say yes');
});
