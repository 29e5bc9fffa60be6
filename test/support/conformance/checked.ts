import {
  type ConformanceOptions,
  checkReceiver,
  type Outcome,
  type Report,
} from '../../../src/sender/conformance/run.js';
import { SECRET } from '../signer.js';
import { virtualClock } from '../virtual-clock.js';
import { type Steps, serveSteps } from './reference-receiver.js';

/** What runs of the tests have in common: no pace to keep, and pages where the receiver itself is. */
export function optionsFor(url: URL, over: Partial<ConformanceOptions> = {}): ConformanceOptions {
  return {
    url,
    secret: SECRET,
    rate: 100_000,
    maxMs: 120_000,
    readOnly: false,
    pages: { origin: url.origin, waitMs: 20 },
    ...over,
  };
}

/** Longer than any answer is waited for. */
const LONG_MS = 30_000;

/**
 * Holds a receiver of these steps against the contract, as Version 3 unless something else is said. Nothing in it takes
 * real time: the clock stands still until the receiver leaves a request unanswered, and the second piece of a body
 * follows when the first one has been read.
 */
export async function checked(steps: Steps, over: Partial<ConformanceOptions> = {}): Promise<Report> {
  const clock = virtualClock(0);
  const { url, firstPieceRead, close } = await serveSteps(steps, () => clock.pass(LONG_MS));
  try {
    return await checkReceiver(optionsFor(url, { as: 3, clock, betweenPieces: firstPieceRead, ...over }));
  } finally {
    await close();
  }
}

/** The outcomes that are not as they should be, in short. */
export function complaints({ outcomes }: Report): string[] {
  return outcomes.filter(({ result }) => result !== 'passed').map(inShort);
}

function inShort({ rule, result, expected, got, why }: Outcome): string {
  return `${rule.id}: ${result}; ${why ?? `expected ${expected}, got ${got}`}`;
}
