import type { App, Guard } from '../app/app.js';
import type { Log } from '../log.js';

/** The process exits after this time even if something hangs, in milliseconds; supervisors kill it after 10 s. */
const DEADLINE_MS = 9_500;

/** Whether this process runs until a signal comes. */
let staysOn = false;

/**
 * Ends the process cleanly on SIGTERM and SIGINT; a second signal ends it at once. An unexpected exit, such as a plugin's
 * `process.exit()`, is logged as a failure.
 */
export function stopOnSignals(app: Pick<App, 'close'>, log: Log, guard?: Guard): void {
  let stopping = false;
  const exit = guard?.exit ?? process.exit;
  staysOn = true;

  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (stopping) exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.warn('not everything was finished in time; the next start completes it');
      exit(0);
    }, DEADLINE_MS).unref();
    try {
      await app.close();
    } catch (error) {
      log.error({ err: error }, 'stopping failed; the next start completes it');
    }
    guard?.reportLeft();
    log.info('stopped');
    exit(0);
  }

  process.on('exit', (code) => {
    if (stopping) return;
    const err = new Error('something in the receiver’s process ended it; the stack shows what');
    log.fatal({ err, code }, 'the receiver ends, though no signal asked it to stop');
    if (code === 0) process.exitCode = 1;
  });
  // Before the listeners of plugins, which may throw.
  process.prependListener('SIGTERM', (signal) => void stop(signal));
  process.prependListener('SIGINT', (signal) => void stop(signal));
  if (guard === undefined)
    process.on('unhandledRejection', (err) => log.error({ err }, 'unhandled rejection'));
}

/**
 * Ends a finished command even if a plugin or the config has left a timer or a connection open. A process that waits for
 * signals continues.
 */
export function endSoon(): void {
  if (!staysOn) setTimeout(() => process.exit(), 500).unref();
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

let interrupt: AbortController | undefined;

/**
 * The signal that is aborted by the first SIGINT or SIGTERM, so that a command can stop its work; a second one ends the process
 * at once.
 */
export function interruptSignal(): AbortSignal {
  if (interrupt === undefined) {
    const controller = new AbortController();
    const stop = () => {
      for (const name of SIGNALS) process.off(name, stop);
      controller.abort();
    };
    for (const name of SIGNALS) process.on(name, stop);
    interrupt = controller;
  }
  return interrupt.signal;
}
