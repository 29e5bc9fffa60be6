import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { commitAndPush, gitIn, launchIn, makeRemote } from '../../support/clones.js';
import { articleFiles, fileOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { type Receiver, run, STORE_ONLY, sharedReceiver, startReceiver } from '../../support/receiver.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

// A redelivery, or a recorded delivery that somebody sends again, brings no deleted article back.

const receiver = sharedReceiver(test, STORE_ONLY);

async function publish({ post }: Pick<Receiver, 'post'>, data = article()) {
  const { status, json, text } = await post('article.published', data);
  if (status !== 200) throw new Error(text);
  return { data, url: String(json.url), answer: text };
}

/** Sends the article again: the answer is the same, and nothing is written. */
async function staysDeleted(t: ExecutionContext, by: Receiver, { data, answer }: Published): Promise<void> {
  const again = await by.post('article.published', data);
  t.deepEqual([again.status, again.text], [200, answer]);
  const isOfIt = (path: string) => fs.readFileSync(path, 'utf8').includes(`id: ${JSON.stringify(data.id)}`);
  t.deepEqual(
    articleFiles(by.dir).filter((path) => fs.existsSync(path) && isOfIt(path)),
    [],
  );
}

type Published = Awaited<ReturnType<typeof publish>>;

test('200, and nothing is written, for an article that was deleted while the receiver ran, at once and later', async (t) => {
  const one = await publish(receiver());
  fs.rmSync(fileOf(receiver().dir, one.data.id));
  await staysDeleted(t, receiver(), one);
  t.is((await receiver().post('article.lookup', { target_url: one.url })).status, 404);
  await staysDeleted(t, receiver(), one);
  t.is(receiver().log.find(({ id, outcome }) => id === one.data.id && outcome === 'deleted')?.status, 200);
  const other = await publish(receiver());
  t.not(other.url, one.url);
});

test('a new article with the same slug gets an address, and the deleted one stays deleted', async (t) => {
  const one = await publish(receiver(), article({ slug: 'same' }));
  fs.rmSync(fileOf(receiver().dir, one.data.id));
  await staysDeleted(t, receiver(), one);
  await publish(receiver(), article({ slug: 'same' }));
  await staysDeleted(t, receiver(), one);
});

test('a move is no deletion, nor is a file that its owner puts back', async (t) => {
  const { dir, post, find } = receiver();
  const one = await publish(receiver());
  const path = fileOf(dir, one.data.id);
  const moved = join(dirname(path), 'moved.md');
  fs.renameSync(path, moved);
  t.is((await post('article.published', one.data)).text, one.answer);
  await until('it is found under its new name', async () => (await find(one.url)).id === one.data.id);
  const text = fs.readFileSync(moved);
  fs.rmSync(moved);
  await staysDeleted(t, receiver(), one);
  fs.writeFileSync(path, text);
  await until('it is there again', async () => {
    const { status } = await post('article.lookup', { target_url: one.url });
    return status === 200;
  });
  const { revision_id: base_revision_id } = await find(one.url);
  const change = update({ target_id: one.data.id, target_url: one.url, base_revision_id });
  t.is((await post('article.updated', change)).status, 200);
  t.is((await post('article.published', one.data)).text, one.answer);
});

test('pressmark forget lets a deleted article come again, while the receiver runs', async (t) => {
  const { dir } = receiver();
  const one = await publish(receiver());
  const forget = (...args: string[]) => run(['forget', '--dir', dir, ...args]);
  const there = await forget(one.data.id);
  t.is(there.code, 2);
  t.regex(there.stderr, /was not deleted: it is in "articles\//);
  fs.rmSync(fileOf(dir, one.data.id));
  await staysDeleted(t, receiver(), one);
  const forgotten = await forget(one.data.id);
  t.deepEqual(
    [forgotten.code, forgotten.stdout],
    [0, `${one.data.id} may be published again; it was at ${one.url}\n`],
  );
  const again = await forget(one.data.id);
  t.is(again.code, 1);
  t.regex(again.stderr, /no deleted article has the id/);
  await publish(receiver(), one.data);
  t.true(fs.existsSync(fileOf(dir, one.data.id)));
  fs.rmSync(fileOf(dir, one.data.id));
  await staysDeleted(t, receiver(), one);
});

for (const end of ['a stop', 'kill -9'] as const)
  test(`200, and nothing is written, for articles that were deleted after ${end}`, async (t) => {
    const dir = storeOnly(tempDir(t));
    const first = await startReceiver(t, { dir });
    const all = [await publish(first), await publish(first), await publish(first)];
    const [deletedBefore, deletedAfter, kept] = all as [Published, Published, Published];
    fs.rmSync(fileOf(dir, deletedBefore.data.id));
    if (end === 'a stop') await first.stop();
    else await first.kill('SIGKILL');
    fs.rmSync(fileOf(dir, deletedAfter.data.id));
    for (let start = 1; start <= 2; start++) {
      const next = await startReceiver(t, { dir });
      await staysDeleted(t, next, deletedBefore);
      await staysDeleted(t, next, deletedAfter);
      t.is((await next.post('article.published', kept.data)).text, kept.answer);
      await next.kill('SIGKILL');
    }
  });

test('200, and nothing is written, at another receiver on the folder', async (t) => {
  const dir = storeOnly(tempDir(t));
  const first = await startReceiver(t, { dir });
  const second = await startReceiver(t, { dir });
  const one = await publish(first);
  fs.rmSync(fileOf(dir, one.data.id));
  await staysDeleted(t, second, one);
  await staysDeleted(t, first, one);
});

test('200, and nothing is written, for an article that git pull removes, also in a fresh clone', async (t) => {
  const folder = tempDir(t);
  const remote = makeRemote(folder);
  const config = (dir: string) => {
    fs.writeFileSync(
      join(dir, 'pressmark.config.json'),
      '{ "site": false, "git": { "push": { "debounce": 0 } } }',
    );
    gitIn(dir, 'update-index', '--assume-unchanged', 'pressmark.config.json');
    return dir;
  };
  const dir = config(remote.clone('site'));
  const first = await launchIn(dir);
  t.teardown(() => first.kill('SIGKILL'));
  const [one, kept] = [await publish(first), await publish(first, article({ id: 'quoted "id"\n' }))];
  await until('both are pushed', () => remote.articles().size === 2);
  const olga = remote.clone('olga');
  const path = fileOf(olga, one.data.id);
  fs.rmSync(path);
  gitIn(olga, 'commit', '--quiet', '-am', 'Removed');
  gitIn(olga, 'push', '--quiet');
  gitIn(dir, 'pull', '--quiet');
  await staysDeleted(t, first, one);
  t.is((await first.post('article.published', kept.data)).text, kept.answer);
  await first.stop();

  const fresh = config(remote.clone('fresh'));
  const second = await launchIn(fresh);
  t.teardown(() => second.kill('SIGKILL'));
  await staysDeleted(t, second, one);
  t.is((await second.post('article.published', kept.data)).text, kept.answer);
});

test('with durability push, an article that was removed from the remote stays so', async (t) => {
  const folder = tempDir(t);
  const remote = makeRemote(folder);
  const dir = remote.clone('site');
  const first = await launchIn(dir);
  t.teardown(() => first.kill('SIGKILL'));
  const one = await publish(first);
  await publish(first);
  const olga = remote.clone('olga');
  gitIn(olga, 'rm', '--quiet', fileOf(olga, one.data.id));
  commitAndPush(olga, 'note.txt', 'removed one\n');
  await until('the removal has arrived', () => articleFiles(dir).length === 1);
  await staysDeleted(t, first, one);
  await first.stop();
  const second = await launchIn(dir);
  t.teardown(() => second.kill('SIGKILL'));
  await staysDeleted(t, second, one);
});

test('400 with replay.maxAge for an unknown id with an old timestamp, and for no other', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(
    join(dir, 'pressmark.config.json'),
    '{ "site": false, "git": false, "replay": { "maxAge": "9h" } }',
  );
  const { post } = await startReceiver(t, { dir });
  const at = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const send = (data: ReturnType<typeof article>, published_at: string) =>
    post('article.published', { ...data, published_at }, { envelope: { timestamp: published_at } });
  const old = at(9.1);
  const refused = await send(article(), old);
  t.is(refused.status, 400);
  t.is(
    refused.json.error,
    `timestamp "${old}" is older than replay.maxAge allows (9 h), and no article has this id; nothing was stored`,
  );
  t.is(articleFiles(dir).length, 0);
  const recent = article();
  t.is((await send(recent, at(8.9))).status, 200);
  // The id is what tells a redelivery, whatever its timestamp.
  t.is((await send(recent, at(100))).status, 200);
  fs.rmSync(fileOf(dir, recent.id));
  t.is((await send(recent, at(100))).status, 200);
  t.is(articleFiles(dir).length, 0);
});

for (const [maxAge, message] of [
  [
    '8h',
    /replay\.maxAge must be 9h or more: the service itself sends a delivery again for nearly nine hours/,
  ],
  ['a week', /replay\.maxAge must be a number of hours or days, such as 12h or 30d/],
  [12, /replay\.maxAge/],
] as const)
  test(`replay.maxAge: ${maxAge} is an error of the config`, async (t) => {
    const dir = tempDir(t);
    fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ replay: { maxAge } }));
    const { code, stderr } = await run(['build', '--dir', dir]);
    t.is(code, 2);
    t.regex(stderr, message);
  });
