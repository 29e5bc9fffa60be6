import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { freePort } from '../support/free-port.js';
import { CHROMIUM, QUIET } from './browser.js';

/** Where install.sh puts the package; from dist/test/e2e/ it is where the sources are. */
const LIGHTHOUSE = new URL(
  '../../../test/e2e/tools/lighthouse/node_modules/lighthouse/core/index.js',
  import.meta.url,
);

export const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;

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

export interface MeasureOptions {
  /** @default 'light' */
  readonly colorScheme?: 'light' | 'dark';
  /** Of somebody who is logged in. @default none */
  readonly cookie?: string;
}

/** Runs Lighthouse on pages, as for a phone, one after the other. */
export async function measure(
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
