import type { Report } from '../../../src/conformance/outcome.js';
import { type ConformanceOptions, checkReceiver, type ReceiverReport } from '../../../src/conformance/run.js';
import { DEFAULT_SERVICE } from '../../../src/contract/service.js';
import type { Clock } from '../../../src/sender/clock.js';
import { SECRET } from '../signer.js';
import { virtualClock } from '../virtual-clock.js';
import { referenceSteps, type Steps, serveSteps } from './receiver.js';
import type { Break } from './ways.js';

/** The options of all test runs: no limit of the rate, and pages at the receiver's own origin. */
export function optionsFor(url: URL, over: Partial<ConformanceOptions> = {}): ConformanceOptions {
  return {
    ...{ url, secret: SECRET, service: DEFAULT_SERVICE, rate: 100_000, readOnly: false },
    pages: { origin: url.origin, waitMs: 20 },
    ...over,
  };
}

/** A clock on which pauses of a second and less are over at once: those before a question is asked again. */
export function withoutPauses(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    wait: (ms, signal) => (ms <= 1000 ? Promise.resolve() : clock.wait(ms, signal)),
  };
}

/** Longer than the checker waits for any answer. */
const LONG_MS = 30_000;

/**
 * Checks a receiver with these faults against the contract, by default as Version 3, without real waits: the clock
 * advances only when the receiver leaves a request unanswered, and the second piece of a body is sent when the first
 * was read.
 */
export async function checked(
  faults: Break | readonly Break[] = [],
  over: Partial<ConformanceOptions> = {},
): Promise<ReceiverReport> {
  const steps = referenceSteps();
  for (const breaks of [faults].flat()) breaks(steps);
  const clock = virtualClock(0);
  const { url, firstPieceRead, close } = await serveSteps(steps, () => clock.pass(LONG_MS));
  const usual = {
    as: 3,
    ask: personOf(steps),
    clock: withoutPauses(clock),
    betweenPieces: firstPieceRead,
  } as const;
  try {
    return await checkReceiver(optionsFor(url, { ...usual, ...over }));
  } finally {
    await close();
  }
}

/** A person who does at once what is asked for. */
function personOf(steps: Steps): ConformanceOptions['ask'] {
  return async (step) => {
    if (step.kind === 'restart') return steps.restart();
    const article = steps.store.find(step.url);
    if (article !== undefined) steps.edit(article);
  };
}

/** The outcomes other than `passed`, one line each. */
export function complaints({ outcomes }: Pick<Report, 'outcomes'>): string[] {
  return outcomes
    .filter(({ result }) => result !== 'passed')
    .map(
      ({ rule, result, expected, got, why }) =>
        `${rule.id}: ${result}; ${why ?? `expected ${expected}, got ${got}`}`,
    );
}
