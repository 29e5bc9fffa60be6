import fs from 'node:fs';
import { createRequire } from 'node:module';
import type { Logger, pino as pinoFunction } from 'pino';
import type pinoPretty from 'pino-pretty';
import { systemCode } from './errors.js';

const require = createRequire(import.meta.url);

/** Loaded with the first log: most commands have none. */
function loadPino(): typeof pinoFunction {
  return require('pino').pino;
}

/** The logger that everything is handed; pino's. */
export type Log = Logger;

/** How much is logged: pino's level names. */
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Control characters, and those that turn the text behind them round. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text whose control characters are escapes, as JSON has them: no foreign text moves the cursor of a terminal or turns
 * what it shows round. JSON stays JSON of the same value.
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

/** A line of JSON whose texts, once parsed, hold their control characters as escapes, but for line breaks and tabs. */
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

/**
 * What is cut out of the lines of plugins, which may log a config or a request whole. Our own lines are made of
 * fields that are named one by one, and looking through each of them would cost more than writing it.
 */
export const REDACTION = {
  paths: [
    'secret',
    'secrets',
    '*.secret',
    '*.secrets',
    'headers.*',
    '*.headers.*',
    // what Node.js adds to the error of a malformed request: all bytes that it came with
    'rawPacket',
    '*.rawPacket',
  ],
  // Of the headers only those that prove who sent the request, whatever a service calls its own.
  censor: (value: unknown, path: readonly string[]) =>
    path.at(-2) === 'headers' && !PROOF.test(path.at(-1) ?? '') ? value : '[redacted]',
};

/** What no line shows, and how JSON has it. */
const hidden = new Map<string, string>();

/** A shorter text may stand anywhere, and is not hidden; in characters. */
export const SHORTEST_HIDDEN = 8;

/** Hides a secret: lines have `[redacted]` in its place from then on, in all logs of this thread. */
export function hideInLog(secret: string): void {
  if (secret.length >= SHORTEST_HIDDEN) hidden.set(secret, JSON.stringify(secret).slice(1, -1));
}

function lineWithoutHidden(line: string): string {
  let shown = line;
  for (const secret of hidden.values()) shown = shown.replaceAll(secret, '[redacted]');
  return shown;
}

/** The secrets that `hideInLog` has hidden, for what is kept elsewhere than in the log. */
export function hiddenTexts(): readonly string[] {
  return [...hidden.keys()];
}

/** A text that is kept elsewhere than in the log, without the secrets that `hideInLog` has hidden. */
export function withoutHidden(text: string): string {
  let shown = text;
  for (const secret of hidden.keys()) shown = shown.replaceAll(secret, '[redacted]');
  return shown;
}

/** Lines wait for each other this long, in milliseconds: at thousands of deliveries a second a write for each would show. */
const GATHER_MS = 50;

/** How the line of an ordinary delivery begins: with pino's number of the level `info`. */
const INFO = '{"level":30,';

/** More than this is not kept for a reader that does not read, in bytes. */
const MOST_WAITING = 1_000_000;

/** How a log is written. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Whether the log goes to a terminal. */
  readonly terminal: boolean;
  /** The descriptor that lines go to. @default 1, standard output */
  readonly fd?: number;
  /** Whether each line is written at once; for what may be ended without notice. @default false */
  readonly atOnce?: boolean;
}

/**
 * The service's logger: JSON lines on a pipe, readable lines on a terminal.
 */
export function createLog({ level, terminal, fd = 1, atOnce = false }: LogOptions): Log {
  const serializers = { err: describeError };
  const hooks = { streamWrite: lineWithoutHidden };
  return loadPino()(
    { level, base: null, serializers, hooks },
    terminal ? readable(fd) : createLineWriter(fd, atOnce),
  );
}

/**
 * What a log holds of an error: its type, code and message, and its stack with those of its causes. Not its other
 * properties: Node.js and plugins put requests into them.
 */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = loadPino().stdSerializers.err(error);
  return { type, code: systemCode(error), message, stack };
}

function readable(fd: number) {
  const pretty: typeof pinoPretty = require('pino-pretty'); // threads and pipes have no use for it
  const stream = pretty({
    destination: fd,
    sync: true,
    singleLine: true,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
  });
  // A log that cannot be written, as its disk is full, must not stop the deliveries; its lines are lost.
  stream.on('error', () => undefined);
  return { write: (line: string) => void stream.write(escapedTwice(line)) };
}

/** One for each log of this process. */
const flushers: (() => void)[] = [];

/**
 * Where log lines are written. pino's own destination tries for ever to write to a full disk, and does not let
 * the process end; here a line that cannot be written is lost.
 *
 * @param fd the descriptor.
 * @param atOnce whether lines are written as they come, and not gathered for a moment.
 */
function createLineWriter(fd: number, atOnce: boolean): { write(line: string): void } {
  let waiting = '';
  /** What a full pipe has not taken; it may begin in the middle of a character. */
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
      // A pipe that is full just now gets the rest later; any other failure costs these lines and nothing else.
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
