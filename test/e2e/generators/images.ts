import fs from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { startEndpoint } from '../../support/endpoint.js';
import { article, type PublishedData } from '../../support/events.js';
import { withPlugins } from '../../support/with-plugins.js';
import { PUBLISHED_AT } from './articles.js';
import { ROOT, type WorkingCopy } from './working-copy.js';

/** A picture that the repository has, as a service's server has it. */
const PICTURE = fs.readFileSync(join(ROOT, 'docs/images/contents.png'));

/** The example that stores pictures, for one article: those of the others are nowhere. */
const ONE_ARTICLE = `import images from '../.tools/images.mjs';
const options = { widths: [100], allowPrivate: true };
const job = (host) => (key, { run, ...given }) =>
  host.job(key, { ...given, run: async (event, context) => event.article.id === 'pictures' && (await run(event, context)) });
export default { ...images, receiver: (host) =>
  images.receiver(new Proxy(host, { get: (own, name) => ({ options, job: job(own) })[name] ?? own[name] })) };
`;

/** Adds the example to a site. */
export function addImages({ dir, path }: WorkingCopy): void {
  fs.mkdirSync(path('.tools'), { recursive: true });
  fs.copyFileSync(join(ROOT, 'examples/plugins/images.mjs'), path('.tools/images.mjs'));
  fs.rmSync(path('node_modules/sharp'), { recursive: true, force: true });
  fs.symlinkSync(join(ROOT, 'node_modules/sharp'), path('node_modules/sharp'));
  withPlugins(dir, { images: ONE_ARTICLE });
}

/** An article with pictures, and the server that has them. */
export async function articleWithPictures(
  t: ExecutionContext,
): Promise<{ readonly data: PublishedData; readonly server: string }> {
  const { origin: server } = await startEndpoint(t, (_, response) => response.end(PICTURE));
  const data = article({
    id: 'pictures',
    slug: 'pictures',
    content_html: `<p>Soil.</p><p><img src="${server}/inline.png" alt="A row"></p>`,
    content_markdown: `Soil.\n\n![A row](${server}/inline.png)`,
    featured_image_url: `${server}/featured.png`,
    published_at: PUBLISHED_AT,
  });
  return { data, server };
}

/** Checks that the page of that article shows the pictures of the site, in both forms and with their size. */
export function checkPictures(
  t: ExecutionContext,
  html: string,
  { siteUrl, output, server }: { readonly siteUrl: string; readonly output: string; readonly server: string },
): void {
  t.regex(html, /<img[^>]*alt="A row"[^>]*width="\d+" height="\d+"/);
  t.false(html.includes(server), 'no picture is at the address of the service');
  const urls = new Set(html.match(/(?:https?:\/\/[^\s"/]+)?\/[^\s"]*media\/[^\s"',]+/g));
  for (const type of ['avif', 'webp'])
    t.true(
      [...urls].some((url) => url.endsWith(`-100w.${type}`)),
      type,
    );
  for (const url of urls) {
    const path = new URL(url, siteUrl).pathname.slice(new URL(siteUrl).pathname.length);
    t.true(fs.existsSync(join(output, path)), `the output has ${path}`);
  }
}
