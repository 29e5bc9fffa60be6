import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { article } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { servedFolder } from '../../support/static-server.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { exampleCode, withPackages, withPlugins } from '../../support/with-plugins.js';

// The examples that change pages and add files. That such plugins do so after another generator, too, is in ../deploy/plugin-pages.

const EXAMPLES = ['seo', 'redirects', 'tag-feeds'];

/** What a service sends besides, as aliases of an article. */
const ALIASES = `export default { name: 'aliases', receiver(host) {
  host.addFilter('article.frontMatter', (keys, { source }) => ({ ...keys, aliases: source?.aliases }));
} };`;

const SEO = {
  seo_title: 'Moss & more',
  seo_description: 'All of "moss"',
  canonical: 'https://other.example/moss/',
  noindex: true,
};

function writeExamples(dir: string): void {
  withPlugins(dir, {
    ...Object.fromEntries(EXAMPLES.map((name) => [name, exampleCode(name)])),
    aliases: ALIASES,
  });
  fs.writeFileSync(
    join(dir, 'plugins/redirects.txt'),
    '# old\n/2019/old/ /blog/moss/\n\n/about.html https://o.example/?a&b\n',
  );
  withPackages(dir);
}

function published(id: string, further: object = {}) {
  const tags = id === 'moss' ? ['Soil', 'Größe & Maß'] : ['soil'];
  return { ...article({ id, slug: id, title: `About ${id}`, tags }), ...further };
}

function checkFiles(t: ExecutionContext, output: string, site: string): void {
  const file = (path: string) => fs.readFileSync(join(output, path), 'utf8');
  const moss = file('blog/moss/index.html');
  const head = moss.slice(0, moss.indexOf('</head>'));
  for (const element of [
    '<title>Moss &amp; more</title>',
    '<meta name="description" content="All of &quot;moss&quot;">',
    '<link rel="canonical" href="https://other.example/moss/">',
    '<meta name="robots" content="noindex">',
  ])
    t.is(head.split(element).length, 2, element);
  for (const name of ['<title', 'rel="canonical"', 'name="description"'])
    t.is(head.split(name).length, 2, name);
  t.false(file('blog/fern/index.html').includes('noindex'));

  t.deepEqual(file('_redirects').trim().split('\n').sort(), [
    `/2019/old/ ${site}/blog/moss/ 301`,
    `/about.html https://o.example/?a&b 301`,
    `/fern-1 ${site}/blog/fern/ 301`,
    `/fr%C3%BCher/ ${site}/blog/fern/ 301`,
  ]);
  for (const [path, url] of [
    ['2019/old/index.html', `${site}/blog/moss/`],
    ['about.html', 'https://o.example/?a&amp;b'],
    ['fern-1/index.html', `${site}/blog/fern/`],
    ['früher/index.html', `${site}/blog/fern/`],
  ] as const)
    t.true(file(path).includes(`<meta http-equiv="refresh" content="0; url=${url}">`), path);

  t.deepEqual(fs.readdirSync(join(output, 'feeds')).sort(), ['größe-maß.xml', 'soil.xml']);
  const feed = file('feeds/soil.xml');
  t.is(XMLValidator.validate(feed), true);
  const entries: { id: string }[] = new XMLParser().parse(feed).feed.entry;
  t.deepEqual(entries.map(({ id }) => id).sort(), [`${site}/blog/fern/`, `${site}/blog/moss/`]);
  t.true(file('llms.txt').includes(`- [About moss](${site}/blog/moss/): `));
}

const FERN = { aliases: ['/fern-1', '/früher/', '/../..', '//x', 7] };

test('the examples seo, redirects and tag-feeds change the pages of a plain site, its sitemap and what the live check expects', async (t) => {
  const dir = tempDir(t);
  writeExamples(dir);
  const output = join(dir, 'public');
  const url = await servedFolder(t, output);
  const articles = { permalink: '/blog/:slug/' };
  const config = { liveCheck: true, site: { search: false }, articles };
  const receiver = await startHere(t, { dir, config, env: { PRESSMARK_SITE_URL: url } });
  await receiver.post('article.published', published('moss', SEO));
  await receiver.post('article.published', published('fern', FERN));
  const live = () => receiver.log.filter(({ msg }) => msg === 'article live').map(({ id }) => id);
  await until('both articles are live, as they are meant', () => new Set(live()).size === 2);
  const list = join(output, 'llms.txt'); // the last of all files
  const isListed = (id: string) => fs.readFileSync(list, 'utf8').includes(`About ${id}`);
  await until('all files are there', () => fs.existsSync(list) && isListed('moss') && isListed('fern'));
  t.true(fs.readFileSync(join(output, 'sitemap.xml'), 'utf8').includes('fern'));
  t.false(fs.readFileSync(join(output, 'sitemap.xml'), 'utf8').includes('moss'));
  checkFiles(t, output, url);
});
