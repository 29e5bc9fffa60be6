/** The number of attempts at once, and the interval of further ones. */
interface Limit {
  readonly atOnce: number;
  readonly everyMs: number;
}

/** The limit of logins: ten at once, then one every 30 seconds. */
export const LIMIT: Limit = { atOnce: 10, everyMs: 30_000 };

/** How many addresses and names are remembered, and how many are dropped when there are more. */
const [MOST_REMEMBERED, FORGOTTEN_AT_ONCE] = [10_000, 1_000];

/** The limits of attempts to log in; see `createAttempts`. */
export type Attempts = ReturnType<typeof createAttempts>;

/**
 * Creates limits by address and by name: several attempts at once, then one per interval. Nobody is locked out for good, and
 * success resets the count. A browser in which the user has logged in before has its own count, so that strangers cannot lock
 * the user out. Each receiver counts separately, from its start.
 */
export function createAttempts({ atOnce, everyMs }: Limit = LIMIT, now = Date.now) {
  /** The moment until which each subject's attempts count, in ms since 1970. */
  const paid = new Map<string, number>();

  /** The time until the next attempt is allowed, in milliseconds; 0 if it is allowed now. */
  function earlyBy(subjects: readonly string[]): number {
    const longest = now() + (atOnce - 1) * everyMs;
    return Math.max(0, ...subjects.map((subject) => (paid.get(subject) ?? 0) - longest));
  }

  /** Counts an attempt of each subject. @returns like `earlyBy`; an attempt that is too early is not counted. */
  function take(subjects: readonly string[]): number {
    const early = earlyBy(subjects);
    if (early > 0) return early;
    for (const subject of subjects) paid.set(subject, Math.max(paid.get(subject) ?? 0, now()) + everyMs);
    if (paid.size > MOST_REMEMBERED) forget();
    return 0;
  }

  /** Takes back an attempt that was not made, as the receiver was busy. */
  function giveBack(subjects: readonly string[]): void {
    for (const subject of subjects) paid.set(subject, (paid.get(subject) ?? 0) - everyMs);
  }

  /** Resets the count of subjects after a success. */
  function clear(subjects: readonly string[]): void {
    for (const subject of subjects) paid.delete(subject);
  }

  /**
   * Drops the subjects with the fewest attempts, expired ones first. A throttled subject is never dropped, so that a flood of
   * others does not free it.
   */
  function forget(): void {
    const throttled = now() + (atOnce - 1) * everyMs;
    const others = [...paid]
      .filter(([, until]) => until <= throttled)
      .sort(([, one], [, other]) => one - other);
    for (const [key] of others.slice(0, FORGOTTEN_AT_ONCE)) paid.delete(key);
  }

  return { earlyBy, take, giveBack, clear };
}
