// Measures the demo's home and article with Lighthouse: `npm run lighthouse`. Exits 1 below what is promised.
import { demoSite, PAGES } from './demo-site.js';
import { CATEGORIES, measure } from './lighthouse-run.js';

const LEAST = { performance: 98, accessibility: 100, 'best-practices': 100, seo: 100 };

const disposers: (() => unknown)[] = [];
const { origin } = await demoSite({ teardown: (dispose) => disposers.unshift(dispose) });
const kinds = ['home', 'article', 'article with everything', 'archive'] as const;
const scores = await measure(kinds.map((kind) => `${origin}${PAGES[kind]}`));
console.log(`Lighthouse ${scores[0]?.version}, as for a phone, Node ${process.version}`);
for (const [index, { points, lost }] of scores.entries()) {
  console.log(`${kinds[index]}: ${CATEGORIES.map((name) => `${name} ${points[name]}`).join(', ')}`);
  for (const audit of lost) console.log(`  ${audit}`);
  if (CATEGORIES.some((name) => (points[name] ?? 0) < LEAST[name])) process.exitCode = 1;
}
for (const dispose of disposers) await dispose();
