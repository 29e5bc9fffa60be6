import type { Log } from '../../log.js';

/** How long refusals with the same outcome are counted for one log line, in milliseconds. */
const COUNTED_MS = 10_000;

/** A delivery that was refused. */
export interface Refused {
  readonly outcome: string;
  readonly status: number;
}

/** Called with each log line: the first refusal of an outcome, and then the number of further ones. */
export type NoteRefused = (refused: Refused & { readonly count: number }) => void;

/**
 * Logs unverified deliveries, which anyone can send: the first of each outcome at once, and further ones as one line every ten
 * seconds, with their number. As there are few outcomes, this is less than one line per second, however many are sent.
 *
 * @param later calls a function at the end of the counting period.
 */
export function createRefusalLog(
  log: Log,
  note: NoteRefused,
  later = afterCounting,
): (refused: Refused) => void {
  /** The number of further refusals, by outcome. */
  const following = new Map<string, number>();

  function countOn(outcome: string, status: number): void {
    following.set(outcome, 0);
    later(() => {
      const count = following.get(outcome) ?? 0;
      following.delete(outcome);
      if (count === 0) return;
      log.warn({ outcome, status, count }, 'deliveries refused');
      note({ outcome, status, count });
      countOn(outcome, status);
    });
  }

  return (refused) => {
    const { outcome, status } = refused;
    const count = following.get(outcome);
    if (count !== undefined) {
      following.set(outcome, count + 1);
      return;
    }
    log.warn(refused, 'delivery refused');
    note({ outcome, status, count: 1 });
    countOn(outcome, status);
  };
}

function afterCounting(then: () => void): void {
  setTimeout(then, COUNTED_MS).unref();
}
