import { join, relative } from 'node:path';
import { Command } from 'commander';
import { PressmarkError } from '../../errors.js';
import { type FoundMarkdown, findMarkdown } from '../../sender/article/find-markdown.js';
import type { Clock } from '../../sender/clock.js';
import { makeConnector, saveConnector } from '../../sender/connectors.js';
import { type Queued, queueFiles } from '../../sender/publish.js';
import type { Entry } from '../../sender/queue/entry.js';
import { createWorker } from '../../sender/queue/worker.js';
import { type MovedUrl, redirectFiles } from '../../sender/redirects.js';
import { example, withDir } from '../options.js';
import { interruptSignal } from '../signals.js';
import { paint, print, printable, printJson, progressLine, warningLog } from '../terminal.js';
import { makeNamedFolder, requireFoldersOf, writeNamed } from '../written-files.js';
import { deliveredRow, type FileRow, has, leftOutRows, summaryOf, undelivered } from './files.js';
import { showPlan } from './plan.js';
import { openSending, type Sending, standingOf, withClock, withConnector, withRate } from './sending.js';

interface PublishOptions {
  readonly dir: string;
  readonly connector?: string;
  readonly rate?: number;
  readonly clock?: Clock;
  readonly json?: boolean;
  readonly dryRun?: boolean;
  readonly report?: string;
  readonly baseUrl?: string | false;
  readonly redirects?: string;
}

/** `pressmark publish`: queues articles from Markdown files durably, and sends them. */
export function publishCommand(): Command {
  return withClock(withRate(withConnector(withDir(new Command('publish')))))
    .argument('<file-or-folder...>', 'Markdown files, or folders of them')
    .option('--dry-run', 'show what would be sent, and send nothing')
    .option('--base-url <url>', 'the old address, for relative links: https://old.example/:year/:slug/')
    .option('--no-base-url', 'stop rewriting relative links')
    .option('--redirects <folder>', 'write redirects from the old URLs there; needs --base-url')
    .option('--report <file.csv>', 'write each file’s result and URL')
    .option('--json', 'print what became of each file as JSON')
    .addHelpText('after', example('pressmark publish posts --rate 5'))
    .action(async (paths: string[], options: PublishOptions) => {
      requireFoldersOf(options.report);
      const found = findMarkdown(paths);
      const opened = openSending(options.dir, options.connector, options.clock);
      const sending = await withBaseUrl(opened, options);
      try {
        if (options.dryRun) return showPlan(sending, found, options.json === true);
        if (options.redirects !== undefined) makeNamedFolder(options.redirects);
        await publish(sending, found, options);
      } finally {
        sending.queue.close();
      }
    });
}

/** Stores the old address of the articles in the connector, as `refresh` must resolve their links in the same way. */
async function withBaseUrl(
  sending: Sending,
  { baseUrl, redirects, dryRun }: PublishOptions,
): Promise<Sending> {
  const { state } = sending;
  const connector =
    baseUrl === undefined
      ? sending.connector
      : makeConnector(state, { ...sending.connector, baseUrl: baseUrl === false ? null : baseUrl });
  if (redirects !== undefined && connector.baseUrl === null)
    throw new PressmarkError(
      'USAGE',
      '--redirects needs to know where the articles were; add --base-url https://old.example/:year/:slug/, or --base-url https://old.example where each file has a permalink',
    );
  if (connector.baseUrl !== sending.connector.baseUrl && !dryRun) await saveConnector(state, connector);
  return { ...sending, connector };
}

async function publish(
  sending: Sending,
  found: FoundMarkdown,
  { rate, json, report, redirects }: PublishOptions,
): Promise<void> {
  const { state, connector, queue, clock } = sending;
  const line = progressLine();
  const say = (text: string) => {
    if (!json) line.print(text);
  };
  for (const { file, why } of leftOutRows(state, found)) say(`  ${printable(`${file} is left out: ${why}`)}`);
  const queued: Queued[] = [];
  for await (const one of queueFiles(queue, state, connector, found.articles, clock.now)) {
    queued.push(one);
    const file = relative(state.dir, one.path);
    if (one.kind === 'unfinished') say(`  ${printable(`${file} is left out: ${one.why}`)}`);
    if (one.kind === 'queued')
      for (const warning of one.draft.warnings)
        say(`${paint('yellow', '!')} ${printable(`${file}: ${warning}`)}`);
    if (one.kind === 'refused') say(`${paint('red', '✗')} ${printable(`${file}: ${one.why}`)}`);
    line.show(`${queued.length} of ${found.articles.length} files read`);
  }
  const isDue = ({ record: { nextRetryAt } }: Entry) =>
    nextRetryAt !== null && Date.parse(nextRetryAt) <= clock.now();
  const toSend = new Set(queued.flatMap((one) => ('entry' in one && isDue(one.entry) ? [one.entry.id] : [])));

  let [delivered, failed] = [0, 0];
  const started = performance.now();
  const worker = createWorker({
    state,
    queue,
    clock,
    log: warningLog(),
    rate,
    onAttempt: ({ entry, outcome }) => {
      say(standingOf(entry));
      if (outcome.result === 'accepted') delivered++;
      else failed++;
      const left = timeLeft(performance.now() - started, delivered + failed, toSend.size);
      line.show(`${delivered} of ${toSend.size} delivered${failed > 0 ? `, ${failed} failed` : ''}${left}`);
    },
  });
  const interrupted = interruptSignal();
  const onInterrupt = () => {
    console.error('\npressmark: finishing what is being sent; press Ctrl-C again to stop at once');
    void worker.stop();
  };
  interrupted.addEventListener('abort', onInterrupt);
  try {
    await worker.sendDue(({ id }) => toSend.has(id));
  } finally {
    interrupted.removeEventListener('abort', onInterrupt);
    line.clear();
  }

  const rows = [...leftOutRows(state, found), ...queued.map((one) => rowOf(sending, one))];
  if (json) printJson(rows, 2);
  else printSummary(rows, interrupted.aborted);
  if (has(rows, 'waiting', 'failed', 'refused')) process.exitCode = 1;
  if (report !== undefined) writeReport(report, rows);
  if (redirects === undefined) return;
  for (const { name, text } of redirectFiles(movedUrls(sending, queued))) {
    const path = join(redirects, name);
    writeNamed(path, text);
    if (!json) print(printable(`Written: ${path}`));
  }
}

/** The remaining time of a run at its speed so far; empty if it is short. */
function timeLeft(ms: number, done: number, of: number): string {
  const seconds = Math.round((ms / done) * (of - done)) / 1000;
  if (ms < 3_000 || seconds < 10) return '';
  return seconds < 100
    ? `, about ${Math.round(seconds)} s left`
    : `, about ${Math.round(seconds / 60)} min left`;
}

function movedUrls({ state, queue }: Sending, queued: readonly Queued[]): MovedUrl[] {
  return queued.flatMap((one) => {
    const url = 'entry' in one ? queue.read(one.entry.id)?.liveUrl : undefined;
    if (!('draft' in one) || !url) return [];
    return one.draft.oldUrls.map((old) => ({ file: relative(state.dir, one.path), old, new: url }));
  });
}

/** Writes a table for spreadsheets and scripts: each file, its new URL and its result. */
function writeReport(path: string, rows: readonly FileRow[]): void {
  const cell = (value: string | null) => `"${(value ?? '').replaceAll('"', '""')}"`;
  const lines = rows.map(({ file, status, url, why }) => [file, status, url, why].map(cell).join(','));
  writeNamed(path, ['file,status,url,error', ...lines, ''].join('\r\n'));
}

/** `changed`: the file differs from the text that was sent. */
type Row = FileRow & { readonly changed?: boolean };

function rowOf({ state, queue }: Sending, one: Queued): Row {
  if (!('entry' in one)) return undelivered(state, one);
  const entry = queue.read(one.entry.id) ?? one.entry;
  const row = deliveredRow(relative(state.dir, one.path), entry, 'delivered');
  return { ...row, changed: one.kind === 'known' && one.changed };
}

function printSummary(rows: readonly Row[], stopped: boolean): void {
  print(summaryOf(rows));
  const changed = rows.filter((row) => row.changed);
  const count = changed.filter(({ status }) => status === 'delivered').length;
  if (count > 0)
    print(
      count === 1
        ? '1 file has changed since it was delivered; pressmark refresh --changed <file> replaces its article'
        : `${count} files have changed since they were delivered; pressmark refresh --changed <folder> replaces their articles`,
    );
  if (stopped) print('Stopped. Run the same command again to send the rest.');
  else if (has(rows, 'waiting'))
    print('What waits is sent by pressmark work, or by the same command when it is due.');
  if (has(rows, 'failed')) print('To send a failed delivery again: pressmark deliveries retry <id>');
  if (has(changed, 'failed'))
    print(
      'A file has changed since its delivery failed. As the receiver may have stored the article, retry sends the text that was queued; pressmark refresh <url> <file> brings the new one.',
    );
}
