import { styleText } from 'node:util';
import { messageOf, systemCode } from '../errors.js';
import { createLog, escapeInvisible, type Log } from '../log.js';

/** How much a command prints: `--quiet` leaves errors, and the JSON that `--json` asks for; `--verbose` adds causes. */
export type Loudness = 'quiet' | 'usual' | 'verbose';

let loudness: Loudness = 'usual';

/** Sets what every command takes from then on. */
export function setLoudness(next: Loudness): void {
  loudness = next;
}

export const isVerbose = (): boolean => loudness === 'verbose';

/** Prints lines for a person. */
export function print(text: string): void {
  if (loudness !== 'quiet') console.log(text);
}

/** The same on standard error: standard output is for the result. */
export function tell(text: string): void {
  if (loudness !== 'quiet') console.error(text);
}

/** Text in a colour or weight, on a terminal only. */
export function paint(style: Parameters<typeof styleText>[0], text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text;
}

const MARKS = { ok: ['green', '✓'], warn: ['yellow', '!'], fail: ['red', '✗'], none: ['dim', ' '] } as const;

/** How something stands: a tick is for what is as the owner wants it; `none` for what has not happened yet. */
export type Mark = keyof typeof MARKS;

/** The sign of a mark, in its colour. */
export function marked(mark: Mark): string {
  const [style, sign] = MARKS[mark];
  return paint(style, sign);
}

/** A foreign text on one line, its control characters made visible: nothing that a receiver answers moves the cursor. */
export function printable(text: string): string {
  return escapeInvisible(text.replaceAll('\n', '⏎'));
}

/** Prints a value as JSON in which nothing moves the cursor or turns the text round. */
export function printJson(value: unknown, space?: number): void {
  console.log(escapeInvisible(JSON.stringify(value, null, space), { lines: true }));
}

/** The same for a text whose lines stay lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** What the system refused, in its words and with what to do; for a fault of our own, and only there, the stack. */
export function unexpected(error: unknown): string {
  const code = systemCode(error);
  if (code === 'EACCES' || code === 'EPERM')
    return `${messageOf(error)}; let the user who runs Pressmark read and write there`;
  if (code !== undefined) return messageOf(error);
  return error instanceof Error && error.stack !== undefined ? error.stack : messageOf(error);
}

/** A log for what a person should know besides the output; standard output is for that alone. */
export function warningLog(): Log {
  const level = { quiet: 'error', usual: 'warn', verbose: 'debug' } as const;
  return createLog({ level: level[loudness], terminal: process.stderr.isTTY === true, fd: 2, atOnce: true });
}

/** Rows as lines whose columns are aligned; the last column may be of any length. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(printable));
  const widthOf = (column: number) => Math.max(...cells.map((row) => row[column]?.length ?? 0));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widthOf(column)))
      .join('  ')
      .trimEnd(),
  );
}

/** A line at the bottom of a terminal that is written over again and again; nothing if no terminal is. */
export interface ProgressLine {
  show(text: string): void;
  /** Prints a line that stays, above the moving one. */
  print(text: string): void;
  clear(): void;
}

/** The moving line on standard error; lines that stay go to standard output. */
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
