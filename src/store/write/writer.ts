import type { Article } from '../../article/article.js';
import type { Publication } from '../../article/publication.js';
import type { Address } from '../../article/stored-article.js';
import { PressmarkError, systemCode } from '../../errors.js';
import type { Fingerprint } from '../../fs/fingerprint.js';
import type { Entry } from '../catalog/entry.js';

/** An article's file to write. */
export interface Write {
  /** The path below the content folder, with forward slashes. */
  readonly path: string;
  /** The absolute path; for a replacement, with symbolic links resolved. */
  readonly target: string;
  readonly text: string;
  /** The whole text that the decision was based on and that is replaced; null for a new file. */
  readonly replaces: string | null;
  /** The article in the text. */
  readonly article: Article;
  /** Whether the article's URL is certain; undefined if the file pins it. */
  readonly address?: Address;
  /** Whether and when the article has a page. */
  readonly publication: Publication;
  /** The permissions of the replaced file. */
  readonly mode?: number;
  /** The writer's `epoch` at the decision. */
  readonly epoch: number;
  /** Work that must end before the file gets its name; if any of it rejects, nothing is changed. */
  readonly waitsFor?: readonly Promise<void>[];
  /** Whether the text is a person's edit; then `Writer.afterWrite` is not called. @default false */
  readonly isEdit?: boolean;
  /** Whether a person restores this file. @default false */
  readonly isRestored?: boolean;
}

/** An article's file to remove. */
export interface Removal extends Pick<Write, 'path' | 'target' | 'article' | 'epoch'> {
  /** The whole text that the decision was based on. */
  readonly replaces: string;
}

/** A file that was written. */
export interface StoredFile extends Pick<Write, 'path' | 'text' | 'article'> {
  /** The person's edit that was replaced. */
  readonly replaced?: { readonly article: Article; readonly text: string };
}

/** A file that is about to be replaced or removed. */
export interface ReplacedFile extends Pick<Write, 'path' | 'text' | 'article'> {
  /** Whether it is a person's edit of the file. */
  readonly edited: boolean;
  /** The revision that replaces it; empty if it is removed. */
  readonly by: string;
}

/** Delays an article's file until other work has ended, which may run at the same time. */
export type WaitFor = (work: Promise<void> | undefined) => void;

/** Writes article files durably, by the compare-and-set of a durability level. The caller holds the store's lock. */
export interface Writer {
  /**
   * Writes a file. Resolves when the file has its name and is durable. Never called twice at the same time for one path.
   *
   * @returns the new file's fingerprint.
   * @throws NameTaken, Outdated, the system's errors: nothing was changed. PressmarkError STORE_FAILED: the file may exist, and
   *   `ensure` makes it durable before it is acknowledged.
   */
  write(file: Write): Promise<Fingerprint>;
  /**
   * Removes a file. Resolves when the removal is durable. Never called twice at the same time for one path.
   *
   * @throws as `write`.
   */
  remove(file: Removal): Promise<void>;
  /**
   * Makes an existing file durable, as another process may have died between the rename and the sync.
   *
   * @returns the fingerprint of the file, which may have been rewritten.
   */
  ensure(entry: Entry): Promise<Fingerprint>;
  /** Called before a file is replaced or removed; if it rejects, nothing is changed. */
  beforeReplace?(replaced: ReplacedFile): Promise<void>;
  /**
   * Called after a file is stored and before it is acknowledged. If it rejects, the file stays, as another receiver's lookup
   * may have answered with it, but it is not acknowledged until it is sent again.
   *
   * @param written `stored`: by this delivery; `found`: by an earlier one, and a person may have renamed the file since;
   *   `trash`: by a person who restores it.
   */
  afterWrite?(file: StoredFile, written: 'stored' | 'found' | 'trash'): Promise<void>;
  /** Called if the article of an update or a lookup is not found; throws if it may be back soon. */
  onMissing?(): void;
  /** A number that changes when another machine has changed files, so that decisions must be made again. */
  readonly epoch: number;
  /**
   * Set if machines share the articles without a common folder. Resolves when the files include everything that any machine
   * acknowledged before the call. A file counts only if `ensure` resolves for it.
   *
   * @throws PressmarkError REMOTE_UNAVAILABLE, COMMIT_FAILED.
   */
  catchUp?(): Promise<void>;
  /** Ends background work; called when no operation runs. */
  close?(): Promise<void>;
}

/** The writer for several machines. */
export type SharedWriter = Writer & Required<Pick<Writer, 'catchUp'>>;

/**
 * Thrown if files have changed since the decision, which is then made again. The cause is the error of an earlier attempt whose
 * outcome is unknown: the change may be this write, or be based on it.
 */
export class Outdated extends Error {}

/** Thrown if the name of a new file has been taken by another file. */
export class NameTaken extends Outdated {}

/**
 * Repeats a decision and its write until it is not `Outdated`.
 *
 * @param work is called with the writer's `epoch`, and the error of an earlier attempt whose outcome is unknown.
 */
export async function untilWritten<T>(
  writer: Pick<Writer, 'epoch'>,
  work: (epoch: number, unclear: unknown) => Promise<T>,
): Promise<T> {
  let unclear: unknown;
  for (;;) {
    try {
      return await work(writer.epoch, unclear);
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      unclear = error.cause ?? unclear;
    }
  }
}

/** The meaning of the most common disk errors, and what the owner can do. */
const MEANING: Record<string, string> = {
  ENOSPC: 'no space is left on the device; free some',
  EDQUOT: 'the disk quota is used up; raise it or free some space',
  EIO: 'the disk reports an input/output error; check the device',
  EROFS: 'the file system is read-only; mount it writable',
  EACCES: 'permission is denied; let the service write to the content folder',
  EPERM: 'the operation is not permitted; let the service write to the content folder',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
  ENFILE: 'the system has too many files open',
  EFBIG: 'the file would be larger than allowed (ulimit -f)',
};

/** Makes the error for a delivery that failed because of the disk. Nothing was written, and the service tries again. */
export function storeFailure(error: unknown): PressmarkError {
  if (error instanceof PressmarkError) return error;
  return failed(`not stored: ${meaningOf(error)}; nothing was changed, send it again`, error);
}

/** Makes the error for a file that was written but may not be on the disk. It stays, and the service tries again. */
export function notDurable(error: unknown): PressmarkError {
  return failed(`not stored durably: ${meaningOf(error)}; send it again`, error);
}

function meaningOf(error: unknown): string {
  const code = systemCode(error) ?? 'unknown error';
  return `${MEANING[code] ?? 'the article could not be written'} (${code})`;
}

function failed(message: string, cause: unknown): PressmarkError {
  return new PressmarkError('STORE_FAILED', message, { cause });
}
