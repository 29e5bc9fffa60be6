import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { createCatalog } from '../../../src/store/catalog/catalog.js';
import type { Entry } from '../../../src/store/catalog/entry.js';
import { openKnownIds } from '../../../src/store/known-ids.js';
import { tempDir } from '../../support/temp-dir.js';

const log = pino({ level: 'silent' });
const url = (id: string) => `https://garden.example/${id}/`;
const HOUR = 3_600_000;

function entry(id: string, { ageMs = HOUR, path = `articles/${id}.md` } = {}): Entry {
  return { path, id, url: url(id), fingerprint: { ino: 1, size: 1, mtimeMs: Date.now() - ageMs } };
}

/** A catalog of these articles, and the memory of those that were deleted in the state folder `dir`. */
async function open(dir: string, entries: readonly Entry[], earlier: readonly string[] | 'no answer' = []) {
  const catalog = createCatalog();
  for (const one of entries) catalog.set(one);
  const deleted = await openKnownIds({
    path: join(dir, 'ids.jsonl'),
    catalog,
    log,
    earlier: async () => (earlier === 'no answer' ? undefined : earlier.map((id) => ({ id, url: url(id) }))),
  });
  return {
    ...deleted,
    /** Another program removes a file. */
    remove: (one: Entry) => {
      catalog.delete(one.path);
      deleted.noteChanges([{ path: one.path, before: one, after: undefined }]);
    },
    /** Another program adds a file. */
    arrive: (one: Entry) => {
      catalog.set(one);
      deleted.noteChanges([{ path: one.path, before: undefined, after: one }]);
    },
    /** A delivery stores an article. */
    store: async (one: Entry) => {
      catalog.set(one);
      await deleted.add({ id: one.id, url: one.url });
    },
  };
}

test.serial(
  'an article that is removed while a receiver runs is deleted, until its file comes back',
  async (t) => {
    const dir = tempDir(t);
    const one = entry('one');
    const { urlOfDeleted, remove, arrive } = await open(dir, [one]);
    t.is(urlOfDeleted('one'), undefined);
    remove(one);
    t.is(urlOfDeleted('one'), url('one'));
    arrive(one);
    t.is(urlOfDeleted('one'), undefined);
    remove(one);
    t.is(urlOfDeleted('one'), url('one'));
    t.is(urlOfDeleted('another'), undefined);
    // It is deleted at all later starts; a file that is put back and taken away again at once was an article before.
    await open(dir, []);
    const next = await open(dir, []);
    const restored = entry('one', { ageMs: 0 });
    next.arrive(restored);
    t.is(next.urlOfDeleted('one'), undefined);
    next.remove(restored);
    t.is(next.urlOfDeleted('one'), url('one'));
  },
);

test.serial(
  'an article that is removed while no receiver runs is deleted, by the URL that it had last',
  async (t) => {
    const dir = tempDir(t);
    const one = entry('one');
    const { noteChanges } = await open(dir, [one]);
    const moved = { ...one, url: 'https://garden.example/moved/' };
    noteChanges([{ path: one.path, before: one, after: moved }]);
    t.is((await open(dir, [])).urlOfDeleted('one'), moved.url);
  },
);

test.serial('what was acknowledged and is gone is deleted, however soon, and after kill -9', async (t) => {
  const dir = tempDir(t);
  const first = await open(dir, []);
  const [one, two] = [entry('one', { ageMs: 0 }), entry('two', { ageMs: 0 })];
  await first.store(one);
  await first.store(two);
  first.remove(one);
  t.is(first.urlOfDeleted('one'), url('one'));
  const second = await open(dir, []);
  t.deepEqual([second.urlOfDeleted('one'), second.urlOfDeleted('two')], [url('one'), url('two')]);
});

test.serial('a file that a delivery under way has written and taken back again is not deleted', async (t) => {
  const dir = tempDir(t);
  const { urlOfDeleted, arrive, remove } = await open(dir, []);
  const one = entry('one', { ageMs: 0 });
  arrive(one);
  remove(one);
  t.is(urlOfDeleted('one'), undefined);
  const second = await open(dir, [one]);
  second.remove(one);
  t.is(second.urlOfDeleted('one'), undefined);
});

test.serial('a move in either order, and a copy that stays, are no deletion', async (t) => {
  const dir = tempDir(t);
  const [before, after] = [entry('one'), entry('one', { path: 'articles/renamed.md' })];
  const { urlOfDeleted, arrive, remove } = await open(dir, [before]);
  remove(before);
  arrive(after);
  t.is(urlOfDeleted('one'), undefined);
  arrive(before);
  remove(after);
  t.is(urlOfDeleted('one'), undefined);
  t.is((await open(dir, [after])).urlOfDeleted('one'), undefined);
});

test.serial(
  'a forgotten id may come again, at all receivers on the folder, and be deleted again',
  async (t) => {
    const dir = tempDir(t);
    await open(dir, [entry('one')]);
    const [first, second] = [await open(dir, []), await open(dir, [])];
    t.is(second.urlOfDeleted('one'), url('one'));
    await first.forget('one');
    t.deepEqual([first.urlOfDeleted('one'), second.urlOfDeleted('one')], [undefined, undefined]);
    t.is((await open(dir, [])).urlOfDeleted('one'), undefined);
    await second.store(entry('one', { ageMs: 0 }));
    t.is((await open(dir, [])).urlOfDeleted('one'), url('one'));
  },
);

test.serial(
  'what another receiver on the folder has acknowledged, and what is known from elsewhere, counts; that is asked until it has answered',
  async (t) => {
    const dir = tempDir(t);
    t.is((await open(dir, [], 'no answer')).urlOfDeleted('earlier'), undefined);
    const first = await open(dir, [], ['earlier']);
    t.is(first.urlOfDeleted('earlier'), url('earlier'));
    const second = await open(dir, [], ['not asked']);
    await first.store(entry('one', { ageMs: 0 }));
    t.is(second.urlOfDeleted('one'), url('one'));
    t.is(second.urlOfDeleted('earlier'), url('earlier'));
    t.is(second.urlOfDeleted('not asked'), undefined);
  },
);

test.serial('what a disk that fills up takes only a part of is written again', async (t) => {
  const dir = tempDir(t);
  const { store } = await open(dir, []);
  const { writeSync } = fs;
  let calls = 0;
  const filled = (fd: number, data: string | Uint8Array) => {
    if (++calls > 1) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    return writeSync(fd, Buffer.from(data).subarray(0, 10));
  };
  Object.assign(fs, { writeSync: filled });
  t.teardown(() => Object.assign(fs, { writeSync }));
  await store(entry('one', { ageMs: 0 }));
  Object.assign(fs, { writeSync });
  await store(entry('two', { ageMs: 0 }));
  const { urlOfDeleted } = await open(dir, []);
  t.deepEqual([urlOfDeleted('one'), urlOfDeleted('two')], [url('one'), url('two')]);
});
