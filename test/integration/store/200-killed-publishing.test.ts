import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { articleFiles, debris, readStored } from '../../support/content.js';
import { article } from '../../support/events.js';
import { startReceiver } from '../../support/receiver.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';
import { type Acknowledged, publishUntilGone } from '../../support/workload.js';

/** Fifty here and in the sweep of updates; more where somebody has the time. */
const KILLS = Number(process.env.PRESSMARK_TEST_KILLS ?? 50) / 2;

/** How long after the first deliveries the receiver is killed, at most. */
const MOMENTS_MS = 120;

test(`${KILLS} kills at random moments lose nothing that was acknowledged, and leave nothing half done`, async (t) => {
  t.timeout(KILLS * 10_000);
  const dir = storeOnly(tempDir(t));
  const all: Acknowledged[] = [];
  for (let kill = 0; kill <= KILLS; kill++) {
    const receiver = await startReceiver(t, { dir });
    t.deepEqual(debris(dir), [], 'the start sweeps what the last end left');
    await stillThere(receiver, all.slice(-20));
    if (kill === KILLS) break;
    const published = publishUntilGone(receiver, () => article({ slug: 'bees' }));
    await pause(Math.random() * MOMENTS_MS);
    await receiver.kill('SIGKILL');
    all.push(...(await published));
  }

  const last = await startReceiver(t, { dir });
  await stillThere(last, all);
  t.true(all.length > KILLS);
  const files = articleFiles(dir).map(readStored);
  const ids = files.map(({ article: stored }) => stored.id);
  t.is(new Set(ids).size, ids.length, 'each once');
  t.deepEqual(
    files.filter(({ edited, bodyEdited }) => edited || bodyEdited),
    [],
    'each whole: its digest matches',
  );
  t.log(`${KILLS} kills, ${all.length} acknowledged, ${ids.length} stored`);

  async function stillThere({ post, find }: typeof last, some: readonly Acknowledged[]) {
    for (const { data, text } of some) {
      const { id, url } = JSON.parse(text) as { id: string; url: string };
      t.like(await find(url), { id, url, title: data.title, content_html: data.content_html });
      t.is((await post('article.published', data)).text, text);
    }
  }
});
