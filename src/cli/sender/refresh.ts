import { relative, resolve } from 'node:path';
import { Command } from 'commander';
import { messageOf, PressmarkError } from '../../errors.js';
import { findMarkdown } from '../../sender/article/find-markdown.js';
import type { Clock } from '../../sender/clock.js';
import { foresee, type Queued } from '../../sender/publish.js';
import type { Entry } from '../../sender/queue/entry.js';
import { refresh } from '../../sender/refresh.js';
import { example, withDir } from '../options.js';
import { paint, print, printable, printJson } from '../terminal.js';
import { openSending, type Sending, standingOf, withClock, withConnector } from './sending.js';

interface RefreshOptions {
  readonly dir: string;
  readonly connector?: string;
  readonly clock?: Clock;
  readonly changed?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** What became of an article; `error`: why nothing was sent. */
interface Refreshed {
  readonly file: string;
  readonly url: string | null;
  readonly entry?: Entry;
  readonly error?: string;
}

/** `pressmark refresh`: replaces published articles in place. */
export function refreshCommand(): Command {
  return withClock(withConnector(withDir(new Command('refresh'))))
    .argument(
      '<url-and-file...>',
      'the article’s public URL and the Markdown file that replaces it; with --changed, files and folders',
    )
    .option('--changed', 'replace each article whose file has changed since it was delivered')
    .option('--force', 'replace an article also where it is not what was delivered last from here')
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

  async function refreshOne(sending: Sending, url: string, path: string, { force, json }: RefreshOptions) {
    const entry = await refresh({ ...sending, url, path, force });
    if (json) printJson(rowOf({ file: entry.source, url, entry }));
    else say(entry);
    if (entry.record.status !== 'success') process.exitCode = 1;
  }
}

/** Replaces the articles whose files differ from what was sent last; a failure does not stop the others. */
async function refreshChanged(
  sending: Sending,
  files: readonly string[],
  { force, json }: RefreshOptions,
): Promise<void> {
  const { state, connector, queue, clock } = sending;
  const refreshed: Refreshed[] = [];
  const counts = { changed: 0, unchanged: 0, 'not delivered yet': 0, 'left out': 0, refused: 0 };
  const sayError = ({ file, error = '' }: Refreshed) => {
    if (!json) print(`${paint('red', '✗')} ${printable(`${file}: ${error}`)}`);
  };
  for (const one of foresee(queue, state, connector, files, clock.now)) {
    counts[kindOf(one)]++;
    const file = relative(state.dir, one.path);
    if (one.kind === 'refused') {
      refreshed.push({ file, url: null, error: one.why });
      sayError({ file, url: null, error: one.why });
    }
    if (one.kind !== 'known' || kindOf(one) !== 'changed') continue;
    const { liveUrl: url } = one.entry;
    try {
      if (url === null)
        throw new PressmarkError(
          'RECEIVER_REFUSED',
          'the receiver has not answered its URL; name it: pressmark refresh <url> <file>',
        );
      const entry = await refresh({ ...sending, url, path: one.path, force });
      refreshed.push({ file, url, entry });
      if (!json) say(entry);
    } catch (error) {
      if (!(error instanceof PressmarkError)) throw error;
      refreshed.push({ file, url, error: messageOf(error) });
      sayError({ file, url, error: messageOf(error) });
    }
  }
  const count = (is: (one: Refreshed) => boolean) => refreshed.filter(is).length;
  const done = count(({ entry }) => entry?.record.status === 'success');
  const waiting = count(
    ({ entry }) => entry?.record.status === 'pending' || entry?.record.status === 'sending',
  );
  if (json) printJson(refreshed.map(rowOf), 2);
  else {
    const others = (['unchanged', 'not delivered yet', 'left out'] as const)
      .filter((kind) => counts[kind] > 0)
      .map((kind) => `, ${counts[kind]} ${kind}`);
    print(
      `${files.length} ${files.length === 1 ? 'file' : 'files'}: ${done} refreshed, ${waiting} waiting, ${refreshed.length - done - waiting} failed${others.join('')}`,
    );
    if (waiting > 0) print('What waits is sent by pressmark work.');
  }
  if (done < refreshed.length) process.exitCode = 1;
}

/** What a file is to `refresh --changed`. */
function kindOf(one: Queued) {
  if (!('entry' in one)) return one.kind === 'refused' ? 'refused' : 'left out';
  if (one.kind === 'queued' || one.entry.record.status !== 'success') return 'not delivered yet';
  return one.changed ? 'changed' : 'unchanged';
}

function say(entry: Entry): void {
  print(standingOf(entry));
  const { status, lastStatusCode } = entry.record;
  if (status === 'failed' && lastStatusCode === 409)
    print(
      'The article has changed since it was looked up, and stays as it is. The same command shows what it is now.',
    );
}

function rowOf({ file, url, entry, error }: Refreshed) {
  if (entry === undefined) return { file, url, error };
  const { status, lastStatusCode, lastError, nextRetryAt, payload } = entry.record;
  return {
    file,
    delivery: entry.id,
    url,
    revision: payload.data.revision_id,
    status,
    lastStatusCode,
    lastError,
    nextRetryAt,
  };
}
