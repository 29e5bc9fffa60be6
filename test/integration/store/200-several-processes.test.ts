import test from 'ava';
import { articleFiles, debris, fileOf, treeOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { launch, type Receiver } from '../../support/receiver.js';
import { storeOnly } from '../../support/store-only.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';

// Two receivers on one folder, as a rolling deploy has them; `npm run torture` delivers to three, at random, and kills.

const dir = storeOnly(makeTempDir());
let receivers: readonly Receiver[] = [];

test.serial.before(async () => {
  receivers = await Promise.all([launch(dir), launch(dir)]);
});
test.after.always(async () => {
  await Promise.all(receivers.map(({ kill }) => kill('SIGKILL')));
  removeTempDir(dir);
});

/** The receivers in turn. */
function one(n: number): Receiver {
  const receiver = receivers[n % receivers.length];
  if (receiver === undefined) throw new Error('no receiver has started');
  return receiver;
}

test.serial('200: one id sent to all processes at once is one article with one URL', async (t) => {
  const rounds = 4;
  for (let round = 0; round < rounds; round++) {
    const data = article({ slug: 'all-the-same' });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => one(n).post('article.published', data)),
    );
    t.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    t.is(new Set(answers.map(({ text }) => text)).size, 1, `round ${round}`);
  }
  t.is(articleFiles(dir).length, rounds);
});

test.serial(
  '200: different ids with one slug at once get different URLs, known to all processes',
  async (t) => {
    const all = Array.from({ length: 12 }, () => article({ slug: 'namesake' }));
    const answers = await Promise.all(all.map((data, n) => one(n).post('article.published', data)));
    t.is(new Set(answers.map(({ json }) => json.url)).size, all.length);
    const before = treeOf(dir);
    for (const [n, data] of all.entries())
      t.is((await one(n + 1).post('article.published', data)).text, answers[n]?.text ?? '');
    t.deepEqual(treeOf(dir), before);
  },
);

test.serial('409: of updates through all processes at once on one base exactly one is stored', async (t) => {
  const data = article();
  const { url } = (await one(0).post('article.published', data)).json;
  for (let round = 0; round < 3; round++) {
    const { revision_id: base_revision_id } = await one(round).find(url);
    const rivals = Array.from({ length: 6 }, () =>
      update({ target_id: data.id, target_url: url, base_revision_id }),
    );
    const answers = await Promise.all(rivals.map((rival, n) => one(n).post('article.updated', rival)));
    const winners = rivals.filter((_, n) => answers[n]?.status === 200);
    t.is(winners.length, 1);
    t.is(answers.filter(({ status }) => status === 409).length, rivals.length - 1);
    for (const receiver of receivers)
      t.is((await receiver.find(url)).revision_id, winners[0]?.revision_id ?? '');
  }
  t.truthy(fileOf(dir, data.id));
});

test.serial('200: what one process has acknowledged the others answer at once', async (t) => {
  for (let round = 0; round < 3; round++) {
    const data = article();
    const { url } = (await one(round).post('article.published', data)).json;
    const { revision_id: base_revision_id } = await one(round + 1).find(url);
    const request = update({ target_id: data.id, target_url: url, base_revision_id });
    t.is((await one(round).post('article.updated', request)).status, 200);
    t.like(await one(round + 1).find(url), {
      revision_id: request.id,
      content_html: request.content_html,
    });
    t.is((await one(round + 1).post('article.updated', request)).status, 200, 'a retry through another');
  }
  t.deepEqual(debris(dir), []);
});
