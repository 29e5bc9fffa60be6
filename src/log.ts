import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

/** The logger that everything is handed; pino's. */
export type Log = Logger;

/** How much is told: pino's level names. */
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

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
    'headers["x-service-signature"]',
    '*.headers["x-service-signature"]',
  ],
  censor: '[redacted]',
};

/**
 * The service's logger: JSON lines on a pipe, readable lines on a terminal.
 *
 * @param options.terminal whether somebody reads along.
 * @param options.fd the descriptor that lines go to. @default 1, standard output
 */
export function createLog({
  level,
  terminal,
  fd = 1,
}: {
  level: LogLevel;
  terminal: boolean;
  fd?: number;
}): Log {
  const settings = { level, base: null };
  // Not synchronous: a reader that stalls must not hold up deliveries. What is still waiting is written at the exit.
  return pino(settings, deaf(terminal ? readable(fd) : pino.destination({ dest: fd, sync: false })));
}

function readable(fd: number) {
  return pretty({ destination: fd, sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' });
}

/** A log that cannot be written, as its disk is full, must not stop the deliveries; its lines are lost. */
function deaf<S extends { on(event: 'error', listener: () => void): unknown }>(stream: S): S {
  stream.on('error', () => undefined);
  return stream;
}
