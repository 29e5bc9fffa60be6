// Measures pages of the built-in theme, of the magazine theme and of the admin with Lighthouse: `npm run lighthouse`, or
// `npm run lighthouse admin` for the admin alone. Exits 1 below what is promised.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { freePort } from '../support/free-port.js';
import { withTeardown } from '../support/teardown.js';
import { until } from '../support/until.js';
import { adminSite, deliverSome } from './admin/shared-admin.js';
import { CHROMIUM, QUIET } from './browser.js';
import { demoSite, MAGAZINE, PAGES } from './site/demo-site.js';

/** Where install.sh puts the package; from dist/test/e2e/ it is where the sources are. */
const LIGHTHOUSE = new URL(
  '../../../test/e2e/tools/lighthouse/node_modules/lighthouse/core/index.js',
  import.meta.url,
);

const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;

const LEAST = { performance: 0, accessibility: 100, 'best-practices': 100, seo: 100 };

const THEMES = [
  {
    theme: 'built-in',
    options: {},
    least: { ...LEAST, performance: 98 },
    kinds: ['home', 'article', 'article with everything', 'archive', 'page of the owner’s', 'tag'],
  },
  { theme: 'magazine', options: MAGAZINE, least: LEAST, kinds: ['home', 'article'] },
] as const;

/** Pages of the admin, below `/-/admin/`; `{delivery}` is the key of one. No search engine is to have them. */
const ADMIN = [
  '',
  'articles',
  'articles?text=nothing+like+this',
  'articles/article?id=item-0',
  'articles/edit?id=item-0',
  'articles/new',
  'articles/trash',
  'deliveries',
  'deliveries/one?key={delivery}',
  'builds',
  'git',
  'plugins',
  'setup',
  'users',
  'users/log',
  'account',
];

async function report(
  title: string,
  pages: Readonly<Record<string, string>>,
  least: Partial<Record<(typeof CATEGORIES)[number], number>>,
  options?: MeasureOptions,
): Promise<void> {
  const scores = await measure(Object.values(pages), options);
  console.log(`${title}, Lighthouse ${scores[0]?.version}, as for a phone, Node ${process.version}`);
  for (const [index, { points, lost }] of scores.entries()) {
    const measured = CATEGORIES.filter((name) => least[name] !== undefined);
    console.log(
      `${Object.keys(pages)[index]}: ${measured.map((name) => `${name} ${points[name]}`).join(', ')}`,
    );
    const isMissed = measured.some((name) => (points[name] ?? 0) < (least[name] ?? 0));
    for (const audit of lost.filter((one) => measured.some((name) => one.startsWith(name))))
      console.log(`  ${audit}`);
    if (isMissed) process.exitCode = 1;
  }
}

async function themes(): Promise<void> {
  for (const { theme, options, least, kinds } of THEMES)
    await withTeardown(async (t) => {
      const { origin } = await demoSite(t, options);
      const pages = Object.fromEntries(kinds.map((kind) => [kind, `${origin}${PAGES[kind]}`]));
      await report(`${theme} theme`, pages, least);
    });
}

async function admin(): Promise<void> {
  await withTeardown(async (t) => {
    const site = await adminSite(t);
    await deliverSome(site);
    const { url, admin } = site;
    await until('doctor has looked', async () => (await admin.get('')).text.includes('Checked <time'));
    const [, key = ''] = /deliveries\/one\?key=([^"&]+)/.exec((await admin.get('')).text) ?? [];
    const pages = Object.fromEntries(
      ADMIN.map((path) => [`admin/${path}`, url + path.replace('{delivery}', key)]),
    );
    for (const colorScheme of ['light', 'dark'] as const) {
      const least = { accessibility: 100, ...(colorScheme === 'light' && { 'best-practices': 100 }) };
      await report(`admin, ${colorScheme}`, pages, least, { colorScheme, cookie: admin.cookie });
      await report(`login, ${colorScheme}`, { login: `${url}login` }, least, { colorScheme });
    }
  });
}

/** Points from 0 to 100, and which audits cost some. */
interface Scores {
  readonly points: Record<string, number>;
  readonly lost: string[];
  readonly version: string;
}

/** What is used of Lighthouse, whose package brings along more types than this project wants. */
interface Result {
  readonly lhr: {
    readonly lighthouseVersion: string;
    readonly categories: Record<
      string,
      {
        readonly score: number | null;
        readonly auditRefs: readonly { readonly id: string; readonly weight: number }[];
      }
    >;
    readonly audits: Record<string, { readonly score: number | null; readonly displayValue?: string }>;
  };
}
type Lighthouse = (url: string, flags: object) => Promise<Result | undefined>;

interface MeasureOptions {
  /** @default 'light' */
  readonly colorScheme?: 'light' | 'dark';
  /** Of somebody who is logged in. @default none */
  readonly cookie?: string;
}

/** Runs Lighthouse on pages, as for a phone, one after the other. */
async function measure(
  urls: readonly string[],
  { colorScheme = 'light', cookie }: MeasureOptions = {},
): Promise<Scores[]> {
  const { default: lighthouse } = (await import(LIGHTHOUSE.href)) as { default: Lighthouse };
  const port = await freePort();
  const profile = mkdtempSync(join(tmpdir(), 'pressmark-lighthouse-'));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    args: [
      ...QUIET,
      `--remote-debugging-port=${port}`,
      `--blink-settings=preferredColorScheme=${colorScheme === 'dark' ? 0 : 1}`,
    ],
  });
  try {
    const scores: Scores[] = [];
    for (const url of urls) {
      const result = await lighthouse(url, {
        port,
        logLevel: 'error',
        onlyCategories: CATEGORIES,
        ...(cookie !== undefined && { extraHeaders: { Cookie: cookie } }),
      });
      if (result === undefined) throw new Error(`Lighthouse says nothing of ${url}`);
      scores.push(scoresOf(result));
    }
    return scores;
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

function scoresOf({ lhr: { lighthouseVersion, categories, audits } }: Result): Scores {
  const lost = CATEGORIES.flatMap((category) =>
    (categories[category]?.auditRefs ?? [])
      .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
      .map(({ id }) => `${category}: ${id} ${audits[id]?.displayValue ?? ''}`.trim()),
  );
  const points = CATEGORIES.map((name) => [name, Math.round((categories[name]?.score ?? 0) * 100)]);
  return { points: Object.fromEntries(points), lost, version: lighthouseVersion };
}

if (process.argv[2] !== 'admin') await themes();
await admin();
