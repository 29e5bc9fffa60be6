/** How many attempts may come at once, and how often one more. */
interface Limit {
  readonly atOnce: number;
  readonly everyMs: number;
}

/** Of logins: ten at once, then one each half minute. */
export const LIMIT: Limit = { atOnce: 10, everyMs: 30_000 };

/** So many addresses and names are remembered, and so many are forgotten when there are more. */
const [MOST_REMEMBERED, FORGOTTEN_AT_ONCE] = [10_000, 1_000];

/** The limits of attempts to log in; see `createAttempts`. */
export type Attempts = ReturnType<typeof createAttempts>;

/**
 * Limits attempts by address and by name: so many at once, then one each time. It is never closed for good, and success
 * clears it. A browser in which the user has logged in before counts by itself, so that strangers who try a name do not
 * lock its owner out. Each receiver counts by itself, from its start.
 */
export function createAttempts({ atOnce, everyMs }: Limit = LIMIT, now = Date.now) {
  /** Until when attempts of a subject are paid for, in ms since 1970. */
  const paid = new Map<string, number>();

  /** How long an attempt is too early for, in ms; 0 if it may be made. */
  function earlyBy(subjects: readonly string[]): number {
    const longest = now() + (atOnce - 1) * everyMs;
    return Math.max(0, ...subjects.map((subject) => (paid.get(subject) ?? 0) - longest));
  }

  /** Counts an attempt of each subject. @returns as `earlyBy`; an attempt that is too early is not counted. */
  function take(subjects: readonly string[]): number {
    const early = earlyBy(subjects);
    if (early > 0) return early;
    for (const subject of subjects) paid.set(subject, Math.max(paid.get(subject) ?? 0, now()) + everyMs);
    if (paid.size > MOST_REMEMBERED) forget();
    return 0;
  }

  /** Takes an attempt back that came to nothing, as the receiver was busy. */
  function giveBack(subjects: readonly string[]): void {
    for (const subject of subjects) paid.set(subject, (paid.get(subject) ?? 0) - everyMs);
  }

  /** Forgets the attempts of subjects: the last one was right. */
  function clear(subjects: readonly string[]): void {
    for (const subject of subjects) paid.delete(subject);
  }

  /** Forgets what was tried least, and first what has been paid for: never what is throttled, which a flood of others would free. */
  function forget(): void {
    const throttled = now() + (atOnce - 1) * everyMs;
    const others = [...paid]
      .filter(([, until]) => until <= throttled)
      .sort(([, one], [, other]) => one - other);
    for (const [key] of others.slice(0, FORGOTTEN_AT_ONCE)) paid.delete(key);
  }

  return { earlyBy, take, giveBack, clear };
}
