import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { PressmarkError } from '../../errors.js';

/** A stored password. */
export interface PasswordHash {
  /** Both base64. */
  readonly salt: string;
  readonly hash: string;
  readonly cost: number;
}

/** The cost that OWASP recommends for scrypt with 32 MB of memory. */
export const PASSWORD_COST = 2 ** 15;
const OPTIONS = { r: 8, p: 3, maxmem: 64 * 1024 * 1024 } satisfies ScryptOptions;
const HASH_BYTES = 32;

/** The longest password, in code units. A longer text would only cost time. */
const LONGEST = 1_000;
export const SHORTEST_PASSWORD = 12;

/**
 * The highest number of waiting computations: each takes a fraction of a second, and one of the threads that also write
 * articles.
 */
const MOST_WAITING = 20;

/** How many more may wait for known browsers, so that strangers cannot take their places. */
const KEPT_FOR_KNOWN = 5;

let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/** Whether a password is allowed. */
export function isPossiblePassword(password: string): boolean {
  return [...password].length >= SHORTEST_PASSWORD && password.length <= LONGEST;
}

/** Hashes a new password. The caller has an invitation or a session. */
export async function hashPassword(password: string, cost: number): Promise<PasswordHash> {
  const salt = randomBytes(16);
  const hash = await derived(password, salt, cost, true);
  return { salt: salt.toString('base64'), hash: hash.toString('base64'), cost };
}

/** The hash to compare with if a user has none. */
const NOBODY: PasswordHash = {
  salt: randomBytes(16).toString('base64'),
  hash: randomBytes(HASH_BYTES).toString('base64'),
  cost: PASSWORD_COST,
};

/**
 * Whether a password matches a hash. Without a hash, the comparison takes the same time.
 *
 * @param isKnown whether the user has logged in before in this browser.
 * @throws PressmarkError RECEIVER_BUSY if too many wait.
 */
export async function isPassword(
  given: string,
  kept: PasswordHash | undefined,
  isKnown: boolean,
): Promise<boolean> {
  const { salt, hash, cost } = kept ?? NOBODY;
  const expected = Buffer.from(hash, 'base64');
  const actual = await derived(given.slice(0, LONGEST), Buffer.from(salt, 'base64'), cost, isKnown);
  return timingSafeEqual(actual, expected) && kept !== undefined;
}

/** Derives keys one after the other, as deliveries need the threads of the pool for their files. */
async function derived(password: string, salt: Buffer, cost: number, isKnown: boolean): Promise<Buffer> {
  if (waiting >= MOST_WAITING + (isKnown ? KEPT_FOR_KNOWN : 0))
    throw new PressmarkError('RECEIVER_BUSY', 'too many people log in right now; try again in a minute');
  waiting++;
  const turn = last.then(
    () =>
      new Promise<Buffer>((resolve, reject) =>
        scrypt(password.normalize('NFKC'), salt, HASH_BYTES, { ...OPTIONS, N: cost }, (error, key) =>
          error === null ? resolve(key) : reject(error),
        ),
      ),
  );
  last = turn.catch(() => undefined);
  try {
    return await turn;
  } finally {
    waiting--;
  }
}
