import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { escapeInvisible } from '../../log.js';

/**
 * Asks a question on standard error, and waits for a line of standard input or for an interruption.
 *
 * @param seen counts as an answer too, when it settles; without it, the end of standard input also does.
 */
export async function askPerson(what: string, signal: AbortSignal, seen?: Promise<void>): Promise<void> {
  process.stderr.write(`${escapeInvisible(what)}\n`);
  if (signal.aborted) return;
  const lines = createInterface({ input: process.stdin });
  const done = new AbortController();
  const interrupted = once(signal, 'abort', { signal: done.signal });
  await Promise.race([once(lines, 'line'), interrupted, seen ?? once(lines, 'close')]);
  lines.close();
  done.abort(); // a signal allows fewer listeners than a run has questions
}
