// Pictures of every page, in light and in dark, of a host on a busy afternoon. `pictures.md` of the book and README show them.

import { open, operator, pictures, play, say, stage, visitor } from './lib.mjs';
import { lively, pages } from './lively.mjs';

const shoots = (page, name, colorScheme) => page.screenshot({ path: `${pictures}/${name}-${colorScheme}.png`, animations: 'disabled', caret: 'hide' });

await play('screens', async browser => {
    await lively(await operator(browser, 'grace'));
    const places = await pages();
    for (const colorScheme of ['light', 'dark']) {
        const login = await visitor(browser, { colorScheme });
        await login.goto((await stage.desk()).url);
        await shoots(login, 'login', colorScheme);
        const page = await operator(browser, 'grace', { colorScheme });
        for (const [name, path] of Object.entries(places)) {
            await open(page, path);
            await page.waitForLoadState('load');
            await shoots(page, name, colorScheme);
        }
    }
    say(`${Object.keys(places).length + 1} pages, each twice`);
});
