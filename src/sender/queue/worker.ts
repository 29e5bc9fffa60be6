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

/** How often the worker looks for what is due; every wait is so a minimum (contract: Limits). */
const TICK_MS = 60_000;

/** Requests to one receiver at a time; the contract shows no limit. */
const LANES = 8;

/** The longest pause that is waited out, in milliseconds; after a longer one the deliveries are looked for again. */
const PATIENCE_MS = 300_000;

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

/**
 * A worker on a queue. Several may work on one queue, in one process or in many: the one that marks a delivery as `sending`
 * sends it.
 */
export function createWorker(options: WorkerOptions) {
  const { state, queue, log, clock = CLOCK, rate, lanes = LANES, onAttempt } = options;
  const stopping = new AbortController();
  /** What is being sent, by receiver: a receiver that hangs does not delay the others. */
  const underWay = new Map<string, Promise<void>>();
  /** How fast each receiver is sent to; one tick goes on where the last one was. */
  const paces = new Map<string, ReturnType<typeof createPace>>();
  const warned = new Set<string>();
  let failures: unknown[] = [];
  let ticking = false;

  /**
   * Sends everything that is due now, and waits until each of these attempts has ended.
   *
   * @param filter which deliveries. @default all
   */
  async function sendDue(filter?: (summary: Summary) => boolean): Promise<void> {
    failures = [];
    post(await queue.due(filter));
    await allEnded();
    if (failures.length > 0) throw failures[0];
  }

  /** Begins to send what is due. What becomes due at a receiver that is still being sent to waits for a later tick. */
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

  /** `sendDue` throws the error when all deliveries have ended; `run` logs it. */
  function fail(error: unknown): void {
    if (ticking) reportFailure(error);
    else failures.push(error);
  }

  /**
   * Sends deliveries to one receiver side by side. After a failure nothing else is begun: what hindered one, such as a full
   * disk, hinders the others too, and they are due again at the next tick.
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
   * Waits for a turn in which a receiver may be sent to. The pause is looked at last: another attempt may have begun it
   * while this one waited.
   *
   * @returns false if the receiver wants to be left alone for too long, or is gone.
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
          : `${url} wants to be left alone until ${pause.until} (${pause.why}); what waits goes there after that`,
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
    await noteOutcome(state, url, outcome, began, clock.now());
    if (entry === undefined) log.warn({ delivery: id }, 'the attempt took so long that it counts as stuck');
    else onAttempt?.({ entry, outcome });
  }

  /** Sends what is due every minute until `stop` is called. */
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

  /** A disk that is full or a lock that is held is waited for: the next tick tries again. */
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
    /** Begins no further attempts, and waits for those under way. */
    stop: async () => {
      stopping.abort();
      await allEnded();
    },
  };
}
