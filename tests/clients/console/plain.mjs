// Without scripts: an operator logs in, reads every page, says yes and no, takes back, and logs out.

import { PAGES, answer, check, open, operator, play, press, revoke, stage } from './lib.mjs';

const TIME = 'mcp:time/get_current_time';
const CONVERT = 'mcp:time/convert_time';

async function decides(page, id, word) {
    await stage.asks('ada', id);
    await stage.waits();
    await open(page, '/approvals');
    await press(page, answer(page, word, id));
    return stage.answered('ada');
}

await play('plain', async browser => {
    const page = await operator(browser, 'grace', { javaScriptEnabled: false });
    const menu = await page.locator('header nav a').evaluateAll(links => links.map(link => link.getAttribute('href')));
    const prefix = new URL(page.desk.url).pathname;
    for (const path of Object.values(PAGES)) check(menu.includes(prefix + path), `the menu has ${path}`, menu);
    check(menu.length === Object.keys(PAGES).length, 'and no more', menu);
    for (const path of Object.values(PAGES)) {
        await open(page, path);
        check((await page.locator('main h1').count()) === 1, `${path} can be read`);
    }
    const denied = await decides(page, CONVERT, 'deny');
    check(denied.failed && denied.text.includes('said no'), 'a no is a no', denied.text);
    const approved = await decides(page, TIME, 'approve');
    check(!approved.failed, 'a yes is a yes', approved.text);
    check(!(await stage.calls('ada', TIME, { timezone: 'Europe/Berlin' })).failed, 'the call completes');

    await open(page, `/sessions/${await stage.session('ada')}`);
    await press(page, revoke(page, TIME));
    const refused = await stage.calls('ada', TIME, { timezone: 'Europe/Berlin' });
    check(refused.failed && refused.text.includes('revoked'), 'what is taken back is refused', refused.text);

    await press(page, page.locator('form[action$="/logout"] button').first());
    await page.goto(`${page.desk.url}/approvals`);
    check((await page.locator('input[name=passphrase]').count()) === 1, 'after logging out the pages ask who is there');
});
