import { messageOf, PressmarkError } from '../errors.js';
import type { Log } from '../log.js';
import { attempt } from './attempt.js';
import { CLOCK, type Clock, pacemaker } from './clock.js';
import { type Connector, readConnectors } from './connectors.js';
import type { Outcome } from './delivery.js';
import type { Entry } from './entry.js';
import type { Summary } from './entry-files.js';
import type { Queue } from './queue.js';
import type { SenderState } from './state.js';

/** How often the worker looks for what is due; every wait is so a minimum (contract: Limits). */
const TICK_MS = 60_000;

/** Requests to one receiver at a time; the contract shows no limit. */
const LANES = 8;

/** An attempt that has come to its end and is on the disk. */
export interface Attempted {
  readonly entry: Entry;
  readonly outcome: Outcome;
}

export interface WorkerOptions {
  readonly state: SenderState;
  readonly queue: Queue;
  readonly log: Log;
  /** @default the machine's */
  readonly clock?: Clock;
  /** Attempts a second at most, for each receiver. @default any number */
  readonly rate?: number | undefined;
  /** Requests to one receiver at a time. @default 8 */
  readonly lanes?: number;
  readonly onAttempt?: (attempted: Attempted) => void;
}

/** Sends what is due; see `createWorker`. */
export interface Worker {
  /**
   * Sends everything that is due now, and waits until each of these attempts has ended.
   *
   * @param filter which deliveries; all, where it is not given.
   */
  sendDue(filter?: (summary: Summary) => boolean): Promise<void>;
  /** Sends what is due every minute until `stop` is called. */
  run(): Promise<void>;
  /** Begins no further attempts, and waits for those under way. */
  stop(): Promise<void>;
}

/**
 * A worker on a queue. Several may work on one queue, in one process or in many: whoever marks a delivery as
 * `sending` has it.
 */
export function createWorker(options: WorkerOptions): Worker {
  const { state, queue, log, clock = CLOCK, rate, lanes = LANES, onAttempt } = options;
  const stopping = new AbortController();
  /** By connector, what is being sent: a receiver that hangs keeps nobody else's deliveries waiting. */
  const rounds = new Map<string, Promise<void>>();
  const told = new Set<string>();

  async function sendDue(filter?: (summary: Summary) => boolean): Promise<void> {
    const begun = begin(await queue.due(filter));
    const failed = (await Promise.allSettled(begun)).find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Begins a round for each receiver that something is due for. */
  function begin(due: readonly Summary[]): Promise<void>[] {
    tellProblems();
    const connectors = readConnectors(state);
    return [...new Set(due.map(({ connector }) => connector))].flatMap((name) => {
      const connector = connectors.find((one) => one.name === name);
      const theirs = due.filter((one) => one.connector === name);
      if (connector !== undefined) return [follow(name, sendAll(connector, theirs))];
      tellOnce(`there is no connector ${name}; ${theirs.length} deliveries wait for it`);
      return [];
    });
  }

  function follow(name: string, round: Promise<void>): Promise<void> {
    const settled = round
      .catch(() => undefined) // whoever began the round is told
      .then(() => {
        if (rounds.get(name) === settled) rounds.delete(name);
      });
    rounds.set(name, settled);
    return round;
  }

  async function sendAll(connector: Connector, due: readonly Summary[]): Promise<void> {
    const pace = pacemaker(clock, rate);
    const left = due.values();
    const lane = async () => {
      for (const { id } of left) {
        await pace(stopping.signal);
        if (stopping.signal.aborted) return;
        await sendOne(connector, id);
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: Math.min(lanes, due.length) }, lane));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async function sendOne(connector: Connector, id: string): Promise<void> {
    const taken = await queue.take(id);
    if (taken === undefined) return;
    const outcome = await attempt(taken.record, connector, clock.now());
    const entry = await queue.settle(taken, outcome);
    if (entry === undefined) log.warn({ delivery: id }, 'the attempt took so long that it counts as stuck');
    else onAttempt?.({ entry, outcome });
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await tick();
      await clock.wait(TICK_MS, stopping.signal);
    }
    await Promise.all(rounds.values());
  }

  async function tick(): Promise<void> {
    try {
      const due = await queue.due(({ connector }) => !rounds.has(connector));
      for (const round of begin(due)) round.catch(tellFailure);
    } catch (error) {
      tellFailure(error);
    }
  }

  /** A disk that is full or a lock that is held is waited for: the next tick tries again. */
  function tellFailure(error: unknown): void {
    if (error instanceof PressmarkError) log.error({ code: error.code }, error.message);
    else log.error({ err: error }, messageOf(error));
  }

  function tellProblems(): void {
    for (const [file, reason] of queue.problems())
      tellOnce(
        `deliveries/${file} is skipped, as it is no delivery record: ${reason}; mend it or move it away`,
      );
  }

  function tellOnce(text: string): void {
    if (told.has(text)) return;
    told.add(text);
    log.warn(text);
  }

  return {
    sendDue,
    run,
    stop: async () => {
      stopping.abort();
      await Promise.all(rounds.values());
    },
  };
}
