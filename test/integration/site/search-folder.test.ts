import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type IndexFile, openSearchFolder } from '../../../src/site/search/search-folder.js';
import { beforeDiskChanges } from '../../support/site-kills.js';
import { tempDir } from '../../support/temp-dir.js';

/** An index as Pagefind writes it: files named by their content, and one that names them. */
function index(...words: string[]): IndexFile[] {
  const entry = { path: 'pagefind-entry.json', content: Buffer.from(JSON.stringify(words)) };
  const parts = words.map((word) => ({
    path: `fragment/en_${word}.pf_fragment`,
    content: Buffer.from(word),
  }));
  return [entry, ...parts, { path: 'pagefind.js', content: Buffer.from('code') }];
}

const namesIn = (folder: string) =>
  fs
    .readdirSync(join(folder, 'pagefind'), { recursive: true, encoding: 'utf8' })
    .filter((name) => fs.statSync(join(folder, 'pagefind', name)).isFile())
    .sort();

/** Whether everything is there that the entry names. */
function isWhole(folder: string): boolean {
  const words: string[] = JSON.parse(fs.readFileSync(join(folder, 'pagefind/pagefind-entry.json'), 'utf8'));
  return words.every((word) => fs.existsSync(join(folder, `pagefind/fragment/en_${word}.pf_fragment`)));
}

test('a new index takes the place of the old one, whose files stay until the next', async (t) => {
  const dir = tempDir(t);
  const folder = openSearchFolder(dir);
  await folder.replace(index('a', 'b'), '1');
  await folder.replace(index('b', 'c'), '2');
  t.true(isWhole(dir));
  const files = (...words: string[]) => [
    ...words.map((word) => `fragment/en_${word}.pf_fragment`),
    'pagefind-entry.json',
    'pagefind.js',
    'pressmark.json',
  ];
  t.deepEqual(namesIn(dir), files('a', 'b', 'c'));
  await folder.replace(index('c'), '3');
  t.deepEqual(namesIn(dir), files('b', 'c'));
  t.true(folder.isCurrent('3'));
  t.false(folder.isCurrent('2'));
});

test('an index of which a file is missing or cut off is not current', async (t) => {
  const dir = tempDir(t);
  const folder = openSearchFolder(dir);
  await folder.replace(index('a', 'b'), '1');
  fs.truncateSync(join(dir, 'pagefind/fragment/en_b.pf_fragment'));
  t.false(folder.isCurrent('1'));
  await folder.replace(index('a', 'b'), '1');
  t.true(folder.isCurrent('1'));
  fs.rmSync(join(dir, 'pagefind/pagefind.js'));
  t.false(folder.isCurrent('1'));
});

test('where writing fails in the middle the old index is whole, and the next writing leaves nothing behind', async (t) => {
  const dir = tempDir(t);
  const folder = openSearchFolder(dir);
  await folder.replace(index('a'), '1');
  fs.mkdirSync(join(dir, 'pagefind/fragment/en_c.pf_fragment'));
  await t.throwsAsync(folder.replace(index('b', 'c', 'd'), '2'));
  t.true(isWhole(dir));
  t.true(fs.readFileSync(join(dir, 'pagefind/pagefind-entry.json'), 'utf8').includes('a'));
  t.false(folder.isCurrent('1') || folder.isCurrent('2'));

  fs.rmdirSync(join(dir, 'pagefind/fragment/en_c.pf_fragment'));
  fs.writeFileSync(join(dir, 'pagefind/.pressmark-0123.tmp'), 'half');
  await folder.replace(index('e'), '3');
  await folder.replace(index('f'), '4');
  t.deepEqual(
    namesIn(dir).filter((name) => !name.startsWith('p')),
    ['fragment/en_e.pf_fragment', 'fragment/en_f.pf_fragment'],
  );
});

test('an index does not bring back an output folder that was removed', async (t) => {
  const dir = join(tempDir(t), 'public');
  await t.throwsAsync(openSearchFolder(dir).replace(index('a'), '1'), { code: 'ENOENT' });
  t.false(fs.existsSync(dir));
});

test('files of others are neither removed nor taken for ours', async (t) => {
  const dir = tempDir(t);
  const folder = openSearchFolder(dir);
  t.false(folder.isForeign());
  fs.mkdirSync(join(dir, 'pagefind'));
  fs.writeFileSync(join(dir, 'pagefind/pagefind-entry.json'), 'theirs');
  t.true(folder.isForeign());
  folder.remove();
  t.deepEqual(namesIn(dir), ['pagefind-entry.json']);

  fs.rmSync(join(dir, 'pagefind'), { recursive: true });
  await folder.replace(index('a'), '1');
  fs.writeFileSync(join(dir, 'pagefind/fragment/mine.txt'), 'mine');
  await folder.replace(index('b'), '2');
  await folder.replace(index('c'), '3');
  t.true(fs.existsSync(join(dir, 'pagefind/fragment/mine.txt')));
  folder.remove();
  t.deepEqual(namesIn(dir), ['fragment/mine.txt']);
  fs.rmSync(join(dir, 'pagefind'), { recursive: true });
  await folder.replace(index('a'), '1');
  folder.remove();
  t.false(fs.existsSync(join(dir, 'pagefind')));
});

test('an index whose record a power loss has emptied is replaced', async (t) => {
  const dir = tempDir(t);
  const folder = openSearchFolder(dir);
  await folder.replace(index('a'), '1');
  for (const vacated of ['', '\0'.repeat(100), '{"generator":"Press']) {
    fs.writeFileSync(join(dir, 'pagefind/pressmark.json'), vacated);
    t.false(folder.isForeign());
    t.false(folder.isCurrent('1'));
  }
  await folder.replace(index('b'), '2');
  t.true(folder.isCurrent('2'));
});

test('an index of which somebody has changed a file is theirs, and so is a file with the name of one of ours', async (t) => {
  const dir = tempDir(t);
  const folder = openSearchFolder(dir);
  await folder.replace(index('a'), '1');
  fs.writeFileSync(join(dir, 'pagefind/pagefind-entry.json'), '["theirs"]');
  t.true(folder.isForeign());
  folder.remove();
  t.deepEqual(namesIn(dir), ['pagefind-entry.json']);

  fs.rmSync(join(dir, 'pagefind'), { recursive: true });
  await folder.replace(index('a'), '1');
  fs.writeFileSync(join(dir, 'pagefind/fragment/en_b.pf_fragment'), 'theirs');
  t.false(await folder.replace(index('b'), '2'));
  t.true(folder.isCurrent('1'));
  t.is(fs.readFileSync(join(dir, 'pagefind/fragment/en_b.pf_fragment'), 'utf8'), 'theirs');
});

/** Writes an index until its first new fragment is there, as a job does that is killed then. */
async function replaceInPart(t: ExecutionContext, dir: string, files: IndexFile[], sourceHash: string) {
  const first = files.find(({ path }) => path.endsWith('.pf_fragment'))?.path ?? '';
  const restore = beforeDiskChanges(() => {
    if (fs.existsSync(join(dir, 'pagefind', first))) throw new Error('the process is dead');
  });
  await t.throwsAsync(openSearchFolder(dir).replace(files, sourceHash), { message: 'the process is dead' });
  restore();
}

// Serial: all tests of a process share node:fs.
test.serial('what a killed job has written goes with the next index but one', async (t) => {
  const dir = tempDir(t);
  const folder = openSearchFolder(dir);
  await folder.replace(index('a'), '1');
  await replaceInPart(t, dir, index('b', 'c'), '2');
  t.false(folder.isForeign());
  t.is(fs.readFileSync(join(dir, 'pagefind/fragment/en_b.pf_fragment'), 'utf8'), 'b', 'whole, or not there');
  await folder.replace(index('d'), '3');
  await folder.replace(index('e'), '4');
  t.deepEqual(
    namesIn(dir).filter((name) => name.startsWith('fragment')),
    ['fragment/en_d.pf_fragment', 'fragment/en_e.pf_fragment'],
  );
});

test.serial('what a killed job has written is removed with everything else', async (t) => {
  const dir = tempDir(t);
  const folder = openSearchFolder(dir);
  await folder.replace(index('a'), '1');
  await replaceInPart(t, dir, index('b', 'c'), '2');
  folder.remove();
  t.false(fs.existsSync(join(dir, 'pagefind')));
});

test.serial('the index that a killed job was to replace is whole until the next one but one', async (t) => {
  const dir = tempDir(t);
  const folder = openSearchFolder(dir);
  await folder.replace(index('a'), '1');
  await replaceInPart(t, dir, index('b', 'c'), '2');
  t.true(isWhole(dir));
  await folder.replace(index('d'), '3');
  t.true(fs.existsSync(join(dir, 'pagefind/fragment/en_a.pf_fragment')), 'for a browser that is searching');
  await folder.replace(index('e'), '4');
  t.false(fs.existsSync(join(dir, 'pagefind/fragment/en_a.pf_fragment')));
});

test.serial(
  'an index that somebody has put into the place of one that a killed job has begun is theirs',
  async (t) => {
    const dir = tempDir(t);
    const folder = openSearchFolder(dir);
    await folder.replace(index('a'), '1');
    await replaceInPart(t, dir, index('b', 'c'), '2');
    fs.writeFileSync(join(dir, 'pagefind/pagefind-entry.json'), '["theirs"]');
    t.true(folder.isForeign());
    folder.remove();
    t.deepEqual(namesIn(dir), ['pagefind-entry.json']);
  },
);

test('a file of a former index that somebody has changed is not written again', async (t) => {
  const dir = tempDir(t);
  const folder = openSearchFolder(dir);
  await folder.replace(index('a'), '1');
  await folder.replace(index('b'), '2');
  fs.writeFileSync(join(dir, 'pagefind/fragment/en_a.pf_fragment'), 'theirs');
  t.false(await folder.replace(index('a'), '3'));
  t.is(fs.readFileSync(join(dir, 'pagefind/fragment/en_a.pf_fragment'), 'utf8'), 'theirs');
});

test.serial('an index that a power loss has torn while it was written is replaced', async (t) => {
  const dir = tempDir(t);
  const folder = openSearchFolder(dir);
  await folder.replace(index('a'), '1');
  await replaceInPart(t, dir, index('bee', 'c'), '2');
  fs.writeFileSync(join(dir, 'pagefind/fragment/en_bee.pf_fragment'), 'be');
  t.false(folder.isForeign());
  t.true(await folder.replace(index('bee', 'd'), '3'));
  t.true(folder.isCurrent('3'));
});
