// A request appears in the open page without a reload, an operator says yes with the keyboard alone, and the client's call completes.

import { answer, check, focus, open, operator, play, say, stage, until } from './lib.mjs';

const TIME = 'mcp:time/get_current_time';
const CONVERT = 'mcp:time/convert_time';
const ROUNDS = 5;

/** The instant at which the page shows a text, in milliseconds; it is not asked again and again, but told of each change. */
const shownAt = (page, text) =>
    page.evaluate(
        text =>
            new Promise(resolve => {
                const look = () => document.querySelector('main').textContent.includes(text) && resolve(performance.timeOrigin + performance.now());
                new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
            }),
        text
    );

await play('approve', async browser => {
    const page = await operator(browser, 'grace');
    await open(page, '/approvals');
    const took = [];
    for (let round = 0; round < ROUNDS; round++) {
        await page.evaluate(round => (window.round = round), round);
        const shown = shownAt(page, CONVERT);
        const asked = await stage.asks('ada', CONVERT);
        took.push((await shown) - asked);
        check((await page.evaluate(() => window.round)) === round, 'the page was not loaded again');
        await focus(page, answer(page, 'deny', CONVERT));
        await page.keyboard.press('Enter');
        check((await stage.answered('ada')).failed, 'a no is a no');
        await until(async () => !(await page.locator('main').textContent()).includes(CONVERT), 'what is settled goes from the page');
        await stage.forgets('ada');
    }
    took.sort((one, other) => one - other);
    await stage.figure(`a request is shown after ${took[ROUNDS >> 1].toFixed(0)} ms (median of ${ROUNDS}, the slowest ${took.at(-1).toFixed(0)} ms)`);
    check(took[ROUNDS >> 1] < 2000, 'a request is shown at once', took);

    await stage.asks('ada', TIME);
    await page.locator('main').getByText(TIME).first().waitFor();
    // One key goes to the request, one says yes; not one that was pressed before anybody can have looked.
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    check((await stage.waiting()).length === 1, 'a key that is too soon decides nothing');
    await until(async () => {
        await page.keyboard.press('a');
        return (await stage.waiting()).length === 0;
    }, 'the key says yes');
    const { text, failed } = await stage.answered('ada');
    check(!failed && text.includes(TIME), 'the client is told of the yes', text);
    const call = await stage.calls('ada', TIME, { timezone: 'Europe/Berlin' });
    check(!call.failed && call.text.includes('Europe/Berlin'), 'the call completes', call.text);
    await until(async () => !(await page.locator('main').textContent()).includes(TIME), 'what is settled goes from the page');
    check(page.faults.length === 0, 'the browser found no fault', page.faults);
    say('no pointer was touched');
});
