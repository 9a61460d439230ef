// The link to one request carries no authority (attack 29): it opens a login, and then the request for whoever is entitled to it, nobody else.

import { answer, check, operator, play, press, stage, types, visitor } from './lib.mjs';

const TIME = 'mcp:time/get_current_time';

await play('link', async browser => {
    await stage.asks('ada', TIME);
    const [request] = await stage.waits();
    const session = await stage.session('ada');
    const desk = await stage.desk();
    const link = `${desk.url}/approvals/${request.id}`;

    const hugo = await operator(browser, 'hugo');
    await hugo.goto(link);
    const shown = await hugo.content();
    check(!shown.includes(TIME) && !shown.includes(request.digest), 'for who is over others it is not there', shown);
    await hugo.goto(`${desk.url}/approvals`);
    check(!(await hugo.content()).includes(request.id), 'nor in the queue');

    const vera = await operator(browser, 'vera');
    await vera.goto(link);
    check((await vera.content()).includes(TIME), 'a viewer sees it');
    check(!(await vera.locator('button[name=decision]').count()), 'and can not say yes');

    const page = await visitor(browser);
    await page.goto(link);
    check(!(await page.content()).includes(TIME), 'who is not logged in sees nothing of it', await page.content());
    check((await stage.waiting()).length === 1, 'a link that is opened decides nothing');
    await types(page, 'grace', desk.passphrases.grace);
    check(page.url() === link, 'a login leads to where the link went', page.url());
    const text = await page.locator('main').innerHTML();
    for (const word of ['ada', TIME, session]) check(text.includes(word), `the page names ${word}`, text);
    await press(page, answer(page, 'approve', TIME));
    check(!(await stage.answered('ada')).failed, 'who is entitled says yes');
});
