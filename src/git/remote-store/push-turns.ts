import { messageOf, PressmarkError } from '../../errors.js';
import type { Log } from '../../log.js';
import { STEADY } from '../pending/pacing.js';
import type { Pushed } from '../push/remote.js';

/** Something that the remote is to take. */
export interface Offer {
  /** The generation of what it was decided upon. */
  readonly generation: number;
  /** No push is begun for it after this moment, by the clock of the turns: `performance.now()`. */
  readonly deadline: number;
  /** Its size, in characters. */
  readonly size: number;
  /** Called once the remote has it, before anybody who waits hears of anything. */
  accepted(): void;
}

/** What a turn is made of. */
export interface TurnWork<O> {
  /**
   * Commits a batch upon the newest tip that is known, and pushes it.
   *
   * @throws PressmarkError REMOTE_UNAVAILABLE where it is not known what became of it; others where nothing did.
   */
  push(batch: readonly O[]): Promise<Pushed>;
  /**
   * Asks the remote for its tip and takes in what is new. Resolves with whether anything was.
   *
   * @throws PressmarkError REMOTE_UNAVAILABLE.
   */
  look(): Promise<boolean>;
}

/** The conversation with the remote, one turn after the other; see `createTurns`. */
export interface Turns<O> {
  /** Grows whenever something of others has been taken in. */
  readonly generation: number;
  /** What the last turn failed with; undefined where it went well. */
  readonly trouble: unknown;
  /**
   * Resolves when the remote has taken it.
   *
   * @throws PressmarkError OUTDATED where others were first: what was decided upon must be decided upon again. Its
   *   cause is that of a push whose end is not known: what is new may be this very offer. REMOTE_DECLINED; REMOTE_UNAVAILABLE, in which case the remote may have it nevertheless.
   */
  offer(offer: O): Promise<void>;
  /**
   * Resolves when all that any receiver had acknowledged at the time of the call is known here.
   *
   * @throws PressmarkError REMOTE_UNAVAILABLE.
   */
  fresh(): Promise<void>;
  /** Ends after the turn under way. */
  close(): Promise<void>;
}

interface Waiting<O> {
  readonly offer: O;
  /** The push of it that nobody knows the end of. */
  doubt?: unknown;
  /** Whether it was told that its time is up; nothing is to be done for it any more. */
  isOver?: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

/** How many offers one push may carry, … */
const MAX_BATCH = 100;
/** … and how much text, in characters, so that a push ends in time. */
const MAX_BATCH_SIZE = 8_000_000;
/** How long a lookup waits for a remote that does not answer, in milliseconds; it has 15 s. */
const FRESH_MS = 10_000;
/** The pauses after turns that failed: the first and the longest, in milliseconds. */
const PAUSE_MS = { first: 100, longest: 1_000 };

/**
 * Talks to the remote in turns. One turn either pushes what has gathered meanwhile, or looks. Whichever it is,
 * afterwards it is known what the remote had when the turn began: an accepted push proves as much as a look. So
 * everybody who waited for freshness before a turn began is served by it, however many they are.
 */
export function createTurns<O extends Offer>(work: TurnWork<O>, log: Log, clock = STEADY): Turns<O> {
  let offers: Waiting<O>[] = [];
  let looking: Waiting<undefined>[] = [];
  let running: Promise<void> | undefined;
  let generation = 0;
  let limit = MAX_BATCH;
  let failures = 0;
  let lastError: unknown;
  const closing = new AbortController();

  function offer(one: O): Promise<void> {
    return new Promise((resolve, reject) => {
      offers.push({ offer: one, resolve, reject });
      start();
    });
  }

  function fresh(): Promise<void> {
    return new Promise((resolve, reject) => {
      const served = new AbortController();
      const settled = (then: () => void) => {
        then();
        served.abort();
      };
      const waiting: Waiting<undefined> = {
        offer: undefined,
        resolve: () => settled(resolve),
        reject: (error) => settled(() => reject(error)),
      };
      looking.push(waiting);
      void clock.wait(FRESH_MS, served.signal).then(() => {
        waiting.isOver = true;
        looking = looking.filter((one) => one !== waiting);
        // says nothing more to those who were served
        reject(unavailable(lastError));
      });
      start();
    });
  }

  function start(): void {
    running ??= run().finally(() => {
      running = undefined;
      if (offers.length + looking.length > 0 && !closing.signal.aborted) start();
    });
  }

  async function run(): Promise<void> {
    while (offers.length + looking.length > 0 && !closing.signal.aborted) {
      dropLateAndOutdated();
      if (offers.length + looking.length === 0) break;
      if (await turn()) {
        if (failures > 0) log.info('the git remote answers again');
        failures = 0;
        continue;
      }
      failures++;
      // not in step with the other receivers
      const pause = Math.min(PAUSE_MS.longest, PAUSE_MS.first * 2 ** Math.min(failures - 1, 10));
      await clock.wait(pause * (0.5 + Math.random()), closing.signal);
    }
    if (closing.signal.aborted) dropAll();
  }

  /** One exchange with the remote; false where it led nowhere. */
  async function turn(): Promise<boolean> {
    const batch = take();
    const served = looking;
    looking = [];
    const pushed = batch.length === 0 ? undefined : await push(batch);
    if (pushed?.outcome === 'accepted') {
      for (const { offer } of batch) offer.accepted();
      for (const { resolve } of [...batch, ...served]) resolve();
      return true;
    }
    try {
      const isNew = await work.look();
      if (isNew) generation++;
      for (const { resolve } of served) resolve();
      // refused although nothing is new: the branch was locked for a moment
      return isNew || pushed?.outcome !== 'refused';
    } catch (error) {
      if (failures === 0) log.warn({ err: error }, 'the git remote cannot be asked; tried again');
      lastError = error;
      looking = [...served.filter(({ isOver }) => isOver !== true), ...looking];
      return false;
    }
  }

  /** Pushes a batch; what is neither accepted nor given up goes back to those who wait. */
  async function push(batch: readonly Waiting<O>[]): Promise<Pushed | undefined> {
    try {
      const pushed = await work.push(batch.map(({ offer }) => offer));
      if (pushed.outcome === 'declined') {
        if (batch.length > 1) giveBack(batch, 1);
        else for (const { reject } of batch) reject(declined(pushed.why));
      } else if (pushed.outcome === 'refused') giveBack(batch, limit);
      else limit = Math.min(MAX_BATCH, limit * 4);
      return pushed;
    } catch (error) {
      if (error instanceof PressmarkError && error.code === 'REMOTE_UNAVAILABLE') {
        lastError = error;
        // The remote may have it: the look that follows tells, and what is found there is found to be known.
        for (const waiting of batch) waiting.doubt = error;
        giveBack(batch, limit);
        return { outcome: 'refused' };
      }
      if (batch.length > 1) giveBack(batch, 1);
      else for (const { reject } of batch) reject(error);
      return undefined;
    }
  }

  function giveBack(batch: readonly Waiting<O>[], most: number): void {
    offers = [...batch, ...offers];
    limit = most;
  }

  function dropLateAndOutdated(): void {
    const now = clock.now();
    const kept: Waiting<O>[] = [];
    for (const waiting of offers) {
      if (waiting.offer.generation !== generation) waiting.reject(outdated(waiting.doubt));
      else if (waiting.offer.deadline < now) waiting.reject(unavailable(lastError));
      else kept.push(waiting);
    }
    offers = kept;
  }

  function take(): Waiting<O>[] {
    let size = 0;
    let count = 0;
    for (const { offer } of offers) {
      size += offer.size;
      if (count === limit || (count > 0 && size > MAX_BATCH_SIZE)) break;
      count++;
    }
    return offers.splice(0, count);
  }

  function dropAll(): void {
    for (const { reject } of [...offers.splice(0), ...looking.splice(0)]) reject(unavailable(undefined));
  }

  async function close(): Promise<void> {
    closing.abort();
    await running;
    dropAll();
  }

  return {
    get generation() {
      return generation;
    },
    get trouble() {
      return failures > 0 ? lastError : undefined;
    },
    offer,
    fresh,
    close,
  };
}

function unavailable(cause: unknown): PressmarkError {
  const why = cause instanceof PressmarkError ? messageOf(cause) : 'the git remote was not heard in time';
  return new PressmarkError('REMOTE_UNAVAILABLE', `${why}; nothing is acknowledged, send it again`, {
    cause,
  });
}

function outdated(doubt: unknown): PressmarkError {
  return new PressmarkError('OUTDATED', 'another receiver was first; send it again', { cause: doubt });
}

function declined(why: string): PressmarkError {
  return new PressmarkError(
    'REMOTE_DECLINED',
    'the git remote declined the commit; the receiver’s log says why',
    { cause: new Error(why) },
  );
}
