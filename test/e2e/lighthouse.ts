// Measures pages of the built-in theme, of the magazine theme and of the admin with Lighthouse: `npm run lighthouse`, or
// `npm run lighthouse admin` for the admin alone. Exits 1 below what is promised.
import { withTeardown } from '../support/teardown.js';
import { until } from '../support/until.js';
import { adminSite, deliverSome } from './admin/shared-admin.js';
import { CATEGORIES, type MeasureOptions, measure } from './lighthouse-run.js';
import { demoSite, MAGAZINE, PAGES } from './site/demo-site.js';

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

if (process.argv[2] !== 'admin') await themes();
await admin();
