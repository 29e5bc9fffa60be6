import fs from 'node:fs';
import { join } from 'node:path';
import type { Article } from '../../article/article.js';
import type { EncodedFile } from '../../article/format/encode.js';
import type { Publication } from '../../article/publication.js';
import type { Address } from '../../article/stored-article.js';
import { isGone } from '../../errors.js';
import { type Fingerprint, sameFingerprint } from '../../fs/fingerprint.js';
import type { Catalog } from '../catalog/catalog.js';
import { type ContentFolder, isMalformed, type ReadFile, readArticle } from '../catalog/content-folder.js';
import { type Entry, entryOf } from '../catalog/entry.js';
import { mayHaveStored, Outdated } from './failures.js';

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
  /** Called before an update or a lookup is refused because of what the files have; throws if they may soon have something else. */
  beforeRefusal?(): void;
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

/** The files of the articles; see `createArticleFiles`. */
export type ArticleFiles = ReturnType<typeof createArticleFiles>;

/**
 * Writes articles' files. A file is *stored* when it is in the content folder, and *acknowledged* when it is durable and
 * `Writer.afterWrite` has succeeded, too. The caller holds the store's lock.
 */
export function createArticleFiles(content: ContentFolder, catalog: Catalog, writer: Writer) {
  /** The unfinished writes, by path. */
  const writing = new Map<string, Promise<unknown>>();
  /** The fingerprints of files that are known to be durable, by path. */
  const durable = new Map<string, Fingerprint>();
  /** The revisions that may be stored, now or later, although their deliveries got an error; by path. */
  const unacknowledgedRevisions = new Map<string, string>();

  function isDurable({ path, fingerprint }: Entry): boolean {
    const known = durable.get(path);
    return known !== undefined && sameFingerprint(known, fingerprint);
  }

  function isAcknowledged(entry: Entry): boolean {
    return isDurable(entry) && !unacknowledgedRevisions.has(entry.path);
  }

  async function makeDurable(entry: Entry): Promise<Fingerprint> {
    const fingerprint = await writer.ensure(entry);
    if (!sameFingerprint(fingerprint, entry.fingerprint)) catalog.set({ ...entry, fingerprint });
    return fingerprint;
  }

  /**
   * Acknowledges an existing file, which another process or a failed write may have left without making it durable.
   *
   * @returns the file if its earlier delivery was answered with an error: then no action has run for it yet, and this delivery
   *   counts as the one that stores it.
   */
  async function acknowledge(entry: Entry): Promise<StoredFile | undefined> {
    if (isAcknowledged(entry)) return undefined;
    const { path } = entry;
    const fingerprint = await makeDurable(entry);
    const revision = unacknowledgedRevisions.get(path);
    const file =
      writer.afterWrite !== undefined || revision !== undefined ? await deliveredFile(path) : undefined;
    if (file !== undefined) await writer.afterWrite?.(file, 'found');
    durable.set(path, fingerprint);
    const isStored = revision !== undefined && file?.article.revision === revision;
    // Only a remote can still store a revision that the file does not have.
    if (isStored || writer.catchUp === undefined) unacknowledgedRevisions.delete(path);
    return isStored ? file : undefined;
  }

  /** Reads a file; undefined if it has a person's edit, malformed or not, which is left to them to commit. */
  async function deliveredFile(path: string): Promise<StoredFile | undefined> {
    try {
      const { text, stored } = await readArticle(content, path);
      return stored.edited ? undefined : { article: stored.article, path, text };
    } catch (error) {
      if (isMalformed(error)) return undefined;
      throw error;
    }
  }

  /** If machines share the articles without a common folder, throws unless a file is the same as the shared one. */
  async function ensureShared(entry: Entry): Promise<void> {
    // This does not acknowledge an unacknowledged revision, for which no action has run yet.
    if (writer.catchUp !== undefined && !isDurable(entry)) durable.set(entry.path, await makeDurable(entry));
  }

  /**
   * Writes a file, and acknowledges it.
   *
   * @throws errors of `Writer.write` and `Writer.afterWrite`.
   */
  function write(file: Write): Promise<StoredFile> {
    return inProgress(file, () => writeNow(file));
  }

  /** Marks a path as being written until `work` ends, so that changes do not count as another program's. */
  function inProgress<T>({ path }: Pick<Write, 'path'>, work: () => Promise<T>): Promise<T> {
    const running = work().finally(() => writing.delete(path));
    writing.set(path, running);
    return running;
  }

  async function writeNow(file: Write): Promise<StoredFile> {
    const { article, path, text, isEdit = false, isRestored = false } = file;
    const stored = { article, path, text };
    try {
      const fingerprint = await writer.write(file);
      unacknowledgedRevisions.set(path, article.revision);
      if (!isEdit) await writer.afterWrite?.(stored, isRestored ? 'trash' : 'stored');
      // The entry of a person's edit must be read from the file.
      catalog.set(
        isEdit ? await content.codec.entry(path, { text, fingerprint }) : entryOf(path, file, fingerprint),
      );
      durable.set(path, fingerprint);
      unacknowledgedRevisions.delete(path);
      return stored;
    } catch (error) {
      if (mayHaveStored(error)) unacknowledgedRevisions.set(path, article.revision);
      throw error;
    }
  }

  /**
   * Replaces a file by a new version that was made from it.
   *
   * @throws Outdated if the file has changed or is gone since.
   */
  async function overwrite(
    path: string,
    { text, stored: { article, edited } }: ReadFile,
    file: EncodedFile & Pick<Write, 'epoch' | 'waitsFor' | 'isEdit'>,
  ): Promise<StoredFile> {
    const named = join(content.root, path);
    try {
      // Before the write, so that the old text is never lost, even if this process is killed.
      await writer.beforeReplace?.({ path, text, article, edited, by: file.article.revision });
      const target = fs.realpathSync(named); // a rename would replace the link itself
      const { mode } = fs.statSync(target);
      return await write({ ...file, path, target, replaces: text, mode });
    } catch (error) {
      throw isGone(error) && !fs.existsSync(named) ? new Outdated('the file is gone') : error;
    }
  }

  /** Removes a file. @throws errors of `Writer.remove`. */
  function remove(file: Removal): Promise<void> {
    return inProgress(file, async () => {
      await writer.remove(file);
      catalog.delete(file.path);
      durable.delete(file.path);
      unacknowledgedRevisions.delete(file.path);
    });
  }

  return {
    writing: writing as ReadonlyMap<string, Promise<unknown>>,
    isAcknowledged,
    acknowledge,
    ensureShared,
    write,
    overwrite,
    remove,
  };
}

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
