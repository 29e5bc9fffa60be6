import { execFileSync, spawnSync } from 'node:child_process';
import test from 'ava';
import { nodeCommand } from '../../../../src/generators/inspect/ask.js';
import { authorsInFiles } from '../../../../src/generators/inspect/authors.js';
import { untestedVersion } from '../../../../src/generators/inspect/manifests.js';
import { keysOfPosts } from '../../../../src/generators/inspect/post-fields.js';
import { buildCommand, scriptCommand } from '../../../../src/generators/inspect/site-build.js';
import { USUAL_KEYS } from '../../../../src/generators/mapping/site-mapping.js';
import { GENERATORS } from '../../../../src/generators/registry.js';
import { siteOf } from '../../../support/site-files.js';
import { askedSite } from '../asked-site.js';

test('what a site prints while it is asked, by whatever means, is not in the answer; a folder with any sign is one word of the shell', (t) => {
  const script = `
import { execSync } from 'node:child_process';
process.stdout.write('from the configuration');
console.log('from a plugin');
execSync('echo from a program', { stdio: 'inherit' });
answer({ title: process.argv[1] });`;
  const command = nodeCommand(script, ["it's $HOME"]);
  t.is(execFileSync('sh', ['-c', command], { encoding: 'utf8', stdio: 'pipe' }), `{"title":"it's $HOME"}`);
});

test('the key of the picture is the one that the posts have', (t) => {
  const post = { path: 'a.md', address: '/a/', slug: 'a', date: '2026-11-20' };
  const keysOf = (data: object) => keysOfPosts([{ ...post, data: { title: 'A', ...data } }], USUAL_KEYS);
  t.deepEqual(keysOf({ hero: '/a.jpg' }), { image: 'hero' });
  t.deepEqual(keysOf({ hero: { src: '/a.jpg', alt: 'A' } }), { image: 'hero.src' });
  t.deepEqual(keysOf({ bigimg: [{ src: '/a.jpg' }] }), { image: 'bigimg[].src' });
});

test('a key with mere names of pictures, which the site completes, takes no address', (t) => {
  const imageOf = (value: unknown, files: Record<string, string> = {}) => {
    const post = {
      path: 'posts/a.md',
      address: '/a/',
      slug: 'a',
      date: '2026-11-20',
      data: { cover: value },
    };
    return keysOfPosts([post], USUAL_KEYS, { files: siteOf(files), content: 'content' }).image;
  };
  const elsewhere = { 'static/images/a.jpg': '' };
  t.is(imageOf('a.jpg', elsewhere), null);
  t.is(imageOf({ image: 'a.jpg' }, elsewhere), null);
  for (const text of ['/a.jpg', 'img/a.jpg', 'https://a.example/a.jpg'])
    t.is(imageOf(text, elsewhere), 'cover');
  t.is(
    imageOf('a.jpg', { ...elsewhere, 'content/posts/a.jpg': '' }),
    'cover',
    'the picture is next to the post',
  );
  t.is(imageOf('a.jpg', { 'static/a.jpg': '' }), 'cover', 'the name alone is an address');
});

test('an error of a site that is asked is printed with its causes, each once, without stack traces', (t) => {
  const script = `
const cause = new Error('no module rss');
throw (cause.cause = new TypeError('the configuration cannot be read', { cause }));`;
  const { stderr, status } = spawnSync('sh', ['-c', nodeCommand(script)], { encoding: 'utf8' });
  t.is(status, 1);
  t.is(stderr, 'TypeError: the configuration cannot be read\nError: no module rss\n');
});

for (const generator of GENERATORS)
  test(`${generator.name}: an answer that cannot be read is told in words, with the command and what it has printed`, async (t) => {
    const garbage = '{"a": Deprecated: use another option';
    const files = { 'package.json': '{"dependencies":{"next":"16"}}', 'content/a.md': '' };
    const site = askedSite(files, { ' ': garbage });
    const error = await t.throwsAsync(async () => generator.inspect(site), { code: 'BUILD_FAILED' });
    t.regex(error?.message ?? '', /^(?:node -e|hugo list all|ruby -e).* printed no .*: "\{\\"a\\": Dep/);
    const query = generator.addressQuery?.(site.files, {});
    if (query !== undefined)
      t.throws(() => query.parse(garbage, 'https://a.example'), { code: 'BUILD_FAILED' });
  });

test('authors are read from one file, or from one file or folder for each', (t) => {
  const files = siteOf({
    'data/authors.yaml': '---\nada:\n  name: Ada Lovelace\n',
    'data/people.yml': '- slug: olga\n  name: Olga Reed\n',
    'data/authors/wren.toml': 'name = "Wren Moss"\n',
    'data/authors/broken.json': '{',
    'content/authors/_index.md': '---\ntitle: All authors\n---\n',
    'content/authors/marta/_index.md': '---\ntitle: Marta Oak\n---\n',
  });
  t.deepEqual(authorsInFiles(files, ['data/authors', 'data/people', 'content/authors']), {
    'Olga Reed': 'olga',
    'Ada Lovelace': 'ada',
    'Wren Moss': 'wren',
    'Marta Oak': 'marta',
  });
});

test('the package manager of the site runs its build, if it is installed', async (t) => {
  const manager = (name: string) => ({ 'package.json': `{"packageManager":"${name}@10.1.0"}` });
  for (const [files, command, printed = '/usr/bin/it\n'] of [
    [{}, 'npm run build'],
    [{ 'yarn.lock': '' }, 'yarn run build'],
    [{ 'yarn.lock': '' }, 'npm run build', ''],
    [{ 'bun.lockb': '' }, 'bun run build'],
    // npm install has added one.
    [{ 'package-lock.json': '{}', 'yarn.lock': '' }, 'yarn run build'],
    [manager('pnpm'), 'pnpm run build'],
    [{ ...manager('npm'), 'yarn.lock': '' }, 'npm run build'],
  ] as const)
    t.is(await scriptCommand(askedSite(files, { 'command -v': printed }), 'build'), command);
});

test('a script that calls the generator builds the site, whatever braces the scripts before it have', async (t) => {
  const scripts = { format: "prettier '**/*.{ts,astro}'", build: 'astro build && pagefind' };
  const site = askedSite({ 'package.json': JSON.stringify({ scripts }) });
  t.is(await buildCommand(site, /\bastro\s+build\b/, 'npx astro build'), 'npm run build');
});

test('a version with which nothing was tried is named', (t) => {
  const warn = (version?: string) => untestedVersion(version, 'Eleventy 2 and 3', [2, 3]);
  t.deepEqual([warn('3.1.7'), warn(undefined)], [[], []]);
  t.like(warn('0.12.1'), [
    { level: 'warn', text: 'This site has version 0.12.1; Pressmark was tested with Eleventy 2 and 3.' },
  ]);
});
