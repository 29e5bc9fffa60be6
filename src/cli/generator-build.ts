import { movedArticles, movedFix, movedSentence } from '../app/articles/moved-articles.js';
import {
  type AddressOptions,
  type ExistingAddresses,
  existingAddresses,
  wantsAddresses,
} from '../app/build/existing-addresses.js';
import { buildWithGenerator } from '../app/build/generator-build.js';
import { completeSite, missingSentence } from '../app/build/postbuild.js';
import type { Settings } from '../config/load.js';
import { PressmarkError } from '../errors.js';
import { printable, printableLines, printJson } from './terminal.js';

/** `pressmark build` of a site that another generator builds. */
export async function buildGeneratorSite(
  settings: Settings,
  { json = false }: { json?: boolean },
): Promise<void> {
  const signal = abortOnSignals();
  const built = await buildWithGenerator(settings, {
    signal,
    // Standard output is for the summary alone.
    onOutput: (chunk) => process.stderr.write(chunk),
  });
  const addresses = await addressesOrWarning(settings, { signal, onBuild: sayBuild });
  // A page that has just been found elsewhere is completed there.
  const report = addresses?.built ? completeSite(settings, settings.output) : built;
  const { checked, missing, skipped } = report;
  const { ms } = built;
  const changed = report === built ? built.changed : built.changed + report.changed;
  const moved = movedArticles(settings).map(
    (article) => `${movedSentence(article)}; ${movedFix(article, settings.siteUrl)}`,
  );
  const warnings = [...report.warnings, ...moved];
  if (missing.length > 0) process.exitCode = 1;
  if (json) {
    const { proven, unproven } = addresses ?? { proven: null, unproven: new Map() };
    const shown = { proven, unproven: Object.fromEntries(unproven) };
    printJson({ ms, checked, changed, missing, skipped, warnings, addresses: shown });
    return;
  }
  printFindings(warnings, missing.map(missingSentence));
  console.log(
    `built in ${(ms / 1_000).toFixed(1)} s → ${settings.output}/: ${checked - missing.length} of ${checked} articles are complete, ${changed} pages were changed`,
  );
  for (const { file, reason } of skipped) console.log(`not built: ${printable(file)} (${reason})`);
  if (addresses !== undefined && addresses.proven + addresses.unproven.size > 0)
    console.log(
      `existing posts: ${addresses.proven} have a proven URL, ${addresses.unproven.size} have none (pressmark urls)`,
    );
}

/** Warnings go to standard error, and so does what is missing. */
export function printFindings(warnings: readonly string[], missing: readonly string[]): void {
  for (const warning of warnings) console.error(`warning: ${printable(warning)}`);
  for (const sentence of missing) console.error(`missing: ${printable(sentence)}`);
}

/** Says on standard error that a copy of the site is being built. */
export function sayBuild(build: number): void {
  const which = build === 3 ? 'once more, as the second build has failed' : `${build} of 2`;
  console.error(`building a copy of the site to find the URLs of existing posts (${which}) …`);
}

/** Ends what runs when the process is asked to end: a build has a process group of its own, which Ctrl-C does not reach. */
export function abortOnSignals(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(130);
    process.exitCode = 130;
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return controller.signal;
}

/** The site is built and complete even where the copy cannot be built. */
async function addressesOrWarning(
  settings: Settings,
  options: AddressOptions,
): Promise<ExistingAddresses | undefined> {
  if (!wantsAddresses(settings)) return undefined;
  try {
    return await existingAddresses(settings, options);
  } catch (error) {
    if (!(error instanceof PressmarkError)) throw error;
    console.error(`warning: ${printableLines(error.message)}`);
    return undefined;
  }
}
