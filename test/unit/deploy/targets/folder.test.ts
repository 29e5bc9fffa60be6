import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { folderTarget } from '../../../../src/deploy/targets/folder.js';
import { readFiles, tempDir, writeFiles } from '../../../support/temp-dir.js';

const { signal } = new AbortController();

/** An output, and a deploy folder in which it becomes releases. */
function setUp(t: ExecutionContext) {
  const dir = fs.realpathSync(tempDir(t));
  const [output, folder] = [join(dir, 'public'), join(dir, 'srv')];
  const releases = join(folder, 'releases');
  fs.mkdirSync(output);
  /** Changes the output as a build does: each file is replaced whole. */
  const build = (files: Record<string, string | undefined>): void => {
    for (const [name, text] of Object.entries(files)) {
      fs.rmSync(join(output, name), { force: true });
      if (text !== undefined) writeFiles(output, { [name]: text });
    }
  };
  const deploy = (stop = signal) => folderTarget(folder).deploy({ folder: output }, stop);
  return { dir, output, folder, releases, build, deploy, current: join(folder, 'current') };
}

test('a release has the files of the output, none behind a link, and is changed by no later build', async (t) => {
  const { dir, output, releases, build, deploy, current } = setUp(t);
  fs.writeFileSync(join(dir, 'secret.pem'), 'secret');
  const first = { 'a/index.html': 'a', 'b/index.html': 'b', 'c.css': 'c', 'index.html': 'one' };
  build(first);
  fs.symlinkSync('../secret.pem', join(output, 'planted.txt'));
  fs.symlinkSync('.', join(output, 'x'));
  fs.writeFileSync(join(output, 'a/.pressmark-0a1b-2.tmp'), 'half');
  await deploy();
  t.deepEqual(readFiles(current), first);
  t.false(fs.existsSync(join(current, 'a/.pressmark-0a1b-2.tmp')));

  fs.writeFileSync(join(output, 'c.css'), 'half'); // in place
  t.is(readFiles(current)['c.css'], 'c');
  await t.throwsAsync(deploy(AbortSignal.abort()), { any: true });
  fs.mkdirSync(join(releases, '.next-0123456789ab/rest'), { recursive: true });
  const ino = (file: string) => fs.statSync(join(current, file)).ino;
  const before = ino('a/index.html');
  build({ 'index.html': 'two', 'b/index.html': undefined });
  await deploy();
  const { 'b/index.html': _, ...rest } = first;
  t.deepEqual(readFiles(current), { ...rest, 'c.css': 'half', 'index.html': 'two' });
  t.is(ino('a/index.html'), before, 'what has not changed is the same file');
  t.is(fs.readdirSync(releases).length, 2, 'what an interrupted deploy has left is gone');

  build({ 'c.css': undefined });
  fs.rmSync(join(output, 'a'), { recursive: true });
  const swapped = { a: 'a file now', 'c.css/index.html': 'in a folder now' };
  build(swapped);
  await deploy();
  t.deepEqual(readFiles(current), { ...swapped, 'index.html': 'two' });
});

test('the last five releases are kept besides the present one, and the one that the owner has gone back to', async (t) => {
  const { releases, build, deploy, current } = setUp(t);
  const names = Array.from({ length: 7 }, (_, n) => `2026010${n + 1}T000000000Z-0000`);
  for (const name of names) fs.mkdirSync(join(releases, name), { recursive: true });
  fs.symlinkSync(`releases/${names[0]}`, current);
  build({ 'index.html': 'new' });
  await deploy();
  const [present = '', ...others] = fs.readdirSync(releases).toSorted().toReversed();
  t.deepEqual(others.toReversed(), names.toSpliced(1, 1));
  t.is(fs.readlinkSync(current), `releases/${present}`);
});
