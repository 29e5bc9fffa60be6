import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import sharp from 'sharp';
import { article } from '../../support/events.js';
import { until } from '../../support/until.js';
import { ASTRO_SITE } from './astro-site.js';
import { checkOut, ROOT, type SiteSource } from './working-copy.js';

/** Adds to the head, changes the page, makes a file, and has a filter that cannot run where another generator makes the pages. */
const PAGES = `export default { name: 'pages', pages(host) {
  host.addFilter('page.head', (head, { article, kind }) => head + '<meta name="about" content="' + kind + ' ' + article.id + '">');
  host.addFilter('page.html', (html, { path }) => html.replace('<body', '<body data-path="' + path + '"'));
  host.addFilter('page.content', (html) => html + 'never');
  host.shortcode('never', () => 'never');
  host.addOutput({ path: 'llms.txt', render: (_path, { articles }) => [...articles].map(({ url }) => url + '\\n').join('') });
} };`;

/** The example, allowed to fetch the picture from this machine. */
const IMAGES = `import images from '../tools/images.mjs';
const validate = () => ({ value: { widths: [40], allowPrivate: true } });
export default { ...images, options: { '~standard': { version: 1, vendor: 'test', validate } } };`;

const SITES: Readonly<Record<string, SiteSource>> = {
  Hugo: { folder: 'hugo', build: 'npm run build', output: 'public' },
  Jekyll: { folder: 'jekyll', build: 'jekyll build --quiet', output: '_site' },
  Eleventy: { folder: 'eleventy', tools: '.', build: 'npm run build', output: '_site' },
  Astro: { ...ASTRO_SITE, tools: 'astro-5' },
};

const times = (text: string, part: string) => text.split(part).length - 1;

for (const [name, site] of Object.entries(SITES))
  test(`plugins change the pages of articles in a site of ${name}, add files and pictures, and what cannot run is named`, async (t) => {
    const picture = await sharp({ create: { width: 80, height: 60, channels: 3, background: '#764' } })
      .png()
      .toBuffer();
    const server = http.createServer((_request, response) => response.end(picture)).listen(0, '127.0.0.1');
    t.teardown(() => server.close());
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/leaf.png`;

    const copy = checkOut(site);
    t.teardown(copy.remove);
    copy.install();
    fs.mkdirSync(copy.path('node_modules'), { recursive: true });
    fs.rmSync(copy.path('node_modules/sharp'), { force: true });
    fs.symlinkSync(join(ROOT, 'node_modules/sharp'), copy.path('node_modules/sharp'));
    for (const folder of ['plugins', 'tools']) fs.mkdirSync(copy.path(folder), { recursive: true });
    fs.writeFileSync(copy.path('plugins/pages.mjs'), PAGES);
    fs.writeFileSync(copy.path('plugins/images.mjs'), IMAGES);
    fs.copyFileSync(join(ROOT, 'examples/plugins/images.mjs'), copy.path('tools/images.mjs'));
    const init = await copy.pressmark('init', '--yes');
    t.is(init.code, 0, init.stderr);

    const receiver = await copy.start();
    t.teardown(() => receiver.kill('SIGKILL'));
    const words =
      /page\.content, shortcode of plugin pages \(plugins\/pages\.mjs\) do not run: .* makes the pages of this site/;
    t.is(receiver.log.filter(({ msg }) => words.test(msg)).length, 1, JSON.stringify(receiver.log));
    const { status, json } = await receiver.post(
      'article.published',
      article({
        id: 'leaf',
        slug: 'leaf',
        content_html: `<p>A leaf: <img src="${address}" alt="A leaf"></p>\n<!-- svc:item:leaf -->`,
        content_markdown: `A leaf: ![A leaf](${address})\n\n<!-- svc:item:leaf -->`,
      }),
    );
    t.is(status, 200);
    const commits = () => execFileSync('git', ['-C', copy.dir, 'log', '--format=%s'], { encoding: 'utf8' });
    await until('the picture is stored, and in a commit', () => commits().includes('Change: '));
    await receiver.kill('SIGKILL');

    const build = await copy.pressmark('build');
    t.is(build.code, 0, `${build.stdout}${build.stderr}`);
    const base = new URL(json.url).pathname.startsWith('/notes/') ? '/notes' : '';
    const path = new URL(json.url).pathname.slice(base.length);
    const page = copy.read(join(site.output, path, 'index.html'));
    t.is(times(page.slice(0, page.indexOf('</head>')), '<meta name="about" content="article leaf">'), 1);
    t.is(times(page, `<body data-path="${path}"`), 1);
    t.false(page.includes('never'));
    t.is(
      copy
        .read(join(site.output, 'llms.txt'))
        .trim()
        .split('\n')
        .filter((url) => url === json.url).length,
      1,
    );
    const [, avif = ''] = /<picture><source type="image\/avif" srcset="(\S+) 40w"/.exec(page) ?? [];
    t.true(avif !== '', page);
    const file = join(site.output, new URL(avif).pathname.slice(base.length));
    t.is((await sharp(copy.path(file)).metadata()).width, 40);

    const doctor = await copy.pressmark('doctor');
    t.regex(`${doctor.stdout}${doctor.stderr}`, words);
  });
