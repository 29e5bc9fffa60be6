import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import type { Catalog } from '../../store/catalog/catalog.js';
import {
  type ContentFolder,
  type Entry,
  NEVER_READ,
  ownStrings,
  type ReadablePage,
} from '../../store/catalog/entry.js';
import { isArticlePath, refresh, walk } from '../../store/catalog/scan.js';
import { timeOf } from '../render/dates.js';
import type { ManifestDelta } from '../write/manifest.js';
import { type ArticleCache, type ParsedArticle, parsedOf } from './article-cache.js';
import { type IndexEntry, indexEntryOf, MOST_TAGS, readHeaderEntry } from './index-entry.js';
import { isOwnerTextPath, isTermTextPath, ownerTextPathsIn, readOwnerText } from './owner-texts.js';
import type { SiteIndex, SourceEntry } from './site-index.js';

interface Deps {
  readonly content: ContentFolder;
  readonly catalog: Catalog;
  readonly index: SiteIndex;
  readonly cache: ArticleCache;
  readonly log: Log;
}

/** Looks at the beginnings of many files, by `readHeader` or elsewhere, and hands what it has read to `add`. */
export type ReadHeaders = (
  paths: readonly string[],
  readHeader: (path: string) => IndexEntry | undefined,
  add: (path: string, entry: IndexEntry | undefined) => void,
) => Promise<void>;

/** What an article file turned out to be. */
type FileState =
  | { readonly kind: 'article'; readonly entry: IndexEntry }
  | { readonly kind: 'malformed'; readonly reason: string }
  | { readonly kind: 'gone' };

/** The single reader of article files; see `openArticleFiles`. */
export type ArticleFiles = ReturnType<typeof openArticleFiles>;

/** The single reader of article files: it takes into the index what they say. */
export function openArticleFiles({ content, catalog, index, cache, log }: Deps) {
  /** Read, and not in the index yet. */
  const waiting = new Map<string, FileState>();
  /** Changes of the index that are not in the manifest yet. */
  const unsaved = new Map<string, SourceEntry | undefined>();
  /** Malformed, which leaves pages as they were. */
  const broken = new Set<string>();
  /** Known by the beginnings of their files alone. */
  const byHeader = new Set<string>();

  /** Reads these files again where they have changed. Not pages of the owner's, which all other pages may link. */
  function readChanged(paths: Iterable<string>): void {
    for (const path of paths) {
      if (isTermTextPath(path)) readChangedText(path);
      if (!isArticlePath(content, path)) continue;
      read(path);
      const state = waiting.get(path);
      if (state !== undefined) apply(path, state);
      waiting.delete(path);
    }
  }

  /**
   * Compares all files with what is known and takes in what differs.
   *
   * @param yieldNow lets others do something in between.
   * @param readHeaders looks at the files where none is known yet. All their pages must be made next, for which they are
   *   read whole: what is wrong with one of them is found out then. Undefined where they are to be read whole at once.
   */
  async function readAllChanged(yieldNow: () => Promise<void>, readHeaders?: ReadHeaders): Promise<void> {
    const seen = new Set<string>();
    const unknown: string[] = [];
    // A site that stands must not have a page meanwhile that a malformed file only seemed to be good for.
    const isNew = index.entries().next().done === true;
    for (const path of walk(content)) {
      seen.add(path);
      if (readHeaders !== undefined && isNew && catalog.get(path) === undefined) unknown.push(path);
      else read(path);
      await yieldNow();
    }
    await readHeaders?.(unknown, readHeader, addHeader);
    for (const { path } of [...catalog.entries(), ...index.entries()]) if (!seen.has(path)) read(path);
    // In their order, so that each goes to the end of its lists.
    const sorted = [...waiting].map(([path, state]) => ({
      path,
      state,
      time: publishedAt(state.kind === 'article' ? state.entry : undefined),
    }));
    sorted.sort((a, b) => a.time - b.time);
    for (const { path, state } of sorted) apply(path, state);
    waiting.clear();
    for (const path of new Set([...ownerTextPathsIn(content), ...index.texts.keys()])) readChangedText(path);
  }

  /** Reads a text of the owner's again, where that has changed. */
  function readChangedText(path: string): void {
    try {
      const known = index.texts.get(path);
      const text = readOwnerText(content, path, known);
      if (text === known) return;
      index.applyText(path, text);
      unsaved.set(path, text);
    } catch (error) {
      log.warn({ path, reason: messageOf(error) }, 'malformed page; it stays as it was last read');
    }
  }

  function readHeader(path: string): IndexEntry | undefined {
    const entry = readHeaderEntry(content, path);
    return entry && ownStrings(entry);
  }

  function addHeader(path: string, entry: IndexEntry | undefined): void {
    if (entry === undefined) {
      read(path);
      return;
    }
    byHeader.add(path);
    catalog.set(entry);
    waiting.set(path, { kind: 'article', entry });
  }

  function read(path: string): void {
    const known = catalog.get(path);
    // A plugin that has read the article has left the catalog with an entry that the index does not have.
    const isElsewhere = known !== undefined && known.broken === undefined && known !== index.entryAt(path);
    // What is known by a header counts for nothing now that the file is read whole.
    if (isElsewhere || byHeader.has(path)) catalog.delete(path);
    let page: ReadablePage | undefined;
    let parsed: ParsedArticle | undefined;
    const [change] = refresh(content, catalog, path, (_, read) => {
      parsed = parsedOf(read);
      cache.put(path, parsed);
      page = read;
    });
    if (change !== undefined) waiting.set(path, stateOf(change.after, page, parsed));
    if (catalog.get(path)?.broken === undefined) byHeader.delete(path);
    // The catalog has never known what the manifest knows under other settings.
    if (catalog.get(path) === undefined && index.entryAt(path) !== undefined)
      waiting.set(path, { kind: 'gone' });
  }

  /** What a file is by its entry in the catalog and what was read of it; the catalog then has the entry of the index. */
  function stateOf(
    after: Entry | undefined,
    page: ReadablePage | undefined,
    parsed: ParsedArticle | undefined,
  ): FileState {
    if (after?.broken !== undefined) return { kind: 'malformed', reason: after.broken };
    if (after === undefined || page === undefined || parsed === undefined) return { kind: 'gone' };
    const { html, length } = parsed;
    const text = { html, readingMinutes: length.readingMinutes };
    const entry = ownStrings(indexEntryOf(after, page.article, text));
    catalog.set(entry); // one object for both
    return { kind: 'article', entry };
  }

  function apply(path: string, state: FileState): void {
    if (state.kind === 'malformed') {
      // Half an edit does not take an article from the site: it stays as it was last read.
      log.warn(
        { path, reason: state.reason },
        'malformed or unreadable article file; its page stays as it was',
      );
      broken.add(path);
      if (byHeader.delete(path)) record(path, undefined);
      return;
    }
    broken.delete(path);
    if (state.kind === 'article') warnOfTags(state.entry);
    record(path, state.kind === 'article' ? state.entry : undefined);
  }

  /** Warns of an article with too many tags when it comes in, and not when it is built anew. */
  function warnOfTags({ path, tagCount }: IndexEntry): void {
    if (tagCount !== undefined && tagCount !== index.entryAt(path)?.tagCount)
      log.warn(
        { path, tags: tagCount },
        `an article has more than ${MOST_TAGS} tags; only the first ${MOST_TAGS} get pages`,
      );
  }

  function record(path: string, entry: IndexEntry | undefined): void {
    index.apply(path, entry);
    unsaved.set(path, entry);
  }

  /**
   * Takes in articles whose pages have been built, by this process in another life or by another one.
   *
   * @param isTrusted whether they were read as they would be read now; else all files are read again.
   */
  function applyDelta({ articles, isWhole }: ManifestDelta, isTrusted: boolean): void {
    const before = isWhole ? [...index.everything()] : [];
    for (const { path } of before) if (!articles.has(path)) applySource(path, undefined, isTrusted);
    const sorted = [...articles].map(([path, entry]) => ({ path, entry, time: publishedAt(entry) }));
    sorted.sort((a, b) => a.time - b.time);
    for (const { path, entry } of sorted) applySource(path, entry, isTrusted);
  }

  function applySource(path: string, given: SourceEntry | undefined, isTrusted: boolean): void {
    if (given !== undefined && 'html' in given) {
      // Where it is malformed now, it stays as it was read.
      index.applyText(path, isTrusted ? given : { ...given, stamp: NEVER_READ }, true);
      return;
    }
    if (given === undefined && isOwnerTextPath(path)) {
      index.applyText(path, undefined, true);
      return;
    }
    index.apply(path, given, true);
    broken.delete(path);
    if (given === undefined) catalog.delete(path);
    else if (isTrusted) catalog.set(given);
  }

  /** What the manifest lacks has been written: every page is made, and nothing is known by its header alone. */
  function markSaved(): void {
    unsaved.clear();
    byHeader.clear();
  }

  const isBroken = (path: string) => broken.has(path);
  const isByHeader = (path: string) => byHeader.has(path);
  return {
    readChanged,
    readAllChanged,
    applyDelta,
    /** What is to be written into the manifest. */
    unsaved: (): ReadonlyMap<string, SourceEntry | undefined> => unsaved,
    markSaved,
    isBroken,
    isByHeader,
    broken,
  };
}

/** What is gone or malformed has no place in a list. */
function publishedAt(entry: SourceEntry | undefined): number {
  return (entry !== undefined && 'date' in entry ? timeOf(entry.date) : undefined) ?? 0;
}
