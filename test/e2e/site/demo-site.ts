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

/** An article that runs from right to left, whatever the language of the site is. */
const ARABIC = {
  id: 'demo-arabic',
  slug: 'books',
  title: 'عن الكتب',
  meta_description: 'ملاحظات.',
  tags: ['كتب'],
  author: 'ليلى',
  content_html: '<h2>العنوان</h2><p>ملاحظات عن الكتب والرفوف.</p><blockquote>المكان أولا.</blockquote>',
};

/** A page of every kind, by its path. */
export const PAGES = {
  home: '/',
  article: '/articles/what-a-pressmark-is/',
  'article with everything': `/articles/${KITCHEN_SINK.slug}/`,
  'article from right to left': `/articles/${ARABIC.slug}/`,
  archive: '/archive/',
  'page of the archive': '/archive/page/1/',
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

/** A site of this theme. */
export const MAGAZINE = { site: { theme: MAGAZINE_THEME } };

interface DemoOptions {
  readonly site?: SiteConfig;
  /** Changes titles and descriptions. */
  readonly text?: (words: string) => string;
}

/** Plain articles before the others: lists have a second page. */
const EARLIER = 8;

/** A receiver at whose preview the demo's articles, and one with everything, can be looked at. */
export async function demoSite(
  t: Teardown,
  { site = {}, text = (words) => words }: DemoOptions = {},
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
    JSON.stringify({ site: { ...example.default.site, pageSize: 5, ...site }, git: false }),
  );
  const receiver = await startReceiver(t, {
    env: { PRESSMARK_SITE_URL: origin },
    port,
    dir,
    args: ['--no-live'],
  });
  const finch = { author: 'Ada Finch', featured_image_url: null };
  const earlier = Array.from({ length: EARLIER }, (_, n) => ({
    ...{ ...finch, id: `earlier-${n}`, slug: `earlier-${n}`, title: `An earlier note, number ${n}` },
    meta_description: n % 2 ? 'What stood here before.' : '',
    tags: ['durability'],
  }));
  const arabic = { ...ARABIC, content_markdown: '', featured_image_url: null };
  const everything = { ...KITCHEN_SINK, ...finch, tags: [...KITCHEN_SINK.tags], json_ld: '' };
  const demo = demoArticles(origin, () => '').map((one) => ({ ...one, author: finch.author }));
  const all = [arabic, everything, ...demo];
  for (const [n, { title, meta_description, ...given }] of [...earlier, ...all].entries()) {
    const published_at = new Date(Date.UTC(2026, 10, n + 1, 8)).toISOString();
    const words = { title: text(title), meta_description: text(meta_description) };
    await receiver.post('article.published', article({ ...given, ...words, published_at }));
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
    return counts.reduce((sum, count) => sum + count, 0) >= all.length + EARLIER;
  });
  return receiver;
}

const sites = new Map<string, () => Receiver>();

/** One site for all tests of all files of a process. */
export function sharedSite(test: TestFn, options: Omit<DemoOptions, 'text'> = {}): () => Receiver {
  const key = JSON.stringify(options);
  const site = sites.get(key) ?? shared(test, (t) => demoSite(t, options));
  sites.set(key, site);
  return site;
}
