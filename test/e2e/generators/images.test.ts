import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { until } from '../../support/until.js';
import { ASTRO_SITE } from './astro-site.js';
import { checkOut, ROOT, type SiteSource } from './working-copy.js';

// The example that stores pictures, in the sites of four generators; a plain site is in test/integration/host/image-example.test.ts.

const SITES: readonly SiteSource[] = [
  { folder: 'hugo', build: 'npm run build', output: 'public' },
  { folder: 'jekyll', build: 'jekyll build --quiet', output: '_site' },
  { folder: 'eleventy', tools: '.', build: 'npm run build', output: '_site' },
  { ...ASTRO_SITE, tools: 'astro-5' },
];

/** A picture that the repository has, as a service's server has it. */
const PICTURE = fs.readFileSync(join(ROOT, 'docs/images/contents.png'));

for (const site of SITES)
  test.serial(
    `the example images stores the pictures of an article in a site of ${site.folder}`,
    async (t) => {
      const server = createServer((_, response) => response.end(PICTURE)).listen(0, '127.0.0.1');
      t.teardown(() => server.close());
      await new Promise((resolve) => server.once('listening', resolve));
      const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const copy = checkOut(site);
      t.teardown(copy.remove);
      copy.install();
      t.is((await copy.pressmark('init', '--yes')).code, 0);
      fs.mkdirSync(copy.path('tools'), { recursive: true });
      fs.copyFileSync(join(ROOT, 'examples/plugins/images.mjs'), copy.path('tools/images.mjs'));
      fs.rmSync(copy.path('node_modules/sharp'), { recursive: true, force: true });
      fs.symlinkSync(join(ROOT, 'node_modules/sharp'), copy.path('node_modules/sharp'));
      const options = JSON.stringify(['./tools/images.mjs', { widths: [100], allowPrivate: true }]);
      copy.edit('pressmark.config.mjs', [/^export default .*\{$/m, `$&\n  plugins: [${options}],`]);
      const receiver = await copy.start();
      t.teardown(() => receiver.kill('SIGKILL'));
      const { status, json } = await receiver.post(
        'article.published',
        article({
          content_html: `<p>Soil.</p><p><img src="${at}/inline.png" alt="A row"></p>`,
          content_markdown: `Soil.\n\n![A row](${at}/inline.png)`,
          featured_image_url: `${at}/featured.png`,
        }),
      );
      t.is(status, 200);
      const config = copy.read('pressmark.config.mjs');
      const [, siteUrl = ''] = /siteUrl: '([^']+)'/.exec(config) ?? [];
      const below = (url: string) =>
        new URL(url).pathname.slice(new URL(siteUrl).pathname.replace(/\/$/, '').length);
      const page = copy.path(site.output, below(json.url), 'index.html');
      await until(
        'the page has the picture',
        () => fs.existsSync(page) && /<img[^>]*media\//.test(fs.readFileSync(page, 'utf8')),
      );
      const html = fs.readFileSync(page, 'utf8');
      t.regex(html, /<img[^>]*alt="A row"[^>]*width="\d+" height="\d+"/);
      t.false(html.includes(at), 'no picture is at the address of the service');
      const urls = new Set(html.match(/(?:https?:\/\/[^\s"/]+)?\/[^\s"]*media\/[^\s"',]+/g));
      for (const type of ['avif', 'webp'])
        t.true(
          [...urls].some((url) => url.endsWith(`-100w.${type}`)),
          type,
        );
      for (const url of urls) {
        const path = below(new URL(url, siteUrl).href);
        t.true(fs.existsSync(copy.path(site.output, path)), `the output has ${path}`);
      }
    },
  );
