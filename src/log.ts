import { type DestinationStream, type Logger, pino } from 'pino';
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
 * @param options.destination where lines go instead of standard output.
 */
export function createLog(options: {
  level: LogLevel;
  terminal: boolean;
  destination?: DestinationStream;
}): Log {
  const settings = { level: options.level, base: null, redact: { paths: REDACTED, censor: '[redacted]' } };
  if (options.destination !== undefined) return pino(settings, options.destination);
  if (options.terminal)
    return pino(settings, pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }));
  return pino(settings, pino.destination({ dest: 1, sync: true }));
}
