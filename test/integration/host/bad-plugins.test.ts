import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { NODE_OPTIONS_OF_TESTS, startReceiver } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { withPlugins } from '../../support/with-plugins.js';

// The attacks of the first review of the plugin host, each with a test: what a plugin does at the start is in unit/host/host and
// routes, and unit/app/plugins/load-plugins; what its filters return in unit/host/filter-results; what never ends in
// unit/host/hooks and cli/unfinished; after another generator in deploy/plugin-pages; what it costs a page in site/filters.

/** What is said of each of the plugins below, once. */
const WORDS = {
  exits: 'has called process.exit, which is refused',
  rejects: 'has a promise that was rejected, and nothing handles it',
  throws: 'has thrown an error that nothing catches',
  stalls: 'has kept the receiver from doing anything else',
  leaks: 'has left an interval running; clear it in onClose',
};

/** A plugin that does this at each article in the receiver, and this for the first page that is made. */
const bad = (name: string, onArticle: string, onPage = 'undefined') => `
let isFirst = true;
export default { name: '${name}',
  receiver(host) { host.addAction('article.published', (event) => { ${onArticle} }); },
  pages(host) { host.addFilter('page.head', (head) => {
    if (isFirst) { isFirst = false; ${onPage}; }
    return head;
  }); } };`;

/**
 * How long a delivery may take, by the clock of the receiver: the 5 s of each of the two filters below, and what a slow machine
 * needs besides; less than the 30 s of an action, which no answer waits for.
 */
const MOST_MS = 2 * 5_000 + 15_000;

/** By name, as they run: those behind one that never ends wait for it. */
const PLUGINS: Readonly<Record<string, string>> = {
  exits: bad('exits', 'process.exit(0)', 'setTimeout(() => process.exit(0), 1)'),
  rejects: bad(
    'rejects',
    'void Promise.reject(3)',
    "void (async () => { await 1; throw new Error('x'); })()",
  ),
  throws: bad(
    'throws',
    "let left = 3; const timer = setInterval(() => { if (--left === 0) clearInterval(timer); throw new Error('x'); }, 5)",
    'setTimeout(() => { null.x; }, 1)',
  ),
  sockets: `import net from 'node:net';\n${bad('sockets', "net.connect({ path: '/nowhere' })")}`,
  stalls: `const spin = () => { for (const end = Date.now() + 1200; Date.now() < end; ); };
let isSpun = false;
export default { name: 'stalls',
  receiver(host) { host.addFilter('article.draft', (draft) => { if (!isSpun) spin(isSpun = true); return draft; }); },
  pages(host) { host.addFilter('page.head', (head) => { if (!isSpun) spin(isSpun = true); return head; }); } };`,
  'zz-hangs': bad('zz-hangs', 'return new Promise(() => {})'),
  leaks: `let leaks = false;\n${bad('leaks', 'if (!leaks) { leaks = true; setInterval(() => {}, 1e6); }', 'setInterval(() => {}, 1e6)')}`,
  top: `setTimeout(() => { throw new Error('at the top'); }, 1);\n${bad('top', '')}`,
  drafts: `export default { name: 'drafts', receiver(host) {
    const faults = { hangs: () => new Promise(() => {}), fails: () => { throw new Error('x'); },
      exits: () => process.exit(0), lies: () => ({ title: 7 }) };
    host.addFilter('article.draft', (draft) => {
      const fault = faults[draft.title];
      delete faults[draft.title];
      return fault === undefined ? draft : fault();
    });
  } };`,
  // It counts in ticks of 100 ms: of a machine that is busy with other work, they take longer.
  clock: `export default { name: 'clock', receiver(host) {
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 100);
    host.onClose(() => clearInterval(ticking));
    const running = new Map();
    const late = [];
    host.addFilter('article.draft', (draft) => { running.set(draft.id, ticks); return draft; }, { priority: -1 });
    for (const name of ['delivery.accepted', 'delivery.refused'])
      host.addAction(name, ({ id }) => {
        if (ticks - running.get(id) > ${MOST_MS / 100}) late.push(id);
        running.delete(id);
      });
    host.routes((router) => router.get('/', (context) => { context.body = { late, running: [...running.keys()] }; }));
  } };`,
  answers: `export default { name: 'answers', receiver(host) {
    host.adapter({ path: '/answers', verify: () => false, receive() {}, errorBody: () => process.exit(0) });
  } };`,
  works: `export default { name: 'works', receiver(host) {
    host.job('note', { on: 'article.published', run: ({ article }) => host.storage.set(article.id, true) });
    host.routes((router) => router.get('/keys', async (context) => { context.body = await host.storage.keys(); }));
  } };`,
};

test('a storm of bad plugins costs no delivery, no page and no job of others, delays none beyond its limit, and each is named once', async (t) => {
  const dir = tempDir(t);
  withPlugins(dir, PLUGINS);
  const receiver = await startReceiver(t, { dir, config: { git: false, site: { search: false } } });
  t.is((await fetch(`${receiver.origin}/answers`, { method: 'POST' })).status, 401);
  const publish = (id: string) => receiver.post('article.published', article({ id, slug: id, title: id }));
  const faults = Promise.all(['hangs', 'fails', 'exits', 'lies'].map(publish));
  const urls: string[] = [];
  for (let n = 0; n < 6; n++) {
    const { status, json } = await publish(`a-${n}`);
    t.is(status, 200);
    urls.push(json.url);
  }
  for (const { status, json } of await faults) {
    t.is(status, 500);
    t.regex(json.error, /^filter article\.draft of plugin drafts (took longer|failed|returned)/);
  }
  // Sent again, as the service does: nothing that was refused is lost.
  for (const id of ['hangs', 'fails', 'exits', 'lies']) {
    const { status, json } = await publish(id);
    t.is(status, 200, id);
    urls.push(json.url);
  }
  for (const url of urls)
    await until(`the page of ${url} is there`, () =>
      fs.existsSync(join(dir, 'public', new URL(url).pathname, 'index.html')),
    );
  await until('the job of the plugin that works has run for each article', async () => {
    const keys = await (await fetch(`${receiver.origin}/-/works/keys`)).json();
    return (keys as string[]).length === urls.length;
  });
  const clock = async () => (await fetch(`${receiver.origin}/-/clock/`)).json();
  await until(
    'each delivery has ended',
    async () => ((await clock()) as { running: [] }).running.length === 0,
  );
  t.deepEqual(await clock(), { late: [], running: [] });
  const inBoth = new Set(['exits', 'rejects', 'throws', 'stalls', 'leaks', 'plugins/top.mjs']);
  const said = (msg: string) => receiver.log.filter((line) => line.msg === msg).length;
  // Once in the process and once in the thread.
  for (const name of ['exits', 'rejects', 'throws'] as const)
    await until(`${name} is named in both`, () => said(`plugin ${name} ${WORDS[name]}`) === 2);
  await until('the plugin with the socket is named', () => said(`plugin sockets ${WORDS.throws}`) === 1);
  await until('that at the top is named in both', () => said(`plugin plugins/top.mjs ${WORDS.throws}`) === 2);
  await until('the one that stalls is named in both', () => said(`plugin stalls ${WORDS.stalls}`) === 2);
  t.is(await receiver.stop(), 0);
  t.is(said(`plugin leaks ${WORDS.leaks}`), 2);
  for (const name of ['exits', 'rejects', 'throws'] as const)
    t.is(said(`plugin ${name} ${WORDS[name]}`), 2, `${name} is not named again`);
  // Whatever else is said of a plugin is said once, too, but for what a machine that stands still brings about.
  const blames = receiver.log.filter(
    ({ level, plugin, msg }) => level >= 40 && plugin && !/stood still/.test(msg),
  );
  for (const { plugin, msg } of blames)
    t.true(said(msg) <= (inBoth.has(String(plugin)) ? 2 : 1), `${plugin}: ${msg}`);
  t.false(receiver.log.some(({ msg }) => /thread that builds pages/.test(msg)));
});

test('an error of the program itself that nothing catches ends it, as ever', (t) => {
  const code = `import { guardAgainstPlugins } from '${new URL('../../../src/host/guard.js', import.meta.url)}';
    guardAgainstPlugins({ fatal: ({ err }, msg) => console.log(msg + ': ' + err.message) });
    setInterval(() => { throw new Error('of no plugin'); }, 1);`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    timeout: 60_000,
  });
  t.deepEqual([status, stdout.toString()], [1, 'an error that nothing catches: of no plugin\n']);
});

/** Keeps some 30 MB of each delivery, a thing that nothing in the same process can prevent. */
const KEEPS = `const kept = [];
export default { name: 'keeps', receiver(host) {
  host.addFilter('article.draft', (draft) => { kept.push(new Array(4e6).fill(kept.length)); return draft; });
} };`;

test('a plugin that keeps more and more memory ends the receiver and is named, and no delivery is lost by that', async (t) => {
  const dir = withPlugins(tempDir(t), { keeps: KEEPS });
  const options = { dir, config: { git: false, site: false } };
  const env = { NODE_OPTIONS: `${NODE_OPTIONS_OF_TESTS} --max-old-space-size=128` };
  const receiver = await startReceiver(t, { ...options, env });
  const urls: string[] = [];
  for (let n = 0; n < 30; n++) {
    const data = article({ id: `kept-${n}`, slug: `kept-${n}` });
    const answer = await receiver.post('article.published', data).catch(() => undefined);
    if (answer === undefined) break;
    t.is(answer.status, 200);
    urls.push(answer.json.url);
  }
  await receiver.stop(); // it has ended by itself; the last lines of its log may still be in the pipe
  t.true(receiver.log.some(({ msg }) => msg === 'plugin keeps has taken much memory in one call'));
  t.true(urls.length > 0 && urls.length < 30, `${urls.length} answered`);
  fs.rmSync(join(dir, 'plugins/keeps.mjs'));
  const next = await startHere(t, options);
  for (const [n, url] of urls.entries()) t.is((await next.find(url)).id, `kept-${n}`);
});
