import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import {
  type AddressFile,
  readAddressFile,
  writeAddressFile,
} from '../../../../../src/app/build/addresses/address-file.js';
import { configDigest } from '../../../../../src/app/build/addresses/config-digest.js';
import { contradictionOf } from '../../../../../src/app/build/addresses/contradiction.js';
import { mappingOf } from '../../../../../src/app/content/content.js';
import { loadSettings } from '../../../../../src/config/load.js';
import { generatorNamed } from '../../../../../src/generators/registry.js';
import { readAddresses } from '../../../../../src/store/catalog/addresses.js';
import { tempDir } from '../../../../support/temp-dir.js';

const FILE: AddressFile = {
  config: 'c',
  posts: 'p',
  listed: [{ path: 'soil.md', digest: 'd1', address: '/soil/' }],
  unlisted: [{ path: 'list.md', reason: 'no page' }],
  contradiction: 'the rule is another one',
};

test('what the generator has listed is read as it was written, by the store too; a missing or malformed file shows nothing', async (t) => {
  const path = join(tempDir(t), 'state/addresses.json');
  const known = readAddresses(path);
  t.is(readAddressFile(path), undefined);
  t.is(known.get('soil.md'), undefined);
  const before = known.version;
  await writeAddressFile(path, FILE);
  t.deepEqual(readAddressFile(path), FILE);
  t.like(known.get('soil.md'), { digest: 'd1', address: '/soil/' });
  t.is(known.get('list.md'), undefined);
  t.is(known.contradiction, 'the rule is another one');
  t.not(known.version, before);
  const texts = [
    null,
    { ...FILE, listed: [{ ...FILE.listed[0], address: 'soil' }] },
    { ...FILE, unlisted: {} },
  ];
  for (const text of ['{"config":"c","lis', ...texts.map((value) => JSON.stringify(value))]) {
    fs.writeFileSync(path, text);
    t.is(readAddressFile(path), undefined, text);
  }
});

test('the digest changes with the configuration and with data of the posts’ folders, and not with posts', (t) => {
  const siteDir = tempDir(t);
  const write = (name: string, text: string) => {
    fs.mkdirSync(dirname(join(siteDir, name)), { recursive: true });
    fs.writeFileSync(join(siteDir, name), text);
  };
  let settings: Record<string, unknown> = { output: 'public' };
  const digest = () =>
    configDigest({ siteDir, content: 'content', configFiles: ['site.toml', 'layouts'], settings });
  const seen = new Set([digest()]);
  const changes = (what: string, change: () => void, expected: boolean) => {
    change();
    const now = digest();
    t.is(!seen.has(now), expected, what);
    seen.add(now);
  };
  changes('a config file', () => write('site.toml', 'x'), true);
  changes('a layout in a folder', () => write('layouts/a/b/single.html', 'x'), true);
  changes('its name', () => fs.renameSync(join(siteDir, 'layouts/a/b'), join(siteDir, 'layouts/a/c')), true);
  for (const name of ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock'])
    changes(`the packages in ${name}`, () => write(name, '{}'), true);
  changes('a folder’s data', () => write('content/blog/blog.11tydata.js', 'x'), true);
  changes('a section’s front matter', () => write('content/blog/_index.md', 'x'), true);
  changes('a setting', () => (settings = { output: 'dist' }), true);
  changes('a post', () => write('content/blog/a.md', 'x'), false);
  changes('another file', () => write('README.md', 'x'), false);
  fs.symlinkSync('..', join(siteDir, 'layouts/circle'));
  fs.symlinkSync('loop.json', join(siteDir, 'content/loop.json'));
  t.true(seen.has(digest()));
});

test('a rule is not called wrong for the way in which posts write their dates', async (t) => {
  const loaded = await loadSettings(tempDir(t), {}, { PRESSMARK_SITE_URL: 'https://garden.example' });
  const check = (permalink: string, date: unknown, address: string, timeZone?: string, path = 'soil.md') => {
    const settings = { ...loaded, articles: { ...loaded.articles, file: ':slug.md', permalink } };
    const generator = generatorNamed('astro');
    const options = { keys: { date: 'date' }, ...(timeZone !== undefined && { timeZone }) };
    const site = { generator, options, mapping: mappingOf(settings, generator, options) };
    const data = date === undefined ? {} : { date };
    return contradictionOf([{ path, data }], new Map([[path, address]]), settings, {
      ...site,
      files: { read: () => undefined, list: () => [] },
    });
  };
  const month = '/:year/:month/:slug/';
  t.is(check(month, '2018-05-02 10:00:00 +0200', '/2018/05/soil/'), undefined);
  for (const zone of ['America/New_York', 'Asia/Tokyo'])
    t.is(check('/:year/:slug/', '2018-01-01', '/2018/soil/', zone), undefined);
  t.is(
    check('/:year/:slug/', '2018-01-01T02:00:00Z', '/2018/soil/', 'America/New_York'),
    undefined,
    'in UTC',
  );
  t.is(check(month, undefined, '/2018/05/soil/'), undefined, 'a date that nobody knows');
  t.regex(
    check(month, '2018-06-02', '/2018/05/soil/') ?? '',
    /^articles\.permalink is "\/:year\/:month\/:slug\/", but/,
  );
});
