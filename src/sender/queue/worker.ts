import { messageOf, PressmarkError } from '../../errors.js';
import { eachAtATime } from '../../fs/each-at-a-time.js';
import type { Log } from '../../log.js';
import { CLOCK, type Clock } from '../clock.js';
import { findConnector } from '../connectors.js';
import { attempt } from '../delivery/attempt.js';
import type { Outcome } from '../delivery/delivery.js';
import { createPace } from '../pace.js';
import { noteOutcome, pauseOf } from '../pause.js';
import type { SenderState } from '../state.js';
import type { Entry } from './entry.js';
import type { Summary } from './entry-files.js';
import type { Queue } from './queue.js';

/**
 * The interval at which the worker looks for due deliveries, in milliseconds; so every wait is a minimum (contract: Limits).
 */
const TICK_MS = 60_000;

/** The number of concurrent requests to one receiver; the contract has no limit. */
const LANES = 8;

/** The longest pause that the worker waits for, in milliseconds; after a longer one, a later tick finds the deliveries. */
const PATIENCE_MS = 300_000;

/** A finished attempt that is on the disk. */
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
  /** The most attempts per second, for each receiver. @default unlimited */
  readonly rate?: number | undefined;
  /** The number of concurrent requests to one receiver. @default 8 */
  readonly lanes?: number;
  readonly onAttempt?: (attempted: Attempted) => void;
}

/**
 * Creates a worker for a queue. Several workers may share a queue, in one process or in many: the one that marks a delivery as
 * `sending` sends it.
 */
export function createWorker(options: WorkerOptions) {
  const { state, queue, log, clock = CLOCK, rate, lanes = LANES, onAttempt } = options;
  const stopping = new AbortController();
  /** The sending in progress, by receiver: a hanging receiver does not delay the others. */
  const underWay = new Map<string, Promise<void>>();
  /** The rate limits by receiver; they continue from one tick to the next. */
  const paces = new Map<string, ReturnType<typeof createPace>>();
  const warned = new Set<string>();
  let failures: unknown[] = [];
  let ticking = false;

  /**
   * Sends everything that is due now, and waits for the end of these attempts.
   *
   * @param filter selects deliveries. @default all
   */
  async function sendDue(filter?: (summary: Summary) => boolean): Promise<void> {
    failures = [];
    post(await queue.due(filter));
    await allEnded();
    if (failures.length > 0) throw failures[0];
  }

  /** Starts sending due deliveries. Further ones for a receiver that is still being sent to wait for a later tick. */
  function post(due: readonly Summary[]): void {
    warnOfProblems();
    const names = new Set(due.map(({ connector }) => connector));
    const waiting = new Set([...names].filter((name) => !isConnected(name, due)));
    const ready = due.filter(({ connector }) => !waiting.has(connector));
    for (const url of new Set(ready.map((one) => one.url))) {
      if (underWay.has(url)) continue;
      const theirs = ready.filter((one) => one.url === url);
      const sending = sendAll(url, theirs)
        .catch(fail)
        .finally(() => underWay.delete(url));
      underWay.set(url, sending);
    }
  }

  function isConnected(name: string, due: readonly Summary[]): boolean {
    try {
      if (findConnector(state, name) !== undefined) return true;
      const count = due.filter(({ connector }) => connector === name).length;
      warnOnce(`there is no connector ${name}; what was queued for it waits: ${count}`);
    } catch (error) {
      fail(error); // this connector's file is broken; the others go on
    }
    return false;
  }

  /** Handles an error: `sendDue` throws it after all deliveries, `run` logs it. */
  function fail(error: unknown): void {
    if (ticking) reportFailure(error);
    else failures.push(error);
  }

  /**
   * Sends deliveries to one receiver concurrently. After a failure no more are begun: its cause, such as a full disk, affects
   * the others too, and they are due again at the next tick.
   */
  async function sendAll(url: string, deliveries: readonly Summary[]): Promise<void> {
    const pace = paceOf(url);
    let isLeftAlone = false;
    await eachAtATime(lanes, deliveries, async (delivery) => {
      if (isLeftAlone) return;
      if (await turnCame(url, pace)) await sendOne(delivery);
      else isLeftAlone = true;
    });
  }

  function paceOf(url: string): ReturnType<typeof createPace> | undefined {
    if (rate !== undefined && !paces.has(url)) paces.set(url, createPace(rate, clock));
    return paces.get(url);
  }

  /**
   * Waits until a receiver may be sent to. The pause is checked last, as another attempt may have begun it during the wait.
   *
   * @returns false if the receiver has asked for too long a pause, or is gone.
   */
  async function turnCame(url: string, pace?: ReturnType<typeof createPace>): Promise<boolean> {
    for (;;) {
      await pace?.(1, stopping.signal);
      if (stopping.signal.aborted) return false;
      const pause = pauseOf(state, url, clock.now());
      if (pause === undefined) return true;
      warnOnce(
        pause.gone > 0
          ? `${url} says that it is gone (410); nothing is sent there before ${pause.until}; correct the URL with pressmark connect, or end the deliveries with pressmark deliveries cancel`
          : `${url} asks for a pause until ${pause.until} (${pause.why}); what waits is sent after that`,
      );
      const ms = Date.parse(pause.until) - clock.now();
      if (pause.gone > 0 || ms > PATIENCE_MS) return false;
      await clock.wait(ms, stopping.signal);
    }
  }

  async function allEnded(): Promise<void> {
    await Promise.all(underWay.values());
  }

  async function sendOne({ id, connector: name, url }: Summary): Promise<void> {
    const connector = findConnector(state, name); // read each time: it may have been edited since
    const taken = connector && (await queue.take(id));
    if (connector === undefined || taken === undefined) return;
    const began = clock.now();
    const outcome = await attempt(taken.record, connector, began);
    const entry = await queue.settle(taken, outcome);
    if (entry === undefined) log.warn({ delivery: id }, 'the attempt took so long that it counts as stuck');
    else onAttempt?.({ entry, outcome });
    await noteOutcome(state, url, outcome, began, clock.now());
  }

  /** Sends due deliveries every minute until `stop` is called. */
  async function run(): Promise<void> {
    ticking = true;
    while (!stopping.signal.aborted) {
      try {
        post(await queue.due());
      } catch (error) {
        reportFailure(error);
      }
      await clock.wait(TICK_MS, stopping.signal);
    }
    await allEnded();
  }

  /** Logs a failure, such as a full disk or a held lock: the next tick tries again. */
  function reportFailure(error: unknown): void {
    if (error instanceof PressmarkError) log.error({ code: error.code }, error.message);
    else log.error({ err: error }, messageOf(error));
  }

  function warnOfProblems(): void {
    for (const [file, reason] of queue.problems())
      warnOnce(
        `deliveries/${file} is skipped, as it is not a delivery record: ${reason}; fix it or move it away`,
      );
  }

  function warnOnce(text: string): void {
    if (warned.has(text)) return;
    warned.add(text);
    log.warn(text);
  }

  return {
    sendDue,
    run,
    /** Starts no further attempts, and waits for those under way. */
    stop: async () => {
      stopping.abort();
      await allEnded();
    },
  };
}
