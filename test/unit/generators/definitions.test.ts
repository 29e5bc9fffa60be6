import test from 'ava';
import { editableText } from '../../../src/app/articles/person/entered.js';
import { articleFormat } from '../../../src/article/format/format.js';
import { readFrontMatter } from '../../../src/article/front-matter/read.js';
import { stateAt } from '../../../src/article/publication.js';
import { isHtml } from '../../../src/article/stored-article.js';
import { renderMarkdown } from '../../../src/article/text/markdown.js';
import type { GeneratorOptions, MappingOptions } from '../../../src/generators/generator.js';
import { GENERATORS } from '../../../src/generators/registry.js';
import { siteOf } from '../../support/site-files.js';
import { askedSite } from './asked-site.js';
import { DEFINITIONS, NOW, SOIL, written } from './definitions.js';

// What each generator does with these was seen with the generator itself; test/e2e/generators asks it again.

const SITE = 'https://garden.example';

const SPELLINGS = [
  ['Café', 'Cafe\u0301', 'CAFÉ', '\ufeffcafé\u200b'],
  ['Top soil', 'TOP\u00a0SOIL', ' Top\tsoil\n'],
  ['c#', ' C#'],
];

const TEXTS = [
  'Words.\n',
  'See `{x}` {{ y }} {% z %} {{</* a */>}}.\n',
  'A [link](/x/).\n',
  'Raw <script>1</script> {y}.\n',
  '    code\n',
];

/** What each of these generators was seen to display in code as sent: tags, templates, what looks like a link or an emoji. */
const CODE = 'Use `<Foo>`.\n\n```vue\n<script setup>\na[b](c) :smile: ![d]\n</script>\n```\n';
const READ_AS_HTML = ['jekyll', 'hexo', 'markdown-folder'];

const HELD = { ...SOIL, held: 'a listed word' };

for (const generator of GENERATORS) {
  const { name } = generator;
  const rows = DEFINITIONS[name];
  if (rows === undefined) throw new Error(`nothing is expected of ${name}`);
  const mapping = (options: Partial<MappingOptions> = {}) => {
    const address = (slug: string) => `/posts/${slug}/`;
    return generator.mapping({ body: 'markdown', constants: {}, address, ...options });
  };
  const format = (options: GeneratorOptions = {}) =>
    articleFormat({
      // `init` says so of the site's other tags.
      mapping: { ...mapping(options), ...(options.keptTags && { keptTags: options.keptTags }) },
      siteUrl: SITE,
      url: (slug) => `${SITE}/posts/${slug}/`,
      listed: { get: () => undefined, version: '' },
    });

  test(`${name}: a site is recognised by its files, and another program’s is not`, (t) => {
    for (const [found, files] of rows.recognised) t.is(generator.recognise(siteOf(files)), found);
  });

  test(`${name}: tags in code make Markdown HTML only where the renderer may read code differently`, (t) => {
    const { text } = mapping({ rawHtml: true }).body(
      { kind: 'markdown', markdown: CODE, html: '<p>Code</p>' },
      'a.md',
    );
    t.is(text.includes(CODE.trim()), !READ_AS_HTML.includes(name));
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

  test(`${name}: an article that is held has no page by the generator’s own key, and keeps its URL`, (t) => {
    const path = name === 'jekyll' ? '2026-01-02-soil.md' : 'soil.md';
    const { text, publication } = format().encode(HELD, path);
    t.is(stateAt(publication, Date.parse(NOW)), 'held');
    const { article, edited } = format().decode(text, path);
    t.like({ ...article, edited }, { held: HELD.held, url: HELD.url, edited: false });
    const { data } = readFrontMatter(text);
    for (const [key, value] of Object.entries(rows.held ?? {})) t.deepEqual(data[key], value, key);
  });

  test(`${name}: a person edits the text as it came, and another title leaves the body as it is`, (t) => {
    for (const [body, at] of TEXTS.flatMap((text) => ['.md', ''].map((end) => [text, end] as const))) {
      const on = format();
      const contentHtml = renderMarkdown(body);
      const own = typeof on.extension === 'string' ? on.extension : on.extension({ body, contentHtml });
      const path = `2026-01-02-soil${at || own}`;
      for (const html of [contentHtml, '']) {
        const { text } = on.encode({ ...SOIL, body, contentHtml: html }, path);
        const stored = on.decode(text, path);
        const editable = editableText(stored, on);
        if (isHtml(stored)) t.is(editable, contentHtml);
        else t.is(renderMarkdown(editable), contentHtml);

        const entered = { body: editable, contentHtml: isHtml(stored) ? editable : html };
        const again = on.amend(text, stored, { ...stored.article, ...entered, revision: 'r2' }, path);
        t.is(on.decode(again.text, path).article.body, stored.article.body);

        const retitled = { ...stored.article, title: 'Clay', revision: 'r2' };
        const changed = on.amend(text, stored, retitled, path, stored.bodyKind ?? 'markdown');
        const without = (file: string) => file.replace(/^(?:title| {2}(?:revision|digest)): .*\n/gm, '');
        t.is(without(changed.text), without(text));
      }
    }
  });

  test(`${name}: dates and pictures are written so that the generator reads them`, (t) => {
    for (const [text, iso, options] of rows.dates)
      t.deepEqual(mapping(options).date(iso), written(text), iso);
    for (const [image, url] of rows.images ?? [['a.png', 'a.png']]) t.is(mapping().image(url), image, url);
  });

  test(`${name}: a tag has the key of its page, and none where it can have none`, (t) => {
    for (const [tag, key] of Object.entries(rows.tags)) t.is(mapping().tagKey(tag), key, tag);
  });

  test(`${name}: tags are one by NFC, case and blanks, none is empty, makes a hidden folder, or is one that selects posts`, (t) => {
    const { tagKey } = format({ keys: { tags: 'tags' }, keptTags: ['nav', 'Posts'] });
    if (tagKey === undefined) return t.fail('this site has no tags');
    for (const spellings of SPELLINGS) {
      const [key = '', ...others] = new Set(spellings.map(tagKey));
      t.deepEqual([key !== '', others], [true, []], spellings[0]);
    }
    t.not(tagKey('Café'), tagKey('Cave'));
    for (const tag of ['', '\u200b\n', '.', '..', ' NAV\u200b', 'posts'])
      t.is(tagKey(tag), '', JSON.stringify(tag));
    for (const tag of ['.NET', '\u200b.well-known', './x', '".x"']) t.notRegex(tagKey(tag), /^\.|\/\./, tag);
    t.not(tagKey('navy'), '');
  });

  const { kept } = rows;
  if (kept !== undefined)
    test(`${name}: tags by which the site selects posts are known`, async (t) => {
      const [files, tags] = kept;
      const { options } = await generator.inspect(askedSite(files));
      t.deepEqual(options.keptTags?.toSorted(), tags.toSorted());
    });
}

test('an article is stored as HTML where the config wants that', (t) => {
  const incoming = { kind: 'markdown', markdown: '*Words*', html: '<p>Words</p>' } as const;
  for (const { mapping } of GENERATORS) {
    const { body } = mapping({ body: 'html', constants: {}, address: (slug) => slug });
    t.false(body(incoming, 'a.md').text.includes('*Words*'));
  }
});

test('without the generator on the machine, the usual values are taken', async (t) => {
  const USUAL: Readonly<Record<string, readonly [files: Record<string, string>, facts: object]>> = {
    hugo: [
      { 'hugo.toml': 'baseURL = "https://garden.example/"' },
      { content: 'content', file: 'posts/:slug.md', permalink: '/posts/:slug/', output: 'public' },
    ],
    jekyll: [
      { '_config.yml': 'url: https://a.example' },
      { content: '_posts', file: ':year-:month-:day-:slug.md', output: '_site' },
    ],
    eleventy: [{ 'eleventy.config.js': '' }, { content: 'posts', output: '_site' }],
    astro: [
      { 'astro.config.mjs': '' },
      { content: 'src/content/blog', permalink: '/blog/:slug/', output: 'dist' },
    ],
  };
  for (const generator of GENERATORS) {
    const [files, facts] = USUAL[generator.name] ?? [];
    if (files !== undefined)
      t.like(await generator.inspect(askedSite(files)), { siteUrl: undefined, ...facts }, generator.name);
  }
});
