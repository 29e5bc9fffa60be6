import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { existingAddresses } from '../../../src/app/build/addresses/addresses.js';
import { loadSettings } from '../../../src/config/load.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { TOY_CONFIG, TOY_GENERATOR, toyPost, writeToySite } from './toy-generator.js';

const SITE = 'https://garden.example/base';

const POSTS: Record<string, string> = {
  'content/plain.md': toyPost({ title: 'Plain', date: '2024-01-02' }),
  'content/folder/deep.md': toyPost({ title: 'Deep', date: '2024-01-02' }),
  'content/fixed.md': toyPost({ title: 'Fixed', date: '2024-01-02', permalink: '/fixed.html' }),
  'content/titled.md': toyPost({ title: 'A Title', date: '2024-01-02', permalink: '/p/:title/' }),
  'content/draft.md': toyPost({ title: 'Draft', draft: true }),
};

/** What a site that cannot list its pages has in its definition. */
const UNASKED = TOY_CONFIG.replace(/^ {2}addressQuery: .*\n/m, '').replace(
  'pinsAddresses: true',
  'pinsAddresses: false',
);

function toySite(t: ExecutionContext, files: Readonly<Record<string, string>> = {}): string {
  const dir = tempDir(t);
  writeToySite(dir, { 'pressmark.config.mjs': TOY_CONFIG, ...POSTS, ...files });
  return dir;
}

/** The addresses of a site, and whether its generator was asked for them. */
async function list(dir: string, force = false) {
  const { listed, unlisted, ...more } = await existingAddresses(await loadSettings(dir), { force });
  return { listed: Object.fromEntries(listed), unlisted: Object.fromEntries(unlisted), ...more };
}

test('the generator says which file is at which address, in a copy of the site; it is asked again after a change of a post’s front matter or of the site’s rules, and not after other changes', async (t) => {
  const dir = toySite(t, {
    'www/releases/20261122T210500123Z-1f3a/index.html': 'a former output',
    'pressmark.config.mjs': TOY_CONFIG.replace(
      "build: 'node toy.mjs'",
      "build: 'node toy.mjs', deploy: { folder: new URL('www', import.meta.url).pathname }",
    ).replace('node toy.mjs --list', 'test ! -e www/releases && node toy.mjs --list'),
  });
  const { listed, unlisted, asked } = await list(dir);
  t.deepEqual(listed, {
    'fixed.md': '/fixed.html',
    'folder/deep.md': '/folder/deep/',
    'plain.md': '/plain/',
    'titled.md': '/p/a-title/',
  });
  t.deepEqual(unlisted, { 'draft.md': 'draft' });
  t.false(fs.existsSync(join(dir, 'cache')), 'which the toy writes wherever it runs');
  t.true(asked);
  t.false((await list(dir)).asked);
  fs.appendFileSync(join(dir, 'content/plain.md'), 'More text.\n');
  t.false((await list(dir)).asked, 'a text');
  const titled = toyPost({ title: 'Another', date: '2024-01-02', permalink: '/p/:title/' });
  fs.writeFileSync(join(dir, 'content/titled.md'), titled);
  const renamed = await list(dir);
  t.deepEqual([renamed.asked, renamed.listed['titled.md']], [true, '/p/another/']);
  fs.appendFileSync(join(dir, 'toy.mjs'), '// changed\n');
  t.true((await list(dir)).asked, 'a rule');
  t.true((await list(dir, true)).asked, 'where it is demanded');
});

test('a draft that the generator makes a page of is listed, also one that would be pinned otherwise', async (t) => {
  const dir = toySite(t, {
    'toy.mjs': TOY_GENERATOR.replace('if (data.draft) continue;', ''),
    'content/own.md': toyPost({ title: 'Own', draft: true, permalink: '/blog/own/' }),
  });
  const { listed, unlisted } = await list(dir);
  t.like(listed, { 'draft.md': '/draft/', 'own.md': '/blog/own/' });
  t.deepEqual(unlisted, {});
});

test('a generator that fails, prints nonsense or takes too long lists nothing, and what is known stays', async (t) => {
  const dir = toySite(t);
  await list(dir);
  const file = join(dir, '.pressmark/addresses.json');
  const kept = fs.readFileSync(file, 'utf8');
  const settings = await loadSettings(dir);
  for (const [program, buildTimeoutMs, reason] of [
    [
      "console.error('no such page'); process.exit(3)",
      60_000,
      /are not known: the command "toy" ended with exit code 3:\nno such page/,
    ],
    ["console.log('{')", 60_000, /the answer of toy cannot be read: /],
    ['setTimeout(() => {}, 60_000)', 1_000, /was ended after 1 s/],
  ] as const) {
    fs.writeFileSync(join(dir, 'toy.mjs'), program);
    const listing = existingAddresses({ ...settings, buildTimeoutMs }, { force: true });
    t.regex((await t.throwsAsync(listing, { code: 'BUILD_FAILED' })).message, reason);
    t.is(fs.readFileSync(file, 'utf8'), kept);
  }
});

test('where a generator cannot list its pages, those of the last build are compared with the posts', async (t) => {
  const dir = toySite(t, { 'pressmark.config.mjs': UNASKED.replace('/blog/:slug/', '/:slug/') });
  t.deepEqual((await list(dir)).listed, {}, 'there is no build yet');
  fs.mkdirSync(join(dir, 'public/plain'), { recursive: true });
  fs.writeFileSync(join(dir, 'public/plain/index.html'), '<title>Plain</title>');
  const { listed, unlisted } = await list(dir);
  t.deepEqual(listed, { 'plain.md': '/plain/' });
  t.is(unlisted['folder/deep.md'], 'no page');
});

test('what a generator says of itself is kept as a rule that contradicts the config is, and keeps new articles out', async (t) => {
  const problem = "parse: JSON.parse, problem: () => 'toy runs templates; set templateSwitch' }";
  const dir = toySite(t, { 'pressmark.config.mjs': TOY_CONFIG.replace('parse: JSON.parse }', problem) });
  t.is((await list(dir)).contradiction, 'toy runs templates; set templateSwitch');
  for (const path of Object.keys(POSTS)) fs.rmSync(join(dir, path));
  t.like(
    await list(dir),
    { contradiction: 'toy runs templates; set templateSwitch', asked: true },
    'also of articles alone',
  );
});

test('a rule that no post follows is named with the one that they seem to follow', async (t) => {
  const dir = toySite(t, {
    'pressmark.config.mjs': TOY_CONFIG.replace('pinsAddresses: true', 'pinsAddresses: false'),
  });
  fs.rmSync(join(dir, 'content/fixed.md'));
  const { contradiction } = await list(dir);
  t.is(
    contradiction,
    'articles.permalink is "/blog/:slug/", but all 2 posts in the content folder have other addresses, such as "/plain/"; set articles.permalink in the config to the site\'s rule, which seems to be "/:slug/"',
  );
});

test('a receiver lists addresses again after the next good build: a post is added, edited and moved, and a rule is changed', async (t) => {
  const dir = toySite(t);
  const receiver = await startHere(t, { dir, env: { PRESSMARK_SITE_URL: '' } });
  const status = async (address: string) =>
    (await receiver.post('article.lookup', { target_url: `${SITE}${address}` })).status;
  const areAt = async (...addresses: string[]) =>
    (await Promise.all(addresses.map(status))).every((one) => one === 200);
  await until('the posts are listed', () => areAt('/p/a-title/', '/plain/'));

  const write = (name: string, text: string) => fs.writeFileSync(join(dir, 'content', name), text);
  write('added.md', toyPost({ title: 'Added', permalink: '/x/:title/' }));
  write('titled.md', toyPost({ title: 'Another', permalink: '/p/:title/' }));
  fs.renameSync(join(dir, 'content/plain.md'), join(dir, 'content/moved.md'));
  write('content.json', JSON.stringify({ permalink: '/all/:name/' }));
  await until('all are listed', () => areAt('/x/added/', '/p/another/', '/all/moved/'));
  for (const address of ['/plain/', '/p/a-title/', '/moved/']) t.is(await status(address), 404);
});
