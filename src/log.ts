import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

/** The logger that everything is handed; pino's. */
export type Log = Logger;

/** How much is told: pino's level names. */
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

// The secret has no business in a log line; should a plugin log a config or a request whole, these are cut out.
const REDACTED = [
  'secret',
  'secrets',
  '*.secret',
  '*.secrets',
  'headers["x-service-signature"]',
  '*.headers["x-service-signature"]',
];

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
  const settings = { level, base: null, redact: { paths: REDACTED, censor: '[redacted]' } };
  return pino(settings, deaf(terminal ? readable(fd) : pino.destination({ dest: fd, sync: true })));
}

function readable(fd: number) {
  return pretty({ destination: fd, sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' });
}

/** A log that cannot be written, as its disk is full, must not stop the deliveries; its lines are lost. */
function deaf<S extends { on(event: 'error', listener: () => void): unknown }>(stream: S): S {
  stream.on('error', () => undefined);
  return stream;
}
