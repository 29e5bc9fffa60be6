/** How many attempts may come at once, and how often one more. */
interface Limit {
  readonly atOnce: number;
  readonly everyMs: number;
}

const LIMIT: Limit = { atOnce: 10, everyMs: 30_000 };

/** So many addresses and names are remembered; the oldest are forgotten first. */
const MOST_REMEMBERED = 10_000;

/** The limits of attempts to log in; see `createAttempts`. */
export type Attempts = ReturnType<typeof createAttempts>;

/**
 * Limits attempts by address and by name: ten at once, then one each half minute. It is never closed for good, and success
 * clears it. A browser in which the user has logged in before counts by itself, so that strangers who try a name do not
 * lock its owner out.
 */
export function createAttempts({ atOnce, everyMs }: Limit = LIMIT, now = Date.now) {
  /** Until when attempts of a subject are paid for, in ms since 1970. */
  const paid = new Map<string, number>();

  /** How long an attempt is too early for, in ms; 0 where it may be made. */
  function earlyBy(subjects: readonly string[]): number {
    const longest = now() + (atOnce - 1) * everyMs;
    return Math.max(0, ...subjects.map((subject) => (paid.get(subject) ?? 0) - longest));
  }

  /** Counts an attempt of each subject. @returns as `earlyBy`; an attempt that is too early is not counted. */
  function take(subjects: readonly string[]): number {
    const early = earlyBy(subjects);
    if (early > 0) return early;
    const at = now();
    for (const subject of subjects) {
      const until = Math.max(paid.get(subject) ?? 0, at) + everyMs;
      paid.delete(subject);
      paid.set(subject, until);
    }
    forget();
    return 0;
  }

  /** Forgets the attempts of subjects: the last one was right. */
  function clear(subjects: readonly string[]): void {
    for (const subject of subjects) paid.delete(subject);
  }

  /** The first ones are those that have not been tried for longest. */
  function forget(): void {
    for (const subject of paid.keys()) {
      if (paid.size <= MOST_REMEMBERED) return;
      paid.delete(subject);
    }
  }

  return { earlyBy, take, clear };
}

/** Whose attempts an address counts for: of IPv6, a network of which one machine has all addresses. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::', 2);
  const groups = head.split(':').filter((group) => group !== '');
  const rest = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  return [...groups, ...Array<string>(zeros).fill('0'), ...rest].slice(0, 4).join(':');
}
