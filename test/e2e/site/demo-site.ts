import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { TestFn } from 'ava';
import { demoArticles } from '../../../src/cli/demo/script.js';
import type { ConfigInput } from '../../../src/config/schema.js';
import { ask } from '../../support/ask.js';
import { article } from '../../support/events.js';
import { freePort } from '../../support/free-port.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { shared, type Teardown } from '../../support/teardown.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { KITCHEN_SINK } from './kitchen-sink.js';

/** The demo's site before its first article; from dist/test/e2e/site/ it is where the sources are. */
const EXAMPLE = fileURLToPath(new URL('../../../../examples/reading-room/', import.meta.url));

type SiteConfig = Exclude<ConfigInput['site'], false | undefined>;

/** A page of every kind, by its path. */
export const PAGES = {
  home: '/',
  article: '/articles/what-a-pressmark-is/',
  'article with everything': `/articles/${KITCHEN_SINK.slug}/`,
  archive: '/archive/',
  tags: '/tags/',
  tag: '/tags/durability/',
  author: '/authors/ada-finch/',
  'page of the owner’s': '/about/',
  search: '/search/',
  'what was found': '/search/?q=mark',
  'not found': '/nowhere/',
} as const;

/** The theme that is made only with what docs/themes.md describes; from dist/test/e2e/site/ it is where the sources are. */
const MAGAZINE_THEME = fileURLToPath(new URL('../../../../examples/magazine-theme', import.meta.url));

/** A site of this theme whose lists have several pages. */
export const MAGAZINE = { site: { theme: MAGAZINE_THEME, pageSize: 4 }, earlier: 8 };

interface DemoOptions {
  readonly site?: SiteConfig;
  /** Changes titles and descriptions. */
  readonly text?: (words: string) => string;
  /** How many plain articles come before the others. */
  readonly earlier?: number;
}

/** A receiver at whose preview the demo's articles, and one with everything, can be looked at. */
export async function demoSite(
  t: Teardown,
  { site = {}, text = (words) => words, earlier = 0 }: DemoOptions = {},
): Promise<Receiver> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const dir = tempDir(t);
  cpSync(EXAMPLE, dir, { recursive: true });
  const config = join(dir, 'pressmark.config.mjs');
  const example: { default: { site: SiteConfig } } = await import(pathToFileURL(config).href);
  rmSync(config);
  writeFileSync(
    join(dir, 'pressmark.config.json'),
    JSON.stringify({ site: { ...example.default.site, ...site }, git: false }),
  );
  const receiver = await startReceiver(t, {
    env: { PRESSMARK_SITE_URL: origin },
    port,
    dir,
    args: ['--no-live'],
  });
  for (let n = 1; n <= earlier; n++)
    await receiver.post(
      'article.published',
      article({
        id: `earlier-${n}`,
        slug: `earlier-${n}`,
        title: text(`An earlier note, number ${n}`),
        meta_description: n % 2 ? '' : text('What stood here before.'),
        tags: ['durability'],
        author: 'Ada Finch',
        featured_image_url: null,
        published_at: `2026-10-${10 + n}T08:00:00Z`,
      }),
    );
  const everything = { ...KITCHEN_SINK, tags: [...KITCHEN_SINK.tags], featured_image_url: null, json_ld: '' };
  const all = [everything, ...demoArticles(origin, () => '')];
  for (const [day, { title, meta_description, json_ld: _, ...given }] of all.entries()) {
    await receiver.post(
      'article.published',
      article({
        ...given,
        title: text(title),
        meta_description: text(meta_description),
        author: 'Ada Finch',
        published_at: `2026-11-1${day}T08:00:00Z`,
      }),
    );
  }
  const articles = all.map(({ slug }) => `/articles/${slug}/`);
  await until('the demo site is built', async () => {
    const { text: archive } = await ask(origin, '/archive/');
    return articles.every((path) => archive.includes(`href="${path}"`));
  });
  for (const path of [
    ...articles,
    PAGES.author,
    PAGES.tag,
    PAGES.archive,
    PAGES['page of the owner’s'],
    '/rss.xml',
  ])
    await until(`${path} is served`, async () => (await ask(origin, path)).status === 200);
  // The index is made when all pages of a build are there.
  await until('the search index holds all articles', async () => {
    const { text: entry } = await ask(origin, '/pagefind/pagefind-entry.json');
    const counts = [...entry.matchAll(/"page_count":(\d+)/g)].map(([, count]) => Number(count));
    return counts.reduce((sum, count) => sum + count, 0) >= all.length + earlier;
  });
  return receiver;
}

/** One site for all tests of a file. */
export function sharedSite(test: TestFn, options?: DemoOptions): () => Receiver {
  return shared(test, (t) => demoSite(t, options));
}
