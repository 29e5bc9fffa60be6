import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { patternLayout } from '../../../../src/generators/layout.js';
import { contentFolder } from '../../../../src/store/catalog/entry.js';
import { watchFolders } from '../../../../src/store/watch/watch-folders.js';
import { runs } from '../../../support/property.js';
import { tempDir } from '../../../support/temp-dir.js';

const layout = patternLayout('https://garden.example', ':slug.md', '/:slug/');

/** A watch of a new folder that remembers what it reported. */
async function watched(t: { teardown(dispose: () => unknown): void }) {
  const root = join(tempDir(t), 'content');
  fs.mkdirSync(root);
  const files = new Set<string>();
  const folders = new Set<string>();
  const errors: unknown[] = [];
  const watch = watchFolders({
    content: contentFolder(root, layout),
    isKnown: () => false,
    onFile: (path) => files.add(path),
    onFolder: (path) => folders.add(path),
    onError: (error) => errors.push(error),
  });
  t.teardown(watch.close);
  await watch.caughtUp();
  return { root, files, folders, errors, ...watch };
}

test('a file that another program has made is reported within two turns of the event loop', async (t) => {
  const { root, files, caughtUp } = await watched(t);
  const count = runs(2_000);
  // It makes the files as fast as it can, so that one may come at any moment of a turn.
  const script = `for (let n = 0; n < ${count}; n++) {
    fs.closeSync(fs.openSync(\`\${process.argv[1]}/\${n}.md\`, 'w'));
    fs.writeSync(1, '.');
  }`;
  const child = spawn(process.execPath, ['-e', script, root], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let made = 0;
  for await (const dots of child.stdout) {
    made += String(dots).length;
    await caughtUp();
    const missing = Array.from({ length: made }, (_, n) => `${n}.md`).find((path) => !files.has(path));
    t.is(missing, undefined);
  }
  await ended;
  t.is(made, count);
});

test('a file that is made after the system was asked for this turn’s events is reported too', async (t) => {
  const { root, files, caughtUp } = await watched(t);
  // The callback of an asynchronous call runs while the events of a turn are dispatched, which were asked for before.
  await new Promise((resolve) => fs.stat(root, resolve));
  fs.writeFileSync(join(root, 'a.md'), '');
  await caughtUp();
  t.deepEqual([...files], ['a.md']);
});

test.serial('more events than the system keeps: everything is reported again', async (t) => {
  const { root, files, folders, caughtUp } = await watched(t);
  fs.mkdirSync(join(root, 'old'));
  fs.writeFileSync(join(root, 'old', 'a.md'), '');
  await caughtUp();
  files.clear();
  // Each rename makes two events, and none is read before this turn ends.
  const most = Number(fs.readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
  for (let n = 0; n <= most / 4; n++) {
    fs.renameSync(join(root, 'old', 'a.md'), join(root, 'old', 'b.md'));
    fs.renameSync(join(root, 'old', 'b.md'), join(root, 'old', 'a.md'));
  }
  fs.mkdirSync(join(root, 'new'));
  fs.writeFileSync(join(root, 'new', 'c.md'), '');
  await caughtUp();
  t.true(files.has('new/c.md'));
  t.true(files.has('old/a.md'));
  t.true(folders.has(''), 'what was known may be gone');
  files.clear();
  fs.writeFileSync(join(root, 'new', 'd.md'), '');
  await caughtUp();
  t.deepEqual([...files], ['new/d.md'], 'folders whose events were lost are watched');
});

test('another folder in the place of the content folder is watched, and its files are reported', async (t) => {
  const { root, files, caughtUp } = await watched(t);
  for (const how of ['moved away', 'removed']) {
    if (how === 'removed') fs.rmSync(root, { recursive: true });
    else fs.renameSync(root, `${root}-${how}`);
    await caughtUp();
    fs.mkdirSync(join(root, 'folder'), { recursive: true });
    fs.writeFileSync(join(root, 'folder', `${how}.md`), '');
    await caughtUp();
    t.true(files.has(`folder/${how}.md`), how);
    fs.writeFileSync(join(root, 'folder', `${how} later.md`), '');
    await caughtUp();
    t.true(files.has(`folder/${how} later.md`), how);
  }
});

test('a folder that is removed and made anew at once is watched', async (t) => {
  const { root, files, caughtUp } = await watched(t);
  for (let n = 0; n < 20; n++) {
    fs.rmSync(join(root, 'folder'), { recursive: true, force: true });
    fs.mkdirSync(join(root, 'folder'));
    if (n % 2 === 0) await caughtUp();
    fs.writeFileSync(join(root, 'folder', `${n}.md`), '');
    await caughtUp();
    t.true(files.has(`folder/${n}.md`), String(n));
  }
});

test('a link to a folder is not followed', async (t) => {
  const { root, files, caughtUp } = await watched(t);
  fs.mkdirSync(join(root, '..', 'elsewhere'));
  fs.writeFileSync(join(root, '..', 'elsewhere', 'a.md'), '');
  fs.symlinkSync('../elsewhere', join(root, 'link'));
  await caughtUp();
  t.deepEqual([...files], []);
});

test.serial('a folder that cannot be watched is named, with the error', async (t) => {
  const { root, unwatched, errors, caughtUp } = await watched(t);
  const real = fs.watch;
  t.teardown(() => Object.assign(fs, { watch: real }));
  Object.assign(fs, {
    watch: () => {
      throw Object.assign(new Error('no watch is left'), { code: 'ENOSPC' });
    },
  });
  fs.mkdirSync(join(root, 'folder', 'deep'), { recursive: true });
  await caughtUp();
  t.deepEqual([...unwatched], ['folder']);
  t.is(errors.length, 1);
  Object.assign(fs, { watch: real });
  fs.rmSync(join(root, 'folder'), { recursive: true });
  await caughtUp();
  t.deepEqual([...unwatched], []);
});
