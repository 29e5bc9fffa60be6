import { Command } from 'commander';
import {
  lastSuccess,
  type SiteStatus,
  STAGES,
  type Stage,
  type StageStatus,
  siteStatus,
} from '../app/status.js';
import { loadSettings } from '../config/load.js';
import { example, withDir } from './options.js';
import { type Mark, marked, printable, printableLines, printJson } from './terminal.js';

/** A stage is behind for longer than any build or push takes: somebody should look. */
const LONG_BEHIND_MS = 15 * 60_000;

/** `pressmark status`: how far articles have come on their way to the reader. */
export function statusCommand(): Command {
  return withDir(new Command('status'))
    .description('show how far articles have come: received, committed, pushed, built, deployed, live')
    .option('--json', 'print it as JSON')
    .addHelpText('after', example('pressmark status'))
    .action(async ({ dir, json }: { dir: string; json?: boolean }) => {
      const status = await siteStatus(await loadSettings(dir));
      const lines = [...linesOf(status, Date.now())];
      if (json) printJson(status, 2);
      else for (const { mark, text } of lines) console.log(`${marked(mark)} ${text}`);
      if (lines.some(({ mark }) => mark === 'fail')) process.exitCode = 1;
    });
}

interface Line {
  readonly mark: Mark;
  readonly text: string;
}

/** A tick is for what was seen; what a person must do something about is `!`, or `fail` where articles do not get on. */
function* linesOf(status: SiteStatus, now: number): Generator<Line> {
  const {
    receivers,
    restart,
    stages = {},
    excluded,
    buildFailure,
    targets,
    malformed,
    addressChange,
  } = status;
  yield* receiverLines(status, now);
  if (restart !== undefined) yield { mark: 'fail', text: `${restart}; restart it` };
  if (addressChange !== undefined) yield { mark: 'fail', text: printable(addressChange) };
  for (const stage of STAGES) {
    const standing =
      stages[stage] ?? (stage === 'received' && receivers.length > 0 ? { behind: 0 } : undefined);
    if (standing !== undefined) yield stageLine(stage, standing, targets, now);
  }
  for (const [name, { deployed, error, attempts, behindSince }] of Object.entries(targets)) {
    const last = lastSuccess(name, deployed && ago(deployed.at, now));
    const trouble =
      error === undefined
        ? ''
        : `; failed ${attempts === 1 ? 'once' : `${attempts} times`} since ${behindSince ?? 'now'}: ${printable(error)}`;
    const mark = error !== undefined ? 'fail' : deployed === undefined ? 'none' : 'ok';
    yield { mark, text: `${printable(name)}: ${last}${trouble}` };
  }
  if (buildFailure !== undefined)
    yield {
      mark: 'fail',
      text: `the last build failed ${ago(buildFailure.at, now)}: ${printableLines(buildFailure.reason)}`,
    };
  for (const { path, reason, hasPrevious, isMalformed, since } of excluded) {
    const why = isMalformed ? 'has malformed front matter' : 'breaks the build';
    const shown = hasPrevious ? 'is shown with its previous text' : 'is left out';
    const text = `${printable(path)} ${why} and ${shown} (${ago(since, now)}): ${printableLines(reason)}`;
    yield { mark: 'fail', text };
  }
  const named = new Set(excluded.map(({ path }) => path));
  for (const { file, reason, isUnread } of malformed)
    if (!named.has(file)) {
      const why = isUnread ? 'cannot be read' : 'is malformed';
      yield { mark: 'fail', text: `${printable(file)} ${why} and is skipped: ${printable(reason)}` };
    }
}

function* receiverLines({ receivers, stages }: SiteStatus, now: number): Generator<Line> {
  for (const { pid, port, since, preview, siteUrl } of receivers)
    yield {
      mark: preview ? 'warn' : 'ok',
      text: `receiver  process ${pid} on port ${port}, started ${ago(since, now)}${preview ? `, a preview: articles keep the address ${siteUrl}` : ''}`,
    };
  if (receivers.length > 0) return;
  const left = stages === undefined ? 'run pressmark start' : 'what follows is what the last one has left';
  yield { mark: 'warn', text: `receiver  none is running on this machine; ${left}` };
}

function stageLine(
  stage: Stage,
  { newest, behind, behindSince = '', error }: StageStatus,
  targets: SiteStatus['targets'],
  now: number,
): Line {
  const last =
    newest === undefined ? 'nothing since the start' : `${printable(newest.url)} ${ago(newest.at, now)}`;
  const lag = behind === 0 ? '' : `; ${behind} behind, the oldest ${ago(behindSince, now)}`;
  const trouble = error === undefined ? '' : `; ${printable(error.split('\n', 1)[0] ?? '')}`;
  const isLong = behind > 0 && now - Date.parse(behindSince) > LONG_BEHIND_MS;
  const mark = error !== undefined ? 'fail' : isLong ? 'warn' : newest === undefined ? 'none' : 'ok';
  // Of a hook no more is known than that it was called, of a command than that it ended without an error.
  const isHandedOn = Object.keys(targets).some((name) => name === 'hook' || name.startsWith('command '));
  const label = stage === 'deployed' && isHandedOn ? 'handed on' : stage;
  return { mark, text: `${label.padEnd(10)}${last}${lag}${trouble}` };
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
