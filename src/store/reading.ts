import type { StoredArticle } from '../article/stored-article.js';
import { canonicalUrl } from '../contract/canonical-url.js';
import { isGone, PressmarkError } from '../errors.js';
import { coalesced } from '../fs/coalesced.js';
import { type AddressRefresh, readAnew } from './catalog/address-refresh.js';
import { type Catalog, lastSegment } from './catalog/catalog.js';
import { type ContentFolder, type ReadFile, readArticle } from './catalog/content-folder.js';
import { type Entry, isFuture } from './catalog/entry.js';
import { newFilesReader } from './catalog/new-files.js';
import { type ContentChange, refresh } from './catalog/scan.js';
import { onlyEntry, type Precondition, preconditionOf, type Target, targetOf } from './precondition.js';
import type { ArticleFiles } from './write/article-files.js';
import { removed, storeFailure, unreadable } from './write/failure.js';
import type { Writer } from './write/writer.js';

/** An article and where it stands. */
export interface Found extends StoredArticle {
  readonly path: string;
}

export interface ReadingOptions {
  readonly content: ContentFolder;
  readonly catalog: Catalog;
  readonly addresses: Pick<AddressRefresh, 'refresh'>;
  readonly writer: Writer;
  readonly files: Pick<ArticleFiles, 'writing' | 'ensureShared'>;
  /** Gets the changes of files that turned out to have been made by another program. */
  notice(changes: readonly ContentChange[]): void;
}

/** Everything that the store is asked without changing anything. */
export type Reading = ReturnType<typeof createReading>;

/**
 * Reading articles. The catalog says where to look, the file as it is now decides; where the catalog knows nothing, the
 * content folder is looked at again.
 */
export function createReading(options: ReadingOptions) {
  const { content, catalog, addresses, writer, notice } = options;
  const { writing, ensureShared } = options.files;
  const newFiles = newFilesReader(content, catalog, writing);
  /** Reads the files that have come. */
  const readNewFiles = coalesced(async () => notice(await newFiles()));

  /** Compares entries with the disk, when this process does not write them. */
  async function compare(entries: readonly Entry[]): Promise<void> {
    await addresses.refresh();
    for (const { path } of entries) {
      await finished(path);
      notice(await refresh(content, catalog, path, writing));
      // A date that lay in the future when the file was read may have passed. No other file is read a second time: one
      // of a megabyte takes too long for that.
      const known = catalog.get(path);
      if (known !== undefined && isFuture(known)) await readAnew(content, catalog, known);
    }
  }

  /**
   * The entry that `choose` returns. Where it finds none, it is asked once more after a look at the folder: another
   * receiver or a person may have added or moved the file a moment ago.
   */
  async function chosen(choose: () => Entry): Promise<Entry> {
    try {
      return choose();
    } catch (error) {
      if (!(error instanceof PressmarkError) || error.code !== 'ARTICLE_NOT_FOUND') throw error;
      await readNewFiles();
    }
    try {
      return choose();
    } catch (error) {
      if (error instanceof PressmarkError && error.code === 'ARTICLE_NOT_FOUND') writer.onMissing?.();
      throw error;
    }
  }

  /** The catalog's first entry for an id, compared with the disk; a file that was moved is looked for. */
  async function current(id: string): Promise<Entry | undefined> {
    await compare(catalog.byId(id));
    if (catalog.hasLost(id)) await readNewFiles();
    return catalog.byId(id)[0];
  }

  /**
   * The one article at a public URL (contract: article.lookup).
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, ARTICLE_UNREADABLE.
   */
  async function find(url: string): Promise<Found> {
    await writer.catchUp?.();
    await compare(catalog.byUrl(canonicalUrl(url) ?? ''));
    await compare(catalog.unresolved(lastSegment(url)));
    const entry = await chosen(() => onlyEntry(catalog, url));
    await ensureShared(entry);
    return { ...(await open(entry)).stored, path: entry.path };
  }

  /** The article with this id, or undefined. */
  async function get(id: string): Promise<Found | undefined> {
    const entry = await current(id);
    return entry === undefined ? undefined : { ...(await open(entry)).stored, path: entry.path };
  }

  /** The article in a file; undefined if the file has gone or is malformed by now. */
  async function read(path: string): Promise<StoredArticle | undefined> {
    const entry = catalog.get(path);
    if (entry !== undefined) await compare([entry]);
    const now = catalog.get(path);
    return now === undefined || now.broken !== undefined ? undefined : (await open(now)).stored;
  }

  /**
   * The contract's steps 2 to 4 for an update, on the file as it is now.
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, ARTICLE_UNREADABLE, REVISION_CONFLICT.
   */
  async function check(target: Target): Promise<Precondition> {
    if (writer.catchUp === undefined) return checkNow(target);
    try {
      // The push finds out where the files are not new enough. Any other result must be certain.
      const found = await checkNow(target);
      if (found.kind === 'apply') return found;
    } catch (error) {
      if (!(error instanceof PressmarkError)) throw error;
    }
    await writer.catchUp();
    return checkNow(target);
  }

  async function checkNow(target: Target): Promise<Precondition> {
    const canonical = canonicalUrl(target.targetUrl) ?? '';
    await compare([...catalog.byId(target.targetId), ...catalog.byUrl(canonical)]);
    const entry = await chosen(() => targetOf(catalog, target));
    await ensureShared(entry);
    const read = await open(entry);
    return { kind: preconditionOf(read.stored, target), read, entry };
  }

  /** Waits for the write of a file: what it has not finished is not true yet. */
  async function finished(path: string): Promise<void> {
    await writing.get(path)?.catch(() => undefined); // its caller handles the error
  }

  async function open(entry: Entry): Promise<ReadFile> {
    try {
      await finished(entry.path);
      return await readArticle(content, entry.path);
    } catch (error) {
      if (isGone(error)) throw removed(entry);
      const isMalformed = error instanceof PressmarkError && error.code.startsWith('FRONT_MATTER_');
      throw isMalformed ? unreadable(entry.path, error) : storeFailure(error);
    }
  }

  return { current, find, get, read, open, check, readNewFiles };
}
