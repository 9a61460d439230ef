// Two operators decide on one request: one decision stands, the other is told which.

import { answer, check, open, operator, play, press, say, stage } from './lib.mjs';

const TIME = 'mcp:time/get_current_time';
const ROUNDS = 4;

/** What is pressed is pressed before either page is told anything. */
async function atOnce(one, other) {
    for (let round = 0; round < ROUNDS; round++) {
        await stage.asks('ada', TIME);
        await Promise.all([one, other].map(page => page.locator('main').getByText(TIME).first().waitFor()));
        const buttons = await Promise.all([answer(one, 'approve', TIME), answer(other, 'deny', TIME)].map(button => button.elementHandle()));
        // A page that was told of the other's decision meanwhile has no such button any more, and sends nothing.
        const come = [one, other].map(page => page.waitForNavigation({ waitUntil: 'domcontentloaded' }).catch(() => null));
        const sent = await Promise.all(buttons.map(button => button.evaluate(it => it.isConnected && (it.form.requestSubmit(it), true))));
        await Promise.all(come.filter((_, at) => sent[at]));
        const { text, failed } = await stage.answered('ada');
        const records = await stage.decisions(TIME);
        const decided = records.slice(-1)[0];
        check(records.length === round + 1, 'one decision is on record for each request', records);
        check(decided.approved === !failed, 'the client is told the decision that stands', { decided, text });
        say(`the ${decided.approved ? 'yes' : 'no'} was first`);
        await stage.forgets('ada');
        await Promise.all([one, other].map(page => open(page, '/approvals')));
    }
}

/** The second decides on a page that is behind, as one without scripts is. */
async function behind(first, late) {
    await stage.asks('ada', TIME);
    await stage.waits();
    await Promise.all([first, late].map(page => open(page, '/approvals')));
    await press(first, answer(first, 'approve', TIME));
    check(!(await stage.answered('ada')).failed, 'the first decision stands');
    await press(late, answer(late, 'deny', TIME));
    const told = await late.locator('body').textContent();
    check(told.includes('nothing was decided here: grace approved it before'), 'the other is told which decision stands', told);
    const call = await stage.calls('ada', TIME, { timezone: 'Europe/Berlin' });
    check(!call.failed, 'and it does stand', call.text);
}

await play('race', async browser => {
    const grace = await operator(browser, 'grace');
    const ida = await operator(browser, 'ida');
    await Promise.all([grace, ida].map(page => open(page, '/approvals')));
    await atOnce(grace, ida);
    const [first, late] = await Promise.all(['grace', 'ida'].map(name => operator(browser, name, { javaScriptEnabled: false })));
    await behind(first, late);
});
