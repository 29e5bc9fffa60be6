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

test('a page that lacks something, or is not to be indexed, is not live', (t) => {
  for (const [found, problem] of [
    [answer(GOOD, { status: 404 }), /answers 404/],
    [answer(html(JSON_LD, `<p title="${COMMENT}">Text</p>`)), /the item comment <!-- svc:item:bees -->/],
    [answer(html('', `${JSON_LD}${COMMENT}`)), /JSON-LD/],
    [answer(html(`${JSON_LD}<link href="/" rel="alternate canonical">`, COMMENT)), /canonical link is "\/"/],
    [answer(html(`${JSON_LD}<META NAME=robots CONTENT="NoIndex, follow">`, COMMENT)), /noindex/],
    [answer(GOOD, { robots: 'noindex' }), /noindex/],
  ] as const)
    t.regex(problemOf(expected, found) ?? '', problem);
});

test('rules for crawlers forbid the index where they say so for all or for Google', (t) => {
  for (const [rules, isForbidden] of [
    [' NOINDEX ', true],
    ['none', true],
    ['noindex nofollow', true],
    ['max-snippet:-1, noindex', true],
    ['otherbot: nofollow, googlebot: noindex', true],
    ['index, follow', false],
    ['max-image-preview: none, max-snippet:-1', false],
    ['otherbot : noindex, nofollow', false],
    ['googlebot: nofollow, otherbot: none', false],
    ['noimageindex, noindexing', false],
  ] as const) {
    const problem = isForbidden ? 'the page has noindex' : undefined;
    t.is(problemOf(expected, answer(GOOD, { robots: rules })), problem, rules);
    const meta = (name: string) => answer(html(`${JSON_LD}<meta name=${name} content="${rules}">`, COMMENT));
    t.is(problemOf(expected, meta('robots')), problem, rules);
    t.is(problemOf(expected, meta('otherbot')), undefined, rules);
  }
});

test('a canonical link is the article’s but for the fragment and one slash at its end', (t) => {
  for (const [link, isSame] of [
    ['https://GARDEN.example:443/blog/bees?a=1&amp;b=2#top', true],
    ['https://garden.example/blog/bees//?a=1&amp;b=2', false],
    ['https://garden.example/blog/bees/', false],
    ['http://garden.example/blog/bees/?a=1&amp;b=2', false],
  ] as const) {
    const page = html(`${JSON_LD}<link rel=canonical href="${link}">`, COMMENT);
    t.is(problemOf(expected, answer(page)) === undefined, isSame, link);
  }
});

test('an answer is read decompressed, no further than 5 MB, and its rules for crawlers count; a redirect is not followed, and a URL of another origin not fetched', async (t) => {
  const { got, origin: siteUrl } = await startEndpoint(t, ({ path }, response) => {
    if (path === '/moved/') response.statusCode = 301;
    response.setHeader('Location', '/a/');
    if (path === '/noindex/') response.setHeader('X-Robots-Tag', ['noindex', 'otherbot: nofollow']);
    response.setHeader('Content-Encoding', 'gzip');
    response.end(gzipSync(path === '/bomb/' ? Buffer.alloc(6_000_000) : html('', COMMENT)));
  });
  const check = async (path: string, origin = siteUrl) => {
    const page = { url: `${origin}${path}`, jsonLd: '', comments: [COMMENT] };
    return await checkLive(page, { siteUrl, pageProblem }, signal);
  };
  t.is(await check('/moved/'), 'the page answers 301');
  const other = 'https://other.example';
  t.is(await check('/a/', other), `its URL is at ${other}, which is not the site`);
  t.is(got.length, 1, 'neither where the redirect leads nor the other origin');
  t.is(await check('/a/'), undefined);
  t.is(await check('/noindex/'), 'the page has noindex');
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

// It took hours when the time grew with the square of the length; see hostile-pages for comments and JSON-LD.
test('a page of comments and no head is looked at in time', (t) => {
  const comments = Array.from({ length: 10_000 }, (_, n) => `<!-- svc:item:${59_999 - n} -->`);
  const page = { ...expected, jsonLd: `${'<!---->'.repeat(20_000)}x`, comments };
  t.regex(problemOf(page, answer('<!-- x -->'.repeat(50_000))) ?? '', /^the page does not have/);
});

test('a page may say noindex and have another canonical link where the front matter of its article says so, and must then', (t) => {
  const robots = '<meta name="robots" content="noindex">';
  const link = '<link rel="canonical" href="https://other.example/soil/">';
  const meant = { ...expected, ...meantFor({ noindex: true, canonical: 'https://other.example/soil/' }) };
  t.is(problemOf(meant, answer(html(`${JSON_LD}${robots}${link}`, COMMENT))), undefined);
  t.regex(problemOf(meant, answer(html(`${JSON_LD}${link}`, COMMENT))) ?? '', /does not have noindex/);
  t.regex(problemOf(meant, answer(html(`${JSON_LD}${robots}`, COMMENT))) ?? '', /no canonical link/);
  t.deepEqual(meantFor({ noindex: 'yes', canonical: '/soil/' }), {});
});
