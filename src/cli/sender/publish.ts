import { relative } from 'node:path';
import { Command } from 'commander';
import { findMarkdown } from '../../sender/article/find-markdown.js';
import { type Queued, queueFiles } from '../../sender/publish.js';
import { createWorker } from '../../sender/queue/worker.js';
import { example } from '../options.js';
import { paint, printable, printJson, progressLine, warningLog } from '../terminal.js';
import { openSending, type Sending, standingOf, withConnector, withRate, withSenderDir } from './sending.js';

interface PublishOptions {
  readonly dir: string;
  readonly connector?: string;
  readonly rate?: number;
  readonly json?: boolean;
}

/** `pressmark publish`: articles from Markdown files, queued durably and sent. */
export function publishCommand(): Command {
  return withRate(withConnector(withSenderDir(new Command('publish'))))
    .description(
      'publish Markdown files with front matter; an interrupted run is resumed by running it again',
    )
    .argument('<file-or-folder...>', 'Markdown files, or folders of them')
    .option('--json', 'print what became of each file as JSON')
    .addHelpText('after', example('pressmark publish posts --rate 5'))
    .action(async (paths: string[], options: PublishOptions) => {
      const files = findMarkdown(paths);
      const sending = openSending(options.dir, options.connector);
      try {
        await publish(sending, files, options);
      } finally {
        sending.queue.close();
      }
    });
}

async function publish(
  sending: Sending,
  files: readonly string[],
  { rate, json }: PublishOptions,
): Promise<void> {
  const { state, connector, queue } = sending;
  const line = progressLine();
  const say = (text: string) => {
    if (!json) line.print(text);
  };
  const queued: Queued[] = [];
  for await (const one of queueFiles(queue, state, connector, files, Date.now)) {
    queued.push(one);
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
  const counts = summaryOf(rows);
  if (json) printJson({ ...counts, files: rows }, 2);
  else printSummary(rows, counts, stop.asked());
  if (counts.delivered < rows.length - counts.drafts) process.exitCode = 1;
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
    ...(counts.drafts > 0
      ? [`${counts.drafts} left out as ${counts.drafts > 1 ? 'drafts' : 'a draft'}`]
      : []),
  ];
  console.log(`${rows.length} ${rows.length === 1 ? 'file' : 'files'}: ${parts.join(', ')}`);
  const changed = rows.filter((row) => row.changed && row.status === 'success').length;
  if (changed > 0)
    console.log(
      changed === 1
        ? '1 file has changed since it was delivered; pressmark refresh <url> <file> replaces its article'
        : `${changed} files have changed since they were delivered; pressmark refresh <url> <file> replaces an article`,
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
