import { setTimeout } from 'node:timers/promises';
import { messageOf } from '../errors.js';
import type { Log } from '../log.js';
import type { Branch, NotNow } from './head.js';

/** A change that waits for its commit. */
export interface Waiting {
  /** The file, relative to the site's folder. */
  readonly path: string;
  readonly kind: 'Publish' | 'Update';
  /** The text that was stored; undefined where it has to be read again. */
  text: string | undefined;
  /** The revision that the text is; undefined where whatever the file holds is meant. */
  readonly revision: string | undefined;
  /** The whole commit message; undefined where it is made from what the file holds. */
  readonly message: Promise<string> | undefined;
  /** The commit that HEAD was at about when the change came; undefined until somebody looked. */
  before: string | null | undefined;
}

/** What the queue works with. */
export interface QueueWork {
  /** Looks where the branch is, before anything else; called when the first change arrives. */
  look(): Promise<Branch | NotNow>;
  /** Commits a batch in order. */
  commit(batch: readonly Waiting[], branch: Branch): Promise<NotNow | undefined>;
  /** Finds what was left uncommitted; finds nothing once `signal` says that the shutdown has begun. */
  recover(signal: AbortSignal): Promise<readonly Waiting[] | NotNow>;
}

/** The queue of commits; see `createQueue`. */
export interface Queue {
  add(change: Waiting): void;
  /** Has the start-up check done, before what waits then. */
  recover(): void;
  /** Commits what waits, without further pauses; resolves with the number that could not be. */
  close(): Promise<number>;
}

/** How many commits one batch may have. */
const MAX_BATCH = 200;
/** How much text one batch may hold, in characters. */
const MAX_BATCH_TEXT = 32_000_000;
/** A batch begins when nothing has come for so long, in milliseconds, … */
const QUIET_MS = 100;
/** … or when the first has waited for so long. */
const LONGEST_WAIT_MS = 500;
/** After how long a failed start-up check is made again, in milliseconds. */
const RECOVER_AGAIN_MS = 60_000;
/** While deliveries stream in, git rests three times as long as it worked, up to so many milliseconds. */
const LONGEST_REST_MS = 2_000;

/**
 * Commits in the background, one batch at a time, in the order of arrival. Deliveries come first: while they
 * stream in, batches are held back so that they grow. What fails stays and is tried again; a batch that fails
 * is taken apart, so that one bad file does not keep the others.
 *
 * @param maxHeldText how much text may wait in memory, in characters; beyond it, texts are read again later.
 */
export function createQueue(work: QueueWork, log: Log, maxHeldText: number): Queue {
  let waiting: Waiting[] = [];
  const hurry = new AbortController();
  let heldText = 0;
  let lastArrival = 0;
  let recovering = false;
  let running: Promise<void> | undefined;
  let limit = MAX_BATCH;
  let failures = 0;
  let holds = 0;
  let told: string | undefined;

  function add(change: Waiting): void {
    lastArrival = Date.now();
    if (heldText + (change.text?.length ?? 0) > maxHeldText) change.text = undefined;
    heldText += change.text?.length ?? 0;
    waiting.push(change);
    start();
  }

  function recover(): void {
    recovering = true;
    start();
  }

  function start(): void {
    running ??= run().finally(() => {
      running = undefined;
      // something may have come between the loop's last look and now
      if ((recovering || waiting.length > 0) && !hurry.signal.aborted) start();
    });
  }

  async function run(): Promise<void> {
    while (recovering || waiting.length > 0) {
      const began = Date.now();
      const arrivals = lastArrival;
      let held: string | undefined;
      try {
        held = await step();
        if (held === undefined && failures > 0) log.info('commits work again');
        failures = 0;
        holds = held === undefined ? 0 : holds + 1;
      } catch (error) {
        failures++;
        held = messageOf(error);
        if (told !== held)
          log.error({ err: error, waiting: waiting.length }, 'not committed; tried again later');
      }
      if (held !== undefined) {
        told = held;
        if (hurry.signal.aborted) return;
        await pause(failures > 0 ? backoff(failures, 30_000) : backoff(holds, 5_000));
        continue;
      }
      told = undefined;
      const streaming = lastArrival !== arrivals && Date.now() - lastArrival < QUIET_MS;
      if (streaming) await pause(Math.min(LONGEST_REST_MS, 3 * (Date.now() - began)));
    }
  }

  /** One batch, or the start-up check; says what it waits for if nothing can be done now. */
  async function step(): Promise<string | undefined> {
    const head = await work.look();
    for (const change of waiting) if (change.before === undefined) change.before = head.tip;
    if ('waitingFor' in head) return notNow(head);
    if (recovering) {
      const found = await lookForLeftovers();
      if ('waitingFor' in found) return notNow(found);
      // what has been delivered since the start comes with its own message
      const delivered = new Set(waiting.map(({ path }) => path));
      waiting = [...found.filter(({ path }) => !delivered.has(path)), ...waiting];
      return undefined;
    }
    await settle();
    const batch = take();
    try {
      const result = await work.commit(batch, head);
      if (result !== undefined) {
        waiting.unshift(...batch);
        return notNow(result);
      }
    } catch (error) {
      // alone and failing: the others first
      if (batch.length === 1) waiting.push(...batch);
      else waiting.unshift(...batch);
      limit = 1;
      throw error;
    }
    limit = Math.min(MAX_BATCH, limit * 4);
    heldText -= batch.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
    return undefined;
  }

  async function lookForLeftovers(): Promise<readonly Waiting[] | NotNow> {
    try {
      const found = await work.recover(hurry.signal);
      recovering = 'waitingFor' in found;
      return found;
    } catch (error) {
      // what is delivered now need not wait for it
      recovering = false;
      log.error({ err: error }, 'the check for uncommitted articles failed; tried again later');
      globalThis.setTimeout(recover, RECOVER_AGAIN_MS).unref();
      return [];
    }
  }

  function notNow({ waitingFor }: NotNow): string {
    if (told !== waitingFor) log.warn({ waiting: waiting.length }, `commits wait for ${waitingFor}`);
    return waitingFor;
  }

  /** Lets a burst of deliveries pass, for a while. */
  async function settle(): Promise<void> {
    const longest = Date.now() + LONGEST_WAIT_MS;
    for (;;) {
      const now = Date.now();
      const rest = Math.min(lastArrival + QUIET_MS, longest) - now;
      if (rest <= 0 || waiting.length >= MAX_BATCH || hurry.signal.aborted) return;
      await pause(rest);
    }
  }

  function take(): Waiting[] {
    let size = 0;
    let count = 0;
    for (const { text } of waiting) {
      size += text?.length ?? 0;
      if (count === limit || (count > 0 && size > MAX_BATCH_TEXT)) break;
      count++;
    }
    const batch = waiting.splice(0, count);
    return batch;
  }

  async function pause(ms: number): Promise<void> {
    try {
      await setTimeout(ms, undefined, { signal: hurry.signal });
    } catch {
      // the shutdown does not wait
    }
  }

  async function close(): Promise<number> {
    hurry.abort();
    await running;
    return waiting.length;
  }

  return { add, recover, close };
}

/** Half a second at first, then longer each time, up to `longest`; in milliseconds. */
function backoff(times: number, longest: number): number {
  return Math.min(500 * 1.5 ** (Math.min(times, 20) - 1), longest);
}
