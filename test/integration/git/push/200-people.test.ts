import fs from 'node:fs';
import { join, relative } from 'node:path';
import test from 'ava';
import { articlesOf, withCaller } from '../../../support/articles-of.js';
import { commitAndPush, gitIn, inClone, makeRemote, tipOf } from '../../../support/clones.js';
import { fileOf, fileOfSoon } from '../../../support/content.js';
import { article, update } from '../../../support/events.js';
import { healthDetails, SITE_URL } from '../../../support/receiver.js';
import { launchHere, type ReceiverHere } from '../../../support/receiver-here.js';
import { makeTempDir, removeTempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

const folder = makeTempDir();
// No machine asks the remote by itself: a lookup makes it.
const clones = makeRemote(folder, undefined, { git: { push: { fetchEvery: 3_600_000 } } });
const receivers: ReceiverHere[] = [];

test.serial.before(async () => {
  receivers.push(
    ...(await Promise.all(
      ['a', 'b']
        .map((name) => withCaller(clones.clone(name)))
        .map((clone) => launchHere(clone, { ...inClone(clone), resend: true })),
    )),
  );
  clones.clone('olga');
});
test.after.always(async () => {
  await Promise.all(receivers.map(({ close }) => close()));
  removeTempDir(folder);
});

/** Two machines, a person's own clone, and an article that all of them have. */
async function twoMachines() {
  const [a, b] = receivers;
  if (a === undefined || b === undefined) throw new Error('no receivers');
  const data = article();
  const { url } = (await a.post('article.published', data)).json;
  const path = relative(a.dir, await fileOfSoon(a.dir, data.id));
  await caughtUp(b);
  const own = join(folder, 'olga');
  gitIn(own, 'pull', '--quiet', '--rebase');
  const change = (base_revision_id: string) =>
    update({ target_id: data.id, target_url: url, base_revision_id });
  return { a, b, own, data, url, path, change };
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
function statusOf(dir: string, path: string): string {
  return gitIn(dir, 'status', '--porcelain', '--', path).slice(0, 2);
}

const retitled = (text: string) => text.replace(/^title: .*$/m, 'title: "By hand"');

test.serial(
  '409 and 404: what a person pushes counts on every machine: an edit is a new revision, and what is removed is gone',
  async (t) => {
    const { a, b, own, url, path, change } = await twoMachines();
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
      t.is(statusOf(machine.dir, path), '');
      t.false(fs.existsSync(join(machine.dir, path)));
    }
  },
);

test.serial(
  '503: an edit that is not committed counts nowhere, and a machine whose file the remote changes waits for its author',
  async (t) => {
    const { a, b, url, path, change } = await twoMachines();
    const { revision_id: base } = await a.find(url);
    const file = join(b.dir, path);
    const edited = retitled(fs.readFileSync(file, 'utf8'));
    fs.writeFileSync(file, edited);
    const request = change(base);
    for (const { status, json } of [
      await b.post('article.lookup', { target_url: url }),
      await b.post('article.updated', request),
    ]) {
      t.is(status, 503);
      t.regex(json.error, /differs from the file at the remote: commit and push it, or restore it$/);
    }
    t.is((await a.find(url)).revision_id, base);
    t.is((await a.post('article.updated', request)).status, 200);
    const waiting = `you to commit or restore ${path}, which the remote has changed`;
    const refused = await b.post('article.published', article());
    t.deepEqual([refused.status, refused.json.error], [503, `this machine waits for ${waiting}`]);
    t.true(JSON.stringify(await healthDetails(b.origin)).includes(waiting));
    t.is((await fetch(`${b.origin}/healthz`)).status, 503);
    t.is(fs.readFileSync(file, 'utf8'), edited);
    t.is(statusOf(b.dir, path), ' M');

    gitIn(b.dir, 'restore', path);
    await caughtUp(b);
    for (const { find } of [a, b]) t.is((await find(url)).revision_id, request.id);
  },
);

test.serial(
  '503: while a person is on another branch, their machine stores and answers nothing',
  async (t) => {
    const { a, b, url } = await twoMachines();
    await caughtUp(b);
    gitIn(b.dir, 'checkout', '--quiet', '-b', 'topic');
    const head = gitIn(b.dir, 'rev-parse', 'HEAD');
    const more = article();
    const refused = await b.post('article.published', more);
    t.is(refused.status, 503);
    t.regex(refused.json.error, /^this machine waits for HEAD to be on main again/);
    const stored = await a.post('article.published', more);
    t.is(stored.status, 200);
    t.is((await b.post('article.lookup', { target_url: url })).status, 503);
    t.is(gitIn(b.dir, 'rev-parse', 'HEAD'), head);
    gitIn(b.dir, 'checkout', '--quiet', 'main');
    await caughtUp(b);
    t.is((await b.post('article.published', more)).text, stored.text);
    t.is(statusOf(b.dir, relative(b.dir, fileOf(b.dir, more.id))), '');
  },
);

const ADA = { name: 'Ada', email: 'ada@example.org' };
const BO = { name: 'Bo', email: 'bo@example.org' };

test.serial(
  '200: an article is in the trash, and is restored to the byte, when the remote has it so',
  async (t) => {
    const { a, b, data, url, path } = await twoMachines();
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
