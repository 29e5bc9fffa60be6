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

for (const [when, call, path, isStored] of [
  ['before', 'fsync', '\\.tmp$', false],
  ['before', 'link', '\\.md$', false],
  ['after', 'link', '\\.md$', true],
] as const)
  test.serial(
    `200: killed ${when} the ${call} of a publication (${path}): it is stored ${isStored ? 'already' : 'when it is sent again'}, once`,
    async (t) => {
      const data = article();
      faults.set({ call, path, when, kill: true });
      await t.throwsAsync(receiver.post('article.published', data));
      await soon('the receiver ends', receiver.ended);
      t.is(articleFiles(dir).length, acknowledged.size + (isStored ? 1 : 0));

      await startAgain();
      t.deepEqual(debris(dir), []);
      await publish(t, data);
      t.deepEqual(stored(), [...acknowledged].sort());
    },
  );

for (const [when, call, path, isStored] of [
  ['before', 'fsync', '\\.tmp$', false],
  ['before', 'rename', '\\.md$', false],
  ['after', 'rename', '\\.md$', true],
] as const)
  test.serial(
    `200: killed ${when} the ${call} of an update (${path}): the article is the ${isStored ? 'new' : 'old'} one, and the update can be sent again`,
    async (t) => {
      const [[id, base] = ['', '']] = [...acknowledged];
      const { url } = readStored(fileOf(dir, id)).article;
      const request = update({ target_id: id, target_url: url, base_revision_id: base });
      faults.set({ call, path, when, kill: true });
      await t.throwsAsync(receiver.post('article.updated', request));
      await soon('the receiver ends', receiver.ended);

      await startAgain();
      t.deepEqual(debris(dir), []);
      t.is((await receiver.find(url)).revision_id, isStored ? request.revision_id : base);
      t.is((await receiver.post('article.updated', request)).status, 200);
      acknowledged.set(id, request.revision_id);
      t.deepEqual(stored(), [...acknowledged].sort());
      t.is((await receiver.find(url)).content_html, request.content_html);
    },
  );

test.serial(
  '200: a start after a kill sweeps all that was left, and every article is answered as before',
  async (t) => {
    faults.clear();
    const storedBefore = articleFiles(dir).length;
    const known = article();
    const before = await receiver.post('article.published', known);
    await receiver.kill('SIGKILL');

    const staged = join(dir, '.pressmark/staging/.pressmark-0123456789abcdef.tmp');
    fs.writeFileSync(staged, 'half an article');
    const beside = join(dir, 'content/articles/.pressmark-0123456789abcdef.tmp');
    fs.writeFileSync(beside, 'half an article');
    const snapshot = join(dir, '.pressmark/.pressmark-0123456789abcdef.tmp');
    fs.writeFileSync(snapshot, 'half a snap');

    await startAgain();
    t.deepEqual(debris(dir), []);
    t.false(fs.existsSync(snapshot), 'a snapshot that the kill cut off is swept');
    t.is(articleFiles(dir).length, storedBefore + 1);
    t.is((await receiver.post('article.published', known)).text, before.text);
  },
);
