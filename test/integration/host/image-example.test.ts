import fs from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { startEndpoint } from '../../support/endpoint.js';
import { article } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { exampleCode, withPackages } from '../../support/with-plugins.js';

// The example that stores pictures, in a site of Pressmark's own; those of other generators are in test/e2e/generators/images.

/** A grey picture. */
function png(width: number, height: number): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8; // bits
  const rows = Buffer.alloc((width + 1) * height, 128);
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0;
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
}

const PICTURES: Readonly<Record<string, Buffer>> = {
  '/featured.png': png(900, 450),
  '/inline.png?a=1&b=2': png(300, 200),
  '/late.png': png(40, 30),
  '/moved.png': Buffer.alloc(0),
  '/large.png': Buffer.alloc(10_000_001),
  '/page.png': Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>',
  ),
};

/** A server of pictures; one of them is there only when it is asked for again. @returns its address. */
async function pictureServer(t: ExecutionContext): Promise<string> {
  let asked = 0;
  const { origin } = await startEndpoint(t, ({ path }, response) => {
    const bytes = PICTURES[path];
    if (path === '/moved.png') response.writeHead(302, { location: '/inline.png?a=1&b=2' }).end();
    else if (bytes === undefined || (path === '/late.png' && asked++ === 0)) response.writeHead(503).end();
    else {
      // In chunks: no header says how long it is.
      response.write(bytes.subarray(0, 100));
      response.end(bytes.subarray(100));
    }
  });
  return origin;
}

function withPictures(at: string) {
  const html = [
    `<p><img src="${at}/inline.png?a=1&amp;b=2" alt="A row" width="1"></p>`,
    `<p><img alt="Late" src='${at}/late.png'><img src="${at}/moved.png" alt="Moved"></p>`,
    `<p><img src="${at}/page.png" alt="No picture"> <a href="${at}/inline.png">a link</a><img src="//[" alt="No address"></p>`,
    `<p><img src="${at}/large.png" alt="Large"></p>`,
    '<!-- svc:item:moss -->',
  ].join('\n');
  return article({
    id: 'moss',
    slug: 'moss',
    content_html: html,
    content_markdown: '',
    featured_image_url: `${at}/featured.png`,
  });
}

test('the example images stores the pictures of an article on a plain site, again where that fails, and only real ones', async (t) => {
  const at = await pictureServer(t);
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'tools'));
  fs.writeFileSync(join(dir, 'tools/images.mjs'), exampleCode('images'));
  withPackages(dir, 'sharp');
  const plugins = [['./tools/images.mjs', { widths: [100, 400], allowPrivate: true }]];
  const receiver = await startHere(t, { dir, config: { site: { search: false }, plugins } });
  await receiver.post('article.published', withPictures(at));
  const output = join(dir, 'public');
  const page = join(output, 'articles/moss/index.html');
  const text = () => (fs.existsSync(page) ? fs.readFileSync(page, 'utf8') : '');
  await until('the page has the picture that was late', () => text().includes('width="40" height="30"'));
  const html = text();
  t.regex(html, /alt="A row" width="300" height="200"><\/picture>/);
  t.is(html.split('<picture>').length, html.includes('class="lead"') ? 5 : 4, html);
  for (const whole of [
    `<img src="${at}/page.png" alt="No picture">`,
    `<img src="${at}/large.png" alt="Large">`,
    `<a href="${at}/inline.png">`,
    '<!-- svc:item:moss -->',
  ])
    t.true(html.includes(whole), `${whole} stays`);
  const urls = new Set(html.match(/(?:https?:\/\/[^\s"/]+)?\/[^\s"]*media\/[^\s"',]+/g));
  for (const url of urls) {
    const { pathname } = new URL(url, 'https://garden.example');
    await until(`the output has ${pathname}`, () => fs.existsSync(join(output, pathname)));
  }
  for (const type of ['avif', 'webp'])
    t.true(
      [...urls].some((url) => url.endsWith(`-100w.${type}`)),
      type,
    );
  t.regex(html, /<meta property="og:image" content="https:\/\/garden\.example\/media\/[^"]+\.png">/);
  for (const why of ['/page.png: it is svg', '/large.png" cannot be read: it has more than 10000000 bytes'])
    await until(`the log says ${why}`, () => receiver.log.some(({ reason }) => String(reason).includes(why)));
});

test('the example images fetches nothing from a private address, also by a name, and leaves alone what a person has edited in the admin', async (t) => {
  const { default: plugin } = await import(
    new URL('../../../../examples/plugins/images.mjs', import.meta.url).href
  );
  const runs: ((event: object, context: object) => Promise<void>)[] = [];
  plugin.receiver({
    site: { url: 'https://garden.example' },
    options: { widths: [480] },
    articles: { patch: () => t.fail('the article was changed') },
    job: (_name: string, { run }: { run: (typeof runs)[number] }) => runs.push(run),
  });
  const at = await pictureServer(t);
  const byName = at.replace('127.0.0.1', 'localhost');
  const text = { body: `![x](${at}/late.png)`, image: `${byName}/featured.png`, extra: {} };
  const article = { ...text, id: 'moss', revision: `admin-${'0'.repeat(24)}` };
  const context = { signal: AbortSignal.timeout(60_000) };
  t.is(runs.length, 2);
  for (const run of runs) {
    const { message = '' } = (await t.throwsAsync(run({ article }, context))) ?? {};
    t.regex(message, /late\.png[^;]* is at 127\.0\.0\.1, which is not on the public internet/);
    t.regex(message, /localhost:\d+\/featured\.png[^;]* is at (?:127\.0\.0\.1|::1), which is not/);
    await t.notThrowsAsync(run({ article: { ...article, isOfPerson: true } }, context));
  }
});
