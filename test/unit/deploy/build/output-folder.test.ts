import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { replaceOutput } from '../../../../src/deploy/build/output-folder.js';
import { filesIn } from '../../../../src/deploy/folder-files.js';
import { tempDir } from '../../../support/temp-dir.js';

function write(dir: string, files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(dir, name)), { recursive: true });
    fs.writeFileSync(join(dir, name), text);
  }
  return dir;
}

async function contentOf(dir: string): Promise<Record<string, string>> {
  return Object.fromEntries(
    filesIn(dir)
      .toSorted()
      .map((name) => [name, fs.readFileSync(join(dir, name), 'utf8')]),
  );
}

const first = { 'index.html': 'one', 'a/index.html': 'a', 'b/index.html': 'b' };
const second = { 'index.html': 'two', 'a/index.html': 'a', c: 'c' };

test('an output gets the changed files alone: equal ones stay the same files, and what was not built goes', async (t) => {
  const dir = tempDir(t);
  const output = join(dir, 'public');
  const replaceBy = (files: Record<string, string>) => {
    fs.rmSync(join(dir, 'built'), { recursive: true, force: true });
    return replaceOutput(write(join(dir, 'built'), files), output);
  };
  t.deepEqual(await replaceBy(first), { written: Object.keys(first).toSorted(), removed: [] });
  const { ino } = fs.statSync(join(output, 'a/index.html'));
  t.deepEqual(await replaceBy(second), { written: ['c', 'index.html'], removed: ['b/index.html'] });
  t.deepEqual(await contentOf(output), second);
  t.is(fs.statSync(join(output, 'a/index.html')).ino, ino);
  t.deepEqual(fs.readdirSync(output).toSorted(), ['a', 'c', 'index.html']);

  fs.writeFileSync(join(output, 'index.html'), 'Two');
  t.deepEqual(await replaceBy(second), { written: ['index.html'], removed: [] }, 'somebody has changed it');
  t.deepEqual(await replaceBy(second), { written: [], removed: [] });
});

test('a file comes where a folder was, and a folder where a file was', async (t) => {
  const dir = tempDir(t);
  const output = write(join(dir, 'public'), { 'a/b/c.html': '1', 'd.html': '2', e: '3' });
  const built = { 'a/b': '4', 'd.html/index.html': '5', 'e/f/g': '6' };
  await replaceOutput(write(join(dir, 'built'), built), output);
  t.deepEqual(await contentOf(output), built);
});

// Serial: all tests of a process share node:fs.
test.serial('what a page links is there before it, and goes after the page that has linked it', async (t) => {
  const dir = tempDir(t);
  const output = write(join(dir, 'public'), { 'index.html': 'old.css', 'old.css': '' });
  const seen: string[] = [];
  const { unlinkSync, promises } = fs;
  const { rename } = promises;
  t.teardown(() => {
    Object.assign(fs, { unlinkSync });
    Object.assign(promises, { rename });
  });
  const note = (sign: string, path: string) => seen.push(`${sign}${path.slice(output.length + 1)}`);
  Object.assign(fs, {
    unlinkSync: (path: string) => {
      if (path.startsWith(output)) note('-', path);
      unlinkSync(path);
    },
  });
  Object.assign(promises, {
    rename: async (from: string, to: string) => {
      note('+', to);
      await rename(from, to);
    },
  });
  await replaceOutput(write(join(dir, 'built'), { 'index.html': 'new.css', 'new.css': '' }), output);
  t.deepEqual(seen, ['+new.css', '+index.html', '-old.css']);
});
