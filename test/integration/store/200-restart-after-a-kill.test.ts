import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { articleFiles, debris, fileOf, readStored } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { sharedFaults } from '../../support/faults.js';
import { launch, type Receiver } from '../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';

// One receiver is killed; a second one starts on what it left and on what the tests put there as a kill leaves it.
const dir = makeTempDir();
const faults = sharedFaults();
let receiver: Receiver;
const cutOff = article();
const known = article();

test.serial.before(async () => {
  receiver = await launch(dir, faults.options);
});
test.after.always(async () => {
  await receiver?.kill('SIGKILL');
  removeTempDir(dir);
});

test.serial('200: what cannot be removed after a request does not fail the request', async (t) => {
  const { post, find } = receiver;
  const data = article();
  faults.set({ call: 'unlink', path: '\\.tmp$', code: 'EIO' }, { call: 'rm', path: '\\.tmp$', code: 'EIO' });
  const first = await post('article.published', data);
  t.is(first.status, 200);
  t.is((await post('article.published', data)).text, first.text);
  const { revision_id: base_revision_id } = await find(first.json.url);
  const request = update({ target_id: data.id, target_url: first.json.url, base_revision_id });
  t.is((await post('article.updated', request)).status, 200);
  t.is((await post('article.updated', request)).status, 200);
  t.is(readStored(fileOf(dir, data.id)).article.revision, request.revision_id);
  t.is(debris(dir).length, 1);
});

test.serial(
  '200: a start after a kill sweeps all that was left, and every article is answered as before',
  async (t) => {
    faults.clear();
    const storedBefore = articleFiles(dir).length;
    const before = await receiver.post('article.published', known);
    await receiver.post('article.published', cutOff);
    await receiver.kill('SIGKILL');

    const staged = join(dir, '.pressmark/staging/.pressmark-0123456789abcdef.tmp');
    fs.writeFileSync(staged, 'half an article');
    const beside = join(dir, 'content/articles/.pressmark-0123456789abcdef.tmp');
    fs.writeFileSync(beside, 'half an article');
    const snapshot = join(dir, '.pressmark/.pressmark-0123456789abcdef.tmp');
    fs.writeFileSync(snapshot, 'half a snap');

    receiver = await launch(dir, faults.options);
    t.deepEqual(debris(dir), []);
    t.false(fs.existsSync(snapshot), 'a snapshot that the kill cut off is swept');
    t.is(articleFiles(dir).length, storedBefore + 2);
    t.is((await receiver.post('article.published', known)).text, before.text);
  },
);
