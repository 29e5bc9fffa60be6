import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { isLeftover } from '../../../src/fs/atomic-write.js';
import { createNewFiles } from '../../../src/fs/new-files.js';
import { createSharedMemory } from '../../../src/fs/shared-memory.js';
import { tempDir } from '../../support/temp-dir.js';

function startNewFiles(t: ExecutionContext, beforeBatch: () => void = () => undefined) {
  const files = createNewFiles(beforeBatch);
  t.teardown(files.close);
  const dir = tempDir(t);
  const makeBytes = (name: string, data: Uint8Array, staging = dir) =>
    files.make({ staging, target: join(dir, name), data });
  const make = (name: string, text: string, staging = dir) => makeBytes(name, Buffer.from(text), staging);
  const debris = () => fs.readdirSync(dir).filter(isLeftover);
  return { dir, make, makeBytes, close: files.close, debris };
}

test('many at once: each is whole, with its own stamp, and nothing else is left', async (t) => {
  let batches = 0;
  const { dir, make, debris } = startNewFiles(t, () => batches++);
  const texts = Array.from({ length: 200 }, (_, n) => `${n} `.repeat(n * 50 + 1));
  const stamps = await Promise.all(texts.map((text, n) => make(String(n), text)));
  for (const [n, text] of texts.entries()) {
    t.is(fs.readFileSync(join(dir, String(n)), 'utf8'), text);
    const { ino, size, mtimeMs } = fs.statSync(join(dir, String(n)));
    t.deepEqual(stamps[n], { ino, size, mtimeMs });
  }
  t.is(batches, 1, 'what is asked for within one turn goes together');
  t.deepEqual(debris(), []);
});

test('what lies in shared memory is written from there, file after file', async (t) => {
  const { dir, makeBytes } = startNewFiles(t);
  const memory = createSharedMemory();
  const texts = ['a first, longer text\n', 'another\n', 'x'.repeat(1_000_000)];
  for (const [n, text] of texts.entries()) {
    const lease = memory.lease();
    const bytes = lease.take(text.length);
    await makeBytes(String(n), bytes.subarray(0, bytes.write(text)));
    lease.giveBack();
  }
  for (const [n, text] of texts.entries()) t.is(fs.readFileSync(join(dir, String(n)), 'utf8'), text);
});

test('of all that want one name one gets it, and no file is ever covered', async (t) => {
  const { dir, make, debris } = startNewFiles(t);
  const stamps = await Promise.all(Array.from({ length: 20 }, (_, n) => make('one', `text ${n}`)));
  const winner = stamps.findIndex((stamp) => stamp !== undefined);
  t.is(stamps.filter((stamp) => stamp !== undefined).length, 1);
  t.is(fs.readFileSync(join(dir, 'one'), 'utf8'), `text ${winner}`);
  t.deepEqual(debris(), []);
});

test('a failure has the system’s code, and fails no other', async (t) => {
  const { dir, make, debris } = startNewFiles(t);
  const [fine, noStaging, noFolder] = await Promise.allSettled([
    make('fine', 'text'),
    make('lost', 'text', join(dir, 'no-staging')),
    make('no-folder/lost', 'text'),
  ]);
  t.is(fine?.status, 'fulfilled');
  for (const one of [noStaging, noFolder])
    t.is(one?.status === 'rejected' ? one.reason.code : undefined, 'ENOENT');
  t.deepEqual([fs.readdirSync(dir), debris()], [['fine'], []]);
});

test('where what must come before fails, no file is made', async (t) => {
  let isBroken = true;
  const { dir, make } = startNewFiles(t, () => {
    if (isBroken) throw new Error('no space');
  });
  await t.throwsAsync(make('one', 'text'), { message: 'no space' });
  t.deepEqual(fs.readdirSync(dir), []);
  isBroken = false;
  t.truthy(await make('one', 'text'));
});

test('a thread that has ended is replaced; what it had before it fails', async (t) => {
  const { dir, make, close } = startNewFiles(t);
  await make('first', 'text');
  // So much that it is not written before the thread ends, also where this process gets no processor for a while.
  const cutOff = make('second', 'x'.repeat(50_000_000));
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([close(), t.throwsAsync(cutOff, { message: /ended/ })]);
  t.truthy(await make('third', 'text'));
  t.true(fs.existsSync(join(dir, 'third')));
});
