import { createServer } from 'node:net';
import { DEMO_ARTICLES } from '../../src/cli/demo-articles.js';
import { article } from '../support/events.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { until } from '../support/until.js';

/** A receiver at whose preview the demo's articles can be looked at. */
export async function demoSite(t: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const env = { PRESSMARK_SITE_URL: origin };
  const receiver = await startReceiver(t, { env, port });
  for (const [day, given] of DEMO_ARTICLES.entries()) {
    const { tags, ...rest } = given;
    const published_at = `2026-11-1${day + 1}T08:00:00Z`;
    await receiver.post(
      'article.published',
      article({ ...rest, tags: [...tags], author: 'Pressmark', featured_image_url: null, published_at }),
    );
  }
  const pages = ['/', '/tags/', '/feed.xml', ...DEMO_ARTICLES.map(({ slug }) => `/articles/${slug}/`)];
  for (const page of pages) await until(async () => (await fetch(`${origin}${page}`)).ok);
  await until(async () => (await (await fetch(`${origin}/`)).text()).includes('Two people'));
  return receiver;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
