import { Command } from 'commander';
import { loadSettings } from '../../config/load.js';
import { createLog } from '../../log.js';
import { CLOCK, type Clock } from '../../sender/clock.js';
import { readConnectors } from '../../sender/connectors.js';
import { openQueue } from '../../sender/queue/queue.js';
import { type Attempted, createWorker } from '../../sender/queue/worker.js';
import { stateOf } from '../../sender/state.js';
import { example, withDir } from '../options.js';
import { stopOnSignals } from '../signals.js';
import { printable } from '../terminal.js';
import { withClock, withRate } from './sending.js';

interface WorkOptions {
  readonly dir: string;
  readonly rate?: number;
  readonly once?: boolean;
  readonly json?: boolean;
  readonly clock?: Clock;
}

/** `pressmark work`: sends due deliveries every minute. */
export function workCommand(): Command {
  return withClock(withRate(withDir(new Command('work'))))
    .option('--once', 'send what is due now, and end')
    .option('--json', 'print log lines as JSON, even on a terminal')
    .addHelpText('after', example('pressmark work'))
    .action(async ({ dir, rate, once, clock = CLOCK, json }: WorkOptions) => {
      const { logLevel } = await loadSettings(dir);
      const terminal = process.stdout.isTTY === true && !json;
      const log = createLog({ level: logLevel, terminal, atOnce: true });
      const state = stateOf(dir);
      if (readConnectors(state).length === 0)
        log.warn('nothing is connected yet: pressmark connect <name> <url>');
      const queue = openQueue({ state, now: clock.now });
      let failed = 0;
      const onAttempt = ({ entry, outcome }: Attempted) => {
        const { attempts, lastStatusCode: code, lastError, nextRetryAt } = entry.record;
        const error = lastError !== null && terminal ? printable(lastError) : lastError;
        const about = {
          delivery: entry.id,
          source: entry.source,
          connector: entry.connector,
          attempts,
          code,
        };
        if (outcome.result === 'accepted') log.info({ ...about, url: entry.liveUrl }, 'delivered');
        else if (entry.record.status === 'failed') log.error({ ...about, error }, 'failed for good');
        else log.warn({ ...about, error, nextRetryAt }, 'failed, to be tried again');
        if (outcome.result !== 'accepted') failed++;
      };
      const worker = createWorker({ state, queue, log, clock, rate, onAttempt });
      if (once) {
        await worker.sendDue();
        queue.close();
        if (failed > 0) process.exitCode = 1;
        return;
      }
      stopOnSignals({ close: worker.stop }, log);
      log.info({ queue: state.deliveries }, 'at work');
      void worker.run(); // as in `start`, the command returns, and a signal ends the process
    });
}
