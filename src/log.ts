import fs from 'node:fs';
import { createRequire } from 'node:module';
import type { Logger, pino as pinoFunction } from 'pino';
import type pinoPretty from 'pino-pretty';
import { systemCode } from './errors.js';

const require = createRequire(import.meta.url);

/** Loads pino with the first log: most commands have none. */
function loadPino(): typeof pinoFunction {
  return require('pino').pino;
}

/** The logger of all modules; pino's. */
export type Log = Logger;

/** How much is logged: pino's level names. */
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Control characters, and characters that reverse the direction of the text after them. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Escapes the control characters of a text as JSON does, so that no foreign text moves a terminal's cursor or reverses its
 * text. A JSON text stays JSON of the same value.
 *
 * @param lines whether line breaks stay.
 */
export function escapeInvisible(text: string, { lines = false } = {}): string {
  return text.replace(INVISIBLE, (char) =>
    lines && char === '\n' ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** An escape in JSON. */
const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|.)/g;

/** Escapes control characters in a line of JSON twice: its parsed texts contain the escapes. Line breaks and tabs stay. */
function escapedTwice(json: string): string {
  const escaped = json.replace(ESCAPE, (found) => {
    const value: string = JSON.parse(`"${found}"`);
    return /[\n\t]/.test(value) ? found : JSON.stringify(escapeInvisible(value)).slice(1, -1);
  });
  return escaped.replace(INVISIBLE, (char) =>
    char === '\n' ? char : JSON.stringify(escapeInvisible(char)).slice(1, -1),
  );
}

/** Headers that hold a signature or a password. */
const PROOF = /(?:^|-)(?:signature|authorization|cookie|secret|token|api-key)(?:-|$)/i;

/** Redaction for lines of plugins, which may log a whole config or request. Our own lines name each field, and need none. */
export const REDACTION = {
  paths: [
    'secret',
    'secrets',
    '*.secret',
    '*.secrets',
    'headers.*',
    '*.headers.*',
    // Node.js adds the raw bytes of a malformed request to its error
    'rawPacket',
    '*.rawPacket',
  ],
  // Of the headers, only those that authenticate the sender, whatever their prefix.
  censor: (value: unknown, path: readonly string[]) =>
    path.at(-2) === 'headers' && !PROOF.test(path.at(-1) ?? '') ? value : '[redacted]',
};

/** The hidden secrets, each with its form in JSON. */
const hidden = new Map<string, string>();

/** The length of the shortest text that is hidden, in characters. A shorter one could occur anywhere. */
export const SHORTEST_HIDDEN = 8;

/** Hides a secret: from now on, all logs of this thread contain `[redacted]` instead. */
export function hideInLog(secret: string): void {
  if (secret.length >= SHORTEST_HIDDEN) hidden.set(secret, JSON.stringify(secret).slice(1, -1));
}

function lineWithoutHidden(line: string): string {
  let shown = line;
  for (const secret of hidden.values()) shown = shown.replaceAll(secret, '[redacted]');
  return shown;
}

/** The secrets that `hideInLog` hides, for records outside the log. */
export function hiddenTexts(): readonly string[] {
  return [...hidden.keys()];
}

/** Replaces the secrets that `hideInLog` hides in a text for records outside the log. */
export function withoutHidden(text: string): string {
  let shown = text;
  for (const secret of hidden.keys()) shown = shown.replaceAll(secret, '[redacted]');
  return shown;
}

/**
 * How long lines are gathered before a write, in milliseconds. A write per line would slow down thousands of deliveries a
 * second.
 */
const GATHER_MS = 50;

/** The beginning of the line of an ordinary delivery: pino's number of the level `info`. */
const INFO = '{"level":30,';

/** The most bytes that are kept while the reader of a pipe does not read. */
const MOST_WAITING = 1_000_000;

/** The options of a log. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Whether the log goes to a terminal. */
  readonly terminal: boolean;
  /** The file descriptor for the lines. @default 1, standard output */
  readonly fd?: number;
  /** Whether each line is written at once, for a process that may end without notice. @default false */
  readonly atOnce?: boolean;
}

/** Creates the service's logger: JSON lines on a pipe, readable lines on a terminal. */
export function createLog({ level, terminal, fd = 1, atOnce = false }: LogOptions): Log {
  const serializers = { err: describeError };
  const hooks = { streamWrite: lineWithoutHidden };
  return loadPino()(
    { level, base: null, serializers, hooks },
    terminal ? readable(fd) : createLineWriter(fd, atOnce),
  );
}

/**
 * Describes an error for the log: its type, code, message and stack, with the stacks of its causes. Other properties are left
 * out, as Node.js and plugins put requests into them.
 */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = loadPino().stdSerializers.err(error);
  return { type, code: systemCode(error), message, stack };
}

function readable(fd: number) {
  const pretty: typeof pinoPretty = require('pino-pretty'); // threads and pipes do not need it
  const stream = pretty({
    destination: fd,
    sync: true,
    singleLine: true,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
  });
  // A log that cannot be written, for example on a full disk, must not stop deliveries. Its lines are lost.
  stream.on('error', () => undefined);
  return { write: (line: string) => void stream.write(escapedTwice(line)) };
}

/** The flush functions of this process's logs. */
const flushers: (() => void)[] = [];

/**
 * Creates the writer of log lines. pino's own destination retries forever on a full disk and keeps the process alive; this one
 * drops lines that cannot be written.
 *
 * @param fd the file descriptor.
 * @param atOnce whether each line is written at once instead of gathered.
 */
function createLineWriter(fd: number, atOnce: boolean): { write(line: string): void } {
  let waiting = '';
  /** The bytes that a full pipe has not taken; they may begin within a character. */
  let rest = Buffer.alloc(0);

  function flush(): void {
    if (waiting === '' && rest.length === 0) return;
    const bytes = Buffer.concat([rest, Buffer.from(waiting)]);
    rest = Buffer.alloc(0);
    waiting = '';
    let written = 0;
    try {
      while (written < bytes.length) written += fs.writeSync(fd, bytes, written);
    } catch (error) {
      // A full pipe gets the rest later. Any other error drops only these lines.
      if (systemCode(error) === 'EAGAIN' && bytes.length - written < MOST_WAITING)
        rest = bytes.subarray(written);
    }
  }

  setInterval(flush, GATHER_MS).unref();
  if (flushers.push(flush) === 1)
    process.on('exit', () => {
      for (const last of flushers) last();
    });
  return {
    write: (line) => {
      waiting += escapeInvisible(line, { lines: true });
      if (atOnce || !line.startsWith(INFO)) flush(); // warnings and errors are written at once
    },
  };
}
