import test from 'ava';
import { type Clones, gitIn, launchIn, makeRemote } from '../../../support/clones.js';
import { article, update } from '../../../support/events.js';
import { notLinearizable } from '../../../support/linearizable.js';
import type { Receiver } from '../../../support/receiver.js';
import { createStorm } from '../../../support/storm.js';
import { makeTempDir, removeTempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

const folder = makeTempDir();
let receivers: Receiver[] = [];
let clones: Clones;

/** Some seconds by default; PRESSMARK_TEST_ROUNDS=200 for the whole proof. */
const ROUNDS = Number(process.env.PRESSMARK_TEST_ROUNDS ?? 4);

test.serial.before(async () => {
  clones = makeRemote(folder);
  receivers = await Promise.all(['a', 'b', 'c'].map((name) => launchIn(clones.clone(name))));
});
test.after.always(async () => {
  await Promise.all(receivers.map(({ kill }) => kill('SIGKILL')));
  removeTempDir(folder);
});

function one(n: number): Receiver {
  const receiver = receivers[n % receivers.length];
  if (receiver === undefined) throw new Error('no receiver');
  return receiver;
}

test.serial('one id to three machines at once, in many rounds, is one article', async (t) => {
  const ids = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const data = article({ slug: 'all-the-same' });
    ids.add(data.id);
    const answers = await Promise.all(receivers.map(({ post }) => post('article.published', data)));
    t.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    t.is(new Set(answers.map(({ text }) => text)).size, 1, `round ${round}`);
  }
  t.is(clones.articles().size, ids.size);
});

test.serial('different ids with one slug to all at once get different URLs', async (t) => {
  const all = Array.from({ length: 12 }, () => article({ slug: 'namesake' }));
  const answers = await Promise.all(all.map((data, n) => one(n).post('article.published', data)));
  t.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  t.is(new Set(answers.map(({ json }) => json.url)).size, all.length);
  for (const [n, data] of all.entries())
    t.is(
      (await one(n + 1).post('article.published', data)).text,
      answers[n]?.text ?? '',
      'known to the others',
    );
});

test.serial('of rivals on all machines on one base exactly one wins', async (t) => {
  const data = article();
  const { url } = (await one(0).post('article.published', data)).json;
  for (let round = 0; round < ROUNDS; round++) {
    const { revision_id: base_revision_id } = await one(round).find(url);
    const rivals = Array.from({ length: 6 }, () =>
      update({ target_id: data.id, target_url: url, base_revision_id }),
    );
    const answers = await Promise.all(rivals.map((rival, n) => one(n).post('article.updated', rival)));
    const winners = rivals.filter((_, n) => answers[n]?.status === 200);
    t.is(winners.length, 1, answers.map(({ status, text }) => `${status} ${text}`).join('\n'));
    t.is(answers.filter(({ status }) => status === 409).length, rivals.length - 1);
    for (const receiver of receivers)
      t.is((await receiver.find(url)).revision_id, winners[0]?.revision_id ?? '');
  }
});

test.serial('what one machine has acknowledged the others tell at once', async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    const data = article();
    const { url } = (await one(round).post('article.published', data)).json;
    const { revision_id: base_revision_id } = await one(round + 1).find(url);
    const request = update({ target_id: data.id, target_url: url, base_revision_id });
    t.is((await one(round + 2).post('article.updated', request)).status, 200);
    t.like(await one(round).find(url), { revision_id: request.id, content_html: request.content_html });
    t.is((await one(round + 1).post('article.updated', request)).status, 200, 'a retry through another');
    t.is(
      (await one(round + 1).post('article.updated', { ...request, ...newRevision() })).status,
      409,
      'a stale base',
    );
  }
});

function newRevision() {
  const { id } = article();
  return { id, revision_id: id };
}

test.serial('deliveries of all kinds to all machines leave a linearizable history', async (t) => {
  const storm = createStorm({ clients: () => receivers, articles: 4, lanes: 6 });
  await storm.blow({ deliveries: 15 * ROUNDS });
  await storm.lookAtAll(receivers);
  t.deepEqual(notLinearizable(storm.history), []);
  t.deepEqual(
    storm.history.filter(({ did }) => did.result === 'unknown'),
    [],
    'nothing was refused',
  );
});

test.serial('every clone follows: files, index and branch are those of the remote', async (t) => {
  const tip = clones.git('rev-parse', 'main').trim();
  for (const { dir } of receivers) {
    await until(() => gitIn(dir, 'rev-parse', 'HEAD').trim() === tip);
    t.is(gitIn(dir, 'status', '--porcelain'), '');
    t.is(gitIn(dir, 'symbolic-ref', 'HEAD').trim(), 'refs/heads/main');
    t.is(gitIn(dir, 'fsck', '--full', '--no-dangling').trim(), '');
  }
  const log = clones.git('log', '--format=%s|%(trailers:key=Article-Id,valueonly,separator=%x2C)', 'main');
  t.regex(log, /^Publish: Keeping bees on a balcony\|art-/m);
  t.regex(log, /^Update: Keeping bees on a windy balcony\|art-/m);
  t.is(clones.git('rev-list', '--merges', '--count', 'main').trim(), '0', 'one straight line');
});

test.serial('two receivers in one clone, as a rolling deploy has them, are two machines', async (t) => {
  const second = await launchIn(one(0).dir);
  t.teardown(() => second.kill('SIGKILL'));
  const pair = [one(0), second];
  const storm = createStorm({ clients: () => pair, articles: 3, lanes: 4 });
  await storm.blow({ deliveries: 5 * ROUNDS });
  await storm.lookAtAll([...pair, one(1)]);
  t.deepEqual(notLinearizable(storm.history), []);
  const tip = clones.git('rev-parse', 'main').trim();
  await until(() => gitIn(second.dir, 'rev-parse', 'HEAD').trim() === tip);
  t.is(gitIn(second.dir, 'status', '--porcelain'), '');
});
