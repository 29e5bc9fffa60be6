import fs from 'node:fs';
import { messageOf, PressmarkError } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';

/** The status of pushes. */
export interface PushStatus {
  /** The time of the last accepted push, ISO 8601; null if there was none. */
  readonly lastPush: string | null;
  /** The number of commits that wait to be pushed. */
  readonly waiting: number;
  /** The last error, until a success; null if there is none. */
  readonly lastError: string | null;
  /** Whether the error is a rule of the remote or a missing permission, so that trying again does not help. */
  readonly isDeclined: boolean;
  /** What a person has to do before pushes continue; null for nothing. */
  readonly waitingFor: string | null;
  /** The pull request for the pushed commits; null if none is configured. */
  readonly pullRequest: {
    /** Its page; null if none is open. */
    readonly url: string | null;
    /** Why the pull request could not be updated; null if it could. */
    readonly error: string | null;
  } | null;
}

const NOTHING: PushStatus = {
  lastPush: null,
  waiting: 0,
  lastError: null,
  isDeclined: false,
  waitingFor: null,
  pullRequest: null,
};

/** The status of a running receiver. */
export type PushStatusKeeper = ReturnType<typeof createPushStatus>;

/** The delay before a change is written, in milliseconds, as deliveries change the status often. */
const WRITE_AFTER_MS = 1_000;

/**
 * Keeps the status in memory and, some time after each change, in a file, for `pressmark doctor`.
 *
 * @param path the file in the state folder, for people; no code depends on it.
 */
export function createPushStatus(path: string) {
  let now: PushStatus = { ...NOTHING, lastPush: readPushStatus(path)?.lastPush ?? null };
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    // If it cannot be written, /healthz?verbose still reports it.
    const written = () => writeAtomically(path, `${JSON.stringify(now)}\n`).catch(() => undefined);
    writing = writing.then(written);
  }

  return {
    get now() {
      return now;
    },
    set(change: Partial<PushStatus>): void {
      now = { ...now, ...change };
      timer ??= setTimeout(write, WRITE_AFTER_MS).unref();
    },
    /** Writes the last change. */
    async close(): Promise<void> {
      if (timer !== undefined) write();
      await writing;
    },
  };
}

/** Reads the status that a receiver has left; undefined if none has pushed here. */
export function readPushStatus(path: string): PushStatus | undefined {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(path, 'utf8'));
    return typeof value === 'object' && value !== null ? { ...NOTHING, ...value } : undefined;
  } catch {
    return undefined; // no receiver has pushed here yet, or the file is incomplete
  }
}

/** Git's messages if the remote grants this user no access. */
const NO_ACCESS =
  /returned error: 40[13]\b|Permission (?:to \S+ )?denied|Authentication failed|could not read (?:Username|Password)/;

/** Whether a push failed because of a rule of the remote or a missing permission. */
export function isDeclined(error: unknown): boolean {
  if (!(error instanceof PressmarkError)) return false;
  return error.code === 'REMOTE_DECLINED' || NO_ACCESS.test(wordsOf(error));
}

/** Returns an error's message and git's own message in one line, without credentials. */
export function wordsOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const own = messageOf(error);
  return cause === undefined ? own : `${own}: ${messageOf(cause).replace(/\s+/g, ' ').slice(0, 300)}`;
}
