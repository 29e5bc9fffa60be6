import '../../../support/recorded-syncs.js';

import fs from 'node:fs';
import { basename, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { draftOf } from '../../../../src/article/article.js';
import { fingerprintOf } from '../../../../src/fs/fingerprint.js';
import type { Entry } from '../../../../src/store/catalog/entry.js';
import type { Write } from '../../../../src/store/write/article-files.js';
import { createDiskWriter } from '../../../../src/store/write/durable-write.js';
import { NameTaken, Outdated } from '../../../../src/store/write/failures.js';
import { article } from '../../../support/events.js';
import { recorder, syncs } from '../../../support/recorded-syncs.js';
import { tempDir } from '../../../support/temp-dir.js';

const stored = { ...draftOf(article()), revision: 'r', url: 'https://example.com/a/', updated: null };

function open(t: ExecutionContext) {
  const dir = tempDir(t);
  const root = join(dir, 'content');
  fs.mkdirSync(root);
  const writer = createDiskWriter(root, join(dir, 'staging'), pino({ level: 'silent' }));
  const write = (name: string, text: string, replaces: string | null, waitsFor: Write['waitsFor'] = []) =>
    writer.write({
      path: name,
      target: join(root, name),
      text,
      replaces,
      article: stored,
      publication: { kind: 'dated' },
      epoch: 0,
      waitsFor,
    });
  return { root, writer, write };
}

function entryOf(file: string): Entry {
  const fingerprint = fingerprintOf(fs.statSync(file));
  return { path: basename(file), fingerprint, id: 'a', url: 'https://example.com/a/' };
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}, injected`), { code });
}

/** Makes the next hard link fail. */
function failNextLink(t: ExecutionContext, code: string): void {
  const { linkSync } = fs;
  const restore = () => Object.assign(fs, { linkSync });
  const failing = (): void => {
    restore();
    throw failure(code);
  };
  Object.assign(fs, { linkSync: failing });
  t.teardown(restore);
}

/** Makes syncs fail until `over` is called. */
function failSyncs(): { over(): void } {
  recorder.observe = () => {
    throw failure('EIO');
  };
  return {
    over: () => {
      recorder.observe = () => '';
    },
  };
}

test.serial(
  'a file gets its name when all that it waits for is on the disk, and not where one fails',
  async (t) => {
    const { root, write } = open(t);
    let isThere: boolean | undefined;
    const noted = (async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      isThere = fs.existsSync(join(root, 'a.md'));
    })();
    await write('a.md', 'text', null, [noted]);
    t.false(isThere);
    const fails = Promise.reject(failure('EIO'));
    await t.throwsAsync(write('b.md', 'text', null, [fails]), { code: 'EIO' });
    t.deepEqual(fs.readdirSync(root), ['a.md']);
    t.deepEqual(fs.readdirSync(join(root, '../staging')), []);
  },
);

test.serial('a new file never covers another, also on a file system without hard links', async (t) => {
  const { root, write } = open(t);
  await write('a.md', 'ours', null);
  await t.throwsAsync(write('a.md', 'again', null), { instanceOf: NameTaken });
  for (const name of ['a.md', 'link.md', 'b.md']) {
    if (name === 'link.md') fs.symlinkSync('nowhere', join(root, name));
    failNextLink(t, 'EPERM');
    const writing = write(name, 'without links', null);
    if (name === 'b.md') await writing;
    else await t.throwsAsync(writing, { instanceOf: NameTaken });
  }
  t.is(fs.readFileSync(join(root, 'a.md'), 'utf8'), 'ours');
  t.is(fs.readFileSync(join(root, 'b.md'), 'utf8'), 'without links');
  t.deepEqual(fs.readdirSync(join(root, '..', 'staging')), []);
});

test.serial(
  'where nothing can be linked or renamed into the content folder, files are staged there',
  async (t) => {
    const { root, write } = open(t);
    failNextLink(t, 'EXDEV');
    await write('a.md', 'ours', null);
    t.is(fs.readFileSync(join(root, 'a.md'), 'utf8'), 'ours');
    t.deepEqual(fs.readdirSync(root), ['a.md']);
  },
);

test.serial('a file is replaced only while it has the text that was decided upon', async (t) => {
  const { root, write } = open(t);
  await write('a.md', 'one', null);
  fs.writeFileSync(join(root, 'a.md'), 'theirs');
  await t.throwsAsync(write('a.md', 'two', 'one'), { instanceOf: Outdated });
  t.is(fs.readFileSync(join(root, 'a.md'), 'utf8'), 'theirs');
  await write('a.md', 'two', 'theirs');
  fs.unlinkSync(join(root, 'a.md'));
  await t.throwsAsync(write('a.md', 'three', 'two'), { instanceOf: Outdated });
  t.deepEqual(fs.readdirSync(root), []);
});

test.serial('a file whose removal cannot be made durable is there as before', async (t) => {
  const { root, writer, write } = open(t);
  await write('a.md', 'text', null);
  const { ino } = fs.statSync(join(root, 'a.md'));
  const removal = { path: 'a.md', target: join(root, 'a.md'), article: stored, epoch: 0, replaces: 'text' };
  const fault = failSyncs();
  await t.throwsAsync(writer.remove(removal), { code: 'EIO' });
  fault.over();
  t.deepEqual(fs.readdirSync(root), ['a.md']);
  t.is(fs.statSync(join(root, 'a.md')).ino, ino);
  await writer.remove(removal);
  t.deepEqual(fs.readdirSync(root), []);
});

for (const [how, save] of [
  ['in place', (file: string) => fs.writeFileSync(file, 'theirs')],
  [
    'by rename',
    (file: string) => {
      fs.writeFileSync(`${file}~`, 'theirs');
      fs.renameSync(`${file}~`, file);
    },
  ],
] as const)
  test.serial(
    `after a failed sync a file is written anew with its permissions while a person saves ${how}, and keeps what they saved`,
    async (t) => {
      const { root, writer } = open(t);
      const file = join(root, 'a.md');
      fs.writeFileSync(file, 'ours');
      fs.chmodSync(file, 0o640);
      const { ino } = fs.statSync(file);
      const fault = failSyncs();
      await t.throwsAsync(writer.ensure(entryOf(file)), { code: 'EIO' });
      fault.over();
      const ensuring = writer.ensure(entryOf(file)); // has read the file, and waits for the disk
      save(file);
      const fingerprint = await ensuring;
      t.is(fs.readFileSync(file, 'utf8'), 'theirs');
      t.deepEqual(fingerprint, fingerprintOf(fs.statSync(file)));
      if (how !== 'by rename') {
        t.is(fs.statSync(file).mode & 0o777, 0o640);
        t.not(fs.statSync(file).ino, ino, 'the inode that failed is not trusted');
      }
      t.deepEqual(fs.readdirSync(root), ['a.md']);
    },
  );

test.serial(
  'the name of a folder that another program has removed and made again is synced again',
  async (t) => {
    const { root, write } = open(t);
    const folder = join(root, '2026');
    const syncedFor = async (name: string) => {
      syncs.length = 0;
      await write(`2026/${name}`, 'ours', null);
      return syncs.map(({ path }) => path);
    };
    t.true((await syncedFor('a.md')).includes(root));
    t.false((await syncedFor('b.md')).includes(root));
    fs.rmSync(folder, { recursive: true });
    fs.mkdirSync(folder);
    t.true((await syncedFor('c.md')).includes(root));
  },
);
