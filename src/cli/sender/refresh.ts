import { relative, resolve } from 'node:path';
import { Command } from 'commander';
import { messageOf, PressmarkError } from '../../errors.js';
import { findMarkdown } from '../../sender/article/find-markdown.js';
import type { Clock } from '../../sender/clock.js';
import { dryRun, type Queued } from '../../sender/publish.js';
import type { Entry } from '../../sender/queue/entry.js';
import { refresh } from '../../sender/refresh.js';
import { example, withDir } from '../options.js';
import { paint, print, printable, printJson } from '../terminal.js';
import { deliveredRow, type FileRow, has, summaryOf, undelivered } from './files.js';
import { openSending, type Sending, standingOf, withClock, withConnector } from './sending.js';

interface RefreshOptions {
  readonly dir: string;
  readonly connector?: string;
  readonly clock?: Clock;
  readonly changed?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `pressmark refresh`: replaces published articles. */
export function refreshCommand(): Command {
  return withClock(withConnector(withDir(new Command('refresh'))))
    .argument('<url-and-file...>', 'the article’s URL and its new file; files with --changed')
    .option('--changed', 'replace each article whose file has changed')
    .option('--force', 'replace an article even if somebody has changed it')
    .option('--json', 'print what became of it as JSON')
    .addHelpText(
      'after',
      example(
        'pressmark refresh https://example.com/articles/bees/ posts/bees.md\n  $ pressmark refresh --changed posts',
      ),
    )
    .action(async (args: string[], options: RefreshOptions, command: Command) => {
      const { dir, connector, clock, changed = false } = options;
      const [url, file, ...others] = args;
      if (!changed && (url === undefined || file === undefined || others.length > 0))
        command.error('error: name a URL and a file, or files and folders with --changed', { exitCode: 2 });
      const sending = openSending(dir, connector, clock);
      try {
        if (changed) await refreshChanged(sending, findMarkdown(args).articles, options);
        else await refreshOne(sending, url ?? '', resolve(file ?? ''), options);
      } finally {
        sending.queue.close();
      }
    });
}

async function refreshOne(sending: Sending, url: string, path: string, { force, json }: RefreshOptions) {
  const entry = await refresh({ ...sending, url, path, force });
  if (json) printJson(refreshedRow(entry.source, entry));
  else say(entry);
  if (entry.record.status !== 'success') process.exitCode = 1;
}

/** Replaces the articles whose files differ from the last delivery; a failure does not stop the others. */
async function refreshChanged(
  sending: Sending,
  files: readonly string[],
  { force, json }: RefreshOptions,
): Promise<void> {
  const { state, connector, queue, clock } = sending;
  const rows: FileRow[] = [];
  for (const one of dryRun(queue, state, connector, files, clock.now)) {
    const row = await refreshed(sending, one, force, (entry) => json || say(entry));
    rows.push(row);
    const isNamed = row.status === 'refused' || (row.status === 'failed' && row.delivery === undefined);
    if (isNamed && !json) print(`${paint('red', '✗')} ${printable(`${row.file}: ${row.why}`)}`);
  }
  if (json) printJson(rows, 2);
  else {
    print(summaryOf(rows));
    if (has(rows, 'waiting')) print('What waits is sent by pressmark work.');
  }
  if (has(rows, 'waiting', 'failed', 'refused')) process.exitCode = 1;
}

/** Refreshes an article if its file has changed. @param onEntry receives its delivery. */
async function refreshed(
  sending: Sending,
  one: Queued,
  force: boolean | undefined,
  onEntry: (entry: Entry) => void,
): Promise<FileRow> {
  if (!('entry' in one)) return undelivered(sending.state, one);
  const { path, entry: before } = one;
  const { liveUrl: url } = before;
  const row = { file: relative(sending.state.dir, path), why: null, url };
  if (one.kind === 'queued' || before.record.status !== 'success')
    return { ...row, status: 'not delivered yet' };
  if (!one.changed) return { ...row, status: 'unchanged' };
  try {
    if (url === null)
      throw new PressmarkError(
        'RECEIVER_REFUSED',
        'the receiver has not answered its URL; name it: pressmark refresh <url> <file>',
      );
    const entry = await refresh({ ...sending, url, path, force });
    onEntry(entry);
    return refreshedRow(row.file, entry);
  } catch (error) {
    if (!(error instanceof PressmarkError)) throw error;
    return { ...row, status: 'failed', why: messageOf(error) };
  }
}

/** The row of a refresh for `--json`, with the article's new revision and the state of the delivery. */
function refreshedRow(file: string, entry: Entry) {
  const { lastStatusCode, nextRetryAt, payload } = entry.record;
  const { revision_id: revision } = payload.data;
  return { ...deliveredRow(file, entry, 'refreshed'), revision, lastStatusCode, nextRetryAt };
}

function say(entry: Entry): void {
  print(standingOf(entry));
  const { status, lastStatusCode } = entry.record;
  if (status === 'failed' && lastStatusCode === 409)
    print(
      'The article has changed since it was looked up, and stays as it is. The same command shows what it is now.',
    );
}
