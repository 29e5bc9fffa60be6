import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { articlesOf, withCaller } from '../../../support/articles-of.js';
import { commitAndPush, gitIn, inClone, makeRemote, settings, tipOf } from '../../../support/clones.js';
import { fileOf, fileOfSoon } from '../../../support/content.js';
import { article, update } from '../../../support/events.js';
import { healthDetails, SITE_URL } from '../../../support/receiver.js';
import { launchHere, type ReceiverHere } from '../../../support/receiver-here.js';
import { makeTempDir, removeTempDir } from '../../../support/temp-dir.js';
import { patienceMs, until } from '../../../support/until.js';
import { statusOf } from './pushing-site.js';

const folder = makeTempDir();
// No machine asks the remote by itself: a lookup makes it.
const CONFIG = { git: { push: { fetchEvery: 3_600_000 } } };
const clones = makeRemote(folder, undefined, CONFIG);
let a: ReceiverHere;
let b: ReceiverHere;

const launch = (dir: string, config: object) =>
  launchHere(dir, { ...inClone(dir), config: settings({ ...CONFIG, ...config }), resend: true });
const launchA = () => launch(join(folder, 'a'), {});
/** This one has pages. */
const launchB = () => launch(join(folder, 'b'), { site: { search: false } });

test.serial.before(async () => {
  for (const name of ['a', 'b']) withCaller(clones.clone(name));
  clones.clone('olga');
  [a, b] = await Promise.all([launchA(), launchB()]);
});
test.after.always(async () => {
  await Promise.all([a, b].map((machine) => machine?.close()));
  removeTempDir(folder);
});

/** A person's own clone, and an article that it and both machines have. */
async function twoMachines() {
  const data = article();
  const { url } = (await a.post('article.published', data)).json;
  const path = relative(a.dir, await fileOfSoon(a.dir, data.id));
  await caughtUp(b);
  const own = join(folder, 'olga');
  gitIn(own, 'pull', '--quiet', '--rebase');
  const change = (base_revision_id: string) =>
    update({ target_id: data.id, target_url: url, base_revision_id });
  return { own, data, url, path, change };
}

/** Waits until a machine's branch is where the remote's is, and its index free. */
function caughtUp({ dir, post }: ReceiverHere): Promise<void> {
  return until('the branch is where the remote’s is', async () => {
    await post('article.lookup', { target_url: `${SITE_URL}/nothing/` });
    const isSame = tipOf(join(dir, '.git')) === tipOf(clones.remote);
    return isSame && !fs.existsSync(join(dir, '.git', 'index.lock'));
  });
}

/** What `git status` has to say of one path. */
function gitStatusOf(dir: string, path: string): string {
  return gitIn(dir, 'status', '--porcelain', '--', path).slice(0, 2);
}

const retitled = (text: string) => text.replace(/^title: .*$/m, 'title: "By hand"');

test.serial(
  '409 and 404: what a person pushes counts on every machine: an edit is a new revision, and what is removed is gone',
  async (t) => {
    const { own, url, path, change } = await twoMachines();
    const { revision_id: old } = await a.find(url);
    const commit = commitAndPush(own, path, retitled(fs.readFileSync(join(own, path), 'utf8')));
    for (const { find } of [a, b]) t.like(await find(url), { title: 'By hand' });
    const { revision_id: now } = await b.find(url);
    t.regex(now, /^edit-/);
    t.is((await a.post('article.updated', change(old))).status, 409);
    t.is((await a.post('article.updated', change(now))).status, 200);
    t.true(clones.git('rev-list', 'main').split('\n').includes(commit), 'nothing was forced');

    gitIn(own, 'pull', '--quiet', '--rebase');
    gitIn(own, 'rm', '--quiet', path);
    gitIn(own, 'commit', '--quiet', '-m', 'Away with it');
    gitIn(own, 'push', '--quiet');
    for (const machine of [a, b]) {
      t.is((await machine.post('article.lookup', { target_url: url })).status, 404);
      await caughtUp(machine);
      t.is(gitStatusOf(machine.dir, path), '');
      t.false(fs.existsSync(join(machine.dir, path)));
    }
  },
);

test.serial(
  '503: an edit that is not committed counts nowhere, and a machine whose file the remote changes waits for its author',
  async (t) => {
    const { url, path, change } = await twoMachines();
    const { revision_id: base } = await a.find(url);
    const file = join(b.dir, path);
    const edited = retitled(fs.readFileSync(file, 'utf8'));
    fs.writeFileSync(file, edited);
    const request = change(base);
    const differs = /differs from the file at the remote: commit and push it, or restore it$/;
    for (const { status, json } of [
      await b.post('article.lookup', { target_url: url }, { expected: differs }),
      await b.post('article.updated', request, { expected: differs }),
    ]) {
      t.is(status, 503);
      t.regex(json.error, differs);
    }
    t.is((await a.find(url)).revision_id, base);
    t.is((await a.post('article.updated', request)).status, 200);
    const waiting = `you to commit or restore ${path}, which the remote has changed`;
    const refused = await b.post('article.published', article(), { expected: /^this machine waits/ });
    t.deepEqual([refused.status, refused.json.error], [503, `this machine waits for ${waiting}`]);
    t.true(JSON.stringify(await healthDetails(b.origin)).includes(waiting));
    t.is((await fetch(`${b.origin}/healthz`)).status, 503);
    t.is(fs.readFileSync(file, 'utf8'), edited);
    t.is(gitStatusOf(b.dir, path), ' M');

    gitIn(b.dir, 'restore', path);
    await caughtUp(b);
    for (const { find } of [a, b]) t.is((await find(url)).revision_id, request.id);
  },
);

test.serial(
  '503: while a person is on another branch, their machine stores and answers nothing',
  async (t) => {
    const { url } = await twoMachines();
    await caughtUp(b);
    gitIn(b.dir, 'checkout', '--quiet', '-b', 'topic');
    const head = gitIn(b.dir, 'rev-parse', 'HEAD');
    const more = article();
    const expected = /^this machine waits for HEAD to be on main again/;
    const refused = await b.post('article.published', more, { expected });
    t.is(refused.status, 503);
    t.regex(refused.json.error, expected);
    const stored = await a.post('article.published', more);
    t.is(stored.status, 200);
    t.is((await b.post('article.lookup', { target_url: url }, { expected })).status, 503);
    t.is(gitIn(b.dir, 'rev-parse', 'HEAD'), head);
    gitIn(b.dir, 'checkout', '--quiet', 'main');
    await caughtUp(b);
    t.is((await b.post('article.published', more)).text, stored.text);
    t.is(gitStatusOf(b.dir, relative(b.dir, fileOf(b.dir, more.id))), '');
  },
);

const ADA = { name: 'Ada', email: 'ada@example.org' };
const BO = { name: 'Bo', email: 'bo@example.org' };

test.serial(
  '200: an article is in the trash, and is restored to the byte, when the remote has it so',
  async (t) => {
    const { data, url, path } = await twoMachines();
    const articles = articlesOf(a);
    const text = fs.readFileSync(join(a.dir, path), 'utf8');
    const { revision_id: base } = await a.find(url);
    const last = () => clones.git('log', '-1', '--format=%an %s', 'main').trim();

    await articles.trash(data.id, base, {}, ADA);
    t.is(last(), 'Ada Remove: Keeping bees on a balcony');
    t.is(clones.git('ls-tree', 'main', path), '');
    for (const machine of [a, b]) {
      t.is((await machine.post('article.lookup', { target_url: url })).status, 404);
      await until('the file is gone', () => !fs.existsSync(join(machine.dir, path)));
      t.like((await machine.post('article.published', data)).json, { received: true, id: data.id, url });
      t.false(fs.existsSync(join(machine.dir, path)), 'no redelivery brings it back');
    }

    await articles.restore(data.id, BO);
    t.is(last(), 'Bo Restore: Keeping bees on a balcony');
    for (const machine of [a, b]) {
      t.is((await machine.find(url)).revision_id, base);
      t.is(fs.readFileSync(join(machine.dir, path), 'utf8'), text);
    }
  },
);

test.serial(
  '500: an article that the remote declines does not fail its neighbours, and is stored when the remote wants it; a fetch that is forbidden is not called tried again',
  async (t) => {
    // AVA ends a test in which nothing happens; a busy machine's remote may take only what is sent again after twenty seconds.
    t.timeout(2 * patienceMs(), 'the remote takes what is sent again');
    const before = clones.articles().size;
    const began = a.log.length;
    const log = () => JSON.stringify(a.log.slice(began));
    const hook = join(clones.remote, 'hooks', 'update');
    const refused =
      '#!/bin/sh\ngit ls-tree -r --name-only "$3" | grep -q forbidden || exit 0\necho \'No such slugs here.\'\nexit 1\n';
    fs.writeFileSync(hook, refused, { mode: 0o755 });
    const all = ['one', 'forbidden', 'two', 'three'].map((slug) => article({ slug }));
    const publishAll = () =>
      Promise.all(all.map((data) => a.post('article.published', data).then(({ status }) => status)));
    t.deepEqual(await publishAll(), [200, 500, 200, 200]);
    t.is((await a.post('article.published', all[1])).status, 500, 'again, by itself');
    const { isDeclined, lastError } = await statusOf(a);
    t.true(isDeclined);
    t.regex(lastError ?? '', /the git remote origin declined the push: hook declined; No such slugs here\./);
    t.is(clones.articles().size, before + 3);
    await until('the log says why', () =>
      a.log.some(({ level, why }) => level === 50 && String(why).includes('No such slugs here.')),
    );
    fs.rmSync(hook);
    t.deepEqual(await publishAll(), [200, 200, 200, 200]);
    t.is(clones.articles().size, before + 4);

    gitIn(a.dir, 'remote', 'set-url', 'origin', await forbidding(t));
    const asked = a.post('article.lookup', { target_url: SITE_URL });
    await until('the log says so', () => log().includes('the git remote does not allow it'));
    t.true((await statusOf(a)).isDeclined);
    t.notRegex(log(), /tried again/);
    gitIn(a.dir, 'remote', 'set-url', 'origin', clones.remote);
    t.is((await asked).status, 404);
  },
);

/** A server whose answer to everything is that it is forbidden. @returns its URL. */
async function forbidding(t: ExecutionContext): Promise<string> {
  const server = createServer((_, response) => response.writeHead(403).end('no'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/site.git`;
}

test.serial(
  '200: an article that one machine acknowledges is on the site of another one, also where that was down, and its power failed while git wrote its files',
  async (t) => {
    const { data, url, change } = await twoMachines();
    const shown = join(b.dir, 'public', new URL(url).pathname, 'index.html');
    const shows = (text: string) =>
      until(
        `the site shows ${text}`,
        () => fs.existsSync(shown) && fs.readFileSync(shown, 'utf8').includes(text),
      );
    await shows('Out of the wind.');
    const torn = await twoMachines();
    const file = join(b.dir, torn.path);
    const whole = fs.readFileSync(file, 'utf8');
    await b.close();
    fs.writeFileSync(file, '');
    const content_html = `<p>In the shade.</p>\n<!-- svc:item:${data.id} -->`;
    const { revision_id: base } = await a.find(url);
    t.is((await a.post('article.updated', { ...change(base), content_html })).status, 200);
    b = await launchB();
    t.is((await b.find(torn.url)).content_html, torn.data.content_html);
    t.is(fs.readFileSync(file, 'utf8'), whole);
    await shows('In the shade.');
  },
);
