import type { StoredArticle } from '../article/stored-article.js';
import { canonicalUrl } from '../contract/canonical-url.js';
import { isGone, messageOf, PressmarkError, quote } from '../errors.js';
import { coalesced } from '../fs/coalesced.js';
import type { Log } from '../log.js';
import { type AddressRefresh, readAnew } from './catalog/address-refresh.js';
import { type Catalog, lastSegment } from './catalog/catalog.js';
import { type ContentFolder, isMalformed, type ReadFile, readArticle } from './catalog/content-folder.js';
import { type Entry, isFuture } from './catalog/entry.js';
import { type ContentChange, newFilesReader, refresh, scan } from './catalog/scan.js';
import { onlyEntry, type Precondition, preconditionOf, type Target, targetOf } from './precondition.js';
import type { ArticleFiles, Writer } from './write/article-files.js';
import { readFailure } from './write/failures.js';

/** An article with its path. */
export interface Found extends StoredArticle {
  readonly path: string;
}

export interface ReadingOptions {
  readonly content: ContentFolder;
  readonly catalog: Catalog;
  readonly addresses: Pick<AddressRefresh, 'refresh'>;
  readonly writer: Writer;
  readonly files: Pick<ArticleFiles, 'writing' | 'ensureShared'>;
  readonly log: Log;
  /** Called with the changes that another program or process made to files. */
  readonly onChange: (changes: readonly ContentChange[]) => void;
}

/** The store's functions that only read. */
export type Reading = ReturnType<typeof createReading>;

/**
 * Creates the functions that read articles. The catalog finds the file, and the file's present content decides. If the catalog
 * has no entry, new files in the content folder are read.
 */
export function createReading(options: ReadingOptions) {
  const { content, catalog, addresses, writer, log, onChange } = options;
  const { writing, ensureShared } = options.files;
  const newFiles = newFilesReader(content, catalog, writing);
  /** Reads new files. */
  const readNewFiles = coalesced(async () => notice(await newFiles()));

  function notice(changes: readonly ContentChange[]): void {
    if (changes.length > 0) onChange(changes);
  }

  /** Compares entries with the disk, after this process's writes to them. */
  async function compare(entries: readonly Entry[]): Promise<void> {
    await addresses.refresh();
    for (const { path } of entries) {
      await waitForWrite(path);
      notice(await refresh(content, catalog, path, writing));
      // A date that was in the future when the file was read may have passed. Other files are not read again, as a large one
      // takes too long.
      const known = catalog.get(path);
      if (known !== undefined && isFuture(known)) await readAnew(content, catalog, known);
    }
  }

  /**
   * Returns the entry that `choose` returns. If it finds none, it is called again after new files were read, as another
   * receiver or a person may have just added or moved the file.
   */
  async function chooseEntry(choose: () => Entry): Promise<Entry> {
    try {
      return choose();
    } catch (error) {
      if (!(error instanceof PressmarkError) || error.code !== 'ARTICLE_NOT_FOUND') throw error;
      await readNewFiles();
    }
    return choose();
  }

  /** Runs `work`. Its refusal of a request may not be final: the writer may throw another error then. */
  async function refusing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof PressmarkError && error.status < 500) writer.beforeRefusal?.();
      throw error;
    }
  }

  /** Returns the first entry for an id after a comparison with the disk, which also finds a moved file. */
  async function current(id: string): Promise<Entry | undefined> {
    await compare(catalog.byId(id));
    if (catalog.hasLost(id)) await readNewFiles();
    return catalog.byId(id)[0];
  }

  /**
   * Finds the one article at a public URL (contract: article.lookup).
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, ARTICLE_UNREADABLE.
   */
  function find(url: string): Promise<Found> {
    return refusing(async () => {
      await writer.catchUp?.();
      await compare(catalog.byUrl(canonicalUrl(url) ?? ''));
      await compare(catalog.unresolved(lastSegment(url)));
      const entry = await chooseEntry(() => onlyEntry(catalog, url));
      await ensureShared(entry);
      return { ...(await open(entry)).stored, path: entry.path };
    });
  }

  /** Returns the article with this id; undefined if there is none. */
  async function get(id: string): Promise<Found | undefined> {
    const entry = await current(id);
    return entry === undefined ? undefined : { ...(await open(entry)).stored, path: entry.path };
  }

  /** Reads the article in a file; undefined if the file is gone or malformed. */
  async function read(path: string): Promise<StoredArticle | undefined> {
    const entry = catalog.get(path);
    if (entry !== undefined) await compare([entry]);
    const now = catalog.get(path);
    return now === undefined || now.broken !== undefined ? undefined : (await open(now)).stored;
  }

  /**
   * Runs the contract's steps 2 to 4 for an update on the present file.
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, ARTICLE_UNREADABLE, REVISION_CONFLICT.
   */
  async function check(target: Target): Promise<Precondition> {
    if (writer.catchUp === undefined) return refusing(() => checkNow(target));
    try {
      // If the files are not up to date, the push of an applied update fails. Any other result needs files that are up to date.
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
    const entry = await chooseEntry(() => targetOf(catalog, target));
    await ensureShared(entry);
    const read = await open(entry);
    return { kind: preconditionOf(read.stored, target), read, entry };
  }

  /** Like `readAgain`, but an error is only logged. */
  async function readAgainIfPossible(path: string): Promise<void> {
    try {
      await readAgain([path]);
    } catch (error) {
      log.warn(
        { path, reason: messageOf(error) },
        'a changed file could not be read; it is read again when its article is needed',
      );
    }
  }

  /**
   * Reads files that another program may have changed, and reports changes. Files that are being written are read afterwards.
   */
  async function readAgain(paths: Iterable<string>): Promise<void> {
    for (const path of paths) {
      const own = writing.get(path);
      if (own !== undefined) {
        void own.catch(() => undefined).then(() => readAgainIfPossible(path));
        continue;
      }
      notice(await refresh(content, catalog, path, writing));
    }
  }

  /** Reads files that the writer got from another machine, even if this process is about to write the same path. */
  async function readShared(paths: Iterable<string>): Promise<void> {
    for (const path of paths) notice(await refresh(content, catalog, path, new Map()));
  }

  /** Compares the whole folder with the catalog. */
  async function compareFolder(): Promise<void> {
    const { changes } = await scan(content, catalog, writing);
    notice(changes);
  }

  /** Waits for an unfinished write of a file. */
  async function waitForWrite(path: string): Promise<void> {
    await writing.get(path)?.catch(() => undefined); // its caller handles the error
  }

  async function open(entry: Entry): Promise<ReadFile> {
    try {
      await waitForWrite(entry.path);
      return await readArticle(content, entry.path);
    } catch (error) {
      if (isGone(error)) throw removed(entry);
      throw isMalformed(error) ? unreadable(entry.path, error) : readFailure(entry.path, error);
    }
  }

  return {
    current,
    find,
    get,
    read,
    open,
    check,
    readNewFiles,
    readAgain,
    readAgainIfPossible,
    readShared,
    compareFolder,
  };
}

/** Makes the error for a file that is gone since the catalog was read. */
function removed({ id }: { readonly id: string }): PressmarkError {
  return new PressmarkError('ARTICLE_NOT_FOUND', `the file of article ${quote(id)} was removed`);
}

/** Makes the error for a file that cannot be read as an article now. */
function unreadable(path: string, error: PressmarkError): PressmarkError {
  const message = `the file ${path} is malformed, ${error.message}`;
  return new PressmarkError('ARTICLE_UNREADABLE', message, { cause: error });
}
