import fc from 'fast-check';
import { seedOfRun } from './random.js';

/** Multiplies the number of cases of each property; `npm run torture` sets it. */
const FACTOR = Number(process.env.PRESSMARK_TEST_RUNS ?? 1);

/** The number of cases for a property that usually has `usual`. */
export const runs = (usual: number) => usual * FACTOR;

// A failure prints the seed and the path to the counterexample.
fc.configureGlobal({ seed: seedOfRun(), numRuns: runs(100) });

export { fc };
