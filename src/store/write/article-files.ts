import fs from 'node:fs';
import { join } from 'node:path';
import type { EncodedFile } from '../../article/format/encode.js';
import { type ErrorCode, PressmarkError } from '../../errors.js';
import { type Fingerprint, sameFingerprint } from '../../fs/fingerprint.js';
import type { Catalog } from '../catalog/catalog.js';
import { type ContentFolder, type ReadFile, readArticle } from '../catalog/content-folder.js';
import { type Entry, entryOf } from '../catalog/entry.js';
import { Outdated, type Removal, type StoredFile, type Write, type Writer } from './writer.js';

/** How a file is written. A person's edit is theirs to commit. */
type Written = 'now' | 'restored' | 'edited';

/** The files of the articles; see `createArticleFiles`. */
export type ArticleFiles = ReturnType<typeof createArticleFiles>;

/**
 * Writes the files of articles. A file is *stored* when it is in the content folder, and *acknowledged* when its writer has
 * also promised it. The caller holds the store's lock.
 */
export function createArticleFiles(content: ContentFolder, catalog: Catalog, writer: Writer) {
  /** The writes that go on, by path. */
  const writing = new Map<string, Promise<unknown>>();
  /** What this process has made durable, or found to be as good. */
  const durable = new Map<string, Fingerprint>();
  /** The revisions that may stay, or come yet, although their deliveries got an error; by path. */
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
   * Acknowledges a file that is there: another process, or a write that got an error, may have left it without having made
   * it durable.
   *
   * @returns the file if its delivery was answered with an error although it stayed: no action has run for it yet, and
   *   this delivery is the one that stores it.
   */
  async function acknowledge(entry: Entry): Promise<StoredFile | undefined> {
    if (isAcknowledged(entry)) return undefined;
    const { path } = entry;
    const fingerprint = await makeDurable(entry);
    const revision = unacknowledged.get(path);
    let file: StoredFile | undefined;
    if (writer.afterWrite !== undefined || revision !== undefined) {
      const { text, stored } = await readArticle(content, path);
      // a person's edit is theirs to commit
      if (!stored.edited) file = { article: stored.article, path, text };
    }
    if (file !== undefined) await writer.afterWrite?.(file, 'before');
    durable.set(path, fingerprint);
    if (revision === undefined || file?.article.revision !== revision) return undefined;
    unacknowledged.delete(path);
    return file;
  }

  /** Throws where machines without a common folder share the articles, and a file is not what they share. */
  async function ensureShared(entry: Entry): Promise<void> {
    // Nothing is acknowledged here: no action has run yet for what a delivery was told to send again.
    if (writer.catchUp !== undefined && !isDurable(entry)) durable.set(entry.path, await makeDurable(entry));
  }

  /** Writes a file, and acknowledges it. @throws what `Writer.write` throws; what `Writer.afterWrite` throws. */
  function write(file: Write, how: Written = 'now'): Promise<StoredFile> {
    return inProgress(file, () => writeNow(file, how));
  }

  /** Until `work` ends, what is at the path does not count as another program's. */
  function inProgress<T>({ path }: Pick<Write, 'path'>, work: () => Promise<T>): Promise<T> {
    const running = work().finally(() => writing.delete(path));
    writing.set(path, running);
    return running;
  }

  async function writeNow(file: Write, how: Written): Promise<StoredFile> {
    const { article, path, text } = file;
    const stored = { article, path, text };
    try {
      const fingerprint = await writer.write(file);
      unacknowledged.set(path, article.revision);
      if (how !== 'edited') await writer.afterWrite?.(stored, how);
      // What a person has written tells the file alone.
      catalog.set(
        how === 'edited'
          ? await content.codec.entry(path, { text, fingerprint })
          : entryOf(path, file, fingerprint),
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
   * Puts a file in the place of the one that it was made from.
   *
   * @param how `edited` where the new file is a person's edit, too, and theirs to commit.
   * @throws Outdated where the file has changed since.
   */
  async function overwrite(
    path: string,
    { text, stored: { article, edited } }: ReadFile,
    file: EncodedFile & Pick<Write, 'epoch' | 'waitsFor'>,
    how: Written = 'now',
  ): Promise<StoredFile> {
    // While the file still holds it: whenever we are killed, it is in one place or the other.
    await writer.beforeReplace?.({ path, text, article, edited, by: file.article.revision });
    const target = fs.realpathSync(join(content.root, path)); // a rename would replace the link itself
    const { mode } = fs.statSync(target);
    return write({ ...file, path, target, replaces: text, mode }, how);
  }

  /** Removes a file. @throws what `Writer.remove` throws. */
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

/** The errors after which a file may have stayed, or may come with a push whose end is unknown. */
const MAY_HAVE_STORED: readonly ErrorCode[] = ['STORE_FAILED', 'REMOTE_UNAVAILABLE', 'COMMIT_FAILED'];

/** Whether a write may have stored its file although it has failed. */
function mayHaveStored(error: unknown): boolean {
  const cause = error instanceof Outdated ? error.cause : error;
  return cause instanceof PressmarkError && MAY_HAVE_STORED.includes(cause.code);
}

/** Whether the store has failed for a reason of this machine, in which case a file may have stayed. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof PressmarkError && error.code === 'STORE_FAILED';
}
