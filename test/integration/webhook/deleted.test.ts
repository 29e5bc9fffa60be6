import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { draftOf } from '../../../src/article/article.js';
import { gitEnvironment, gitIn, makeRemote } from '../../support/clones.js';
import { articleFiles, fileOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { encode } from '../../support/plain-files.js';
import { SITE_URL, STORE_ONLY } from '../../support/receiver.js';
import { type ReceiverHere, sharedHere, startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

// A redelivery, or a recorded delivery that somebody sends again, brings no deleted article back. How deleted articles are
// known after a kill is in test/unit/store/known-ids.

const receiver = sharedHere(test, STORE_ONLY);

async function publish({ post }: Pick<ReceiverHere, 'post'>, data = article()) {
  const { status, json, text } = await post('article.published', data);
  if (status !== 200) throw new Error(text);
  return { data, url: String(json.url), answer: text };
}

/** Sends the article again: the answer is the same, and nothing is written. */
async function staysDeleted(
  t: ExecutionContext,
  by: Pick<ReceiverHere, 'dir' | 'post'>,
  { data, answer }: Published,
): Promise<void> {
  const again = await by.post('article.published', data);
  t.deepEqual([again.status, again.text], [200, answer]);
  const isOfIt = (path: string) => fs.readFileSync(path, 'utf8').includes(`id: ${JSON.stringify(data.id)}`);
  t.deepEqual(
    articleFiles(by.dir).filter((path) => fs.existsSync(path) && isOfIt(path)),
    [],
  );
}

type Published = Awaited<ReturnType<typeof publish>>;

test('200, and nothing is written, for an article that was deleted while the receiver ran, at once and later, until pressmark forget lets it come again', async (t) => {
  const { dir } = receiver();
  const one = await publish(receiver());
  const forget = (...args: string[]) => runHere(['forget', '--dir', dir, ...args]);
  const there = await forget(one.data.id);
  t.is(there.code, 2);
  t.regex(there.stderr, /is not deleted: its file is "articles\//);
  fs.rmSync(fileOf(dir, one.data.id));
  await staysDeleted(t, receiver(), one);
  t.is((await receiver().post('article.lookup', { target_url: one.url })).status, 404);
  await staysDeleted(t, receiver(), one);
  const logged = () => receiver().log.find(({ id, outcome }) => id === one.data.id && outcome === 'deleted');
  await until('it is logged', () => logged() !== undefined);
  t.is(logged()?.status, 200);
  t.not((await publish(receiver())).url, one.url);
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

test('200, and nothing is written, for an article that a dead receiver had left, and that was deleted right after its redelivery', async (t) => {
  const { dir, post } = receiver();
  const data = article();
  const url = `${SITE_URL}/articles/${data.slug}/`;
  const { text } = encode({ ...draftOf(data), slug: data.slug, url, updated: null });
  const file = join(dir, 'content/articles/2026/11', `${data.slug}.md`);
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  const one = await publish({ post }, data);
  t.is(one.url, url);
  t.is(fs.readFileSync(file, 'utf8'), text, 'it was known');
  fs.rmSync(file);
  await staysDeleted(t, receiver(), one);
});

test('200, and nothing is written, for an article that git pull removes, also in a fresh clone, or that was removed there before the start', async (t) => {
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
  const first = await startHere(t, { dir, env: gitEnvironment(dir) });
  const [one, two, kept, uncommitted] = [
    await publish(first),
    await publish(first),
    await publish(first),
    await publish(first),
  ];
  await until('all are pushed', () => remote.articles().size === 4);
  const olga = remote.clone('olga');
  fs.rmSync(fileOf(olga, one.data.id));
  gitIn(olga, 'commit', '--quiet', '-am', 'Update: removed');
  fs.rmSync(fileOf(olga, two.data.id));
  const byAdmin = `Remove: it\n\nArticle-Id: ${JSON.stringify(two.data.id)}`;
  gitIn(olga, 'commit', '--quiet', '-am', byAdmin);
  gitIn(olga, 'mv', relative(olga, fileOf(olga, kept.data.id)), 'content/moved.md');
  gitIn(olga, 'commit', '--quiet', '-m', 'Moved');
  gitIn(olga, 'push', '--quiet');
  gitIn(dir, 'pull', '--quiet');
  for (const removed of [one, two]) await staysDeleted(t, first, removed);
  t.is((await first.post('article.published', kept.data)).text, kept.answer);
  await first.close();

  const fresh = config(remote.clone('fresh'));
  fs.rmSync(fileOf(fresh, uncommitted.data.id));
  const forgotten = await runHere(['forget', '--dir', fresh, one.data.id], { PRESSMARK_SITE_URL: SITE_URL });
  t.regex(forgotten.stderr, /no deleted article has the id/, 'the history is searched at the start');
  const second = await startHere(t, { dir: fresh, env: gitEnvironment(fresh) });
  for (const removed of [one, two, uncommitted]) await staysDeleted(t, second, removed);
  t.is((await second.post('article.published', kept.data)).text, kept.answer);
});

test('400 with replay.maxAge for an unknown id with an old timestamp, and for no other', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(
    join(dir, 'pressmark.config.json'),
    '{ "site": false, "git": false, "replay": { "maxAge": "9h" } }',
  );
  const { post } = await startHere(t, { dir });
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
