import { movedArticles } from '../../app/articles/stored-urls.js';
import { existingAddresses, wantsAddresses } from '../../app/build/addresses/addresses.js';
import { buildWithGenerator } from '../../app/build/generator-build.js';
import { completeSite, missingSentence } from '../../app/build/postbuild.js';
import type { Settings } from '../../config/load.js';
import { PressmarkError } from '../../errors.js';
import { interruptSignal } from '../signals.js';
import { print, printable, printableLines, printJson, tell } from '../terminal.js';

/** `pressmark build` for a site that another generator builds. */
export async function buildGeneratorSite(
  settings: Settings,
  { json = false }: { json?: boolean },
): Promise<void> {
  // A build has its own process group, which Ctrl-C does not reach.
  const signal = interruptSignal();
  const built = await buildWithGenerator(settings, {
    signal,
    onWaiting: () =>
      tell('another build of this site is running, such as a receiver’s; this one waits for it'),
    // Standard output is only for the summary.
    onOutput: (chunk) => process.stderr.write(chunk),
  });
  const addresses = await addressesOrWarning(settings, signal);
  // Complete the pages again, as this command or a receiver may have listed other addresses since the build began.
  const report = addresses === undefined ? built : await completeSite(settings, settings.output);
  const { checked, missing, skipped } = report;
  const { ms } = built;
  const changed = report === built ? built.changed : built.changed + report.changed;
  const moved = movedArticles(settings).map(({ text, fix }) => `${text}; ${fix}`);
  const contradiction = addresses?.contradiction;
  // The second pass repeats warnings of the first one.
  const found = new Set([...built.warnings, ...report.warnings]);
  const warnings = [...found, ...moved, ...(contradiction === undefined ? [] : [contradiction])];
  if (missing.length > 0) process.exitCode = 1;
  if (json) {
    const unlisted = Object.fromEntries(addresses?.unlisted ?? []);
    const shown = { listed: addresses?.listed.size ?? null, unlisted };
    printJson({ ms, checked, changed, missing, skipped, warnings, addresses: shown });
    return;
  }
  printFindings(warnings, missing.map(missingSentence));
  print(
    `built in ${(ms / 1_000).toFixed(1)} s → ${settings.output}/: ${checked - missing.length} of ${checked} articles are complete, ${changed} pages were changed`,
  );
  for (const { file, reason } of skipped) print(`not built: ${printable(file)} (${reason})`);
  if (addresses !== undefined && addresses.listed.size + addresses.unlisted.size > 0)
    print(
      `existing posts: the URLs of ${addresses.listed.size} are known, those of ${addresses.unlisted.size} are not (pressmark urls)`,
    );
}

/** Prints warnings and missing pages to standard error. */
export function printFindings(warnings: readonly string[], missing: readonly string[]): void {
  for (const warning of warnings) tell(`warning: ${printable(warning)}`);
  for (const sentence of missing) console.error(`missing: ${printable(sentence)}`);
}

/** The generator's list of pages, or a warning: the site is built and complete even if the list fails. */
async function addressesOrWarning(settings: Settings, signal: AbortSignal) {
  if (!wantsAddresses(settings)) return undefined;
  try {
    return await existingAddresses(settings, { signal, isUpToDate: true });
  } catch (error) {
    if (!(error instanceof PressmarkError)) throw error;
    tell(`warning: ${printableLines(error.message)}`);
    return undefined;
  }
}
