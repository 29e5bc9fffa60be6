import type { Article } from '../../article/article.js';
import type { Publication } from '../../article/publication.js';
import type { Address } from '../../article/stored-article.js';
import type { Fingerprint } from '../../fs/fingerprint.js';
import type { Entry } from '../catalog/entry.js';

/** An article's file that is to be written. */
export interface Write {
  /** Below the content folder, with forward slashes. */
  readonly path: string;
  /** The same, absolute; for a replacement with symbolic links resolved. */
  readonly target: string;
  readonly text: string;
  /** What was decided upon: the whole text of the file that is replaced; null for a new file. */
  readonly replaces: string | null;
  /** What the text holds. */
  readonly article: Article;
  /** Whether the article's URL is certain; undefined if the file pins it. */
  readonly address?: Address;
  /** When the article has a page. */
  readonly publication: Publication;
  /** Permissions of the file that is replaced. */
  readonly mode?: number;
  /** The writer's `epoch` when it was decided. */
  readonly epoch: number;
  /** What must be on the disk before the file gets its name; if one rejects, nothing is changed. */
  readonly waitsFor?: readonly Promise<void>[];
  /** Whether a person has this very file restored. @default false */
  readonly isRestored?: boolean;
}

/** An article's file that is to be removed. */
export interface Removal extends Pick<Write, 'path' | 'target' | 'article' | 'epoch'> {
  /** The whole text that was decided upon. */
  readonly replaces: string;
}

/** A file that was written. */
export interface StoredFile extends Pick<Write, 'path' | 'text' | 'article'> {
  /** The person's edit that stood there before. */
  readonly replaced?: { readonly article: Article; readonly text: string };
}

/** A file that is about to be replaced or removed. */
export interface ReplacedFile extends Pick<Write, 'path' | 'text' | 'article'> {
  /** Whether it is a person's edit of the file. */
  readonly edited: boolean;
  /** The revision that replaces it; empty if it is removed. */
  readonly by: string;
}

/** Has an article's file get its name only after something else is on the disk, which may be written at the same time. */
export type WaitFor = (work: Promise<void> | undefined) => void;

/** Makes article files durable, and is the compare-and-set of a durability level. The caller holds the store's lock. */
export interface Writer {
  /**
   * Resolves when the file has its name and is durable. Never called twice at the same time for one path.
   *
   * @returns the new file's fingerprint.
   * @throws NameTaken, Outdated, the system's errors: nothing was changed. PressmarkError STORE_FAILED: the file may be
   *   there, and is made durable by `ensure` before it is acknowledged.
   */
  write(file: Write): Promise<Fingerprint>;
  /**
   * Resolves when the file is gone, and that is durable. Never called twice at the same time for one path.
   *
   * @throws as `write`.
   */
  remove(file: Removal): Promise<void>;
  /**
   * Makes a file that is there as durable as if it had just been written: another process may have died between the
   * rename and the sync.
   *
   * @returns the fingerprint of the file, which may have been written anew.
   */
  ensure(entry: Entry): Promise<Fingerprint>;
  /** Called before a file is replaced or removed; when it rejects, nothing is changed. */
  beforeReplace?(replaced: ReplacedFile): Promise<void>;
  /**
   * What else must have happened before a file is acknowledged. When it rejects, the file stays and is not acknowledged:
   * while it ran, a lookup of another receiver may have answered with that file. It counts as stored when it has been sent
   * again.
   *
   * @param written by whom: a delivery now; an earlier one, and a person may have renamed the file since; a person who has
   *   it restored.
   */
  afterWrite?(file: StoredFile, written: 'now' | 'before' | 'restored'): Promise<void>;
  /** Called where the article of an update or a lookup is not found; throws where it may be there again soon. */
  onMissing?(): void;
  /** Another number whenever the files have changed by another machine, so that decisions are to be made again. */
  readonly epoch: number;
  /**
   * Set where machines without a common folder share the articles. Resolves when the files are as new as any that was
   * acknowledged anywhere before the call. A file counts only as far as `ensure` resolves for it.
   *
   * @throws PressmarkError REMOTE_UNAVAILABLE, COMMIT_FAILED.
   */
  catchUp?(): Promise<void>;
  /** Ends work in the background; called when no operation runs. */
  close?(): Promise<void>;
}

/** The writer of several machines. */
export type SharedWriter = Writer & Required<Pick<Writer, 'catchUp'>>;

/**
 * Thrown if files have changed since the decision, which is then made again. The cause is the error of an earlier
 * attempt whose end is unknown: what has changed may be this very write, or be based on it.
 */
export class Outdated extends Error {}

/** Thrown where the name of a new file belongs to another file by now. */
export class NameTaken extends Outdated {}

/**
 * Decides and writes, again and again until the decision is not `Outdated`.
 *
 * @param work gets the writer's `epoch`, and the error of an attempt whose end is unknown.
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
