import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { articleFiles, debris, readStored } from '../../support/content.js';
import { article, type UpdatedData, update } from '../../support/events.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';

const KILLS = Number(process.env.PRESSMARK_TEST_KILLS ?? 50) / 2;
const MOMENTS_MS = 120;
const ARTICLES = 4;

/** What is known of one article: the last update that was acknowledged, and the one whose answer never came. */
interface Known {
  readonly id: string;
  readonly url: string;
  revision: string;
  html: string;
  pending: UpdatedData | undefined;
}

async function updateUntilGone({ post }: Receiver, known: Known): Promise<void> {
  for (;;) {
    const target = { target_id: known.id, target_url: known.url, base_revision_id: known.revision };
    const request = update(target);
    known.pending = request;
    try {
      const { status } = await post('article.updated', request);
      if (status !== 200) throw new Error(`an update on the current revision was answered ${status}`);
    } catch (error) {
      if (error instanceof TypeError) return; // the connection broke: the receiver is gone
      throw error;
    }
    settle(known, request);
  }
}

function settle(known: Known, { revision_id, content_html }: UpdatedData): void {
  Object.assign(known, { revision: revision_id, html: content_html, pending: undefined });
}

test(`${KILLS} kills during updates: every article is the old or the new one, whole`, async (t) => {
  t.timeout(KILLS * 10_000);
  const dir = storeOnly(tempDir(t));
  const first = await startReceiver(t, { dir });
  const articles: Known[] = [];
  for (let n = 0; n < ARTICLES; n++) {
    const { id, url } = (await first.post('article.published', article())).json;
    const { revision_id, content_html } = await first.find(url);
    articles.push({ id, url, revision: revision_id, html: content_html, pending: undefined });
  }
  await first.kill('SIGKILL');

  let landed = 0;
  for (let kill = 0; kill <= KILLS; kill++) {
    const receiver = await startReceiver(t, { dir });
    t.deepEqual(debris(dir), []);
    for (const known of articles) {
      const now = await receiver.find(known.url);
      const { pending } = known;
      if (pending !== undefined && now.revision_id === pending.revision_id) {
        landed++;
        settle(known, pending);
      }
      t.like(now, { id: known.id, revision_id: known.revision, content_html: known.html });
      // The service sends it again: it lands now, or has landed and nothing is done.
      if (pending === undefined) continue;
      t.is((await receiver.post('article.updated', pending)).status, 200);
      settle(known, pending);
    }
    if (kill === KILLS) break;
    const updates = Promise.all(articles.map((known) => updateUntilGone(receiver, known)));
    await pause(Math.random() * MOMENTS_MS);
    await receiver.kill('SIGKILL');
    await updates;
  }
  const files = articleFiles(dir).map(readStored);
  t.is(files.length, ARTICLES);
  t.true(files.every(({ edited, bodyEdited }) => !edited && !bodyEdited));
  t.log(`${KILLS} kills; ${landed} updates had landed without an answer`);
});
