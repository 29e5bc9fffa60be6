import { messageOf } from '../errors.js';
import type { Log } from '../log.js';
import type { Branch, NotNow } from './head.js';
import type { CommitKind } from './message.js';
import { createPacing } from './pacing.js';

/** A change that waits for its commit. */
export interface Waiting {
  /** The file, relative to the site's folder. */
  readonly path: string;
  readonly kind: CommitKind;
  /** The text that was stored; undefined where it has to be read again. */
  text: string | undefined;
  /** The blob that the repository has of it already, where the text does not tell its bytes. */
  readonly blob?: string;
  /** The revision that the text is; undefined where whatever the file holds is meant. */
  readonly revision: string | undefined;
  /** The whole commit message; undefined where it is made from what the file holds. */
  readonly message: Promise<string> | undefined;
  /** The commit that HEAD was at about when the change came; undefined until somebody looked. */
  before: string | null | undefined;
}

/** Where the repository is. */
export interface Look {
  readonly head: Branch | NotNow;
  /** Whether commits are parked. */
  readonly parked: boolean;
}

/** What the queue works with. */
export interface QueueWork {
  /** Looks where the branch is, before anything else; called when the first change arrives. */
  look(): Promise<Look>;
  /** Commits a batch in order. */
  commit(batch: readonly Waiting[], branch: Branch): Promise<NotNow | undefined>;
  /** Keeps a batch safe for as long as there is no branch for it. */
  park(batch: readonly Waiting[], why: NotNow): Promise<void>;
  /** Commits what is parked; `lost` where that is gone and has to be found again. */
  replay(branch: Branch): Promise<NotNow | 'lost' | undefined>;
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
/** After how long a failed start-up check is made again, in milliseconds. */
const RECOVER_AGAIN_MS = 60_000;
/**
 * Commits in the background, one batch at a time, in the order of arrival. Deliveries come first: while they
 * stream in, batches are held back so that they grow. What fails stays and is tried again; a batch that fails
 * is taken apart, so that one bad file does not keep the others.
 *
 * @param maxHeldText how much text may wait in memory, in characters; beyond it, texts are read again later.
 */
export function createQueue(work: QueueWork, log: Log, maxHeldText: number): Queue {
  let waiting: Waiting[] = [];
  const pacing = createPacing();
  let heldText = 0;
  let recovering = false;
  let parked = false;
  let running: Promise<void> | undefined;
  let limit = MAX_BATCH;
  let lastBatch = 0;
  let failures = 0;
  let holds = 0;
  let told: string | undefined;

  function add(change: Waiting): void {
    pacing.arrived(waiting.length === 0);
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
      if ((recovering || waiting.length > 0) && !pacing.hurried.aborted) start();
    });
  }

  async function run(): Promise<void> {
    while (recovering || waiting.length > 0 || parked) {
      const began = performance.now();
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
        if (pacing.hurried.aborted) return;
        if (failures > 0) await pacing.pause(backoff(failures, 30_000));
        // what comes meanwhile must not lie unparked for long
        else await pacing.untilWoken(backoff(holds, 5_000));
        continue;
      }
      told = undefined;
      await pacing.rest(lastBatch, began);
    }
  }

  /** One batch, what is parked, or the start-up check; says what it waits for if nothing can be done now. */
  async function step(): Promise<string | undefined> {
    const { head, parked: isParked } = await work.look();
    parked = isParked;
    lastBatch = 0;
    for (const change of waiting) if (change.before === undefined) change.before = head.tip;
    if ('waitingFor' in head) return keep(head);
    if (parked) {
      const held = await work.replay(head);
      if (held === 'lost') recovering = true;
      else if (held !== undefined) return keep(held);
      parked = false;
      return undefined;
    }
    if (recovering) {
      const found = await lookForLeftovers();
      if ('waitingFor' in found) return keep(found);
      // what has been delivered since the start comes with its own message
      const delivered = new Set(waiting.map(({ path }) => path));
      waiting = [...found.filter(({ path }) => !delivered.has(path)), ...waiting];
      return undefined;
    }
    if (waiting.length === 0) return undefined;
    await pacing.settle(isFull);
    const batch = take();
    const held = await attempt(batch, () => work.commit(batch, head));
    if (held !== undefined) {
      waiting.unshift(...batch);
      return keep(held);
    }
    limit = Math.min(MAX_BATCH, limit * 4);
    lastBatch = batch.length;
    heldText -= lengthOf(batch);
    return undefined;
  }

  /** Does something with a batch; if that fails, the batch waits again, taken apart. */
  async function attempt<T>(batch: Waiting[], doIt: () => Promise<T>): Promise<T> {
    try {
      return await doIt();
    } catch (error) {
      // alone and failing: the others first
      if (batch.length === 1) waiting.push(...batch);
      else waiting.unshift(...batch);
      limit = 1;
      throw error;
    }
  }

  /** Parks the texts at hand. What has to be read from files waits, as git may be at work on them just now. */
  async function keep(why: NotNow): Promise<string> {
    const { waitingFor } = why;
    if (told !== waitingFor) log.warn({ waiting: waiting.length }, `commits wait for ${waitingFor}`);
    told = waitingFor;
    const unread: Waiting[] = [];
    if (waiting.some(isAtHand)) await pacing.settle(isFull);
    try {
      for (;;) {
        unread.push(...waiting.filter((change) => !isAtHand(change)));
        waiting = waiting.filter(isAtHand);
        if (waiting.length === 0) return waitingFor;
        const batch = take();
        await attempt(batch, () => work.park(batch, why));
        limit = Math.min(MAX_BATCH, limit * 4);
        heldText -= lengthOf(batch);
        parked = true;
      }
    } finally {
      waiting.unshift(...unread);
    }
  }

  async function lookForLeftovers(): Promise<readonly Waiting[] | NotNow> {
    try {
      const found = await work.recover(pacing.hurried);
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

  function isFull(): boolean {
    return waiting.length >= MAX_BATCH;
  }

  function take(): Waiting[] {
    let size = 0;
    let count = 0;
    for (const { text } of waiting) {
      size += text?.length ?? 0;
      if (count === limit || (count > 0 && size > MAX_BATCH_TEXT)) break;
      count++;
    }
    return waiting.splice(0, count);
  }

  async function close(): Promise<number> {
    pacing.hurry();
    await running;
    return waiting.length;
  }

  return { add, recover, close };
}

function isAtHand({ text }: Waiting): boolean {
  return text !== undefined;
}

function lengthOf(batch: readonly Waiting[]): number {
  return batch.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
}

/** Half a second at first, then longer each time, up to `longest`; in milliseconds. */
function backoff(times: number, longest: number): number {
  return Math.min(500 * 1.5 ** (Math.min(times, 20) - 1), longest);
}
