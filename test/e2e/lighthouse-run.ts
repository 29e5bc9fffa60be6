import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { freePort } from '../support/free-port.js';
import { CHROMIUM, QUIET } from './browser.js';

/** The package of tools that are no part of the project's own; from dist/test/e2e/ it is where the sources are. */
const TOOLS = fileURLToPath(new URL('../../../test/e2e/tools/', import.meta.url));

/** What does not depend on the machine. */
export const STEADY = ['accessibility', 'best-practices', 'seo'] as const;
export const CATEGORIES = ['performance', ...STEADY] as const;

/** Points from 0 to 100, and which audits cost some. */
export interface Scores {
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

/** Runs Lighthouse on pages, as for a phone, one after the other. */
export async function measure(
  urls: readonly string[],
  categories: readonly string[] = CATEGORIES,
): Promise<Scores[]> {
  const { default: lighthouse } = (await import(await entry())) as { default: Lighthouse };
  const port = await freePort();
  const profile = mkdtempSync(join(tmpdir(), 'pressmark-lighthouse-'));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    args: [...QUIET, `--remote-debugging-port=${port}`],
  });
  try {
    const scores: Scores[] = [];
    for (const url of urls) {
      const result = await lighthouse(url, { port, logLevel: 'error', onlyCategories: categories });
      if (result === undefined) throw new Error(`Lighthouse says nothing of ${url}`);
      scores.push(scoresOf(result, categories));
    }
    return scores;
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function entry(): Promise<string> {
  const path = join(TOOLS, 'node_modules/lighthouse/core/index.js');
  if (!existsSync(path))
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--prefix', TOOLS], { stdio: 'inherit' });
  return path;
}

function scoresOf(
  { lhr: { lighthouseVersion, categories, audits } }: Result,
  names: readonly string[],
): Scores {
  const lost = names.flatMap((category) =>
    (categories[category]?.auditRefs ?? [])
      .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
      .map(({ id }) => `${category}: ${id} ${audits[id]?.displayValue ?? ''}`.trim()),
  );
  const points = names.map((name) => [name, Math.round((categories[name]?.score ?? 0) * 100)]);
  return { points: Object.fromEntries(points), lost, version: lighthouseVersion };
}

/** What is missing to all points for everything but performance, which depends on the machine; `npm run lighthouse` measures it. */
export async function missingPoints(origin: string, paths: readonly string[]): Promise<string[]> {
  const scores = await measure(
    paths.map((path) => `${origin}${path}`),
    STEADY,
  );
  return scores.flatMap(({ points, lost }, n) =>
    STEADY.some((name) => points[name] !== 100) ? [`${paths[n]}: ${JSON.stringify(points)} ${lost}`] : [],
  );
}
