import fs from 'node:fs';
import { relative } from 'node:path';
import { Command } from 'commander';
import { findMarkdown } from '../../sender/article/find-markdown.js';
import { foresee, type Queued, queueFiles } from '../../sender/publish.js';
import { createWorker } from '../../sender/queue/worker.js';
import type { SenderState } from '../../sender/state.js';
import { example } from '../options.js';
import { paint, printable, printJson, progressLine, warningLog } from '../terminal.js';
import { openSending, type Sending, standingOf, withConnector, withRate, withSenderDir } from './sending.js';

interface PublishOptions {
  readonly dir: string;
  readonly connector?: string;
  readonly rate?: number;
  readonly json?: boolean;
  readonly dryRun?: boolean;
  readonly report?: string;
}

/** `pressmark publish`: articles from Markdown files, queued durably and sent. */
export function publishCommand(): Command {
  return withRate(withConnector(withSenderDir(new Command('publish'))))
    .description(
      'publish Markdown files with front matter; an interrupted run is resumed by running it again',
    )
    .argument('<file-or-folder...>', 'Markdown files, or folders of them')
    .option(
      '--dry-run',
      'send nothing; say what would be sent, under which name, what is left out, and what would go as text',
    )
    .option('--report <file.csv>', 'write what became of each file, and its URL')
    .option('--json', 'print what became of each file as JSON')
    .addHelpText('after', example('pressmark publish posts --rate 5'))
    .action(async (paths: string[], options: PublishOptions) => {
      const files = findMarkdown(paths);
      const sending = openSending(options.dir, options.connector);
      try {
        if (options.dryRun) showPlan(sending, files, options.json === true);
        else await publish(sending, files, options);
      } finally {
        sending.queue.close();
      }
    });
}

async function publish(
  sending: Sending,
  files: readonly string[],
  { rate, json, report }: PublishOptions,
): Promise<void> {
  const { state, connector, queue } = sending;
  const line = progressLine();
  const say = (text: string) => {
    if (!json) line.print(text);
  };
  const queued: Queued[] = [];
  for await (const one of queueFiles(queue, state, connector, files, Date.now)) {
    queued.push(one);
    if (one.kind === 'unfinished')
      say(`  ${printable(`${relative(state.dir, one.path)} is left out: ${one.why}`)}`);
    if (one.kind === 'queued')
      for (const warning of one.warnings)
        say(`${paint('yellow', '!')} ${printable(`${relative(state.dir, one.path)}: ${warning}`)}`);
    if (one.kind === 'refused') say(`${paint('red', '✗')} ${printable(one.reason)}`);
    line.show(`${queued.length} of ${files.length} files read`);
  }
  const ids = new Set(queued.flatMap((one) => ('entry' in one ? [one.entry.id] : [])));

  let ended = 0;
  const worker = createWorker({
    state,
    queue,
    log: warningLog(),
    rate,
    onAttempt: ({ entry }) => {
      say(standingOf(entry));
      line.show(`${++ended} of ${ids.size} sent`);
    },
  });
  const stop = stopGently(() => worker.stop());
  try {
    await worker.sendDue(({ id }) => ids.has(id));
  } finally {
    stop.forget();
    line.clear();
  }

  const rows = queued.map((one) => rowOf(sending, one));
  if (report !== undefined) writeReport(report, rows);
  const counts = summaryOf(rows);
  if (json) printJson({ ...counts, files: rows }, 2);
  else printSummary(rows, counts, stop.asked());
  if (counts.delivered < rows.length - counts.drafts) process.exitCode = 1;
}

/** Prints what `publish` would do with each file. */
function showPlan({ state, connector, queue }: Sending, files: readonly string[], json: boolean): void {
  const rows = [...foresee(queue, state, connector, files, Date.now())].map((one) => planOf(state, one));
  if (rows.some(({ plan }) => plan === 'refused')) process.exitCode = 1;
  if (json) {
    printJson(rows, 2);
    return;
  }
  for (const row of rows) {
    console.log(
      `${paint(row.plan === 'refused' ? 'red' : 'bold', row.plan.padEnd(13))} ${printable(`${row.file}: ${row.what}`)}`,
    );
    for (const warning of row.warnings)
      console.log(`${paint('yellow', '!'.padStart(13))} ${printable(warning)}`);
  }
  const count = (plan: string) => rows.filter((row) => row.plan === plan).length;
  console.log(
    `${rows.length} files: ${count('send')} to be sent, ${count('sent before')} sent before, ${count('changed since')} changed since, ${count('left out')} left out, ${count('refused')} refused. Nothing was sent.`,
  );
}

function planOf({ dir }: SenderState, one: Queued) {
  const file = relative(dir, one.path);
  const none: readonly string[] = [];
  switch (one.kind) {
    case 'queued': {
      const { title, slug } = one.entry.record.payload.data;
      return { file, plan: 'send', what: `${title}, as ${slug}`, warnings: one.warnings };
    }
    case 'known':
      return {
        file,
        plan: one.changed ? 'changed since' : 'sent before',
        what: one.entry.liveUrl ?? '',
        warnings: none,
      };
    case 'unfinished':
      return { file, plan: 'left out', what: one.why, warnings: none };
    case 'refused':
      return { file, plan: 'refused', what: one.reason, warnings: none };
  }
}

/** Old file, new URL and what else came of it, as a table that spreadsheets and scripts read. */
function writeReport(file: string, rows: readonly Row[]): void {
  const cell = (value: unknown) => `"${String(value ?? '').replaceAll('"', '""')}"`;
  const lines = rows.map(({ file: from, status, url, error }) =>
    [from, status, url, error].map(cell).join(','),
  );
  fs.writeFileSync(file, ['file,status,url,error', ...lines, ''].join('\r\n'));
}

/** On Ctrl-C what is under way is ended and nothing else begun; the second time the process ends at once. */
function stopGently(stop: () => Promise<void>): { asked(): boolean; forget(): void } {
  let asked = false;
  const onSignal = () => {
    if (asked) process.exit(1);
    asked = true;
    console.error('\npressmark: stopping when what is under way has ended; once more stops at once');
    void stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  return {
    asked: () => asked,
    forget: () => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
    },
  };
}

type Row = ReturnType<typeof rowOf>;

function rowOf({ state, queue }: Sending, one: Queued) {
  const file = relative(state.dir, one.path);
  if (!('entry' in one)) {
    const error = one.kind === 'refused' ? one.reason : null;
    return {
      file,
      status: one.kind === 'refused' ? 'refused' : 'draft',
      error,
      url: null,
      changed: false,
    } as const;
  }
  const entry = queue.read(one.entry.id) ?? one.entry;
  const { status, lastError } = entry.record;
  const changed = one.kind === 'known' && one.changed;
  return { file, status, error: lastError, url: entry.liveUrl, changed, delivery: entry.id } as const;
}

function summaryOf(rows: readonly Row[]) {
  const count = (...status: Row['status'][]) => rows.filter((row) => status.includes(row.status)).length;
  return {
    delivered: count('success'),
    waiting: count('pending', 'sending'),
    failed: count('failed'),
    refused: count('refused'),
    drafts: count('draft'),
  };
}

function printSummary(rows: readonly Row[], counts: ReturnType<typeof summaryOf>, stopped: boolean): void {
  const parts = [
    `${counts.delivered} delivered`,
    ...(['waiting', 'failed', 'refused'] as const).flatMap((name) =>
      counts[name] > 0 ? [`${counts[name]} ${name}`] : [],
    ),
    ...(counts.drafts > 0 ? [`${counts.drafts} left out`] : []),
  ];
  console.log(`${rows.length} ${rows.length === 1 ? 'file' : 'files'}: ${parts.join(', ')}`);
  const changed = rows.filter((row) => row.changed && row.status === 'success').length;
  if (changed > 0)
    console.log(
      changed === 1
        ? '1 file has changed since it was delivered; pressmark refresh --changed <file> replaces its article'
        : `${changed} files have changed since they were delivered; pressmark refresh --changed <folder> replaces their articles`,
    );
  if (stopped) console.log('Stopped. Run the same command again to send the rest.');
  else if (counts.waiting > 0)
    console.log('What waits is sent by pressmark work, or by the same command when it is due.');
  if (counts.failed > 0)
    console.log('What failed is not sent again by itself: pressmark deliveries retry <id>');
  if (rows.some((row) => row.changed && row.status === 'failed'))
    console.log(
      'A file has changed since its delivery failed. As the receiver may have stored the article, retry sends the text that was queued; pressmark refresh <url> <file> brings the new one.',
    );
}
