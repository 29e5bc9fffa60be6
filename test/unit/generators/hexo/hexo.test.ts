import test from 'ava';
import { hexo } from '../../../../src/generators/hexo/hexo.js';
import { askedSite } from '../asked-site.js';

const MANIFEST = '{"scripts":{"build":"hexo generate"},"dependencies":{"hexo":"^7.3.0"}}';
const post = (frontMatter: string) => `---\n${frontMatter}\n---\nWords.\n`;

// What Hexo 7.3.0 said of a site in its own words, as far as it matters.
const CONFIG = {
  url: 'https://allotment.example/notes',
  root: '/notes/',
  permalink: ':year/:month/:day/:title/',
  language: ['en', 'de'],
  timezone: 'Asia/Tokyo',
  source_dir: 'source',
  public_dir: 'public',
  new_post_name: ':title.md',
  future: false,
};
const POSTS = {
  'source/_posts/leeks.md': post('title: Leeks\ndate: 2025-03-09 21:40:00\ncover: https://a.example/l.jpg'),
  'source/_posts/mill.md': post('title: Mill\ndate: 2025-05-17 12:05:00\nlang: en'),
};
const PAGES = [
  { path: 'source/_posts/leeks.md', address: '/2025/03/09/leeks/' },
  { path: 'source/_posts/mill.md', address: '/2025/05/17/mill/' },
];
const inspect = async (config: object = {}, pages = PAGES, files: Record<string, string> = POSTS) =>
  await hexo.inspect(
    askedSite(
      { 'package.json': MANIFEST, ...files },
      { 'hexo.source.process()': JSON.stringify({ config: { ...CONFIG, ...config }, pages }) },
    ),
  );

test('init asks Hexo for its configuration and its posts', async (t) => {
  t.like(await inspect(), {
    siteUrl: 'https://allotment.example/notes',
    language: 'en',
    content: 'source/_posts',
    file: ':slug.md',
    permalink: '/:year/:month/:day/:slug/',
    output: 'public',
    build: 'npm run build -- --bail',
    frontMatter: {},
    options: { timeZone: 'Asia/Tokyo', keys: { image: 'cover' } },
    questions: [],
  });
  t.true((await inspect({ future: true })).options.futurePages);
});

test('an address of new articles follows the rule, and the posts where the rule has parts of its own', async (t) => {
  const permalink = async (rule: string, pages = PAGES) =>
    (await inspect({ permalink: rule }, pages)).permalink;
  t.is(await permalink('posts/:title.html'), '/posts/:slug.html');
  t.is(
    await permalink(':category/:title/', [{ path: 'source/_posts/leeks.md', address: '/beds/leeks/' }]),
    '/beds/:slug/',
  );
  t.is(await permalink('p/:abbrlink.html', []), '/:year/:month/:day/:slug/');
});

test('the build fails where a page fails, as far as the script can be told to', async (t) => {
  const build = async (scripts: object) =>
    (await inspect({}, PAGES, { 'package.json': JSON.stringify({ scripts }) })).build;
  t.is(await build({}), 'npx hexo generate --bail');
  t.is(await build({ build: 'gulp' }), 'npx hexo generate --bail');
  t.is(await build({ build: 'hexo clean && hexo g' }), 'npm run build -- --bail');
  t.is(await build({ build: 'hexo generate -b' }), 'npm run build');
  t.is(await build({ build: 'hexo generate && gulp minify' }), 'npm run build');
});
