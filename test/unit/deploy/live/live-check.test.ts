import { gzipSync } from 'node:zlib';
import test from 'ava';
import { fetchText } from '../../../../src/deploy/fetch-text.js';
import { checkLive, type LiveCheckOptions } from '../../../../src/deploy/live/awaited.js';
import { meantFor, problemOf } from '../../../../src/deploy/live/page-problem.js';
import { startEndpoint } from '../../../support/endpoint.js';

const { signal } = new AbortController();
const URL = 'https://garden.example/blog/bees/?a=1&b=2';
const COMMENT = '<!-- svc:item:bees -->';
const JSON_LD = '<script type="application/ld+json">{"@type":"Article","n":"<b>"}</script>';
const expected = { url: URL, jsonLd: JSON_LD, comments: [COMMENT] };

const html = (head: string, body: string) =>
  `<!doctype html><html><head><title>Bees</title>${head}</head><body>${body}</body></html>`;
const answer = (text: string, over: { status?: number; robots?: string } = {}) => ({
  status: 200,
  robots: '',
  text,
  ...over,
});
const GOOD = html(`${JSON_LD}<link rel=canonical href="/blog/bees/?a=1&amp;b=2">`, `<p>Text</p>${COMMENT}`);

const pageProblem: LiveCheckOptions['pageProblem'] = async (...args) => problemOf(...args);

test('a page with the comment, the JSON-LD in its head and its own canonical link is live', (t) => {
  t.is(problemOf(expected, answer(GOOD)), undefined);
  t.is(problemOf({ ...expected, jsonLd: '', comments: [] }, answer(html('', ''))), undefined);
});

for (const [title, found, problem] of [
  ['a page that is not there', answer(GOOD, { status: 404 }), /answers 404/],
  [
    'a page without the comment',
    answer(html(JSON_LD, '<p>Text</p>')),
    /the item comment <!-- svc:item:bees -->/,
  ],
  [
    'a page with the comment in an attribute',
    answer(html(JSON_LD, `<p title="${COMMENT}">Text</p>`)),
    /the item comment/,
  ],
  ['a page with the JSON-LD in its body', answer(html('', `${JSON_LD}${COMMENT}`)), /JSON-LD/],
  [
    'a page of another text',
    answer(html('<script type="application/ld+json">{}</script>', COMMENT)),
    /JSON-LD/,
  ],
  [
    'a page with another canonical link',
    answer(html(`${JSON_LD}<link href="/" rel="alternate canonical">`, COMMENT)),
    /canonical link is "\/"/,
  ],
  [
    'a page that is not to be indexed',
    answer(html(`${JSON_LD}<META NAME=robots CONTENT="NoIndex, follow">`, COMMENT)),
    /noindex/,
  ],
  ['a page that is not to be indexed by its headers', answer(GOOD, { robots: 'noindex' }), /noindex/],
] as const)
  test(`${title} is not live`, (t) => {
    t.regex(problemOf(expected, found) ?? '', problem);
  });

for (const [rules, isForbidden] of [
  ['noindex', true],
  [' NOINDEX ', true],
  ['none', true],
  ['nofollow, noindex', true],
  ['noindex nofollow', true],
  ['max-snippet:-1, noindex', true],
  ['googlebot: noindex', true],
  ['otherbot: nofollow, googlebot: noindex', true],
  ['', false],
  ['index, follow', false],
  ['max-image-preview:none', false],
  ['max-image-preview: none, max-snippet:-1, max-video-preview:-1', false],
  ['Otherbot: noindex', false],
  ['otherbot : noindex, nofollow', false],
  ['googlebot: nofollow, otherbot: none', false],
  ['noimageindex, noindexing', false],
] as const)
  test(`the rules for crawlers ${JSON.stringify(rules)} ${isForbidden ? 'forbid' : 'allow'} the index`, (t) => {
    const problem = isForbidden ? 'the page says noindex' : undefined;
    t.is(problemOf(expected, answer(GOOD, { robots: rules })), problem);
    t.is(
      problemOf(expected, answer(html(`${JSON_LD}<meta name=robots content="${rules}">`, COMMENT))),
      problem,
    );
    const others = html(`${JSON_LD}<meta name=otherbot content="${rules}">`, COMMENT);
    t.is(problemOf(expected, answer(others)), undefined);
  });

for (const [link, isSame] of [
  ['https://garden.example/blog/bees?a=1&amp;b=2', true],
  ['https://GARDEN.example:443/blog/bees/?a=1&amp;b=2#top', true],
  ['https://garden.example/blog/bees//?a=1&amp;b=2', false],
  ['https://garden.example/blog/bees/', false],
  ['http://garden.example/blog/bees/?a=1&amp;b=2', false],
] as const)
  test(`the canonical link ${link} is ${isSame ? 'the article’s' : 'another page’s'}`, (t) => {
    const problem = problemOf(
      expected,
      answer(html(`${JSON_LD}<link rel=canonical href="${link}">`, COMMENT)),
    );
    t.is(problem === undefined, isSame, problem);
  });

test('the word noindex in a text does not make a page one that is not to be indexed', (t) => {
  const text = html(
    `${JSON_LD}<meta name="description" content="noindex">`,
    `<meta name=robots content=noindex>${COMMENT}`,
  );
  t.is(problemOf(expected, answer(text)), undefined);
});

test('a redirect is not followed, and a URL of another origin is not fetched', async (t) => {
  const { got, origin: siteUrl } = await startEndpoint(t, ({ path }, response) => {
    response.writeHead(path === '/moved/' ? 301 : 200, { Location: '/a/' }).end(html('', COMMENT));
  });
  const check = async (url: string) =>
    await checkLive({ url, jsonLd: '', comments: [COMMENT] }, { siteUrl, pageProblem }, signal);
  t.is(await check(`${siteUrl}/moved/`), 'the page answers 301');
  t.is(
    await check('https://other.example/a/'),
    'its URL leads to https://other.example, which is not the site',
  );
  t.deepEqual(
    got.map(({ path }) => path),
    ['/moved/'],
  );
});

test('an answer is read decompressed, no further than 5 MB, and its rules for crawlers count', async (t) => {
  const { origin: siteUrl } = await startEndpoint(t, ({ path }, response) => {
    if (path === '/noindex/') response.setHeader('X-Robots-Tag', ['noindex', 'otherbot: nofollow']);
    response.setHeader('Content-Encoding', 'gzip');
    response.end(gzipSync(path === '/bomb/' ? Buffer.alloc(50_000_000) : html('', COMMENT)));
  });
  const check = async (path: string) => {
    const page = { url: `${siteUrl}${path}`, jsonLd: '', comments: [COMMENT] };
    return await checkLive(page, { siteUrl, pageProblem }, signal);
  };
  t.is(await check('/a/'), undefined);
  t.is(await check('/noindex/'), 'the page says noindex');
  t.is(await check('/bomb/'), 'the answer of 127.0.0.1 is larger than 5 MB');
});

test('a server that does not answer is given up', async (t) => {
  const { url: silent } = await startEndpoint(t, () => undefined);
  const url = new globalThis.URL(silent);
  const request = { method: 'GET', headers: {}, maxBytes: 1_000, timeoutMs: 200 } as const;
  await t.throwsAsync(fetchText(url, request, signal), {
    code: 'UNREACHABLE',
    message: '127.0.0.1 did not answer within 0.2 s',
  });
});

/** What took hours when its time grew with the square of its length; see hostile-pages for comments and JSON-LD. */
const HOSTILE_PAGES = {
  'comments and no head': '<!-- x -->'.repeat(150_000),
  'unfinished tags': '<a '.repeat(500_000),
};

for (const [name, text] of Object.entries(HOSTILE_PAGES))
  test(`a page of ${name} is looked at in time`, (t) => {
    const comments = Array.from({ length: 20_000 }, (_, n) => `<!-- svc:item:${59_999 - n} -->`);
    const page = { ...expected, jsonLd: `${'<!---->'.repeat(40_000)}x`, comments };
    t.regex(problemOf(page, answer(text)) ?? '', /^(?:the page does not have|the head does not have)/);
  });

test('a page may say noindex and have another canonical link where the front matter of its article says so, and must then', (t) => {
  const robots = '<meta name="robots" content="noindex">';
  const link = '<link rel="canonical" href="https://other.example/soil/">';
  const meant = { ...expected, ...meantFor({ noindex: true, canonical: 'https://other.example/soil/' }) };
  t.is(problemOf(meant, answer(html(`${JSON_LD}${robots}${link}`, COMMENT))), undefined);
  t.regex(problemOf(meant, answer(html(`${JSON_LD}${link}`, COMMENT))) ?? '', /does not say noindex/);
  t.regex(problemOf(meant, answer(html(`${JSON_LD}${robots}`, COMMENT))) ?? '', /no canonical link/);
  t.deepEqual(meantFor({ noindex: 'yes', canonical: '/soil/' }), {});
});
