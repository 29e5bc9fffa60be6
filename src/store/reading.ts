import type { StoredArticle } from '../article/codec.js';
import { canonicalUrl } from '../contract/canonical-url.js';
import { PressmarkError } from '../errors.js';
import { createAddressRefresh } from './catalog/address-refresh.js';
import { type Catalog, lastSegment } from './catalog/catalog.js';
import {
  type ContentFolder,
  type Entry,
  isFuture,
  isGone,
  openArticle,
  type ReadFile,
  readEntry,
} from './catalog/entry.js';
import { type Change, refresh, scan } from './catalog/scan.js';
import { type Judgement, judged, onlyEntry, type Target, targetOf } from './verdict.js';
import { createFolderCheck } from './watch/folder-check.js';
import type { Unsettled } from './watch/unsettled.js';
import type { Watcher } from './watch/watch.js';
import { removed, storeFailure, unreadable } from './write/failure.js';
import type { GroupCommit } from './write/group-commit.js';
import type { Journal } from './write/journal.js';

/** An article and where it stands. */
export interface Found extends StoredArticle {
  readonly path: string;
}

/** What reading reports, and asks. */
export interface ReadingOptions {
  readonly unsettled: Pick<Unsettled, 'look'>;
  /** Gets the changes of files that turned out to have been made by another program. */
  notice(changes: readonly Change[]): void;
  /** Gets the files that another receiver has written, each whole at once. */
  onWritten(changes: readonly Change[]): void;
  /** The key of the format before the catalog was filled. */
  readonly key: string;
  /** Undefined where nothing is watched. */
  readonly watcher: Pick<Watcher, 'unwatched' | 'caughtUp'> | undefined;
}

/** Everything that the store is asked without changing anything. */
export type Reading = ReturnType<typeof createReading>;

/** Reading articles: the catalog says where to look, the file as it is now decides. */
export function createReading(
  content: ContentFolder,
  catalog: Catalog,
  journal: Journal,
  { isUnderWay, settled }: Pick<GroupCommit, 'isUnderWay' | 'settled'>,
  { unsettled, notice, onWritten, key, watcher }: ReadingOptions,
) {
  const addresses = createAddressRefresh(content.format, key, catalog, async (known) =>
    known.map((entry) => readEntry(content, entry.path, entry)).filter((entry) => entry !== undefined),
  );
  const checkFolders = createFolderCheck(
    content,
    watcher?.unwatched ?? [''],
    (path) => catalog.get(path) !== undefined || isUnderWay(path),
    (path) => notice(refresh(content, catalog, path)),
  );

  /** Paths that others named and that are still to be read; they stay until reading them has succeeded. */
  const unread = new Set<string>();
  let everythingUnread = false;
  let reading: Promise<void> | undefined;

  /** Reads what other processes have written. Whoever calls this while everything is read waits for the end of it. */
  async function catchUp(): Promise<void> {
    await addresses.refresh();
    const news = journal.news();
    if (news === 'everything') everythingUnread = true;
    else for (const path of news) unread.add(path);
    for (const path of unread) {
      if (!isUnderWay(path)) onWritten(refresh(content, catalog, path));
      unread.delete(path);
    }
    while (everythingUnread || reading !== undefined) {
      reading ??= readEverything();
      await reading;
    }
  }

  async function readEverything(): Promise<void> {
    everythingUnread = false;
    try {
      notice((await scan(content, catalog)).changes);
    } catch (error) {
      everythingUnread = true;
      throw error;
    } finally {
      reading = undefined;
    }
  }

  /**
   * Reads every file that any program had added when this was called. What it costs does not depend on how many files
   * and folders there are: the watcher knows what has changed. Only where the system does not report all changes is
   * each folder asked.
   */
  async function readNewFiles(): Promise<void> {
    await catchUp();
    await watcher?.caughtUp();
    notice(unsettled.look());
    await checkFolders();
  }

  /** Compares entries with the disk; what is being written is waited for, as it is not durable yet. */
  async function lookAt(entries: readonly Entry[]): Promise<void> {
    await addresses.refresh();
    for (const { path } of entries) {
      await settled(path);
      notice(refresh(content, catalog, path));
      // A date that lay in the future when the file was read may have passed. No other file is read a second time: one
      // of a megabyte takes too long for that.
      const known = catalog.get(path);
      const again = known !== undefined && isFuture(known) ? readEntry(content, path, known) : undefined;
      if (again !== undefined) catalog.set(again);
    }
  }

  /** The catalog's first entry for an id, compared with the disk; a file that was moved is looked for. */
  async function current(id: string): Promise<Entry | undefined> {
    notice(unsettled.look());
    if (catalog.byId(id).length === 0) return undefined;
    await lookAt(catalog.byId(id));
    if (catalog.byId(id).length === 0) notice((await scan(content, catalog)).changes);
    return catalog.byId(id)[0];
  }

  /**
   * The one article at a public URL (contract: article.lookup).
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, ARTICLE_UNREADABLE.
   */
  async function find(url: string): Promise<Found> {
    const canonical = canonicalUrl(url) ?? '';
    await readNewFiles();
    await lookAt(catalog.byUrl(canonical));
    await lookAt(catalog.unresolved(lastSegment(url)));
    const entry = onlyEntry(catalog, url);
    return { ...(await open(entry)).stored, path: entry.path };
  }

  /** The article with this id, or undefined. */
  async function get(id: string): Promise<Found | undefined> {
    await catchUp();
    const entry = await current(id);
    return entry === undefined ? undefined : { ...(await open(entry)).stored, path: entry.path };
  }

  /**
   * The contract's steps 2 to 4 for an update, on the file as it is now.
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, ARTICLE_UNREADABLE, REVISION_CONFLICT.
   */
  async function judge(target: Target): Promise<Judgement> {
    const canonical = canonicalUrl(target.targetUrl) ?? '';
    await readNewFiles();
    await current(target.targetId);
    await lookAt(catalog.byUrl(canonical).filter(({ id }) => id !== target.targetId));
    const entry = targetOf(catalog, target);
    const read = await open(entry);
    return { verdict: judged(read, target), read, entry };
  }

  async function open(entry: Entry): Promise<ReadFile> {
    try {
      return await openArticle(content, entry.path);
    } catch (error) {
      if (isGone(error)) throw removed(entry);
      throw error instanceof PressmarkError ? unreadable(entry.path, error) : storeFailure(error);
    }
  }

  return { catchUp, current, find, get, judge, snapshotKey: () => addresses.key };
}
