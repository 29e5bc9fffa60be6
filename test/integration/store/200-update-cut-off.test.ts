import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { undoPath } from '../../../src/fs/atomic-write.js';
import { articleFiles, debris, edit, fileOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { startReceiver } from '../../support/receiver.js';

test('a person’s version with CRLF line ends, saved while an update was killed, is the one that stays', async (t) => {
  const first = await startReceiver(t);
  const { dir } = first;
  const data = article();
  await first.post('article.published', data);
  await first.kill('SIGKILL');
  // As after the rename of an update: the old inode has only its second name left, and is saved into.
  const path = fileOf(dir, data.id);
  const undo = undoPath(path, 'of0the0old0text');
  fs.writeFileSync(undo, fs.readFileSync(path, 'utf8').replaceAll('\n', '\r\n'));
  edit(undo, 'Out of the wind.\r\n', 'Out of the wind, always.\r\n');
  const theirs = fs.readFileSync(undo, 'utf8');

  await startReceiver(t, { dir });
  t.deepEqual(articleFiles(dir), [path]);
  t.is(fs.readFileSync(path, 'utf8'), theirs);
  t.deepEqual(debris(dir), []);
});

test('a file without an id that was edited after an update was killed stays one article', async (t) => {
  const first = await startReceiver(t);
  const { dir } = first;
  await first.post('article.published', article());
  await first.kill('SIGKILL');
  // As before the rename: one file under two names.
  const path = join(dirname(articleFiles(dir)[0] ?? ''), 'by-hand.md');
  fs.writeFileSync(path, '---\ntitle: By hand\n---\nEdited since.\n');
  fs.linkSync(path, undoPath(path, 'of0the0old0text'));

  await startReceiver(t, { dir });
  t.is(articleFiles(dir).length, 2);
  t.true(fs.existsSync(path));
  t.deepEqual(debris(dir), []);
});
