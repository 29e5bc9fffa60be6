import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readCatalog } from '../../../../src/app/articles/find-article.js';
import { contentOf } from '../../../../src/app/content/content.js';
import type { Finding } from '../../../../src/app/doctor/finding.js';
import { generatorFindings } from '../../../../src/app/doctor/generator-findings.js';
import { draftOf } from '../../../../src/article/article.js';
import { loadSettings } from '../../../../src/config/load.js';
import { article } from '../../../support/events.js';
import { folderWith, writeFiles } from '../../../support/temp-dir.js';

const SITE = {
  'hugo.toml': 'baseURL = "https://garden.example/"\n',
  'pressmark.config.json': JSON.stringify({
    generator: 'hugo',
    siteUrl: 'https://garden.example',
    build: 'hugo',
    articles: { file: 'posts/:slug.md', permalink: '/posts/:slug/' },
  }),
};

const siteWith = (t: ExecutionContext, files: Readonly<Record<string, string>> = {}) =>
  folderWith(t, { ...SITE, ...files });

async function findingsIn(dir: string): Promise<Finding[]> {
  const settings = await loadSettings(dir, {}, {});
  return generatorFindings(settings, [...(await readCatalog(settings)).entries()]);
}

/** Stores an article as the receiver would. */
async function publish(dir: string, slug: string, author = ''): Promise<string> {
  const { format } = contentOf(await loadSettings(dir, {}, {}));
  const draft = draftOf(article({ slug, author, json_ld: '<script type="application/ld+json">{}</script>' }));
  const path = `posts/${slug}.md`;
  const url = `https://garden.example/posts/${slug}/`;
  const { text } = format.encode({ ...draft, slug, url, updated: null, extra: {} }, path);
  writeFiles(dir, { [`content/${path}`]: text });
  return join(dir, 'content', path);
}

const post = (title: string, more = '') => `---\ntitle: ${title}\ndate: 2024-05-01\n${more}---\nText\n`;

test('doctor names a config that does not say which generator builds the site, or names another one', async (t) => {
  const dir = siteWith(t, { 'pressmark.config.json': '{}' });
  t.like(await findingsIn(dir), [
    { level: 'warn', text: 'this is a site of hugo (hugo.toml), but Pressmark builds it' },
  ]);
  writeFiles(dir, {
    '_config.yml': '',
    Gemfile: "gem 'jekyll'\n",
    'pressmark.config.json': SITE['pressmark.config.json'],
  });
  fs.rmSync(join(dir, 'hugo.toml'));
  t.regex(
    (await findingsIn(dir))[0]?.text ?? '',
    /^this is a site of jekyll \(.*\), but the config says hugo$/,
  );
});

test('of a site without problems its generator is named; authors whom it does not know, where it has a list of them', async (t) => {
  const config = JSON.parse(SITE['pressmark.config.json']);
  const authors = { 'Marta Oak': 'marta' };
  const generator = { name: 'hugo', keys: { author: 'authors[].name' }, authors };
  const dir = siteWith(t, { 'pressmark.config.json': JSON.stringify({ ...config, generator }) });
  await publish(dir, 'soil', 'Marta  oak');
  t.deepEqual(await findingsIn(dir), [{ level: 'ok', about: 'generator', text: 'hugo builds the site' }]);
  await publish(dir, 'moss', 'A guest');
  const [finding, ...others] = await findingsIn(dir);
  t.deepEqual(others, []);
  t.like(finding, { level: 'warn', about: 'authors' });
  t.regex(finding?.text ?? '', /"A guest" in posts\/moss\.md/);
});

test('posts whose address the generator does not list come with the reason, and a post without a page is no problem', async (t) => {
  const posts = ['a', 'b', 'c'].map((name) => [`content/posts/${name}.md`, post(name)]);
  const dir = siteWith(t, Object.fromEntries(posts));
  const unlisted = [
    { path: 'posts/a.md', reason: 'no page' },
    { path: 'posts/b.md', reason: 'several pages' },
  ];
  const shown = { config: 'c', posts: 'p', listed: [], unlisted };
  writeFiles(dir, { '.pressmark/addresses.json': JSON.stringify(shown) });
  t.like(await findingsIn(dir), [
    {
      level: 'warn',
      text: 'lookups do not find these posts (several pages): posts/b.md',
      fix: 'give each post a title of its own, or set the address in the front matter',
    },
    { level: 'warn', text: 'lookups do not find these posts, as each has no listed URL: posts/c.md' },
  ]);
});

test('an article whose pin was removed is a failure', async (t) => {
  const dir = siteWith(t);
  const file = await publish(dir, 'soil');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/^url: .*\n/m, ''));
  const failure = (await findingsIn(dir)).find(({ level }) => level === 'fail');
  t.regex(
    failure?.text ?? '',
    /no longer pins its address \/posts\/soil\/; there may be .*: posts\/soil\.md$/,
  );
});

test('an article whose switch against templates was removed or changed is a failure', async (t) => {
  const config = { ...JSON.parse(SITE['pressmark.config.json']), generator: 'eleventy', output: '_site' };
  const dir = siteWith(t, {
    'pressmark.config.json': JSON.stringify({ ...config, content: 'content' }),
    'eleventy.config.js': "export default () => ({ dir: { input: 'content' } });\n",
  });
  fs.rmSync(join(dir, 'hugo.toml'));
  const file = await publish(dir, 'soil');
  const text = `${fs.readFileSync(file, 'utf8')}\n{% include ".env" %}\n`;
  fs.writeFileSync(file, text);
  const failures = async () => (await findingsIn(dir)).filter(({ level }) => level === 'fail');
  t.deepEqual(await failures(), []);
  for (const line of ['', 'templateEngineOverride: njk,md\n']) {
    const broken = text.replace(/^templateEngineOverride: .*\n/m, line);
    t.not(broken, text);
    fs.writeFileSync(file, broken);
    t.like(await failures(), [{ about: 'templates' }]);
    t.regex((await failures())[0]?.text ?? '', /^the key templateEngineOverride is .*: posts\/soil\.md$/);
    fs.writeFileSync(file, broken.replace('{%', '{{ "{%" }}'));
    t.deepEqual(await failures(), [], 'what is escaped does not run');
  }
});

test('an article with a date in the future is named, and is no problem, as a post of the owner is none', async (t) => {
  const dir = siteWith(t);
  const file = await publish(dir, 'soil');
  const later = (text: string) => text.replace(/^date: .*\n/m, 'date: 2199-01-01\n');
  fs.writeFileSync(file, later(fs.readFileSync(file, 'utf8')));
  writeFiles(dir, { 'content/posts/mine.md': post('M').replace('2024-05-01', '2199-01-01') });
  const found = await findingsIn(dir);
  const future = found.filter(({ text }) => text.includes('a date in the future'));
  t.deepEqual(
    future.map(({ level, fix }) => fix ?? level),
    ['ok', 'ok'],
  );
});

test('pages that are missing or not complete in the last build are named, and are not written', async (t) => {
  const dir = siteWith(t);
  await publish(dir, 'soil');
  await publish(dir, 'compost');
  const page = '<html><head></head><body><article>Text</article></body></html>';
  writeFiles(dir, { 'public/posts/soil/index.html': page });
  const pages = (await findingsIn(dir)).filter(({ about }) => about === 'pages');
  t.regex(pages[0]?.text ?? '', /^https:\/\/garden\.example\/posts\/compost\/ \(posts\/compost\.md\): /);
  t.regex(pages[1]?.text ?? '', /^1 of 2 pages in public lack the JSON-LD/);
  t.is(fs.readFileSync(join(dir, 'public/posts/soil/index.html'), 'utf8'), page);
});
