import fs from 'node:fs';
import { messageOf, PressmarkError } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';

/** How the conversation with the remote stands. */
export interface PushStatus {
  /** When the remote last took something, ISO 8601; null if not since the start. */
  readonly lastPush: string | null;
  /** What waits to be pushed, in commits. */
  readonly waiting: number;
  /** What went wrong last and has not gone well since; null if nothing has. */
  readonly lastError: string | null;
  /** Whether that was a rule of the remote or the rights of this user, which trying again does not change. */
  readonly isDeclined: boolean;
  /** What a person has to do before it goes on; null if nothing is. */
  readonly waitingFor: string | null;
  /** The pull request for what was pushed; null if none is wanted. */
  readonly pullRequest: {
    /** Its page; null if none is open. */
    readonly url: string | null;
    /** Why the host could not be brought up to date; null if it could. */
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

/** After how long a change is written, in milliseconds: deliveries change it all the time. */
const WRITE_AFTER_MS = 1_000;

/**
 * Keeps the status in memory and, some time after each change, in a file, for `pressmark doctor`.
 *
 * @param path in the state folder; a hint for people, nothing is decided by it.
 */
export function createPushStatus(path: string) {
  let now: PushStatus = { ...NOTHING, lastPush: readPushStatus(path)?.lastPush ?? null };
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    // Where it cannot be written, /healthz?verbose still reports it.
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
    /** Writes what has not been written yet. */
    async close(): Promise<void> {
      if (timer !== undefined) write();
      await writing;
    },
  };
}

/** The status that a receiver has left; undefined if none has pushed here. */
export function readPushStatus(path: string): PushStatus | undefined {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(path, 'utf8'));
    return typeof value === 'object' && value !== null ? { ...NOTHING, ...value } : undefined;
  } catch {
    return undefined; // no receiver has pushed here yet, or the file is half a file
  }
}

/** What git says where the remote lets this user do nothing. */
const NO_ACCESS =
  /returned error: 40[13]\b|Permission (?:to \S+ )?denied|Authentication failed|could not read (?:Username|Password)/;

/** Whether a push failed by a rule of the remote or for want of rights. */
export function isDeclined(error: unknown): boolean {
  if (!(error instanceof PressmarkError)) return false;
  return error.code === 'REMOTE_DECLINED' || NO_ACCESS.test(wordsOf(error));
}

/** What an error of git says, with what git itself said, in one line; without credentials. */
export function wordsOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const own = messageOf(error);
  return cause === undefined ? own : `${own}: ${messageOf(cause).replace(/\s+/g, ' ').slice(0, 300)}`;
}
