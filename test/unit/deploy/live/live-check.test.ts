import http from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { awaitLive, problemOf } from '../../../../src/deploy/live/live-check.js';

const { signal } = new AbortController();
const URL = 'https://garden.example/blog/bees/?a=1&b=2';
const COMMENT = '<!-- svc:item:bees -->';
const JSON_LD = '<script type="application/ld+json">{"@type":"Article","n":"<b>"}</script>';
const expected = { url: URL, jsonLd: JSON_LD, comments: [COMMENT] };

const html = (head: string, body: string) =>
  `<!doctype html><html><head><title>Bees</title>${head}</head><body>${body}</body></html>`;
const answer = (text: string, over: { status?: number; headers?: http.IncomingHttpHeaders } = {}) => ({
  status: 200,
  headers: {},
  text,
  ...over,
});
const GOOD = html(`${JSON_LD}<link rel=canonical href="/blog/bees/?a=1&amp;b=2">`, `<p>Text</p>${COMMENT}`);

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
  [
    'a page that is not to be indexed by its headers',
    answer(GOOD, { headers: { 'x-robots-tag': 'noindex' } }),
    /noindex/,
  ],
] as const)
  test(`${title} is not live`, (t) => {
    t.regex(problemOf(expected, found) ?? '', problem);
  });

test('the word noindex in a text does not make a page one that is not to be indexed', (t) => {
  const text = html(
    `${JSON_LD}<meta name="description" content="noindex">`,
    `<meta name=robots content=noindex>${COMMENT}`,
  );
  t.is(problemOf(expected, answer(text)), undefined);
});

/** A site that is served from this machine. */
async function site(t: ExecutionContext, handler: (path: string, response: http.ServerResponse) => void) {
  const server = http.createServer((request, response) => handler(request.url ?? '', response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('an article is live once its page has the present text', async (t) => {
  let asked = 0;
  const siteUrl = await site(t, (_, response) => response.end(html('', ++asked < 3 ? 'old' : COMMENT)));
  const page = { url: `${siteUrl}/a/`, jsonLd: '', comments: [COMMENT] };
  t.deepEqual(await awaitLive(page, { siteUrl, pausesMs: [0, 0, 0, 0] }, signal), { kind: 'live' });
  t.is(asked, 3);
});

test('redirects are followed within the site, and never out of it', async (t) => {
  let outside = 0;
  const other = await site(t, (_, response) => {
    outside++;
    response.end(html('', COMMENT));
  });
  const siteUrl = await site(t, (path, response) => {
    const to = { '/moved': '/a/', '/out': `${other}/a/`, '/loop': '/loop' }[path];
    if (to === undefined) response.end(html('', COMMENT));
    else response.writeHead(301, { Location: to }).end();
  });
  const check = async (path: string) => {
    const page = { url: `${siteUrl}${path}`, jsonLd: '', comments: [COMMENT] };
    const result = await awaitLive(page, { siteUrl, pausesMs: [0] }, signal);
    return result.kind === 'live' ? 'live' : result.found;
  };
  t.is(await check('/moved'), 'live');
  t.is(await check('/out'), `a redirect leads to ${other}, which is not the site`);
  t.is(await check('/loop'), 'more than 5 redirects');
  t.is(outside, 0);
});

test('a URL of another origin is not fetched, nor a public site that leads to a private address', async (t) => {
  const page = { url: 'https://other.example/a/', jsonLd: '', comments: [] };
  const options = { siteUrl: 'https://garden.example', pausesMs: [0] };
  t.deepEqual(await awaitLive(page, options, signal), {
    kind: 'not-live',
    found: 'its URL leads to https://other.example, which is not the site',
  });
  const resolve = () => Promise.resolve([{ address: '192.168.0.1', family: 4 }]);
  const result = await awaitLive({ ...page, url: URL }, { ...options, resolve }, signal);
  t.regex(result.kind === 'live' ? '' : result.found, /192\.168\.0\.1, which is not a public address/);
});
