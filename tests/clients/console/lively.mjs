// A host on a busy afternoon: three principals at work, things approved, denied and taken back, a definition that moved, requests that wait.

import { PAGES, answer, open, press, stage } from './lib.mjs';

const READ = 'mcp:files/read_file';
const WRITE = 'mcp:files/write_file';
const FIND = 'mcp:files/find_files';
const ADD = 'mcp:notes/add_note';
const NOTES = [
    { title: 'Release notes 2.4', text: 'Collected from the merged changes.', tags: ['release'] },
    { title: 'Dentist', text: 'Thursday at nine.', tags: ['private'] },
    { title: 'Slow query', text: 'The report joins twice.', tags: ['work'] },
];

/** A client asks, and an operator answers on their page. */
async function decided(page, word, guest, ...ids) {
    await stage.asks(guest, ...ids);
    await stage.waits();
    await open(page, '/approvals');
    await press(page, answer(page, word, ids[0]));
    return stage.answered(guest);
}

async function ada(page) {
    await stage.searches('ada', 'write down a note');
    await decided(page, 'always', 'ada', ADD, 'mcp:notes/list_notes');
    for (const note of NOTES) await stage.calls('ada', ADD, note);
    await stage.calls('ada', 'mcp:notes/list_notes', {});
    await stage.calls('ada', 'mcp:notes/get_note', { number: 1 });
    const wiki = 'mcp:wiki/write_page';
    await stage.searches('ada', 'write a page of the wiki');
    await decided(page, 'approve', 'ada', wiki);
    await stage.calls('ada', wiki, { title: 'Release', text: 'It is out.' });
}

async function bob(page) {
    await stage.searches('bob', 'find text in files');
    await decided(page, 'approve', 'bob', READ, WRITE, FIND);
    await stage.calls('bob', WRITE, { path: 'todo.txt', text: 'water the plants\n' });
    await stage.calls('bob', READ, { path: 'todo.txt' });
    await stage.calls('bob', FIND, { name: '*.txt' });
    await stage.calls('bob', READ, { path: 'missing.txt' });
    await decided(page, 'deny', 'bob', 'mcp:files/delete_file');
    await stage.cli('revoke', await stage.session('bob'), WRITE);
    await stage.calls('bob', WRITE, { path: 'more.txt', text: 'no' });
}

async function nightly() {
    const [zones, sum] = ['mcp:clock/convert_time', 'mcp:clock/time_between'];
    await stage.searches('nightly', 'time in another zone');
    await stage.asks('nightly', zones, sum);
    await stage.answered('nightly');
    for (let hour = 0; hour < 8; hour++) await stage.calls('nightly', zones, { time: `2026-12-01T0${hour}:00:00`, from: 'UTC', to: 'Europe/Berlin' });
}

/** A server asks in the middle of a call. */
async function deploys() {
    const deploy = 'mcp:asks/deploy';
    await stage.asks('ada', deploy);
    await stage.answered('ada');
    await stage.begins('ada', deploy, {});
    await stage.question();
}

/** Fills the host; what waits at the end is one request of each. */
export async function lively(page) {
    await ada(page);
    await bob(page);
    await nightly();
    await deploys();
    await stage.asks('ada', 'mcp:git/git_commit', 'mcp:git/git_add');
    await stage.asks('bob', 'mcp:files/move_file', 'mcp:files/copy_file');
    await stage.asks('nightly', 'mcp:memory/delete_entities');
    await stage.waits(3);
}

/** Every page of a host that [`lively`] filled, by its name in the book. */
export async function pages() {
    const [first] = await stage.waits(3);
    const tool = id => `/catalog/tool?id=${encodeURIComponent(id)}`;
    return {
        ...PAGES,
        request: `/approvals/${first.id}`,
        question: await stage.question(),
        session: `/sessions/${await stage.session('bob')}`,
        search: '/catalog?q=move%20a%20file',
        tool: tool(READ),
        logins: '/logins',
    };
}
