import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { cloneSite } from '../../../../src/app/init/clone-site.js';
import { gitEnvironment, gitIn, makeRemote } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';

function setUp(t: ExecutionContext) {
  const folder = tempDir(t);
  const { remote } = makeRemote(folder);
  const dir = join(folder, 'data/site');
  const isWhole = () =>
    gitIn(dir, 'status', '--porcelain') === '' && fs.existsSync(join(dir, 'pressmark.config.json'));
  return { dir, isWhole, clone: (from = remote) => cloneSite(from, dir, gitEnvironment(folder)) };
}

test('a site is cloned into a folder that is not there, or is empty', async (t) => {
  const { dir, isWhole, clone } = setUp(t);
  await clone();
  t.true(isWhole());
  t.is(gitIn(dir, 'rev-parse', '--abbrev-ref', 'HEAD@{upstream}').trim(), 'origin/main');
  fs.rmSync(dir, { recursive: true });
  fs.mkdirSync(dir);
  await clone();
  t.true(isWhole());
});

test('a repository stays as it is', async (t) => {
  const { dir, isWhole, clone } = setUp(t);
  await clone();
  const commit = gitIn(dir, 'rev-parse', 'HEAD');
  fs.writeFileSync(join(dir, 'note.txt'), 'mine');
  await clone('/nowhere');
  t.is(fs.readFileSync(join(dir, 'note.txt'), 'utf8'), 'mine');
  fs.rmSync(join(dir, 'note.txt'));
  t.true(isWhole());
  t.is(gitIn(dir, 'rev-parse', 'HEAD'), commit);
});

test('a folder with other files stays as it is, and nothing starts on it', async (t) => {
  const { dir, clone } = setUp(t);
  for (const file of ['note.txt', '.git/pressmark/build.json']) {
    fs.rmSync(dir, { recursive: true, force: true });
    fs.mkdirSync(join(dir, file, '..'), { recursive: true });
    fs.writeFileSync(join(dir, file), 'mine');
    const error = await t.throwsAsync(clone(), { code: 'CONFIG_INVALID' });
    t.regex(String(error?.message), /neither empty nor a git repository, it has "(?:note\.txt|\.git)"/);
    t.is(fs.readFileSync(join(dir, file), 'utf8'), 'mine');
  }
});

test('a state folder without a site, and what a file system has at its top, do not keep the site from its folder', async (t) => {
  const { dir, isWhole, clone } = setUp(t);
  fs.mkdirSync(join(dir, 'lost+found'), { recursive: true });
  fs.mkdirSync(join(dir, '.pressmark/search'), { recursive: true });
  fs.writeFileSync(join(dir, '.pressmark/search/lock'), 'there before');
  await clone();
  t.is(fs.readFileSync(join(dir, '.pressmark/search/lock'), 'utf8'), 'there before');
  t.true(fs.existsSync(join(dir, 'lost+found')));
  fs.rmdirSync(join(dir, 'lost+found'));
  t.true(isWhole());
});

test('a clone that was killed while git made it is made anew', async (t) => {
  const { dir, isWhole, clone } = setUp(t);
  fs.mkdirSync(join(dir, '.pressmark-clone/.git'), { recursive: true });
  fs.writeFileSync(join(dir, '.pressmark-clone/.git/HEAD'), 'half of it');
  await clone();
  t.true(isWhole());
});

test('a clone that was killed while it was moved to its place gets there, after however many files', async (t) => {
  const { dir, isWhole, clone } = setUp(t);
  await clone();
  const names = fs.readdirSync(dir).toSorted((one) => (one === '.git' ? 1 : -1));
  for (const [moved] of names.entries()) {
    fs.mkdirSync(join(dir, '.pressmark-cloned'));
    for (const name of names.slice(moved))
      fs.renameSync(join(dir, name), join(dir, '.pressmark-cloned', name));
    await clone('/nowhere');
    t.true(isWhole(), `${moved}`);
    t.deepEqual(fs.readdirSync(dir).toSorted(), names.toSorted());
  }
});

test('a site that was whole when its clone was killed keeps its commits and its files', async (t) => {
  const { dir, clone } = setUp(t);
  await clone();
  for (const left of ['.pressmark-clone', '.pressmark-cloned']) {
    fs.mkdirSync(join(dir, left));
    fs.writeFileSync(join(dir, 'note.txt'), left);
    gitIn(dir, 'add', '-A');
    gitIn(dir, 'commit', '--quiet', '-m', left);
    const commit = gitIn(dir, 'rev-parse', 'HEAD');
    await clone();
    t.is(gitIn(dir, 'rev-parse', 'HEAD'), commit);
    t.is(fs.readFileSync(join(dir, 'note.txt'), 'utf8'), left);
    t.false(fs.existsSync(join(dir, left)));
  }
});

test('a remote that is not there is named without its password, and the folder stays empty', async (t) => {
  const { dir, isWhole, clone } = setUp(t);
  const error = await t.throwsAsync(clone('http://olga:hunter2@127.0.0.1:1/site.git'));
  t.regex(String(error?.message), /^http:\/\/\*\*\*@127\.0\.0\.1:1\/site\.git could not be cloned: /);
  t.false(String(error?.message).includes('hunter2'));
  t.deepEqual(fs.readdirSync(dir), []);
  await clone();
  t.true(isWhole());
});
