import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import {
  copySite,
  copyWithHistory,
  removeAbandoned,
  reusedCopy,
} from '../../../../src/deploy/copy/site-copy.js';
import { folderWith, readFiles, tempDir, writeFiles } from '../../../support/temp-dir.js';

/** The secrets that the config reads from `.env`. */
const OWN_SECRETS = ['SECRET', 'OLD_SECRET', 'DEPLOY_HOOK', 'DEPLOY_TOKEN', 'GIT_TOKEN', 'STATUS_TOKEN'].map(
  (name) => `PRESSMARK_${name}`,
);

test('a copy has the site’s files, and neither history, state, output nor secrets', async (t) => {
  const siteDir = folderWith(t, {
    'content/a.md': 'a',
    '.git/config': 'x',
    '.pressmark/lock': 'x',
    '.pressmark-sender/connectors/garden.json': '{"secret":"of another receiver"}',
    'lost+found/x': 'x',
    'public/index.html': 'x',
    'static/public/logo.svg': 'x',
    '.env': `PUBLIC_COLOUR=green\n${OWN_SECRETS.map((name) => `${name}=value-of-${name}\n`).join('')}`,
    ...Object.fromEntries(OWN_SECRETS.map((name) => [`${name}.txt`, `x value-of-${name}`])),
  });
  const copy = await copySite({ siteDir, except: ['public'] });
  const files = fs.readdirSync(copy.dir, { recursive: true, encoding: 'utf8' }).toSorted();
  const expected = '.env content content/a.md static static/public static/public/logo.svg';
  t.deepEqual(files, expected.split(' '));
  t.is(fs.readFileSync(join(copy.dir, '.env'), 'utf8'), 'PUBLIC_COLOUR=green\n');
  t.is(fs.statSync(dirname(dirname(copy.dir))).mode & 0o777, 0o700);
  copy.remove();
  t.false(fs.existsSync(copy.dir));
});

const SECRET = 'a-secret-of-the-service';
const LONG = `${SECRET}\nand-its-second-line`;

/** Everything that a build could read in a copy, also through links. */
function textsIn(dir: string): string {
  return fs
    .readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => fs.existsSync(path) && fs.statSync(path).isFile())
    .map((path) => fs.readFileSync(path, 'latin1'))
    .join('\n');
}

/** A `.env` with the secret, and other values. */
const ENVIRONMENTS = [
  `A=1\nPRESSMARK_SECRET=${SECRET}\nB="two words"\n`,
  `\ufeffPRESSMARK_SECRET=${SECRET}\nA=1\n`,
  `A=1\r\nPRESSMARK_SECRET=${SECRET}\r\n`,
  `A=1\nPRESSMARK_SECRET="${LONG}"\n`,
  `A=1\nPRESSMARK_SECRET="${LONG.replace('\n', '\\n')}"\n`,
  `  export   PRESSMARK_SECRET = ${SECRET} # comment\nA=1\n`,
  `A=1\nPRESSMARK_SECRET=${SECRET},the-former-one\nOLD=the-former-one\nKEY=${SECRET}\n`,
];

/** Other files of the site that hold it, by name or whatever their names. */
const FILES = {
  ...Object.fromEntries(
    ['.env~', '.envrc', '.env.bak', '#.env#', 'prod.env', 'sub/.env'].map((name) => [
      name,
      `export PRESSMARK_SECRET='${SECRET}'\n`,
    ]),
  ),
  '.env-old': 'PRESSMARK_SECRET=the-former-one\n',
  '.env.swp': `b0VIM\0\0PRESSMARK_SECRET=${SECRET}\0A=1`,
  'deploy.sh': `SECRET=${SECRET} ./send\n`,
  'dump.sql': `${'x'.repeat(2 ** 20 - 10)}${SECRET}${'x'.repeat(2 ** 20)}`,
  '.env.txt': [...`PRESSMARK_SECRET=${SECRET}`].map((letter) => `${letter}\0`).join(''),
};

/** Copies a site, twice, and looks for the secret in all that a build could read. */
async function copiesWithoutSecret(t: ExecutionContext, siteDir: string): Promise<void> {
  const copy = await copySite({ siteDir, except: [] });
  t.teardown(copy.remove);
  for (let again = 0; again < 2; again++) {
    const texts = textsIn(copy.dir);
    t.notRegex(texts, /a-secret-of|s\0e\0c\0r\0e\0t|and-its-second|the-former-one|PRESSMARK_/);
    t.is(parseEnv(fs.readFileSync(join(copy.dir, '.env'), 'utf8')).A, '1');
    t.is(fs.readFileSync(join(copy.dir, 'content/a.md'), 'utf8'), 'a');
    await copy.sync();
  }
}

test('no secret of the site is in a copy, in whatever form and file', async (t) => {
  for (const environment of ENVIRONMENTS) {
    const siteDir = folderWith(t, { 'content/a.md': 'a', '.env': environment });
    await copiesWithoutSecret(t, siteDir);
  }
  const siteDir = folderWith(t, { 'content/a.md': 'a', '.env': ENVIRONMENTS[0] ?? '', ...FILES });
  await copiesWithoutSecret(t, siteDir);
});

test('no secret is in a copy through a link, and nothing is written into what the site links to', async (t) => {
  const root = tempDir(t);
  const siteDir = join(root, 'site');
  const text = `A=1\nPRESSMARK_SECRET=${SECRET}\n`;
  const around = { 'secrets/site.env': text, 'secrets/all': text, 'secrets/theme.css': 'x' };
  writeFiles(root, { ...around, 'site/content/a.md': 'a', 'site/config/production.env': text });
  for (const [link, to] of Object.entries({
    'site/.env': '../secrets/site.env',
    'site/.env.production': 'config/production.env',
    'site/.env.any': '../secrets/all',
    'site/.env.two': 'inner',
    'site/inner': '../secrets/all',
    'site/.env.itself': '.env.itself',
    'site/settings.txt': '../secrets/all',
    'site/secrets': '../secrets',
    'secrets/again': '.',
  }))
    fs.symlinkSync(to, join(root, link));
  await copiesWithoutSecret(t, siteDir);
  for (const [path, text] of Object.entries(around)) t.is(fs.readFileSync(join(root, path), 'utf8'), text);
});

test('a file is freed of a secret that has come into .env, and a secret of the environment counts as well', async (t) => {
  const siteDir = folderWith(t, {
    '.env': 'A=1\n',
    'a.txt': `x ${SECRET}`,
    'b.txt': 'y hook.example/long-id',
  });
  const env = { PRESSMARK_DEPLOY_HOOK: 'hook.example/long-id' };
  // A large file is read in parts of 1 MiB: all of it but its last byte is in the first one.
  const wide = Buffer.from('hook.example/long-id', 'utf16le');
  fs.writeFileSync(join(siteDir, 'c.bin'), Buffer.concat([Buffer.alloc(2 ** 20 - wide.length + 1), wide]));
  const copy = await copySite({ siteDir, except: [], env });
  t.teardown(copy.remove);
  t.regex(textsIn(copy.dir), /x a-secret/);
  t.notRegex(textsIn(copy.dir), /long-id|l\0o\0n\0g/);
  fs.writeFileSync(join(siteDir, '.env'), `PRESSMARK_SECRET=${SECRET}\n`);
  await copy.sync();
  t.notRegex(textsIn(copy.dir), /a-secret/);
});

test('a copy finds the site’s packages and those of the repository around it, and has caches of its own', async (t) => {
  const root = tempDir(t);
  const siteDir = join(root, 'docs');
  writeFiles(root, {
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
  writeFiles(root, { 'outside/post.md': 'o', 'site/content/a.md': 'a', 'site/themes/x.css': 'x' });
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
  for (const path of ['content/far/post.md', 'content/far/new/c.md', 'content/alias.md', 'content'])
    t.false(copy.write(path, 'new'), path);
  for (const path of ['content/a.md', 'content/new/b.md']) {
    t.true(copy.write(path, 'new'));
    t.is(fs.readFileSync(join(copy.dir, path), 'utf8'), 'new');
  }
  t.true(copy.write('content/new/b.md', undefined));
  t.false(fs.existsSync(join(copy.dir, 'content/new/b.md')));
  t.is(fs.readFileSync(join(siteDir, 'content/a.md'), 'utf8'), 'a');
  t.deepEqual(fs.readdirSync(join(root, 'outside')), ['post.md']);
  t.is(fs.readFileSync(join(root, 'outside/post.md'), 'utf8'), 'o');
});

test('a site that is too large is not copied', async (t) => {
  const siteDir = folderWith(t, { 'a.bin': 'x'.repeat(600), 'b.bin': 'x'.repeat(600) });
  const large = await t.throwsAsync(copySite({ siteDir, except: [], maxBytes: 1_000 }), {
    code: 'SITE_TOO_LARGE',
  });
  t.regex(large?.message ?? '', /^the site is too large to be copied/);
  (await copySite({ siteDir, except: ['b.bin'], maxBytes: 1_000 })).remove();
});

test('a copy has the history of the site’s repository, and changes nothing in it', async (t) => {
  const top = folderWith(t, { 'docs/content/a.md': 'a', 'README.md': 'x', '.env': 'PRESSMARK_SECRET=x' });
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
  const { dir, remove } = await copyWithHistory(siteDir, [], env);
  t.teardown(remove);
  t.is(git(dir, 'log', '--format=%an %s', '--', 'content/a.md'), 'Ada First\n');
  t.is(git(dir, 'rev-parse', '--show-prefix'), 'docs/\n');
  t.is(fs.readFileSync(join(dir, '../README.md'), 'utf8'), 'x', 'a build may read what is next to the site');
  t.false(fs.existsSync(join(dir, '../.env')), 'but not a secret there');
  git(dir, 'commit', '-q', '--allow-empty', '-m', 'Second');
  t.is(git(top, 'log', '--format=%s'), 'First\n');
  t.is(git(top, 'status', '--short'), '?? .env\n');
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
  const siteDir = folderWith(t, { 'content/a.md': 'a', 'content/b.md': 'b', 'content/c.md': 'c' });
  const copy = await copySite({ siteDir, except: ['public'] });
  t.teardown(copy.remove);
  writeFiles(copy.dir, { 'content/b.md': 'changed by a build', 'cache/image.webp': 'x' });
  writeFiles(siteDir, { 'content/a.md': 'a, edited', 'content/d.md': 'd' });
  fs.rmSync(join(siteDir, 'content/c.md'));
  await copy.sync();
  const expected = { 'content/a.md': 'a, edited', 'content/b.md': 'b', 'content/d.md': 'd' };
  t.deepEqual(readFiles(copy.dir), { ...expected, 'cache/image.webp': 'x' });
  const { ino } = fs.statSync(join(copy.dir, 'content/d.md'));
  await copy.sync();
  t.is(fs.statSync(join(copy.dir, 'content/d.md')).ino, ino);
  fs.utimesSync(join(siteDir, 'content/d.md'), 1, 1_000_000);
  await copy.sync();
  t.is(fs.statSync(join(copy.dir, 'content/d.md')).mtimeMs, 1_000_000_000);
});

test('nothing is removed behind a link that has taken the place of a folder, and a folder that takes the place of a link is one', async (t) => {
  const root = tempDir(t);
  const siteDir = join(root, 'site');
  writeFiles(root, {
    'site/content/posts/a.md': 'a',
    'site/content/drafts/b.md': 'b',
    'site/content/c.md': 'c',
    'site/content/d/e.md': 'e',
    'packages/near/index.js': 'shared',
  });
  fs.symlinkSync('../packages', join(siteDir, 'node_modules'));
  const copy = await copySite({ siteDir, except: [] });
  t.teardown(copy.remove);
  fs.renameSync(join(siteDir, 'content/posts'), join(root, 'posts'));
  fs.symlinkSync('../../posts', join(siteDir, 'content/posts'));
  fs.renameSync(join(siteDir, 'content/drafts'), join(siteDir, 'drafts'));
  fs.symlinkSync('../drafts', join(siteDir, 'content/drafts'));
  fs.rmSync(join(siteDir, 'content/d'), { recursive: true });
  fs.renameSync(join(siteDir, 'content/c.md'), join(siteDir, 'content/d'));
  fs.symlinkSync('d', join(siteDir, 'content/c.md'));
  fs.unlinkSync(join(siteDir, 'node_modules'));
  writeFiles(siteDir, { 'node_modules/near/index.js': 'own' });
  await copy.sync();
  t.deepEqual(readFiles(join(root, 'posts')), { 'a.md': 'a' });
  t.deepEqual(readFiles(join(root, 'packages')), { 'near/index.js': 'shared' });
  const text = (path: string) => fs.readFileSync(join(copy.dir, path), 'utf8');
  t.is(text('content/posts/a.md'), 'a');
  t.is(text('content/drafts/b.md'), 'b');
  t.is(text('content/c.md'), 'c');
  t.is(text('node_modules/near/index.js'), 'own');
});

test('a link of the site that is removed or leads elsewhere changes the copy and its version', async (t) => {
  const siteDir = folderWith(t, { 'content/a.md': 'a', 'content/b.md': 'b' });
  const link = join(siteDir, 'content/latest.md');
  fs.symlinkSync('a.md', link);
  const copy = await copySite({ siteDir, except: [] });
  t.teardown(copy.remove);
  const first = await copy.sync();
  t.is(await copy.sync(), first);
  fs.unlinkSync(link);
  fs.symlinkSync('b.md', link);
  t.not(await copy.sync(), first);
  t.is(fs.readFileSync(join(copy.dir, 'content/latest.md'), 'utf8'), 'b');
  t.true(copy.write('content/latest.md', undefined));
  t.false(fs.existsSync(join(copy.dir, 'content/latest.md')));
  fs.unlinkSync(link);
  await copy.sync();
  t.deepEqual(fs.readdirSync(join(copy.dir, 'content')), ['a.md', 'b.md']);
});

test('files and folders that disappear while they are copied are left out, and a copy that has disappeared is made again', async (t) => {
  const names = ['a/x.md', 'b.md', 'c/y.md', 'node_modules/x/index.js'];
  const siteDir = folderWith(t, Object.fromEntries(names.map((name) => [name, 'x'])));
  const { readdir } = fs.promises;
  t.teardown(() => Object.assign(fs.promises, { readdir }));
  const copy = reusedCopy({ siteDir, except: [] });
  t.teardown(copy.remove);
  await copy.synced();
  Object.assign(fs.promises, {
    readdir: async (...args: Parameters<typeof readdir>) => {
      const entries = await readdir(...args);
      if (args[0] === siteDir)
        for (const name of ['a', 'b.md', 'node_modules']) fs.rmSync(join(siteDir, name), { recursive: true });
      return entries;
    },
  });
  const { site } = await copy.synced();
  t.deepEqual(readFiles(site.dir), { 'c/y.md': 'x' });
  Object.assign(fs.promises, { readdir });
  site.remove();
  t.deepEqual(readFiles((await copy.synced()).site.dir), { 'c/y.md': 'x' });
});

test('the articles behind a linked content folder are copied: a change of one is another version, and one can be left out', async (t) => {
  const root = tempDir(t);
  const siteDir = join(root, 'site');
  writeFiles(root, { 'shared/posts/a.md': 'a', 'shared/about.md': 'x', 'site/index.html': 'x' });
  fs.symlinkSync('../shared', join(siteDir, 'src'));
  fs.symlinkSync('../about.md', join(root, 'shared/posts/about.md'));
  const copy = await copySite({ siteDir, content: 'src/posts/', except: [] });
  t.teardown(copy.remove);
  const first = await copy.sync();
  writeFiles(root, { 'shared/posts/b.md': 'b' });
  t.not(await copy.sync(), first);
  t.is(fs.readFileSync(join(copy.dir, 'src/posts/b.md'), 'utf8'), 'b');
  t.is(fs.readFileSync(join(copy.dir, 'src/posts/about.md'), 'utf8'), 'x');
  t.true(copy.write('src/posts/a.md', undefined));
  t.deepEqual(fs.readdirSync(join(copy.dir, 'src/posts')), ['about.md', 'b.md']);
  t.is(fs.readFileSync(join(root, 'shared/posts/a.md'), 'utf8'), 'a');
});
