import type { Random } from '../support/random.js';

/** One promise, attacked. */
export interface Scenario {
  /** On the command line: `npm run torture -- 2 1234 kill`. */
  readonly name: string;
  /** The promise in one sentence. */
  readonly promise: string;
  /** Its share of the time, against the others'. */
  readonly weight: number;
  /** What the machine lacks for it, such as `strace (Debian package strace)`; undefined where nothing is missing. */
  missing?(): string | undefined;
  /** Attacks until `deadline`; resolves with what was done. @throws BrokenPromise where the promise did not hold. */
  run(attack: Attack): Promise<Counts>;
}

export interface Attack {
  readonly seed: number;
  /** `createRandom(scenario name, seed)`. */
  readonly random: Random;
  /** `performance.now()` at which to begin nothing new. */
  readonly deadline: number;
  /** An empty folder; removed when the scenario ends well, kept and named when it does not. */
  readonly dir: string;
  /** A line about what is happening, for the log of a failed run. */
  note(line: string): void;
}

/** Such as `{ kills: 41, acknowledged: 3210 }`. */
export type Counts = Readonly<Record<string, number>>;

/** The message is one sentence: what the product should have done, and what it did. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
}
