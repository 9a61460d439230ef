// No page of the console has a barrier that axe-core calls serious or critical, in light or in dark.

import { check, open, operator, play, say, tools } from './lib.mjs';
import { lively, pages } from './lively.mjs';
import { readFileSync } from 'node:fs';

const AXE = readFileSync(`${tools}/node/node_modules/axe-core/axe.min.js`, 'utf8');

async function barriers(page) {
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    const grave = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
    return grave.map(({ id, impact, help, nodes }) => `${impact} ${id}: ${help}: ${nodes.slice(0, 3).map(node => `${node.html.slice(0, 200)} ${node.failureSummary}`).join(' | ')}`);
}

await play('barriers', async browser => {
    await lively(await operator(browser, 'grace'));
    const paths = Object.values(await pages());
    const found = [];
    for (const colorScheme of ['light', 'dark']) {
        const page = await operator(browser, 'grace', { colorScheme });
        for (const path of paths) {
            await open(page, path);
            found.push(...(await barriers(page)).map(text => `${path} (${colorScheme}): ${text}`));
        }
        await page.context().clearCookies();
        await page.goto(page.desk.url);
        found.push(...(await barriers(page)).map(text => `login (${colorScheme}): ${text}`));
    }
    check(found.length === 0, 'no barrier', found.join('\n'));
    say(`${paths.length + 1} pages have none`);
});
