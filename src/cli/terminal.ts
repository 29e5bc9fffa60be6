import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { styleText } from 'node:util';
import { messageOf, systemCode } from '../errors.js';
import { createLog, escapeInvisible, type Log } from '../log.js';

/** The amount of output: `--quiet` leaves errors, and JSON with `--json`; `--verbose` adds causes. */
export type Loudness = 'quiet' | 'usual' | 'verbose';

let loudness: Loudness = 'usual';

/** Sets the amount of output from now on. */
export function setLoudness(next: Loudness): void {
  loudness = next;
}

export const isVerbose = (): boolean => loudness === 'verbose';

/** Prints lines for a person. */
export function print(text: string): void {
  if (loudness !== 'quiet') console.log(text);
}

/** Prints lines to standard error: standard output is for the result. */
export function tell(text: string): void {
  if (loudness !== 'quiet') console.error(text);
}

/** Colours or emphasises text, on a terminal only. */
export function paint(style: Parameters<typeof styleText>[0], text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text;
}

const MARKS = { ok: ['green', '✓'], warn: ['yellow', '!'], fail: ['red', '✗'], none: ['dim', ' '] } as const;

/** The state of an item. A tick means that everything is as the owner wants it; `none` means that nothing has happened yet. */
export type Mark = keyof typeof MARKS;

/** The symbol of a mark, in its colour. */
export function marked(mark: Mark): string {
  const [style, sign] = MARKS[mark];
  return paint(style, sign);
}

/** Puts a foreign text on one line and escapes its control characters, so that no answer moves the cursor. */
export function printable(text: string): string {
  return escapeInvisible(text.replaceAll('\n', '⏎'));
}

/** Prints a value as JSON, with all characters escaped that move the cursor or reverse the text. */
export function printJson(value: unknown, space?: number): void {
  console.log(escapeInvisible(JSON.stringify(value, null, space), { lines: true }));
}

/** Like `printable`, but keeps line breaks. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

const PERMISSION_FIX = 'let the user who runs Pressmark read and write there';

/** The fixes for errors of the system that a command does not expect. */
const FIXES: Readonly<Record<string, string>> = {
  EACCES: PERMISSION_FIX,
  EPERM: PERMISSION_FIX,
  EMFILE: 'raise the limit of open files (ulimit -n)',
};

/** Describes an unexpected error: for an error of the system, its message and a fix; for a bug of ours, the stack. */
export function unexpected(error: unknown): string {
  const code = systemCode(error);
  const fix = FIXES[code ?? ''];
  if (fix !== undefined) return `${messageOf(error)}; ${fix}`;
  if (code !== undefined) return messageOf(error);
  return error instanceof Error && error.stack !== undefined ? error.stack : messageOf(error);
}

/** Creates a log for warnings on standard error; standard output is for the result. */
export function warningLog(): Log {
  const level = { quiet: 'error', usual: 'warn', verbose: 'debug' } as const;
  return createLog({ level: level[loudness], terminal: process.stderr.isTTY === true, fd: 2, atOnce: true });
}

/** Formats rows as lines with aligned columns; without spaces at their ends. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of cells)
    for (const [column, { length }] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, length);
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** A line at the bottom of a terminal that is updated in place; without a terminal, nothing is shown. */
export interface ProgressLine {
  show(text: string): void;
  /** Prints a permanent line above the progress line. */
  print(text: string): void;
  clear(): void;
}

/** Creates the progress line on standard error; permanent lines go to standard output. */
export function progressLine(): ProgressLine {
  const moving = process.stderr.isTTY === true && loudness !== 'quiet';
  let last = '';
  const clear = () => {
    if (moving && last !== '') process.stderr.write('\r\u001b[K');
  };
  const show = (text: string) => {
    clear();
    last = text.slice(0, Math.max(0, (process.stderr.columns || 80) - 1));
    if (moving) process.stderr.write(last);
  };
  return {
    show,
    print: (text) => {
      clear();
      print(text);
      if (last !== '') show(last);
    },
    clear: () => {
      clear();
      last = '';
    },
  };
}

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
