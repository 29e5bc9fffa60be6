import type { App, Guard } from '../app/app.js';
import type { Log } from '../log.js';

/** The process is gone after this long, whatever still hangs; supervisors kill after 10 s. */
const DEADLINE_MS = 9_500;

/** Whether this process stays until a signal comes. */
let staysOn = false;

/**
 * Ends the process cleanly on SIGTERM and SIGINT; a second signal ends it at once. An end that nobody has asked for,
 * such as a plugin's `process.exit()`, is logged and is a failure.
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
    const err = new Error('the receiver was ended from within; the stack says by what');
    log.fatal({ err, code }, 'the receiver ends without having been asked to stop');
    if (code === 0) process.exitCode = 1;
  });
  // Before those of plugins, which may throw.
  process.prependListener('SIGTERM', (signal) => void stop(signal));
  process.prependListener('SIGINT', (signal) => void stop(signal));
  if (guard === undefined)
    process.on('unhandledRejection', (err) => log.error({ err }, 'unhandled rejection'));
}

/**
 * Ends a command that is done, also where a plugin or the config has left a timer or a connection behind. A process that
 * stops on signals goes on.
 */
export function endSoon(): void {
  if (!staysOn) setTimeout(() => process.exit(), 500).unref();
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

let interrupt: AbortController | undefined;

/** Aborted by the first signal, so that a command can end what is under way; a second one, of either kind, ends the process at once. */
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
