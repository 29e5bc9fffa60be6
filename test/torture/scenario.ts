import type { Random } from '../support/random.js';

/** An attack on one promise of the product. */
export interface Scenario {
  /** Selects the scenario on the command line, such as `npm run torture -- 2 1234 kill`. */
  readonly name: string;
  /** The promise in one sentence. */
  readonly promise: string;
  /** The scenario's share of the time, relative to the weights of the other scenarios. */
  readonly weight: number;
  /** The program that the machine lacks, such as `strace (Debian package strace)`; undefined if none is missing. */
  missing?(): string | undefined;
  /** Attacks until `deadline`; resolves with the counts. @throws BrokenPromise if the promise does not hold. */
  run(attack: Attack): Promise<Counts>;
}

export interface Attack {
  readonly seed: number;
  /** `createRandom(scenario name, seed)`. */
  readonly random: Random;
  /** The value of `performance.now()` after which the scenario begins nothing new. */
  readonly deadline: number;
  /** An empty folder. It is removed after a success; after a failure it is kept and its path is printed. */
  readonly dir: string;
  /** Adds a line to the log, which is printed only after a failure. */
  note(line: string): void;
}

/** What a scenario did, such as `{ kills: 41, acknowledged: 3210 }`. */
export type Counts = Readonly<Record<string, number>>;

/** The product broke a promise. The message says in one sentence what it should have done and what it did. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
}
