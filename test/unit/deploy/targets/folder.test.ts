import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { filesIn } from '../../../../src/deploy/folder-files.js';
import { folderTarget } from '../../../../src/deploy/targets/folder.js';
import { fc, runs } from '../../../support/property.js';
import { tempDir } from '../../../support/temp-dir.js';

const { signal } = new AbortController();

async function contentOf(dir: string): Promise<Record<string, string>> {
  const names = filesIn(dir).toSorted();
  return Object.fromEntries(names.map((name) => [name, fs.readFileSync(join(dir, name), 'utf8')]));
}

/** An output, and a deploy folder in which it becomes releases. */
function setUp(t: Pick<ExecutionContext, 'teardown'>) {
  const dir = tempDir(t as ExecutionContext);
  const output = join(dir, 'public');
  const folder = join(dir, 'srv');
  fs.mkdirSync(output);
  const target = folderTarget(folder);
  /** Changes the output as a build does: each file is replaced whole. */
  const build = (files: Record<string, string | undefined>): void => {
    for (const [name, text] of Object.entries(files)) {
      const path = join(output, name);
      fs.rmSync(path, { force: true });
      if (text === undefined) continue;
      fs.mkdirSync(dirname(path), { recursive: true });
      fs.writeFileSync(path, text);
    }
  };
  const deploy = () => target.deploy({ folder: output }, signal);
  return { output, folder, build, deploy, target, current: join(folder, 'current') };
}

function releasesIn(folder: string): string[] {
  const names = fs.readdirSync(join(folder, 'releases'));
  return names.filter((name) => !name.startsWith('.')).toSorted();
}

test('a build that writes in place does not change what is served', async (t) => {
  const { output, build, deploy, current } = setUp(t);
  build({ 'index.html': 'one' });
  await deploy();
  fs.writeFileSync(join(output, 'index.html'), 'half');
  t.is(fs.readFileSync(join(current, 'index.html'), 'utf8'), 'one');
});

test('the last five releases are kept besides the present one', async (t) => {
  const { folder, build, deploy, current } = setUp(t);
  build({ 'index.html': '0' });
  await deploy();
  for (let n = 1; n < 9; n++) {
    build({ 'index.html': String(n) });
    await deploy();
  }
  const names = releasesIn(folder);
  t.is(names.length, 6);
  t.is(fs.readFileSync(join(current, 'index.html'), 'utf8'), '8');
  t.is(fs.readFileSync(join(folder, 'releases', names[0] ?? '', 'index.html'), 'utf8'), '3');
});

test('what a deploy that was interrupted has left does not become a release, and is removed', async (t) => {
  const { output, folder, build, deploy, target, current } = setUp(t);
  build({ 'index.html': 'one', 'a/index.html': 'a' });
  await deploy();
  build({ 'index.html': 'two' });
  const aborted = AbortSignal.abort();
  await t.throwsAsync(target.deploy({ folder: output }, aborted), { any: true });
  t.is(fs.readFileSync(join(current, 'index.html'), 'utf8'), 'one');
  fs.mkdirSync(join(folder, 'releases/.next-0123456789ab/rest'), { recursive: true });
  await deploy();
  t.deepEqual(await contentOf(current), await contentOf(output));
  t.deepEqual(fs.readdirSync(join(folder, 'releases')), releasesIn(folder));
});

test('after the owner has gone back to an earlier release, the next deploy is compared with that one, which stays', async (t) => {
  const { output, folder, build, deploy, current } = setUp(t);
  build({ 'index.html': 'one', 'a/index.html': 'a' });
  await deploy();
  const first = fs.readlinkSync(current);
  for (let n = 2; n < 7; n++) {
    if (n === 6) {
      fs.rmSync(current);
      fs.symlinkSync(first, current);
    }
    build({ 'a/index.html': String(n) });
    await deploy();
  }
  t.deepEqual(await contentOf(current), await contentOf(output));
  t.is(releasesIn(folder).length, 6);
});

test('whatever changes from deploy to deploy, current has what the output has', async (t) => {
  const names = fc.constantFrom('index.html', 'a/index.html', 'a/b/index.html', 'c', 'd.css');
  const text = fc.option(fc.constantFrom('x', 'y', 'zzz'), { nil: undefined });
  const changes = fc.array(fc.dictionary(names, text), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(changes, async (builds) => {
      const ends: (() => unknown)[] = [];
      const { output, build, deploy, current } = setUp({ teardown: (end) => ends.push(end) });
      for (const files of builds) {
        build(files);
        await deploy();
        t.deepEqual(await contentOf(current), await contentOf(output));
      }
      for (const end of ends.toReversed()) await end();
    }),
    { numRuns: runs(6) },
  );
});

test('a deploy publishes no file behind a link out of the output, and no link stops it', async (t) => {
  const { output, build, target, current } = setUp(t);
  const outside = join(output, '../secret.pem');
  fs.writeFileSync(outside, 'secret');
  build({ 'index.html': 'one' });
  fs.symlinkSync(outside, join(output, 'planted.txt'));
  fs.symlinkSync('.', join(output, 'x'));
  fs.symlinkSync('index.html', join(output, 'home.html'));
  const skipped: string[] = [];
  const onSkipped = (link: string) => skipped.push(link);
  const folder = fs.realpathSync(output);
  await target.deploy({ folder, onSkipped }, signal);
  t.deepEqual(await contentOf(current), { 'home.html': 'one', 'index.html': 'one' });
  t.deepEqual(skipped.toSorted(), ['planted.txt', 'x']);
});
