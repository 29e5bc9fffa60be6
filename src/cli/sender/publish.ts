import fs from 'node:fs';
import { relative } from 'node:path';
import { Command } from 'commander';
import { PressmarkError } from '../../errors.js';
import { type FoundMarkdown, findMarkdown } from '../../sender/article/find-markdown.js';
import type { Clock } from '../../sender/clock.js';
import { makeConnector, saveConnector } from '../../sender/connectors.js';
import { type Queued, queueFiles } from '../../sender/publish.js';
import type { Entry } from '../../sender/queue/entry.js';
import { createWorker } from '../../sender/queue/worker.js';
import { type MovedUrl, writeRedirects } from '../../sender/redirects.js';
import { example, withDir } from '../options.js';
import { interruptSignal } from '../signals.js';
import { paint, print, printable, printJson, progressLine, warningLog } from '../terminal.js';
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

/** `pressmark publish`: articles from Markdown files, queued durably and sent. */
export function publishCommand(): Command {
  return withClock(withRate(withConnector(withDir(new Command('publish')))))
    .argument('<file-or-folder...>', 'Markdown files, or folders of them')
    .option('--dry-run', 'send nothing; say what would be sent and left out, and what would go as text')
    .option(
      '--base-url <url>',
      'where the articles were, such as https://old.example/:year/:slug/, for relative links; kept with the connector',
    )
    .option('--no-base-url', 'leave relative links as they are again')
    .option(
      '--redirects <folder>',
      'write the old and the new URLs there, as urls.csv, _redirects and nginx.conf; needs --base-url',
    )
    .option('--report <file.csv>', 'write what became of each file, and its URL')
    .option('--json', 'print what became of each file as JSON')
    .addHelpText('after', example('pressmark publish posts --rate 5'))
    .action(async (paths: string[], options: PublishOptions) => {
      const found = findMarkdown(paths);
      const opened = openSending(options.dir, options.connector, options.clock);
      const sending = await withBaseUrl(opened, options);
      try {
        if (options.dryRun) showPlan(sending, found, options.json === true);
        else await publish(sending, found, options);
      } finally {
        sending.queue.close();
      }
    });
}

/** Keeps where the articles were with the connector, as `refresh` must make the same of their links. */
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
  { articles: files, leftOut }: FoundMarkdown,
  { rate, json, report, redirects }: PublishOptions,
): Promise<void> {
  const { state, connector, queue, clock } = sending;
  const line = progressLine();
  const say = (text: string) => {
    if (!json) line.print(text);
  };
  for (const { path, why } of leftOut)
    say(`  ${printable(`${relative(state.dir, path)} is left out: ${why}`)}`);
  const queued: Queued[] = [];
  for await (const one of queueFiles(queue, state, connector, files, clock.now)) {
    queued.push(one);
    const file = relative(state.dir, one.path);
    if (one.kind === 'unfinished') say(`  ${printable(`${file} is left out: ${one.why}`)}`);
    if (one.kind === 'queued')
      for (const warning of one.draft.warnings)
        say(`${paint('yellow', '!')} ${printable(`${file}: ${warning}`)}`);
    if (one.kind === 'refused') say(`${paint('red', '✗')} ${printable(`${file}: ${one.why}`)}`);
    line.show(`${queued.length} of ${files.length} files read`);
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

  const rows = [
    ...leftOut.map(({ path, why }) => unsent(relative(state.dir, path), 'left out', why)),
    ...queued.map((one) => rowOf(sending, one)),
  ];
  if (report !== undefined) writeReport(report, rows);
  const moved = redirects === undefined ? [] : writeRedirects(redirects, movedUrls(sending, queued));
  const counts = summaryOf(rows);
  if (json) printJson({ ...counts, files: rows }, 2);
  else {
    printSummary(rows, counts, interrupted.aborted);
    for (const path of moved) print(printable(`Written: ${path}`));
  }
  if (counts.delivered + counts.leftOut < rows.length) process.exitCode = 1;
}

/** How long a run will take yet, at its speed so far; empty while that is not worth a word. */
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

/** A table for spreadsheets and scripts: each file, its new URL and its outcome. */
function writeReport(file: string, rows: readonly Row[]): void {
  const cell = (value: unknown) => `"${String(value ?? '').replaceAll('"', '""')}"`;
  const lines = rows.map(({ file: from, status, url, error }) =>
    [from, status, url, error].map(cell).join(','),
  );
  fs.writeFileSync(file, ['file,status,url,error', ...lines, ''].join('\r\n'));
}

type Row = ReturnType<typeof rowOf | typeof unsent>;

function rowOf({ state, queue }: Sending, one: Queued) {
  const file = relative(state.dir, one.path);
  if (!('entry' in one)) return unsent(file, one.kind === 'refused' ? 'refused' : 'left out', one.why);
  const entry = queue.read(one.entry.id) ?? one.entry;
  const { status, lastError } = entry.record;
  const changed = one.kind === 'known' && one.changed;
  return { file, status, error: lastError, url: entry.liveUrl, changed, delivery: entry.id } as const;
}

function unsent(file: string, status: 'refused' | 'left out', error: string) {
  return { file, status, error, url: null, changed: false } as const;
}

function summaryOf(rows: readonly Row[]) {
  const count = (...status: Row['status'][]) => rows.filter((row) => status.includes(row.status)).length;
  return {
    delivered: count('success'),
    waiting: count('pending', 'sending'),
    failed: count('failed'),
    refused: count('refused'),
    leftOut: count('left out'),
  };
}

function printSummary(rows: readonly Row[], counts: ReturnType<typeof summaryOf>, stopped: boolean): void {
  const parts = [
    `${counts.delivered} delivered`,
    ...(['waiting', 'failed', 'refused'] as const).flatMap((name) =>
      counts[name] > 0 ? [`${counts[name]} ${name}`] : [],
    ),
    ...(counts.leftOut > 0 ? [`${counts.leftOut} left out`] : []),
  ];
  print(`${rows.length} ${rows.length === 1 ? 'file' : 'files'}: ${parts.join(', ')}`);
  const changed = rows.filter((row) => row.changed && row.status === 'success').length;
  if (changed > 0)
    print(
      changed === 1
        ? '1 file has changed since it was delivered; pressmark refresh --changed <file> replaces its article'
        : `${changed} files have changed since they were delivered; pressmark refresh --changed <folder> replaces their articles`,
    );
  if (stopped) print('Stopped. Run the same command again to send the rest.');
  else if (counts.waiting > 0)
    print('What waits is sent by pressmark work, or by the same command when it is due.');
  if (counts.failed > 0) print('To send a failed delivery again: pressmark deliveries retry <id>');
  if (rows.some((row) => row.changed && row.status === 'failed'))
    print(
      'A file has changed since its delivery failed. As the receiver may have stored the article, retry sends the text that was queued; pressmark refresh <url> <file> brings the new one.',
    );
}
