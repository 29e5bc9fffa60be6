import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { undoPath } from '../../../src/fs/atomic-write.js';
import { articleFiles, debris, edit, fileOf, readStored } from '../../support/content.js';
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
  faults.set(
    { call: 'unlink', path: '\\.(tmp|undo)$', code: 'EIO' },
    { call: 'rm', path: '\\.(tmp|undo)$', code: 'EIO' },
  );
  const first = await post('article.published', data);
  t.is(first.status, 200);
  t.is((await post('article.published', data)).text, first.text);
  const { revision_id: base_revision_id } = await find(first.json.url);
  const request = update({ target_id: data.id, target_url: first.json.url, base_revision_id });
  t.is((await post('article.updated', request)).status, 200);
  t.is((await post('article.updated', request)).status, 200);
  t.is(readStored(fileOf(dir, data.id)).article.revision, request.revision_id);
  t.is(debris(dir).length, 2);
});

test.serial(
  '200: a start after a kill sweeps all that was left, and every article is answered as before',
  async (t) => {
    faults.clear();
    const storedBefore = articleFiles(dir).length;
    const before = await receiver.post('article.published', known);
    await receiver.post('article.published', cutOff);
    await receiver.kill('SIGKILL');

    // As after the rename of an update: the old inode has only its second name left, and a person has saved into it.
    const path = fileOf(dir, cutOff.id);
    const undo = undoPath(path, 'of0the0old0text');
    fs.writeFileSync(undo, fs.readFileSync(path, 'utf8').replaceAll('\n', '\r\n'));
    edit(undo, 'Out of the wind.\r\n', 'Out of the wind, always.\r\n');
    const theirs = fs.readFileSync(undo, 'utf8');
    // As before the rename: one file under two names.
    const byHand = join(dirname(path), 'by-hand.md');
    fs.writeFileSync(byHand, '---\ntitle: By hand\n---\nEdited since.\n');
    fs.linkSync(byHand, undoPath(byHand, 'of0the0old0text'));
    const snapshot = join(dir, '.pressmark/.pressmark-0123456789abcdef.tmp');
    fs.writeFileSync(snapshot, 'half a snap');

    receiver = await launch(dir, faults.options);
    t.deepEqual(debris(dir), []);
    t.false(fs.existsSync(snapshot), 'a snapshot that the kill cut off is swept');
    t.is(fs.readFileSync(path, 'utf8'), theirs, 'the version that a person saved meanwhile stays');
    t.true(fs.existsSync(byHand), 'a file without an id that was edited meanwhile stays one article');
    t.is(articleFiles(dir).length, storedBefore + 3);
    t.is((await receiver.post('article.published', known)).text, before.text);
  },
);
