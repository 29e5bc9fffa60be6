import fs from 'node:fs';
import type http from 'node:http';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { createTestSite } from 'pressmark/testing';
import { startEndpoint } from '../../support/endpoint.js';
import { afterAll, shared } from '../../support/teardown.js';
import { until } from '../../support/until.js';

const EXAMPLES = new URL('../../../../examples/plugins/', import.meta.url);

const example = (name: string) => new URL(`${name}.mjs`, EXAMPLES);

test('the examples are as short as their readers expect: 60 lines, adapters and pictures 150', (t) => {
  const long = new Set(['images.mjs', 'json-webhook.mjs', 'micropub.mjs', 'wordpress-rest.mjs']);
  const names = fs.readdirSync(EXAMPLES).filter((name) => name.endsWith('.mjs'));
  t.is(names.length, 15);
  for (const name of names) {
    const lines = fs.readFileSync(new URL(name, EXAMPLES), 'utf8').trimEnd().split('\n').length;
    t.true(lines <= (long.has(name) ? 150 : 60), `${name}: ${lines} lines`);
  }
});

test('the examples that read articles and pages read none twice, however it is made', async (t) => {
  const runs: ((event: object, context: object) => unknown)[] = [];
  const filters: ((html: string, page: object) => Promise<string>)[] = [];
  const extra = {
    seo_title: 'A',
    seo_description: 'B',
    noindex: true,
    pictures: [{ src: 'https://x.example/a', width: 1, avif: [], webp: [] }],
  };
  const host = {
    site: { url: 'https://x.example' },
    options: {},
    articles: { find: async () => ({ extra }) },
    job: (_: string, { run }: { run: (typeof runs)[number] }) => runs.push(run),
    addFilter: (name: string, filter: (typeof filters)[number]) =>
      name === 'page.html' && filters.push(filter),
  };
  for (const name of ['images', 'seo']) {
    const { default: plugin } = await import(example(name).href);
    plugin.pages(host);
    if (name === 'images') plugin.receiver(host);
  }
  const many = (text: string) => text.repeat(100_000);
  const body = many('![') + many('<img ') + many('<title>') + many('<meta ');
  const html = `${body}<img src="/a"${many(' ')}${many(' width')}${many(' name=')}></head>`;
  for (const run of runs) await run({ article: { id: 'a', body: html, image: null, extra } }, {});
  for (const filter of filters) t.true((await filter(html, { kind: 'article', path: '/' })).length > 0);
  t.is(runs.length + filters.length, 4);
});

/** Pages that say in some way where their web mentions go, or that they take none. */
const MENTIONED: Readonly<
  Record<string, { readonly html?: string; readonly link?: string; readonly endpoint?: string }>
> = {
  '/1': { link: '</at-1>; rel=webmention', endpoint: '/at-1' },
  '/2': { link: '<https://a.example/>; rel="other", </at-2>; rel="other webmention"', endpoint: '/at-2' },
  '/3': { html: '<LINK HREF="/at-3?x=1&amp;y=2" REL="webmention">', endpoint: '/at-3?x=1&y=2' },
  '/4/': { html: "<a href=at-4 rel='nofollow webmention'>mention me</a>", endpoint: '/4/at-4' },
  '/5': { html: '<link rel="webmention" href="">', endpoint: '/5' },
  '/6': {
    html: '<!-- <link rel="webmention" href="/wrong"> --><link rel="webmention"><a rel="webmention" href="/at-6">x</a><link rel="webmention" href="/late">',
    endpoint: '/at-6',
  },
  '/7': { html: '&lt;link rel="webmention" href="/wrong"&gt;<a rel="not-webmention" href="/wrong">x</a>' },
  '/9': { html: `${'<!--'.repeat(110_000)}-->${'<a '.repeat(150_000)}` },
  '/10': { link: '<'.repeat(12_000) },
  '/8': { link: '</at-8>; rel=webmention', html: '<link rel="webmention" href="/wrong">', endpoint: '/at-8' },
};

/** What a service was sent. */
interface Sent {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the services of announcements and of IndexNow were sent, and the web mentions that came. */
const announced: Sent[] = [];
const submitted: Sent[] = [];
const mentions: string[] = [];

/** Of the requests about unsteady articles, the first of each is refused. */
const failed = new Set<string>();
function isFailure(request: string): boolean {
  if (!request.includes('unsteady') || failed.has(request)) return false;
  failed.add(request);
  return true;
}

const lasting = afterAll(test);

const services = shared(
  test,
  (t) =>
    startEndpoint(t, ({ method, path, headers, body }, response) => {
      const service = { '/api/v1/statuses': announced, '/indexnow': submitted }[path];
      if (service !== undefined) {
        service.push({ headers, body: JSON.parse(String(body)) });
        return response.writeHead(isFailure(`${path} ${body}`) ? 503 : 200).end('busy');
      }
      const { html = '', link } = MENTIONED[path] ?? { link: '</at-more>; rel=webmention' };
      if (link !== undefined) response.setHeader('Link', link);
      if (method === 'GET') return response.end(html);
      const isRefused = path === '/at-8' && isFailure(`${path} ${body}`);
      if (!isRefused) mentions.push(`${path} ${body}`);
      return response.writeHead(isRefused ? 503 : 202).end();
    }),
  lasting,
);

/** One site with all of them, whose articles do not disturb each other. */
const site = shared(
  test,
  async (t) => {
    const { origin } = services();
    const byHand = `On [[site]].\n\n[[figure src="/a.jpg" caption="A & B"]]\n\n[[video id="x y"]] [[video id="x-1"]]\n`;
    const made = await createTestSite({
      plugins: [
        example('announcement'),
        [example('indexnow'), { endpoint: `${origin}/indexnow` }],
        [example('webmentions'), { allowPrivate: true }],
        example('shortcodes'),
        fileURLToPath(example('related')),
      ],
      config: { liveCheck: true },
      env: { ANNOUNCE_URL: `${origin.replace('//', '//a-token@')}/api/v1/statuses` },
      files: { 'content/articles/mine.md': `---\ntitle: Mine\n---\n${byHand}` },
    });
    t.teardown(made.close);
    return made;
  },
  lasting,
);

test('the example announcement tells of an article once it is live, again where that fails, and not of its update', async (t) => {
  const { url } = await site().deliver({ title: 'Unsteady soil' });
  const text = `Unsteady soil ${url}`;
  const ofSoil = () => announced.filter(({ body }) => String(body.text).includes(url));
  await until('it is announced at the second attempt', () => ofSoil().length === 2);
  const [first, second] = ofSoil();
  t.is(second?.headers.authorization, 'Bearer a-token');
  t.truthy(second?.headers['idempotency-key']);
  t.is(first?.headers['idempotency-key'], second?.headers['idempotency-key']);
  t.deepEqual(second?.body, { status: text, text, content: text });

  const live = () => site().log.filter(({ msg, url: at }) => msg === 'article live' && at === url).length;
  t.is((await site().update(url, { title: 'Soil again' })).status, 200);
  await until('the update is live', () => live() === 2);
  const other = await site().deliver({ title: 'Clay' });
  await until('another article is announced', () =>
    announced.some(({ body }) => body.text === `Clay ${other.url}`),
  );
  t.is(ofSoil().length, 2, 'and the update was not');
});

test('the example indexnow submits the address of an article that is live, again where that fails, and the site has its key', async (t) => {
  const { url } = await site().deliver({ title: 'Unsteady sand' });
  const ofSand = () => submitted.filter(({ body }) => String(body.urlList) === url);
  await until('it is submitted at the second attempt', () => ofSand().length === 2);
  const { host, key, keyLocation, urlList } = ofSand()[1]?.body ?? {};
  t.deepEqual([host, urlList], [new URL(site().url).host, [url]]);
  t.is(await site().built(String(keyLocation)), String(key));
});

test('the example webmentions mentions each page that an article links to once, also after a failure', async (t) => {
  const { origin: at } = services();
  const pages = Object.keys(MENTIONED).map((path) => `${at}${path}`);
  const links = pages.map((page) => `<a href="${page}">x</a> <a href="${page}">again</a>`).join('\n');
  const content_html = `<p>${links}</p><img src="${at}/picture">`;
  const { url } = await site().deliver({ title: 'Unsteady links', content_html, content_markdown: '' });
  const expected = Object.entries(MENTIONED).flatMap(([path, { endpoint }]) =>
    endpoint === undefined
      ? []
      : `${endpoint} ${new URLSearchParams({ source: url, target: `${at}${path}` })}`,
  );
  await until('all pages are mentioned', () => mentions.length === expected.length);
  t.deepEqual(mentions.sort(), expected.sort());
  const more = `${content_html}<a href="${at}/more">x</a>`;
  await site().update(url, { content_html: more, content_markdown: '' });
  await until('the new link is mentioned', () => mentions.some((one) => one.startsWith('/at-more ')));
  t.is(mentions.length, expected.length + 1, 'and the others are not mentioned again');
});

test('the example webmentions does not take another site, whose address begins like its own, for itself', async (t) => {
  const { default: plugin } = await import(example('webmentions').href);
  const kept = new Map<string, unknown>();
  const [url, other] = ['http://127.0.0.1:9', 'http://127.0.0.1:99/other'];
  const body = `[own](${url}/own) [home](${url}) [other](${other})`;
  await plugin.receiver({
    site: { url },
    options: {},
    articles: { get: async () => ({ body }) },
    storage: { get: async () => undefined, set: async (key: string, value: unknown) => kept.set(key, value) },
    job: (_name: string, { run }: { run: (event: object, context: object) => Promise<void> }) =>
      run({ id: 'soil', url: `${url}/soil` }, {}),
  });
  await until('it has been asked for, and refused as a private address', () => kept.size > 0);
  t.deepEqual([...kept.values()], [[other]]);
});

test('the example shortcodes is for what people write, and leaves what is wrong as it is', async (t) => {
  const page = await site().built('/articles/mine/', '<figure>');
  for (const part of [
    `<p>On ${new URL(site().url).host}.</p>`,
    '<figure><img src="/a.jpg" alt="A &amp; B" loading="lazy"><figcaption>A &amp; B</figcaption></figure>',
    '[[video id=&quot;x y&quot;]]',
    'href="https://www.youtube.com/watch?v=x-1"',
  ])
    t.true(page.includes(part), part);
  const { url } = await site().deliver({ title: 'Sent', content_html: '<p>On [[site]].</p>' });
  await site().built(url, 'On [[site]].');
});

test('the example related shows articles with the same rare words, also on pages that are there already', async (t) => {
  const send = (title: string, words: string) =>
    site().deliver({ title, tags: [], content_html: `<p>${words}</p>` });
  const first = await send('First', 'about lichens upon granite');
  await send('Second', 'about bicycles within cities');
  await site().built(first.url, 'granite');
  const third = await send('Third', 'granite carries lichens');
  const related = (page: string) => page.match(/<a [^>]*>(?=First|Second|Third)(\w+)<\/a>/g)?.join() ?? '';
  await site().until('the first page links the third', async () =>
    related(await site().built(first.url)).includes(new URL(third.url).pathname),
  );
  const { pathname } = new URL(first.url);
  t.true(related(await site().built(third.url, pathname)).includes(pathname));
});
