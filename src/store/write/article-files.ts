import fs from 'node:fs';
import { join } from 'node:path';
import type { EncodedFile } from '../../article/format/encode.js';
import { type ErrorCode, PressmarkError } from '../../errors.js';
import { type Fingerprint, sameFingerprint } from '../../fs/fingerprint.js';
import type { Catalog } from '../catalog/catalog.js';
import { type ContentFolder, type ReadFile, readArticle } from '../catalog/content-folder.js';
import { type Entry, entryOf } from '../catalog/entry.js';
import { Outdated, type Removal, type StoredFile, type Write, type Writer } from './writer.js';

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
  const unacknowledged = new Map<string, string>();

  function isDurable({ path, fingerprint }: Entry): boolean {
    const known = durable.get(path);
    return known !== undefined && sameFingerprint(known, fingerprint);
  }

  function isAcknowledged(entry: Entry): boolean {
    return isDurable(entry) && !unacknowledged.has(entry.path);
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
    const revision = unacknowledged.get(path);
    let file: StoredFile | undefined;
    if (writer.afterWrite !== undefined || revision !== undefined) {
      const { text, stored } = await readArticle(content, path);
      // A person's edit is left to them to commit.
      if (!stored.edited) file = { article: stored.article, path, text };
    }
    if (file !== undefined) await writer.afterWrite?.(file, 'found');
    durable.set(path, fingerprint);
    if (revision === undefined || file?.article.revision !== revision) return undefined;
    unacknowledged.delete(path);
    return file;
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
      unacknowledged.set(path, article.revision);
      if (!isEdit) await writer.afterWrite?.(stored, isRestored ? 'trash' : 'stored');
      // The entry of a person's edit must be read from the file.
      catalog.set(
        isEdit ? await content.codec.entry(path, { text, fingerprint }) : entryOf(path, file, fingerprint),
      );
      durable.set(path, fingerprint);
      unacknowledged.delete(path);
      return stored;
    } catch (error) {
      if (mayHaveStored(error)) unacknowledged.set(path, article.revision);
      throw error;
    }
  }

  /**
   * Replaces a file by a new version that was made from it.
   *
   * @throws Outdated if the file has changed since.
   */
  async function overwrite(
    path: string,
    { text, stored: { article, edited } }: ReadFile,
    file: EncodedFile & Pick<Write, 'epoch' | 'waitsFor' | 'isEdit'>,
  ): Promise<StoredFile> {
    // Before the write, so that the old text is never lost, even if this process is killed.
    await writer.beforeReplace?.({ path, text, article, edited, by: file.article.revision });
    const target = fs.realpathSync(join(content.root, path)); // a rename would replace the link itself
    const { mode } = fs.statSync(target);
    return write({ ...file, path, target, replaces: text, mode });
  }

  /** Removes a file. @throws errors of `Writer.remove`. */
  function remove(file: Removal): Promise<void> {
    return inProgress(file, async () => {
      await writer.remove(file);
      catalog.delete(file.path);
      durable.delete(file.path);
      unacknowledged.delete(file.path);
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

/** The errors after which a file may be stored, or a push with an unknown outcome may still store it. */
const MAY_HAVE_STORED: readonly ErrorCode[] = ['STORE_FAILED', 'REMOTE_UNAVAILABLE', 'COMMIT_FAILED'];

/** Whether a failed write may have stored its file. */
function mayHaveStored(error: unknown): boolean {
  const cause = error instanceof Outdated ? error.cause : error;
  return cause instanceof PressmarkError && MAY_HAVE_STORED.includes(cause.code);
}

/** Whether the store failed because of this machine; then a file may be stored. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof PressmarkError && error.code === 'STORE_FAILED';
}
