import { createHash, randomInt } from 'node:crypto';

/**
 * The seed of all random choices in this run: the value of `PRESSMARK_TEST_SEED`. AVA's configuration sets this
 * variable for every test process. Without it, a seed is chosen and printed here.
 */
export function seedOfRun(): number {
  if (process.env.PRESSMARK_TEST_SEED === undefined) {
    process.env.PRESSMARK_TEST_SEED = String(randomInt(2 ** 31));
    console.log(`PRESSMARK_TEST_SEED=${process.env.PRESSMARK_TEST_SEED}`);
  }
  return Number(process.env.PRESSMARK_TEST_SEED);
}

/** A source of random choices that are the same for the same seed. */
export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  /** A whole number: at least `from`, less than `to`. */
  integer(from: number, to: number): number;
  /** One element of a list. @throws RangeError where the list is empty. */
  pick<T>(list: readonly T[]): T;
  /** True with this probability. */
  chance(probability: number): boolean;
}

/**
 * Makes an independent source for each name, so that the choices of one lane do not depend on those of a concurrent
 * one.
 *
 * @param name the name of the source, unique in the run.
 * @param seed of the run. @default the seed of the run
 */
export function createRandom(name: string, seed = seedOfRun()): Random {
  let state = createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE();

  /** Mulberry32: 32 bits of state, good enough for choices in tests. */
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const integer = (from: number, to: number) => from + Math.floor(next() * (to - from));
  return {
    next,
    integer,
    pick: (list) => {
      if (list.length === 0) throw new RangeError('cannot pick from an empty list');
      return list[integer(0, list.length)] as (typeof list)[number];
    },
    chance: (probability) => next() < probability,
  };
}
