// What an operator takes back in the page is refused to the client's next call.

import { check, open, operator, play, press, revoke, stage } from './lib.mjs';

const TIME = 'mcp:time/get_current_time';
const CONVERT = 'mcp:time/convert_time';
const ZONE = { timezone: 'Europe/Berlin' };

await play('revoke', async browser => {
    await stage.asks('ada', TIME, CONVERT);
    check(!(await stage.answered('ada')).failed, 'the policy says yes');
    check(!(await stage.calls('ada', TIME, ZONE)).failed, 'the tool runs');

    const page = await operator(browser, 'grace');
    await open(page, '/sessions');
    const session = await stage.session('ada');
    await page.locator(`main a[href*="${session}"]`).first().click();
    await revoke(page, TIME).waitFor();
    await press(page, revoke(page, TIME));

    const refused = await stage.calls('ada', TIME, ZONE);
    check(refused.failed && refused.text.includes('revoked'), 'the next call is refused, and says why', refused.text);
    const other = await stage.calls('ada', CONVERT, { source_timezone: 'UTC', time: '12:00', target_timezone: 'Europe/Berlin' });
    check(!other.failed, 'the other tool still runs', other.text);
    await open(page, `/sessions/${session}`);
    check(!(await revoke(page, TIME).count()), 'it is in the set no more');
    check(/revoked/i.test(await page.locator('main').textContent()), 'the timeline says what happened');
    check(page.faults.length === 0, 'the browser found no fault', page.faults);
});
