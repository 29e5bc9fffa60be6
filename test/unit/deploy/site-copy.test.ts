import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { copySite, removeAbandoned } from '../../../src/deploy/site-copy.js';
import { openRepository } from '../../../src/git/cli/repository.js';
import { tempDir } from '../../support/temp-dir.js';

function write(dir: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(dir, name)), { recursive: true });
    fs.writeFileSync(join(dir, name), text);
  }
}

test('a copy has the site’s files, and neither history, state, output nor secrets', async (t) => {
  const siteDir = tempDir(t);
  write(siteDir, {
    'content/a.md': 'a',
    '.git/config': 'x',
    '.pressmark/lock': 'x',
    'public/index.html': 'x',
    'static/public/logo.svg': 'x',
    '.env':
      'PUBLIC_COLOUR=green\nexport PRESSMARK_SECRET=hidden\nPRESSMARK_SECRET_OLD = "hidden"\nPRESSMARK_DEPLOY_HOOK=https://hidden.example\n',
  });
  const copy = await copySite({ siteDir, except: ['public'] });
  const files = fs.readdirSync(copy.dir, { recursive: true, encoding: 'utf8' }).toSorted();
  t.deepEqual(files, [
    '.env',
    'content',
    'content/a.md',
    'static',
    'static/public',
    'static/public/logo.svg',
  ]);
  t.is(fs.readFileSync(join(copy.dir, '.env'), 'utf8'), 'PUBLIC_COLOUR=green\n\n\n\n');
  t.is(fs.statSync(dirname(dirname(copy.dir))).mode & 0o777, 0o700);
  copy.remove();
  t.false(fs.existsSync(copy.dir));
});

test('a copy finds the site’s packages and those of the repository around it, and has caches of its own', async (t) => {
  const root = tempDir(t);
  const siteDir = join(root, 'docs');
  write(root, {
    'docs/node_modules/near/index.js': 'near',
    'docs/node_modules/.bin/tool': 'x',
    'docs/node_modules/.astro/store.json': 'x',
    'node_modules/far/index.js': 'far',
    'docs/vendor/bundle/gem.rb': 'x',
  });
  const { dir, remove } = await copySite({ siteDir, except: ['vendor/bundle'] });
  t.teardown(remove);
  t.true(fs.lstatSync(join(dir, 'node_modules/near')).isSymbolicLink());
  t.is(fs.readFileSync(join(dir, 'node_modules/near/index.js'), 'utf8'), 'near');
  t.true(fs.existsSync(join(dir, 'node_modules/.bin/tool')));
  t.false(fs.existsSync(join(dir, 'node_modules/.astro')));
  t.is(fs.readFileSync(join(dir, '../node_modules/far/index.js'), 'utf8'), 'far');
  t.true(fs.existsSync(join(dir, 'vendor/bundle/gem.rb')));
});

test('a symbolic link leads into the copy where it led into the site, and nothing is written through one', async (t) => {
  const root = tempDir(t);
  const siteDir = join(root, 'site');
  write(root, { 'outside/post.md': 'o', 'site/content/a.md': 'a', 'site/themes/x.css': 'x' });
  fs.symlinkSync('../themes', join(siteDir, 'content/near'));
  fs.symlinkSync(join(siteDir, 'themes/x.css'), join(siteDir, 'content/absolute.css'));
  fs.symlinkSync('../../outside', join(siteDir, 'content/far'));
  fs.symlinkSync('a.md', join(siteDir, 'content/alias.md'));
  fs.symlinkSync('..', join(siteDir, 'content/circle'));
  const copy = await copySite({ siteDir, except: [] });
  t.teardown(copy.remove);
  const real = (name: string) => fs.realpathSync(join(copy.dir, 'content', name));
  t.is(real('near'), join(copy.dir, 'themes'));
  t.is(real('absolute.css'), join(copy.dir, 'themes/x.css'));
  t.is(real('far'), fs.realpathSync(join(root, 'outside')));
  t.is(real('circle'), copy.dir);
  for (const path of [
    'content/far/post.md',
    'content/alias.md',
    'content/none.md',
    'nowhere/a.md',
    '../a.md',
  ])
    t.false(copy.replace(path, 'new'), path);
  t.true(copy.replace('content/a.md', 'new'));
  t.is(fs.readFileSync(join(copy.dir, 'content/a.md'), 'utf8'), 'new');
  t.is(fs.readFileSync(join(siteDir, 'content/a.md'), 'utf8'), 'a');
  t.is(fs.readFileSync(join(root, 'outside/post.md'), 'utf8'), 'o');
});

test('a site that is too large is not copied', async (t) => {
  const siteDir = tempDir(t);
  write(siteDir, { 'a.bin': 'x'.repeat(600), 'b.bin': 'x'.repeat(600) });
  const large = await t.throwsAsync(copySite({ siteDir, except: [], maxBytes: 1_000 }), {
    code: 'SITE_TOO_LARGE',
  });
  t.regex(large?.message ?? '', /^the site is too large for a copy/);
  await t.throwsAsync(copySite({ siteDir, except: [], maxFiles: 1 }), { code: 'SITE_TOO_LARGE' });
  (await copySite({ siteDir, except: ['b.bin'], maxBytes: 1_000 })).remove();
});

test('a copy has the history of the site’s repository, and changes nothing in it', async (t) => {
  const top = tempDir(t);
  write(top, { 'docs/content/a.md': 'a', 'README.md': 'x', '.env': 'PRESSMARK_SECRET=x' });
  const env = { PATH: process.env.PATH };
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd,
      encoding: 'utf8',
    });
  git(top, 'init', '-q');
  git(top, 'add', 'docs', 'README.md');
  git(top, 'commit', '-qm', 'First');
  const siteDir = join(top, 'docs');
  const repository = await openRepository(siteDir, env);
  if (repository.kind === 'none') return t.fail();
  const { dir, remove } = await copySite({ siteDir, except: [], repository, env });
  t.teardown(remove);
  t.is(git(dir, 'log', '--format=%an %s', '--', 'content/a.md'), 'Ada First\n');
  t.is(git(dir, 'rev-parse', '--show-prefix'), 'docs/\n');
  t.is(fs.readFileSync(join(dir, '../README.md'), 'utf8'), 'x', 'a build may read what is next to the site');
  t.false(fs.existsSync(join(dir, '../.env')), 'but not a secret there');
  git(dir, 'commit', '-q', '--allow-empty', '-m', 'Second');
  t.is(git(top, 'log', '--format=%s'), 'First\n');
  t.is(git(top, 'status', '--short'), '?? .env\n');
});

test('files are written into a copy and removed from it, but never through a symbolic link', async (t) => {
  const siteDir = tempDir(t);
  const outside = tempDir(t);
  write(siteDir, { 'content/a.md': 'a' });
  fs.symlinkSync(outside, join(siteDir, 'content/linked'));
  const copy = await copySite({ siteDir, except: [] });
  t.teardown(copy.remove);
  t.true(copy.write('content/new/b.md', 'b'));
  t.true(copy.write('content/a.md', 'changed'));
  t.is(fs.readFileSync(join(copy.dir, 'content/new/b.md'), 'utf8'), 'b');
  t.is(fs.readFileSync(join(siteDir, 'content/a.md'), 'utf8'), 'a');
  t.true(copy.write('content/a.md', undefined));
  t.false(fs.existsSync(join(copy.dir, 'content/a.md')));
  t.false(copy.write('content/linked/new/c.md', 'c'));
  t.false(copy.write('content/new', 'a folder'));
  t.deepEqual(fs.readdirSync(outside), []);
});

test('copies that a killed process has left are removed after a day, and nothing else', (t) => {
  const folder = tempDir(t);
  const day = 24 * 3_600_000;
  for (const name of ['pressmark-copy-old', 'pressmark-copy-new', 'another-old'])
    fs.mkdirSync(join(folder, name, 'site'), { recursive: true });
  for (const name of ['pressmark-copy-old', 'another-old']) fs.utimesSync(join(folder, name), 0, 0);
  removeAbandoned(folder, Date.now());
  t.deepEqual(fs.readdirSync(folder).toSorted(), ['another-old', 'pressmark-copy-new']);
  removeAbandoned(folder, Date.now() + 2 * day);
  t.deepEqual(fs.readdirSync(folder), ['another-old']);
});

test('a copy follows the site, restores what a build has changed, and keeps what a build has made', async (t) => {
  const siteDir = tempDir(t);
  write(siteDir, { 'content/a.md': 'a', 'content/b.md': 'b', 'content/c.md': 'c' });
  const copy = await copySite({ siteDir, except: ['public'] });
  t.teardown(copy.remove);
  write(copy.dir, { 'content/b.md': 'changed by a build', 'cache/image.webp': 'x' });
  write(siteDir, { 'content/a.md': 'a, edited', 'content/d.md': 'd' });
  fs.rmSync(join(siteDir, 'content/c.md'));
  const replaced = new Map<string, string>();
  await copy.sync((path, text) => replaced.set(path, text));
  const read = (path: string) => fs.readFileSync(join(copy.dir, path), 'utf8');
  t.deepEqual(['content/a.md', 'content/b.md', 'content/d.md', 'cache/image.webp'].map(read), [
    'a, edited',
    'b',
    'd',
    'x',
  ]);
  t.false(fs.existsSync(join(copy.dir, 'content/c.md')));
  t.deepEqual(
    replaced,
    new Map([
      ['content/a.md', 'a'],
      ['content/b.md', 'changed by a build'],
      ['content/c.md', 'c'],
    ]),
  );
  const { ino } = fs.statSync(join(copy.dir, 'content/d.md'));
  await copy.sync();
  t.is(fs.statSync(join(copy.dir, 'content/d.md')).ino, ino);
});
