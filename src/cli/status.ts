import { Command } from 'commander';
import { addressChange, addressChangeFix, addressChangeText } from '../app/articles/stored-urls.js';
import { type SiteStatus, STAGES, type Stage, type StageStatus, siteStatus } from '../app/status.js';
import { loadSettings, type Settings } from '../config/load.js';
import { example, withDir } from './options.js';
import { printable, printableLines, printJson } from './terminal.js';

/** `pressmark status`: how far articles have come on their way to the reader. */
export function statusCommand(): Command {
  return withDir(new Command('status'))
    .description('show how far articles have come: received, committed, pushed, built, deployed, live')
    .option('--json', 'print it as JSON')
    .addHelpText('after', example('pressmark status'))
    .action(async ({ dir, json }: { dir: string; json?: boolean }) => {
      const settings = await loadSettings(dir);
      const status = { ...siteStatus(settings), addressChange: addressChangeOf(settings) };
      if (json) printJson(status, 2);
      else for (const line of linesOf(status, Date.now())) console.log(line);
      if (problemsOf(status) > 0) process.exitCode = 1;
    });
}

/** How a site stands, and what a change of its address has left behind. */
interface Shown extends SiteStatus {
  readonly addressChange: string | undefined;
}

function addressChangeOf(settings: Settings): string | undefined {
  if (settings.siteUrlIsGuess) return undefined; // the receiver's environment may say it
  const change = addressChange(settings);
  return change && `${addressChangeText(change, settings.siteUrl)}; ${addressChangeFix(settings)}`;
}

/** The number of things that do not go on by themselves. */
function problemsOf({ stages, excluded, buildFailure, targets, addressChange }: Shown): number {
  const failed = Object.values(stages ?? {}).filter(({ error }) => error !== undefined);
  const behind = Object.values(targets).filter(({ error }) => error !== undefined);
  const others = [buildFailure, addressChange].filter((problem) => problem !== undefined);
  return failed.length + excluded.length + behind.length + others.length;
}

function* linesOf(shown: Shown, now: number): Generator<string> {
  const { stages, excluded, buildFailure, targets, addressChange } = shown;
  if (addressChange !== undefined) yield `✗ ${printable(addressChange)}`;
  if (stages === undefined) {
    yield 'no receiver has run on this site yet; run pressmark start';
    return;
  }
  for (const stage of STAGES) {
    const status = stages[stage];
    if (status !== undefined) yield stageLine(stage, status, now);
  }
  for (const [name, { deployed, error, attempts, behindSince }] of Object.entries(targets)) {
    const last = deployed === undefined ? 'never deployed' : `deployed ${ago(deployed.at, now)}`;
    const trouble =
      error === undefined
        ? ''
        : `; failed ${attempts === 1 ? 'once' : `${attempts} times`} since ${behindSince ?? 'now'}: ${printable(error)}`;
    yield `${printable(name)}: ${last}${trouble}`;
  }
  if (buildFailure !== undefined)
    yield `the last build failed ${ago(buildFailure.at, now)}: ${printableLines(buildFailure.reason)}`;
  for (const { path, reason, hasPrevious, isMalformed, since } of excluded) {
    const why = isMalformed ? 'has malformed front matter' : 'breaks the build';
    const shown = hasPrevious ? 'is shown with its previous text' : 'is left out';
    yield `${printable(path)} ${why} and ${shown} (${ago(since, now)}): ${printableLines(reason)}`;
  }
}

function stageLine(stage: Stage, { newest, behind, behindSince, error }: StageStatus, now: number): string {
  const last =
    newest === undefined ? 'nothing since the start' : `${printable(newest.url)} ${ago(newest.at, now)}`;
  const lag = behind === 0 ? '' : `; ${behind} behind, the oldest ${ago(behindSince ?? '', now)}`;
  const trouble = error === undefined ? '' : `; ${printable(error.split('\n', 1)[0] ?? '')}`;
  return `${stage.padEnd(10)}${last}${lag}${trouble}`;
}

/** How long ago a moment was, in words. */
function ago(at: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1_000));
  if (seconds < 120) return `${seconds} s ago`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min ago`;
  return seconds < 172_800
    ? `${Math.round(seconds / 3_600)} h ago`
    : `${Math.round(seconds / 86_400)} days ago`;
}
