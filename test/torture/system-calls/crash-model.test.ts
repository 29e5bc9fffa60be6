import test from 'ava';
import { createRandom } from '../../support/random.js';
import {
  CRASH_KINDS,
  type CrashKind,
  crashState,
  createDisk,
  type Disk,
  type DiskNode,
  filesIn,
} from './crash-model.js';

const OLD = Buffer.from('old');
const NEW = Buffer.alloc(10_000, 'new');

/** A disk with the file `content/a.md` and an empty folder. */
function makeDisk(): Disk {
  return createDisk(
    new Map([
      ['content', new Map([['a.md', OLD]])],
      ['staging', new Map()],
    ]),
  );
}

function at(disk: Disk, path: string): DiskNode {
  const node = disk.find(path);
  if (node === undefined) throw new Error(`nothing at ${path}`);
  return node;
}

function sync(disk: Disk, path: string): void {
  disk.beginSync(at(disk, path))();
}

/** Writes a temporary file in the folder of the target, and renames it to the target. */
function replace(
  disk: Disk,
  target: string,
  steps: { readonly syncFile: boolean; readonly syncFolder: boolean },
): void {
  const temp = disk.create('content/temp');
  disk.write(temp, 0, NEW);
  if (steps.syncFile) sync(disk, 'content/temp');
  disk.rename('content/temp', target);
  if (steps.syncFolder) sync(disk, 'content');
}

/** The contents of a path in the states of these kinds, with many seeds. */
function found(disk: Disk, path: string, kinds: readonly CrashKind[] = CRASH_KINDS): string[] {
  const contents = new Set<string>();
  for (const kind of kinds) {
    for (let seed = 0; seed < 50; seed++) {
      const state = crashState(disk, kind, createRandom('found', seed));
      const files = new Map([...filesIn(state, disk.root)].map((one) => [one.path, one.file]));
      const file = files.get(path);
      contents.add(file === undefined ? 'nothing' : nameOf(state.content(file)));
    }
  }
  return [...contents].sort();
}

function nameOf(content: Buffer): string {
  if (content.equals(OLD)) return 'old';
  if (content.equals(NEW)) return 'new';
  if (content.length === NEW.length) return content.includes(0) ? 'zeros' : 'foreign';
  return content.length === 0 ? 'empty' : `torn at ${content.length}`;
}

test('a file that was written without fsync and renamed may be old, new, empty or torn, or have zeros or another file’s bytes in it', (t) => {
  const disk = makeDisk();
  disk.write(disk.create('content/other.md'), 0, Buffer.alloc(10_000, 'other'));
  replace(disk, 'content/a.md', { syncFile: false, syncFolder: true });
  t.deepEqual(found(disk, 'content/a.md'), [
    'empty',
    'foreign',
    'new',
    'torn at 4096',
    'torn at 8192',
    'zeros',
  ]);
  t.deepEqual(found(disk, 'content/a.md', ['names']), ['empty']);
});

test('a file that was synced and renamed may still be the old one if its folder was not synced', (t) => {
  const disk = makeDisk();
  replace(disk, 'content/a.md', { syncFile: true, syncFolder: false });
  t.deepEqual(found(disk, 'content/a.md'), ['new', 'old']);
  t.deepEqual(found(disk, 'content/a.md', ['synced']), ['old']);
});

test('a new file that was synced may be lost if its folder was not synced', (t) => {
  const disk = makeDisk();
  replace(disk, 'content/b.md', { syncFile: true, syncFolder: false });
  t.deepEqual(found(disk, 'content/b.md'), ['new', 'nothing']);
});

test('a file that was synced and renamed within its folder is in every state if its folder was synced', (t) => {
  const disk = makeDisk();
  replace(disk, 'content/a.md', { syncFile: true, syncFolder: true });
  t.deepEqual(found(disk, 'content/a.md'), ['new']);
  t.deepEqual(found(disk, 'content/temp'), ['nothing']);
});

test('a file in a new folder may be lost until the parent folder is synced, too', (t) => {
  const disk = makeDisk();
  disk.makeFolder('content/2026');
  disk.write(disk.create('content/2026/b.md'), 0, NEW);
  sync(disk, 'content/2026/b.md');
  sync(disk, 'content/2026');
  t.true(found(disk, 'content/2026/b.md').includes('nothing'));
  sync(disk, 'content');
  t.deepEqual(found(disk, 'content/2026/b.md'), ['new']);
});

test('a rename from one folder to another is found in both folders or in none', (t) => {
  const disk = makeDisk();
  disk.write(disk.create('staging/temp'), 0, NEW);
  sync(disk, 'staging/temp');
  sync(disk, 'staging');
  disk.rename('staging/temp', 'content/a.md');
  for (let seed = 0; seed < 200; seed++) {
    for (const kind of CRASH_KINDS) {
      const state = crashState(disk, kind, createRandom('whole', seed));
      const paths = [...filesIn(state, disk.root)].map(
        ({ path, file }) => `${path} ${nameOf(state.content(file))}`,
      );
      t.true(
        paths.join() === 'content/a.md old,staging/temp new' || paths.join() === 'content/a.md new',
        `${kind}: ${paths}`,
      );
    }
  }
});

test('an fsync makes durable what existed at its beginning, but not what was written during it', (t) => {
  const disk = makeDisk();
  const file = disk.create('content/b.md');
  disk.write(file, 0, OLD);
  const endOfFile = disk.beginSync(file);
  const endOfFolder = disk.beginSync(at(disk, 'content'));
  disk.write(file, 0, NEW);
  disk.create('content/c.md');
  endOfFile();
  endOfFolder();
  t.deepEqual(found(disk, 'content/b.md', ['synced']), ['old']);
  t.deepEqual(found(disk, 'content/c.md', ['synced']), ['nothing']);
});

test('a synced file that is truncated to length 0 may be empty or have its old content', (t) => {
  const disk = makeDisk();
  const file = at(disk, 'content/a.md');
  if (file.kind === 'file') disk.truncate(file, 0);
  t.deepEqual(found(disk, 'content/a.md'), ['empty', 'old']);
});

test('a sync of the file system makes everything durable that existed at its beginning', (t) => {
  const disk = makeDisk();
  replace(disk, 'content/a.md', { syncFile: false, syncFolder: false });
  const end = disk.beginSyncOfAll();
  disk.write(disk.create('content/b.md'), 0, NEW);
  end();
  t.deepEqual(found(disk, 'content/a.md'), ['new']);
  t.true(found(disk, 'content/b.md').includes('nothing'));
});

test('the same seed gives the same states', (t) => {
  const disk = makeDisk();
  for (let count = 0; count < 20; count++) disk.write(disk.create(`content/${count}.md`), 0, NEW);
  const once = () => {
    const state = crashState(disk, 'mixture', createRandom('same', 7));
    return [...filesIn(state, disk.root)].map(({ path, file }) => `${path} ${nameOf(state.content(file))}`);
  };
  t.deepEqual(once(), once());
});
