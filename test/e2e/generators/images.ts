import fs from 'node:fs';
import { join } from 'node:path';
import type { TestFn } from 'ava';
import { startEndpoint } from '../../support/endpoint.js';
import { article } from '../../support/events.js';
import { until } from '../../support/until.js';
import type { LiveSite, SiteUnderTest } from './drop-in.js';
import { ROOT } from './working-copy.js';

/** A picture that the repository has, as a service's server has it. */
const PICTURE = fs.readFileSync(join(ROOT, 'docs/images/contents.png'));

/** Registers the test of the example that stores pictures; a plain site is in test/integration/host/image-example.test.ts. */
export function tryImages(test: TestFn, site: SiteUnderTest, live: () => LiveSite): void {
  test.serial('the example images stores the pictures of an article', async (t) => {
    const { origin: at } = await startEndpoint(t, (_, response) => response.end(PICTURE));
    const { copy, receiver: before } = live();
    await before.kill('SIGKILL');
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
        id: 'pictures',
        slug: 'pictures',
        content_html: `<p>Soil.</p><p><img src="${at}/inline.png" alt="A row"></p>`,
        content_markdown: `Soil.\n\n![A row](${at}/inline.png)`,
        featured_image_url: `${at}/featured.png`,
      }),
    );
    t.is(status, 200);
    const below = (url: string) => new URL(url).pathname.slice(new URL(site.siteUrl).pathname.length);
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
      const path = below(new URL(url, site.siteUrl).href);
      t.true(fs.existsSync(copy.path(site.output, path)), `the output has ${path}`);
    }
  });
}
