import fs from 'node:fs';
import { join } from 'node:path';
import test, { type Assertions } from 'ava';
import { articleFiles, debris, fileOf, readStored } from '../../support/content.js';
import { article, type PublishedData, update } from '../../support/events.js';
import { sharedFaults } from '../../support/faults.js';
import { launch, type Receiver } from '../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { soon } from '../../support/until.js';

// One receiver after the other on one folder, each killed at a call of its own; `npm run torture` kills at all of them.

const faults = sharedFaults();
const dir = makeTempDir();
let receiver: Receiver;
/** All that was acknowledged: the revisions by the articles' ids; the first article is the one that is updated. */
const acknowledged = new Map<string, string>();

async function startAgain(): Promise<void> {
  faults.clear();
  receiver = await launch(dir, faults.options);
}

/** Publishes an article, or sends it again. */
async function publish(t: Assertions, data: PublishedData): Promise<void> {
  const answer = await receiver.post('article.published', data);
  t.is(answer.status, 200);
  const found = await receiver.find(answer.json.url);
  t.like(found, { id: data.id, title: data.title, content_html: data.content_html });
  acknowledged.set(data.id, found.revision_id);
}

test.serial.before(async (t) => {
  await startAgain();
  await publish(t, article());
});
test.after.always(async () => {
  await receiver.kill('SIGKILL');
  removeTempDir(dir);
});

/** The ids and revisions of all stored articles; of one that is not whole, its revision says so. */
function stored(): string[][] {
  return articleFiles(dir)
    .map(readStored)
    .map(({ article: { id, revision }, edited, bodyEdited }) => [
      id,
      edited || bodyEdited ? 'not whole' : revision,
    ])
    .sort();
}

for (const when of ['before', 'after'] as const)
  test.serial(
    `200: a receiver that is killed ${when} it names the file of a publication stores it once, and the next start sweeps what is left`,
    async (t) => {
      const data = article();
      faults.set({ call: 'link', path: '\\.md$', when, kill: true });
      await t.throwsAsync(receiver.post('article.published', data));
      await soon('the receiver ends', receiver.ended);
      t.is(articleFiles(dir).length, acknowledged.size + (when === 'after' ? 1 : 0));
      // What kills at other moments leave.
      const snapshot = join(dir, '.pressmark/.pressmark-0123456789abcdef.tmp');
      fs.writeFileSync(snapshot, 'half a snapshot');
      fs.writeFileSync(join(dir, 'content/articles/.pressmark-0123456789abcdef.tmp'), 'half an article');

      await startAgain();
      t.deepEqual(debris(dir), []);
      t.false(fs.existsSync(snapshot));
      await publish(t, data);
      t.deepEqual(stored(), [...acknowledged].sort());
    },
  );

test.serial('200: an update during which a receiver is killed can be sent again', async (t) => {
  const [[id, base] = ['', '']] = [...acknowledged];
  const { url } = readStored(fileOf(dir, id)).article;
  const request = update({ target_id: id, target_url: url, base_revision_id: base });
  for (const [when, expected] of [
    ['before', base],
    ['after', request.revision_id],
  ] as const) {
    faults.set({ call: 'rename', path: '\\.md$', when, kill: true });
    await t.throwsAsync(receiver.post('article.updated', request));
    await soon('the receiver ends', receiver.ended);
    await startAgain();
    t.deepEqual(debris(dir), []);
    t.is((await receiver.find(url)).revision_id, expected);
  }
  t.is((await receiver.post('article.updated', request)).status, 200);
  acknowledged.set(id, request.revision_id);
  t.deepEqual(stored(), [...acknowledged].sort());
  t.is((await receiver.find(url)).content_html, request.content_html);
});
