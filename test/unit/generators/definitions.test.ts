import test from 'ava';
import { stateAt } from '../../../src/article/publication.js';
import type { GeneratorOptions } from '../../../src/generators/generator.js';
import { GENERATORS } from '../../../src/generators/registry.js';
import { siteOf } from '../../support/site-files.js';
import { askedSite } from './asked-site.js';
import { DEFINITIONS, NOW, written } from './definitions.js';

// What each generator does with these was seen with the generator itself; test/e2e/generators asks it again.

for (const generator of GENERATORS) {
  const { name } = generator;
  const rows = DEFINITIONS[name];
  if (rows === undefined) throw new Error(`nothing is expected of ${name}`);
  const mapping = (options: GeneratorOptions = {}, body: 'markdown' | 'html' = 'markdown') => {
    const address = (slug: string) => `/posts/${slug}/`;
    return generator.mapping({ ...options, body, constants: {}, address });
  };

  test(`${name}: a site is recognised by its files, and another program’s is not`, (t) => {
    for (const [found, files] of rows.recognised) t.is(generator.recognise(siteOf(files)), found);
  });

  test(`${name}: a post is a file with the right name, and known by its slug`, (t) => {
    const { isArticlePath, slug } = mapping();
    t.deepEqual([...rows.articles, ...rows.others].filter(isArticlePath), rows.articles);
    for (const [expected, path, data = {}] of rows.slugs) t.is(slug({ path, data }), expected, path);
  });

  test(`${name}: an address is pinned, and a pin holds for that address alone`, (t) => {
    for (const [address, pin, options] of rows.pins) {
      t.deepEqual(mapping(options).pin(address), pin);
      // The others have the address with a slash.
      if (Object.keys(pin).length > 0 && /\/$|\.\w+$/.test(address))
        t.true(mapping(options).isPinned({ path: 'a.md', data: pin }, address), address);
    }
    for (const [isPinned, address, data, path = 'a.md'] of rows.pinned)
      t.is(mapping().isPinned({ path, data }, address), isPinned, `${address} ${JSON.stringify(data)}`);
  });

  test(`${name}: drafts, dates to come and expiry decide about a page as the generator does`, (t) => {
    for (const [state, data, options, path = 'a.md'] of rows.states) {
      const publication = mapping(options).publication({ path, data });
      t.is(stateAt(publication, Date.parse(NOW)), state, `${path} ${JSON.stringify(data)}`);
    }
  });

  test(`${name}: an article whose file has the day alone is scheduled until its moment`, (t) => {
    const { keys, publication } = mapping({ dates: 'day' });
    const data = { [keys.date]: '2026-11-20', pressmark: { id: 'a', published: '2026-11-20T20:00:00Z' } };
    const stateOf = (now: string) => stateAt(publication({ path: '2026-11-20-a.md', data }), Date.parse(now));
    t.is(stateOf('2026-11-20T19:59:59Z'), 'scheduled');
    t.is(stateOf('2026-11-20T20:00:00Z'), 'live');
  });

  test(`${name}: dates are written so that the generator reads them`, (t) => {
    for (const [text, iso, options] of rows.dates)
      t.deepEqual(mapping(options).date(iso), written(text), iso);
  });

  test(`${name}: a tag has the key of its page, and none where it can have none`, (t) => {
    for (const [tag, key] of Object.entries(rows.tags)) t.is(mapping().tagKey(tag), key, tag);
  });

  test(`${name}: a picture is written where the site can show it, and HTML where the config wants that`, (t) => {
    for (const [image, url] of rows.images ?? [['a.png', 'a.png']]) t.is(mapping().image(url), image, url);
    const incoming = {
      kind: 'markdown',
      markdown: 'Some *words*.',
      html: '<p>Some <i>words</i>.</p>',
    } as const;
    t.true(mapping().body(incoming, 'a.md').text.includes('*words*'));
    t.false(mapping({}, 'html').body(incoming, 'a.md').text.includes('*words*'));
  });

  test(`${name}: tags by which the site selects posts are known`, async (t) => {
    const [files, tags] = rows.kept;
    t.deepEqual(
      [...((await generator.inspect(askedSite(files))).options.keptTags ?? [])].sort(),
      [...tags].sort(),
    );
  });

  if (rows.warned !== undefined) {
    const [files, text] = rows.warned;
    test(`${name}: a version that was not tried is named`, async (t) => {
      const { warnings } = await generator.inspect(askedSite(files));
      t.regex(warnings.map((warning) => warning.text).join('\n'), text);
    });
  }
}

test('without the generator on the machine, the usual values are taken', async (t) => {
  const USUAL: Readonly<Record<string, readonly [files: Record<string, string>, facts: object]>> = {
    hugo: [
      { 'hugo.toml': 'baseURL = "https://garden.example/"' },
      { content: 'content', file: 'posts/:slug.md', permalink: '/posts/:slug/', output: 'public' },
    ],
    eleventy: [{ 'eleventy.config.js': '' }, { content: 'posts', output: '_site' }],
    astro: [
      { 'astro.config.mjs': '' },
      { content: 'src/content/blog', permalink: '/blog/:slug/', output: 'dist' },
    ],
    hexo: [
      { 'package.json': '{"dependencies":{"hexo":"^7.3.0"}}' },
      { content: 'source/_posts', file: ':slug.md', output: 'public' },
    ],
  };
  for (const generator of GENERATORS) {
    const [files, facts] = USUAL[generator.name] ?? [];
    if (files !== undefined)
      t.like(await generator.inspect(askedSite(files)), { siteUrl: undefined, ...facts }, generator.name);
  }
});
