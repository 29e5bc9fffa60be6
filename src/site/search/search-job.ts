import { fork } from 'node:child_process';
import { hash } from 'node:crypto';
import { messageOf } from '../../errors.js';
import type { SearchOutcome, SearchPage, SearchRequest } from './search-messages.js';

/** A job that was started. */
export interface SearchJob {
  /** Never rejects. */
  readonly outcome: Promise<SearchOutcome>;
  /** Ends the process and what it has started; what is on the disk stays whole. */
  abort(): void;
}

/** Changes where the same pages make another index. */
const FORMAT = 1;

/** How much of what the process says is kept for a message, in characters. */
const MOST_SAID = 2_000;

/** After this long an aborted process is killed. */
const ABORT_MS = 1_000;

/** What the index of these pages is known by. */
export function indexDigest(version: string, pages: readonly SearchPage[]): string {
  return hash('sha256', JSON.stringify([FORMAT, version, pages.map((page) => [page.path, page.version])]));
}

/** Indexes pages in a process of its own, with the lowest priority there is. */
export function startSearchJob(request: SearchRequest): SearchJob {
  const child = fork(new URL('./search-process.js', import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    detached: true, // Ctrl-C on the terminal is for us to hand on
  });
  let said = '';
  let isAborted = false;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-MOST_SAID);
  });
  const outcome = new Promise<SearchOutcome>((resolve) => {
    child.on('message', (message) => resolve(message as SearchOutcome));
    child.on('error', (error) => resolve({ is: 'failed', reason: messageOf(error) }));
    child.on('exit', (code, signal) => {
      const reason = `the indexing process ended with ${signal ?? code}${said && `: ${said.trim()}`}`;
      resolve(isAborted ? { is: 'aborted' } : { is: 'failed', reason });
    });
    child.send(request, (error) => {
      if (error !== null) resolve({ is: 'failed', reason: messageOf(error) });
    });
  });

  function abort(): void {
    isAborted = true;
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), ABORT_MS).unref();
  }

  return { outcome, abort };
}
