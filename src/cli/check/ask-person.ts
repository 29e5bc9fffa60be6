import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { escapeInvisible } from '../../log.js';

/** Asks on standard error, and waits for a line of standard input or its end, for what else would do, or for an interruption. */
export async function askPerson(
  what: string,
  signal: AbortSignal,
  ...others: Promise<void>[]
): Promise<void> {
  process.stderr.write(`${escapeInvisible(what)}\n`);
  if (signal.aborted) return;
  const lines = createInterface({ input: process.stdin });
  await Promise.race([once(lines, 'line'), once(lines, 'close'), once(signal, 'abort'), ...others]);
  lines.close();
}
