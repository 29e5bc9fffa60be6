import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import type { NotNow } from '../commit/head.js';
import { backoff, createPacing, STEADY } from './pacing.js';
import type { QueueWork } from './queue-work.js';
import { isAtHand, lengthOf, type ReplacedText, type Waiting, waitingText } from './waiting.js';

/** The queue of commits; see `createQueue`. */
export interface Queue {
  add(change: Waiting): void;
  /** Whether something waits for a file's commit, or is being committed. */
  has(path: string): boolean;
  /** Adds a text that an update replaces, unless it waits already. */
  addReplaced(text: ReplacedText): void;
  /** Has the start-up check done, before what waits then. */
  recover(): void;
  /** Has what others have parked committed, as soon as there is a branch for it. */
  replayParked(): void;
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
export function createQueue(work: QueueWork, log: Log, maxHeldText: number, clock = STEADY): Queue {
  let waiting: Waiting[] = [];
  let underWay: readonly Waiting[] = [];
  const pacing = createPacing(clock);
  let heldText = 0;
  let recovering = false;
  let parked = false;
  /** How often others have parked something. */
  let parkings = 0;
  let running: Promise<void> | undefined;
  let limit = MAX_BATCH;
  let lastBatch = 0;
  let failures = 0;
  /** Where HEAD was at the last look. */
  let lastTip: string | null | undefined;
  let holds = 0;
  let told: string | undefined;

  function add(change: Waiting): void {
    // Soon somebody looks where HEAD is; but not while git fails, and what is committed then is no older than this.
    if (failures > 0) change.before ??= lastTip;
    // An edit may have been added after the text that it is was kept for this update, and before the update was stored.
    if (change.kind !== 'Edit' && change.text !== undefined) dropUnreadEdits(change.path);
    pacing.arrived(waiting.length === 0);
    if (heldText + (change.text?.length ?? 0) > maxHeldText) change.text = undefined;
    heldText += change.text?.length ?? 0;
    waiting.push(change);
    start();
  }

  function has(wanted: string): boolean {
    return [...underWay, ...waiting].some(({ path }) => path === wanted);
  }

  function addReplaced({ path, saved, before, revision, isOthers = false }: ReplacedText): void {
    const known = [...underWay, ...waiting].filter((change) => change.path === path);
    if (known.some((change) => change.saved === saved)) return;
    dropUnreadEdits(path);
    const last = waiting.findLast((change) => change.path === path);
    if (revision !== undefined && last?.revision === revision) last.saved = saved;
    else add({ ...waitingText(path, saved), before, isOthers });
  }

  /** An edit that was to be read from the file is kept by now; what the file holds next comes after the update. */
  function dropUnreadEdits(path: string): void {
    waiting = waiting.filter((change) => change.path !== path || change.kind !== 'Edit' || isAtHand(change));
  }

  function recover(): void {
    recovering = true;
    start();
  }

  function replayParked(): void {
    parked = true;
    parkings++;
    start();
  }

  function start(): void {
    running ??= run().finally(() => {
      running = undefined;
      // something may have come between the loop's last look and now
      if ((recovering || parked || waiting.length > 0) && !pacing.hurried.aborted) start();
    });
  }

  async function run(): Promise<void> {
    while (recovering || waiting.length > 0 || parked) {
      const began = clock.now();
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
    const known = parkings;
    const { head, parked: isParked } = await work.look();
    parked = isParked || parkings !== known;
    lastBatch = 0;
    lastTip = head.tip;
    for (const change of waiting) if (change.before === undefined) change.before = head.tip;
    if ('waitingFor' in head) return keep(head);
    if (parked) {
      const held = await work.replay(head);
      if (held === 'lost') recovering = true;
      else if (held !== undefined) return keep(held);
      parked = parkings !== known;
      return undefined;
    }
    if (recovering) {
      const found = await lookForLeftovers();
      if ('waitingFor' in found) return keep(found);
      // what has been delivered since the start comes with its own message
      const delivered = new Set(waiting.map(({ path, saved }) => saved ?? path));
      waiting = [...found.filter(({ path, saved }) => !delivered.has(saved ?? path)), ...waiting];
      return undefined;
    }
    if (waiting.length === 0) return undefined;
    await pacing.settle(isFull);
    const batch = take(head.tip);
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
    underWay = batch;
    try {
      return await doIt();
    } catch (error) {
      waiting.unshift(...batch);
      // alone and failing: the others first, but for what comes behind it in the same file
      if (batch.length === 1) {
        const { path: failing } = batch[0] ?? { path: '' };
        waiting = [
          ...waiting.filter(({ path }) => path !== failing),
          ...waiting.filter(({ path }) => path === failing),
        ];
      }
      limit = 1;
      throw error;
    } finally {
      underWay = [];
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
        const batch = take(why.tip);
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
      const { hurried } = pacing;
      void clock.wait(RECOVER_AGAIN_MS, hurried).then(() => (hurried.aborted ? undefined : recover()));
      return [];
    }
  }

  function isFull(): boolean {
    return waiting.length >= MAX_BATCH;
  }

  /** @param tip where HEAD was before the last of it came. */
  function take(tip: string | null): Waiting[] {
    let size = 0;
    let count = 0;
    for (const change of waiting) {
      size += change.text?.length ?? 0;
      if (count === limit || (count > 0 && size > MAX_BATCH_TEXT)) break;
      if (change.before === undefined) change.before = tip;
      count++;
    }
    return waiting.splice(0, count);
  }

  async function close(): Promise<number> {
    pacing.hurry();
    await running;
    return waiting.length;
  }

  return { add, has, addReplaced, recover, replayParked, close };
}
