import '../../../support/recorded-syncs.js';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { syncObjectFolders } from '../../../../src/git/commit/move-branch.js';
import {
  createBeforeReplace,
  createKeepText,
  replacedFiles,
} from '../../../../src/git/commit/replaced-texts.js';
import { checkContentFolder } from '../../../../src/git/content-folder.js';
import { openRepository } from '../../../../src/git/repository.js';
import { gitEnvironment } from '../../../support/clones.js';
import { syncs } from '../../../support/recorded-syncs.js';
import { tempDir } from '../../../support/temp-dir.js';

test.serial(
  'a text that is kept is on the disk, with the folders that lead to it, and is one file',
  async (t) => {
    const stateDir = fs.realpathSync(tempDir(t));
    const keepText = createKeepText(stateDir, pino({ level: 'silent' }));
    const path = `content/${'ä'.repeat(123)}.md`; // as long as a name may be
    for (const when of ['at first', 'again']) {
      syncs.length = 0;
      await keepText(path, Buffer.from('my words\n'), 'git has failed');
      const [kept = '', ...more] = replacedFiles(stateDir, path);
      t.deepEqual(more, []);
      t.is(fs.readFileSync(join(stateDir, kept), 'utf8'), 'my words\n');
      const synced = syncs.map((one) => one.path);
      for (let folder = dirname(kept); ; folder = dirname(folder)) {
        t.true(synced.includes(join(stateDir, folder)), `${when}: ${folder}`);
        if (folder === '.') break;
      }
      if (when === 'at first') t.true(synced[0]?.endsWith('.tmp'), 'the text, before it gets its name');
    }
  },
);

const HOUR = 3_600;
for (const [where, folders, synced] of [
  ['the disk’s clock is behind ours', { old: -HOUR - 60, new: -HOUR }, ['new']],
  ['a folder has a time to come', { old: -60, new: 0, wrong: HOUR }, ['new', 'wrong']],
] as const)
  test.serial(`the folders that git has just written to are synced, also where ${where}`, async (t) => {
    const dir = fs.realpathSync(tempDir(t));
    const objects = join(dir, 'objects');
    const now = Date.now() / 1_000;
    for (const name of Object.keys(folders)) fs.mkdirSync(join(objects, name), { recursive: true });
    for (const [name, seconds] of [...Object.entries(folders), ['', -2 * HOUR] as const])
      fs.utimesSync(join(objects, name), now + seconds, now + seconds);
    syncs.length = 0;
    await syncObjectFolders(dir, performance.now() - 1_000);
    t.deepEqual(
      syncs
        .map(({ path }) => path)
        .filter((path) => path.startsWith(dir))
        .sort(),
      synced.map((name) => join(objects, name)),
    );
  });

test.serial('a text that a person has committed is on the disk before an update replaces it', async (t) => {
  const top = tempDir(t);
  const git = (...args: string[]) => execFileSync('git', ['-C', top, ...args], { env: gitEnvironment(top) });
  git('init', '--quiet');
  fs.mkdirSync(join(top, 'content'));
  fs.writeFileSync(join(top, 'content/one.md'), 'my words\n');
  git('add', '.');
  git(
    '-c',
    'user.name=Ann',
    '-c',
    'user.email=ann@example.com',
    'commit',
    '--quiet',
    '--message',
    'My words',
  );
  const repository = await openRepository(top, gitEnvironment(top));
  if (repository.kind === 'none') return t.fail(repository.because);
  const place = await checkContentFolder(repository, 'content/');
  if (place.kind === 'refused') return t.fail(place.why);
  const kept: string[] = [];
  const beforeReplace = createBeforeReplace({
    place,
    queue: { commitNow: async () => ({ kind: 'failed', because: 'HEAD has the text' }) },
    keepText: async (path) => void kept.push(path),
    log: pino({ level: 'silent' }),
    isBeforeAnswer: false,
    limitMs: 600_000,
  });

  // A `sync` that says what it was asked for, in front of the system's own.
  const { PATH } = process.env;
  const bin = tempDir(t);
  fs.writeFileSync(join(bin, 'sync'), `#!/bin/sh\necho "$@" >> ${bin}/asked\n`, { mode: 0o755 });
  process.env.PATH = `${bin}:${PATH}`;
  t.teardown(() => {
    process.env.PATH = PATH;
  });
  await beforeReplace('content/one.md', false);
  t.false(fs.existsSync(join(bin, 'asked')), 'what a delivery has stored was synced by its commit');
  await beforeReplace('content/one.md', true);
  t.is(fs.readFileSync(join(bin, 'asked'), 'utf8'), `-f ${join(top, '.git')}\n`);
  t.deepEqual(kept, []);
});
