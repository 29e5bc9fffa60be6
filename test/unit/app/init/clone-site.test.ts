import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { cloneSite } from '../../../../src/app/init/clone-site.js';
import { gitEnvironment, gitIn, makeRemote } from '../../../support/clones.js';
import { makeTempDir, removeTempDir, tempDir } from '../../../support/temp-dir.js';

const folder = makeTempDir();
const { remote } = makeRemote(folder);
test.after.always(() => removeTempDir(folder));

const isWhole = (dir: string) =>
  gitIn(dir, 'status', '--porcelain') === '' && fs.existsSync(join(dir, 'pressmark.config.json'));

function setUp(t: ExecutionContext) {
  const dir = join(tempDir(t), 'data/site');
  return { dir, clone: (from = remote) => cloneSite(from, dir, gitEnvironment(folder)) };
}

test('a site is cloned into a folder that is not there, and after that stays as it is', async (t) => {
  const { dir, clone } = setUp(t);
  await clone();
  t.true(isWhole(dir));
  t.is(gitIn(dir, 'rev-parse', '--abbrev-ref', 'HEAD@{upstream}').trim(), 'origin/main');
  fs.writeFileSync(join(dir, 'note.txt'), 'mine');
  gitIn(dir, 'add', '-A');
  gitIn(dir, 'commit', '--quiet', '-m', 'mine');
  const commit = gitIn(dir, 'rev-parse', 'HEAD');
  // What a clone that was killed at its end has left.
  for (const left of ['.pressmark-clone', '.pressmark-cloned']) fs.mkdirSync(join(dir, left));
  await clone('/nowhere');
  t.true(isWhole(dir));
  t.is(gitIn(dir, 'rev-parse', 'HEAD'), commit);
  t.false(fs.existsSync(join(dir, '.pressmark-cloned')));
});

test('a folder with other files stays as it is, and nothing starts on it', async (t) => {
  const { dir, clone } = setUp(t);
  for (const file of ['note.txt', '.git/pressmark/build.json']) {
    fs.rmSync(dir, { recursive: true, force: true });
    fs.mkdirSync(join(dir, file, '..'), { recursive: true });
    fs.writeFileSync(join(dir, file), 'mine');
    const error = await t.throwsAsync(clone(), { code: 'CONFIG_INVALID' });
    t.regex(String(error?.message), /neither empty nor a git repository: it has "(?:note\.txt|\.git)"/);
    t.is(fs.readFileSync(join(dir, file), 'utf8'), 'mine');
  }
});

test('what a killed clone has left, a state folder, and what a file system has at its top, do not keep the site from its folder', async (t) => {
  const { dir, clone } = setUp(t);
  for (const path of ['lost+found', '.pressmark', '.pressmark-clone/.git'])
    fs.mkdirSync(join(dir, path), { recursive: true });
  fs.writeFileSync(join(dir, '.pressmark/lock'), 'there before');
  fs.writeFileSync(join(dir, '.pressmark-clone/.git/HEAD'), 'half of it');
  await clone();
  t.is(fs.readFileSync(join(dir, '.pressmark/lock'), 'utf8'), 'there before');
  fs.rmdirSync(join(dir, 'lost+found'));
  t.true(isWhole(dir));
});

test('a clone that was killed while it was moved to its place gets there, after however many files', async (t) => {
  const { dir, clone } = setUp(t);
  await clone();
  const names = fs.readdirSync(dir).toSorted((one) => (one === '.git' ? 1 : -1));
  for (const [moved] of names.entries()) {
    fs.mkdirSync(join(dir, '.pressmark-cloned'));
    for (const name of names.slice(moved))
      fs.renameSync(join(dir, name), join(dir, '.pressmark-cloned', name));
    await clone('/nowhere');
    t.true(isWhole(dir), `${moved}`);
    t.deepEqual(fs.readdirSync(dir).toSorted(), names.toSorted());
  }
});

test('a remote that is not there is named without its password, and the folder stays empty', async (t) => {
  const { dir, clone } = setUp(t);
  const error = await t.throwsAsync(clone('http://olga:hunter2@127.0.0.1:1/site.git'));
  t.regex(String(error?.message), /^http:\/\/\*\*\*@127\.0\.0\.1:1\/site\.git could not be cloned$/);
  t.regex(String(error?.cause), /unable to access/);
  t.notRegex(`${error?.message} ${error?.cause}`, /hunter2/);
  t.deepEqual(fs.readdirSync(dir), []);
});
