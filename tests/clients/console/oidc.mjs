// An operator logs in at a provider from the login page on, by the keyboard, and what she approves then demanded a strong yes.

import { answer, check, play, press, say, stage, until, visitor } from './lib.mjs';

const TIME = 'mcp:time/get_current_time';

await play('browser', async browser => {
    await stage.asks('ada', TIME);
    const [question] = await stage.waits();
    const page = await visitor(browser);
    const desk = await stage.desk();
    const provider = await stage.provider_is();
    await page.goto(`${desk.url}/approvals/${question.id}`);
    check(!(await page.content()).includes(TIME), 'a link shows nothing without a login');
    await page.getByRole('button', { name: 'Log in at' }).press('Enter');
    await page.waitForURL(`${provider}/authorize**`);
    await page.getByRole('button', { name: 'grace' }).press('Enter');
    await page.waitForURL(`${desk.url}/approvals/${question.id}`);
    say('logged in at the provider, and at the page that was asked for');
    const cookies = await page.context().cookies();
    const own = cookies.filter(cookie => cookie.path === new URL(desk.url).pathname);
    check(own.length === 1 && own[0].sameSite === 'Strict' && own[0].httpOnly, 'one cookie is left, and no other site sends it', cookies);
    await page.locator('main').getByText(TIME).first().waitFor();
    await press(page, answer(page, 'approve', TIME));
    const { failed, text } = await stage.answered('ada');
    check(!failed, 'her yes is strong', text);
    await until(async () => (await stage.waiting()).length === 0, 'nothing waits any more');
    check(page.faults.length === 0, 'the browser found no fault', page.faults);
});
