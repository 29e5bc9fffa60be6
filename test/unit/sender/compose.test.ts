import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { htmlTokens } from '../../../src/article/text/html-tokens.js';
import { parseDelivery } from '../../../src/contract/envelope.js';
import { articleId, composeArticle, composeUpdate } from '../../../src/sender/article/compose.js';
import { readDraft, whyUnfinished } from '../../../src/sender/article/draft.js';
import { parseMarkdown, renderTokens } from '../../../src/sender/article/markdown.js';
import type { Connector } from '../../../src/sender/connectors.js';
import { envelopeBytes, envelopeOf } from '../../../src/sender/delivery/send-event.js';
import { tempDir } from '../../support/temp-dir.js';

const AT = '2026-11-19T08:00:00.000Z';

const connector: Connector = {
  name: 'garden',
  url: 'https://r.example/hook',
  secret: 's',
  author: '',
  application: 'The Garden',
  tracking: null,
  service: { name: 'Service', comment: 'svc' },
  earlier: [],
  baseUrl: null,
  key: '0123456789abcdef',
};

const target = {
  id: 'stored',
  url: 'https://g.example/a/',
  revision_id: 'r1',
  title: 'A',
  content_html: '<p>a</p>\n<!-- svc:item:first -->',
};

type Test = { teardown(dispose: () => void): void };

function draft(t: Test, text: string, name = 'bees.md') {
  const path = join(tempDir(t), name);
  fs.writeFileSync(path, text);
  return readDraft(path);
}

const compose = (t: Test, text: string, over: Partial<Connector> = {}, name?: string) =>
  composeArticle(draft(t, text, name), { ...connector, ...over }, 'a-1', AT);

const blocks = (jsonLd: string) =>
  jsonLd.split('\n').map((line) => {
    const json = /^<script type="application\/ld\+json">(.*)<\/script>$/.exec(line)?.[1] ?? '';
    return JSON.parse(json) as Record<string, unknown>;
  });

test('an article gets every field of the contract from its front matter and its text', (t) => {
  const data = compose(
    t,
    [
      '---',
      'title: "Keeping bees: a start"',
      'slug: keeping-bees',
      'tags: [bees, city, bees, ""]',
      'description: What a hive needs.',
      'keyword: balcony bees',
      'image: https://images.example/hive.jpg',
      'author: Marta Oak',
      'layout: post',
      '---',
      '',
      'Some *text* & <b>raw</b>.',
      '',
    ].join('\n'),
  );
  const { json_ld: jsonLd, ...rest } = data;
  t.deepEqual(rest, {
    id: 'a-1',
    title: 'Keeping bees: a start',
    slug: 'keeping-bees',
    content_html: '<p>Some <em>text</em> &amp; <b>raw</b>.</p>\n<!-- svc:item:a-1 -->',
    content_markdown: 'Some *text* & <b>raw</b>.\n\n<!-- svc:item:a-1 -->',
    meta_description: 'What a hive needs.',
    focus_keyword: 'balcony bees',
    featured_image_url: 'https://images.example/hive.jpg',
    tags: ['bees', 'city'],
    author: 'Marta Oak',
    published_at: AT,
  });
  t.regex(jsonLd, /^<script type="application\/ld\+json">\{.*\}<\/script>\n<script.*<\/script>$/);
  const request = envelopeBytes(envelopeOf('article.published', { ...data }, AT));
  t.deepEqual(parseDelivery(request, undefined).data, data, 'a receiver takes it as it is');
});

test('without front matter the title is that of the first heading in its words alone, the slug that of the file, the author the application', (t) => {
  const data = compose(t, '---\n---\n\n# Wind & weather #\n\nText.\n', {}, '2024-03-02-Über den Wind.md');
  t.like(data, { title: 'Wind & weather', slug: 'über-den-wind', author: 'The Garden' });
  t.is(data.content_html, '<p>Text.</p>\n<!-- svc:item:a-1 -->');
  t.deepEqual([data.featured_image_url, data.tags], [null, []]);
  for (const [heading, title] of [
    ['# **Bees** & `honey` in [towns](https://t.example) <br>', 'Bees & honey in towns'],
    ['# Learning C# ##  ', 'Learning C#'],
  ] as const)
    t.is(compose(t, `---\n---\n${heading}\n\nText.\n`).title, title);
  const code = compose(t, '---\n---\n\n    # npm install\n\nText.\n');
  t.deepEqual([code.title, code.content_markdown.slice(0, 17)], ['', '    # npm install'], 'it is code');
  const untitled = compose(t, '---\n---\nText.\n');
  t.is(untitled.title, '');
  t.notRegex(untitled.json_ld, /headline/);
  const authors = ['---\nauthor: A\n---\nx', '---\n---\nx'].map(
    (text) => compose(t, text, { author: 'B' }).author,
  );
  t.deepEqual(authors, ['A', 'B'], 'the connector’s comes before the application’s');
});

test('the item comment is no code where the text ends in a code block that is still open', (t) => {
  const markdown = (text: string) => compose(t, `---\n---\n${text}\n`).content_markdown;
  const comment = '\n\n<!-- svc:item:a-1 -->';
  t.is(markdown('One\n\n~~~~ js\ncode\n~~~'), `One\n\n~~~~ js\ncode\n~~~\n~~~~${comment}`);
  t.is(markdown('One\n\n```'), `One\n\n\`\`\`\n\`\`\`${comment}`);
  for (const closed of ['```\ncode\n```', '```\n```', '- ```\n  code', '    code'])
    t.is(markdown(closed), `${closed}${comment}`);
});

test('tracking markup is added only where the connector asks for it, between the text and the item comment', (t) => {
  const data = compose(t, '---\n---\nx', { tracking: 'https://stats.example/v?a=1' });
  const image = '<img src="https://stats.example/v?a=1&amp;item=a-1" alt="" width="1" height="1">';
  t.is(data.content_html, `<p>x</p>\n${image}\n<!-- svc:item:a-1 -->`);
  t.is(data.content_markdown, `x\n\n${image}\n<!-- svc:item:a-1 -->`);
  t.notRegex(compose(t, '---\n---\nx').content_html, /<img/);
});

test('the JSON-LD describes an Article and an Organization, and is the same text each time', (t) => {
  const text = '---\ntitle: "</script><b>"\ndate: 2024-05-01 10:00:00\ntags: a, b\n---\nx';
  const jsonLd = compose(t, text).json_ld;
  const context = { '@context': 'https://schema.org' };
  t.deepEqual(blocks(jsonLd), [
    {
      ...{ ...context, '@type': 'Article', headline: '</script><b>' },
      author: { '@type': 'Person', name: 'The Garden' },
      publisher: { '@type': 'Organization', name: 'The Garden' },
      datePublished: '2024-05-01T10:00:00',
      keywords: 'a, b',
    },
    { ...context, '@type': 'Organization', name: 'The Garden' },
  ]);
  t.is(compose(t, text).json_ld, jsonLd);
  t.is(jsonLd.match(/<\/script>/g)?.length, 2, 'no text ends a block early');
});

test('the JSON-LD describes a FAQPage where headings ask questions', (t) => {
  const text = [
    ...['---', '---', '## Why bees?', 'They *hum*,', 'and `work`.', '', '- one'],
    ...['- two ![a hive](https://images.example/h.jpg)', '', '### And wasps?', '## No question', 'Text.'],
    ...['## <b>Where</b> to [begin](https://g.example)?', '```', 'here', '```'],
  ].join('\n');
  const question = (name: string, answer: string) => ({
    ...{ '@type': 'Question', name, acceptedAnswer: { '@type': 'Answer', text: answer } },
  });
  t.deepEqual(blocks(compose(t, text).json_ld)[2], {
    '@context': 'https://schema.org',
    '@type': 'FAQPage',
    mainEntity: [
      question('Why bees?', 'They hum, and work. one two a hive'),
      question('Where to begin?', 'here'),
    ],
  });
});

test('an update keeps the comment that the article is recognised by, and names target, base and revision', (t) => {
  const data = composeUpdate(draft(t, '---\n---\nnew'), connector, target, 'draft-1', AT);
  t.is(data.content_html, '<p>new</p>\n<!-- svc:item:first -->');
  t.is(data.content_markdown, 'new\n\n<!-- svc:item:first -->');
  t.like(data, {
    ...{ id: 'draft-1', revision_id: 'draft-1', base_revision_id: 'r1', published_at: AT },
    ...{ target_id: 'stored', target_url: 'https://g.example/a', featured_image_url: null },
  });
  const request = envelopeBytes(envelopeOf('article.updated', { ...data }, AT));
  t.deepEqual(parseDelivery(request, { name: 'X-Service-Contract', value: '2' }).data, data);
  const bare = composeUpdate(draft(t, '---\n---\nnew'), connector, { ...target, content_html: 'x' }, 'd', AT);
  t.regex(bare.content_html, /<!-- svc:item:stored -->$/);
});

test('an update keeps the day of publication', (t) => {
  const update = (text: string, publishedAt?: string) =>
    composeUpdate(draft(t, text), connector, target, 'd', AT, publishedAt);
  const published = (data: { json_ld: string }) => blocks(data.json_ld)[0]?.datePublished;
  t.is(published(update('---\n---\nnew', '2024-05-01T08:00:00.000Z')), '2024-05-01T08:00:00.000Z');
  t.is(published(update('---\ndate: 2023-01-02\n---\nnew', '2024-05-01T08:00:00.000Z')), '2023-01-02');
  t.is(published(update('---\n---\nnew')), undefined, 'it was not published from here');
});

test('nothing in a text keeps the one item comment from being the last of the body', (t) => {
  const comment = '<!-- svc:item:a-1 -->';
  const tracking = 'https://stats.example/v';
  for (const text of [
    ...['Text.\n\n<!-- to be continued', 'Text.\n\n<script>\nlet a', 'Text.\n\n<!-- <!-- svc:item:a-1'],
    ...[`One.\n\n${comment}\n\nTwo.`, `x\n\n${comment}`, `\`${comment}\``],
  ]) {
    const data = compose(t, `---\n---\n${text}\n`);
    for (const html of [data.content_html, renderTokens(parseMarkdown(data.content_markdown)).trimEnd()]) {
      const last = htmlTokens(html).at(-1);
      t.deepEqual([last?.kind, html.slice(last?.start)], ['comment', comment], html);
    }
    t.regex(
      compose(t, `---\n---\n${text}\n`, { tracking }).content_html,
      /<img [^>]+>\n<!-- svc:item:a-1 -->$/,
    );
  }
  t.is(compose(t, `---\n---\nx\n\n${comment}\n`).content_html, `<p>x</p>\n${comment}`, 'it is there already');
});

test('an article is sent with the comment of the connector’s service, and keeps that of another service', (t) => {
  const acme = { ...connector, service: { name: 'Acme', comment: 'acme' } };
  t.true(compose(t, '---\n---\nx', acme).content_html.endsWith('<!-- acme:item:a-1 -->'));
  const data = composeUpdate(draft(t, '---\n---\nnew'), acme, target, 'd', AT);
  t.is(data.content_html, '<p>new</p>\n<!-- svc:item:first -->\n<!-- acme:item:stored -->');
});

test('the id is the file’s own, or made from its place and the connector’s key', (t) => {
  const named = draft(t, '---\nid: my-id\n---\nx');
  t.is(articleId(named, connector, '/a', '/a/b.md'), 'my-id');
  const plain = draft(t, '---\n---\nx');
  const id = articleId(plain, connector, '/a', '/a/posts/b.md');
  t.regex(id, /^md-[0-9a-f]{24}$/);
  t.is(articleId(plain, connector, '/moved', '/moved/posts/b.md'), id, 'the folder as a whole may move');
  t.not(articleId(plain, connector, '/a', '/a/posts/c.md'), id);
  t.not(articleId(plain, { ...connector, key: 'another-key-0123' }, '/a', '/a/posts/b.md'), id);
});

test('a file that cannot be sent is refused, and the error names the reason', (t) => {
  for (const [text, words] of [
    ['hello', /line 1: there is no front matter/],
    ['---\ndate: 01.05.2024\n---\nhello', /date "01\.05\.2024" is not an ISO 8601 date/],
    ['---\ndraft: maybe\n---\nhello', /draft "maybe" is neither true nor false/],
    ['---\ntitle: a\ntags: [x\n---\nhello', /line \d+: unexpected end/],
    ['---js\n{title: process.exit()}\n---\nhello', /"js" is not read/],
    ['---\ntitle: [a]\n---\nhello', /"title" must be a text/],
    ['---\nid: "a --> b"\n---\nhello', /must be made of letters, digits/],
    ['---\ntitle: x\n---\n\n \n', /there is no text/],
  ] as const)
    t.throws(() => draft(t, text), { code: 'ARTICLE_FILE_INVALID', message: words });
});

test('a file with draft: true or published: false, in any words of YAML, is unfinished', (t) => {
  for (const line of ['draft: true', 'draft: On', 'draft: 1', 'published: false', 'published: no'])
    t.true(draft(t, `---\n${line}\n---\nx`).unfinished, line);
  for (const line of ['draft: false', 'draft: no', 'draft:', 'published: yes'])
    t.false(draft(t, `---\n${line}\n---\nx`).unfinished, line);
});

test('front matter is read in YAML, TOML and JSON, with the keys that generators have', (t) => {
  const yaml = `---
title: Bees
excerpt: About bees
authors: [Ada, {name: Grace}]
cover: {image: "https://example.com/bee.jpg"}
tags: honey wax
categories: [Insects, honey]
permalink: /2024/05/the-bees/
date: 2024-1-5
---
Text`;
  const toml = `+++
title = "Bees"
summary = "About bees"
author = ["Ada", "Grace"]
image = { src = "https://example.com/bee.jpg" }
tags = ["honey", "wax"]
categories = ["Insects"]
url = "/2024/05/the-bees.html"
date = 2024-01-05
+++
Text`;
  const json = JSON.stringify({
    title: 'Bees',
    description: 'About bees',
    author: 'Ada, Grace',
    featured_image: 'https://example.com/bee.jpg',
    tags: 'honey, wax',
    category: 'Insects',
    slug: 'the-bees',
    date: '2024-01-05',
  });
  const read = {
    ...{
      title: 'Bees',
      description: 'About bees',
      author: 'Ada, Grace',
      image: 'https://example.com/bee.jpg',
    },
    ...{ tags: ['honey', 'wax', 'Insects'], slug: 'the-bees', date: '2024-01-05', warnings: [] },
  };
  for (const text of [yaml, toml, `${json}\nText`]) {
    const found: Readonly<Record<string, unknown>> = { ...draft(t, text) };
    for (const [key, value] of Object.entries(read)) t.deepEqual(found[key], value, `${key} of ${text}`);
  }
});

test('dates are read as generators take them, and are ISO 8601 in what is sent', (t) => {
  for (const [written, sent] of [
    ['2024-01-05 10:00:00 UTC', '2024-01-05T10:00:00Z'],
    ['2024-01-05 9:30 +0200', '2024-01-05T09:30+02:00'],
    ['2024-01-05T10:00:00.5-03', '2024-01-05T10:00:00.5-03:00'],
    ['2024-12-1', '2024-12-01'],
  ])
    t.is(draft(t, `---\ndate: ${written}\n---\nx`).date, sent);
});

test('a post is left out before its date, in its name too, and after its expiry', (t) => {
  const now = Date.parse('2026-06-01T00:00:00Z');
  const why = (text: string) => whyUnfinished(draft(t, text), now);
  t.is(why('---\ndate: 2026-05-31\n---\nx'), undefined);
  t.is(
    why('---\ndate: 2020-01-01\npublishDate: 2090-01-01\n---\nx'),
    'its date is still to come: 2090-01-01',
  );
  t.is(why('---\ndate: 2090-01-01\npublishDate: 2020-01-01\n---\nx'), undefined);
  t.is(why('---\nexpiryDate: 2026-06-01\n---\nx'), 'it has expired: 2026-06-01');
  t.is(why('---\ndraft: true\n---\nx'), 'it is a draft');
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, '_drafts'));
  const named = (name: string) => {
    fs.writeFileSync(join(dir, name), '---\ntitle: x\n---\nText');
    return readDraft(join(dir, name));
  };
  const later = named('2031-01-12-later.md');
  t.deepEqual([later.slug, later.date], ['later', '2031-01-12']);
  t.is(whyUnfinished(later, now), 'its date is still to come: 2031-01-12');
  t.is(whyUnfinished(named('_drafts/idea.md'), now), 'it is a draft');
});

test('what would go as text, or lead nowhere on another site, is named', (t) => {
  const warned = (body: string, more = '') => draft(t, `---\ntitle: Bees\n${more}---\n${body}`).warnings;
  for (const [body, word] of [
    ['![a](../images/a.png)', /relative link or picture/],
    ['[a](/about/)', /relative link/],
    ['<img src="a.png">', /in HTML/],
    ['{{< figure src="a" >}}', /shortcode/],
    ['{% include a.html %}', /template tag/],
    ['{{ site.title }}', /template tag/],
    ['Text\n{: .note}', /kramdown/],
    ['Text[^1]\n\n[^1]: Note', /footnote/],
    ['- [ ] To do', /task list/],
    ['$$\nx^2\n$$', /formula/],
    ['# Bees\n\nText', /title again/],
  ] as const)
    t.regex(warned(body).join(), word, body);
  for (const body of [
    '[a](https://example.com/) [b](#part) <a href="mailto:a@b.example">',
    '```\n{{< x >}} ![a](b.png)\n```',
    '`{% raw %}`',
    '# Wasps',
  ])
    t.deepEqual(warned(body), [], body);
  t.regex(warned('Text', 'image: /img/a.jpg\n').join(), /image "\/img\/a\.jpg" is left out/);
});

test('with the address of the old site, relative links and pictures are absolute, and code stays as it is', (t) => {
  const path = join(tempDir(t), 'bees.md');
  const read = (text: string, base: string) => {
    fs.writeFileSync(path, `---\n${text}`);
    return readDraft(path, base);
  };
  const page = 'https://old.example/2024/bees/';
  const text = [
    '[a](x.html) ![b](../b.png "B") [c](/c) [d](#d) [e](https://e.example/) [f](mailto:f@e.example) [g]',
    '<img alt="" src="h.png"> `[i](i.html)` [j]({{ site.url }}/j)',
    '',
    '[g]: g.html',
    '',
    '```',
    '[k](k.html)',
    '```',
  ];
  const draft = read(
    `date: 2024-05-06\nimage: cover.png\n---\n${text.join('\n')}`,
    'https://old.example/:year/:slug/',
  );
  t.deepEqual(draft.markdown.split('\n'), [
    `[a](${page}x.html) ![b](https://old.example/2024/b.png "B") [c](https://old.example/c) [d](#d) [e](https://e.example/) [f](mailto:f@e.example) [g]`,
    `<img alt="" src="${page}h.png"> \`[i](i.html)\` [j]({{ site.url }}/j)`,
    '',
    `[g]: ${page}g.html`,
    ...text.slice(4),
  ]);
  t.is(draft.image, `${page}cover.png`);
  t.deepEqual([...draft.oldUrls], [page]);
  t.deepEqual([...draft.warnings], ['it has a template tag, which is sent as text']);

  const base = 'https://old.example/:categories/:year/:month/:day/:title.html';
  t.deepEqual(
    [...read('date: 2024-05-06\ncategories: [In The Garden]\nredirect_from: /old\n---\nx', base).oldUrls],
    ['https://old.example/in-the-garden/2024/05/06/bees.html', 'https://old.example/old'],
  );
  t.deepEqual(
    [...read('date: 2024-05-06\n---\nx', base).oldUrls],
    ['https://old.example/2024/05/06/bees.html'],
  );
  for (const [permalink, slug, url] of [
    ['/posts/on-bees/index.html', 'on-bees', 'https://old.example/posts/on-bees/'],
    ['posts/on-bees/', 'on-bees', 'https://old.example/posts/on-bees/'],
    ['index.html', 'bees', 'https://old.example/'],
    ['https://other.example/on-bees.html', 'on-bees', 'https://other.example/on-bees.html'],
  ] as const) {
    const told = read(`permalink: ${permalink}\n---\nx`, base);
    t.deepEqual([told.slug, ...told.oldUrls], [slug, url], permalink);
  }
  for (const none of ['false', '/p/:title/', '"/p/{{ title }}/"'])
    t.is(read(`permalink: ${none}\n---\nx`, base).slug, 'bees', none);
  t.deepEqual([...read('title: x\n---\nx', base).oldUrls], [], 'a part is missing');
  t.is(read('title: x\n---\n[a](b.html)', base).markdown, '[a](https://old.example/b.html)');
});
