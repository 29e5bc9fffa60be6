import type { Log } from '../../log.js';

/** How long the refusals of one outcome are counted before they make the next line, in milliseconds. */
const COUNTED_MS = 10_000;

/** A delivery that was refused. */
export interface Refused {
  readonly outcome: string;
  readonly status: number;
}

/** Gets what is logged: the first of each outcome, and the number of those that have followed. */
export type NoteRefused = (refused: Refused & { readonly count: number }) => void;

/**
 * Logs deliveries that anybody can send, as they are refused without a matching signature: the first of each
 * outcome at once, and those that follow it as one line for every ten seconds, with their number. There are few
 * outcomes, so that however many are sent, less than one line a second is written.
 *
 * @param later calls a function when the counting of an outcome is over.
 */
export function createRefusalLog(
  log: Log,
  note: NoteRefused = () => undefined,
  later = afterCounting,
): (refused: Refused) => void {
  /** How many have followed, by outcome. */
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
