// Measures pages of the built-in theme and of the magazine theme with Lighthouse: `npm run lighthouse`. Exits 1 below what is
// promised.
import { demoSite, MAGAZINE, PAGES } from './demo-site.js';
import { CATEGORIES, measure } from './lighthouse-run.js';

const LEAST = { accessibility: 100, 'best-practices': 100, seo: 100 };

const THEMES = [
  {
    theme: 'built-in',
    options: {},
    least: { ...LEAST, performance: 98 },
    kinds: ['home', 'article', 'article with everything', 'archive', 'page of the owner’s', 'tag'],
  },
  { theme: 'magazine', options: MAGAZINE, least: { ...LEAST, performance: 0 }, kinds: ['home', 'article'] },
] as const;

for (const { theme, options, least, kinds } of THEMES) {
  const disposers: (() => unknown)[] = [];
  const { origin } = await demoSite({ teardown: (dispose) => disposers.unshift(dispose) }, options);
  const scores = await measure(kinds.map((kind) => `${origin}${PAGES[kind]}`));
  console.log(`${theme} theme, Lighthouse ${scores[0]?.version}, as for a phone, Node ${process.version}`);
  for (const [index, { points, lost }] of scores.entries()) {
    console.log(`${kinds[index]}: ${CATEGORIES.map((name) => `${name} ${points[name]}`).join(', ')}`);
    for (const audit of lost) console.log(`  ${audit}`);
    if (CATEGORIES.some((name) => (points[name] ?? 0) < least[name])) process.exitCode = 1;
  }
  for (const dispose of disposers) await dispose();
}
