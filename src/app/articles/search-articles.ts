import { setImmediate, setTimeout } from 'node:timers/promises';
import { termKey } from '../../article/names.js';
import { isOfPerson } from '../../article/own-revisions.js';
import type { StoredArticle } from '../../article/stored-article.js';
import { parseMoment } from '../../contract/moment.js';
import { messageOf, PressmarkError } from '../../errors.js';
import type { ArticleFinder, ArticleRow, ArticleSearch } from '../../host/article-search.js';
import type { FileChange } from '../../host/hook-types.js';
import { definePlugin, type Plugin } from '../../host/plugin.js';
import type { Log } from '../../log.js';
import type { ArticleStore } from '../../store/article-store.js';
import type { Catalog } from '../../store/catalog/catalog.js';
import { entryState } from '../../store/catalog/entry.js';
import { isHandWritten } from './host-articles.js';

export interface SearchArticlesOptions {
  readonly store: Pick<ArticleStore, 'read'>;
  readonly catalog: Catalog;
  /** The content folder's path below the site's, with a slash at its end. */
  readonly prefix: string;
  readonly log: Log;
}

/** Articles of one page. */
const SIZE = { usual: 50, most: 200 };

/** So long files are read at a stretch, and so long nothing is done after that, in milliseconds: deliveries come first. */
const READ_MS = { stretch: 3, rest: 6 };

/** So many changed articles are read before a search is answered: a person sees what they have just done. */
const MOST_BEFORE = 20;

/** So few files are all read before the first search is answered. */
const FEW = 200;

/** So many rows are looked at before others have their turn. */
const ROWS_AT_ONCE = 20_000;

/** What is kept of an article. */
interface Row extends Omit<ArticleRow, 'state' | 'path'> {
  /** Below the content folder. */
  readonly path: string;
  readonly isDraft: boolean;
  /** When it was published, in ms since 1970; 0 where nobody knows. */
  readonly at: number;
  /** What is searched, in lower case. */
  readonly text: string;
  readonly tagKeys: readonly string[];
  readonly authorKey: string;
}

type Order = 'date' | 'title';

/**
 * Finds articles by a small row of each in memory. The first search begins to read the files, in the background; from then
 * on, what is stored, edited or removed is read again.
 */
export function createArticleSearch(
  options: SearchArticlesOptions,
): ArticleFinder & { /** Hears of changes. */ readonly plugin: Plugin } {
  const { store, catalog, prefix, log } = options;
  const rows = new Map<string, Row>();
  /** The same rows, sorted. */
  const orders: Readonly<Record<Order, Row[]>> = { date: [], title: [] };
  /** The paths that are to be read, first those that have changed. */
  const changed = new Set<string>();
  let unread: string[] | undefined;
  let isReading = false;
  let isClosed = false;

  const onChange = ({ path }: Pick<FileChange, 'path'>) => {
    if (unread === undefined || !path.startsWith(prefix)) return;
    changed.add(path.slice(prefix.length));
    readOn();
  };
  const plugin = definePlugin({
    name: 'articles',
    receiver: (host) => {
      for (const action of ['published', 'updated', 'created', 'edited', 'removed'] as const)
        host.addAction(`article.${action}`, onChange);
      host.onClose(() => {
        isClosed = true;
      });
    },
  });

  function readOn(): void {
    if (isReading) return;
    isReading = true;
    void readAll();
  }

  /** Never rejects. */
  async function readAll(): Promise<void> {
    while (!isClosed) {
      const until = performance.now() + READ_MS.stretch;
      while (performance.now() < until) {
        const path = nextPath();
        if (path === undefined) {
          isReading = false;
          return;
        }
        await readOne(path);
      }
      await setTimeout(READ_MS.rest, undefined, { ref: false });
    }
  }

  function nextPath(): string | undefined {
    for (const path of changed) {
      changed.delete(path);
      return path;
    }
    return unread?.pop();
  }

  async function readOne(path: string): Promise<void> {
    try {
      const stored = await store.read(path);
      put(path, stored === undefined ? undefined : rowOf(path, stored));
    } catch (error) {
      put(path, undefined);
      // Gone or malformed since; doctor names the others.
      if (!(error instanceof PressmarkError))
        log.debug({ path, reason: messageOf(error) }, 'an article is not in the list');
    }
  }

  function put(path: string, row: Row | undefined): void {
    const before = rows.get(path);
    if (row === undefined) rows.delete(path);
    else rows.set(path, row);
    for (const order of ['date', 'title'] as const) {
      const sorted = orders[order];
      if (before !== undefined) sorted.splice(placeOf(sorted, before, order), 1);
      if (row !== undefined) sorted.splice(placeOf(sorted, row, order), 0, row);
    }
  }

  /** Reads what is to be seen at once, and the rest in the background. */
  async function begin(): Promise<readonly string[]> {
    unread ??= [...catalog.entries()]
      .filter(({ broken }) => broken === undefined)
      .map(({ path }) => path)
      .sort(); // the last one is read first
    if (unread.length <= FEW) for (const path of unread.splice(0)) await readOne(path);
    const first = [...changed].slice(0, MOST_BEFORE);
    for (const path of first) {
      changed.delete(path);
      await readOne(path);
    }
    readOn();
    return unread;
  }

  async function datesSince(moment: number): Promise<readonly number[]> {
    await begin();
    const now = Date.now();
    const first = orders.date.findLastIndex(({ at }) => at < moment) + 1;
    return orders.date.slice(first).flatMap(({ at, isDraft }) => (isDraft || at > now ? [] : [at]));
  }

  async function search(query: ArticleSearch = {}) {
    const left = await begin();
    const { sort = 'newest' } = query;
    const size = Math.min(Math.max(1, query.size ?? SIZE.usual), SIZE.most);
    const sorted = [...orders[sort === 'title' ? 'title' : 'date']];
    if (sort === 'newest') sorted.reverse();
    const found = await matching(sorted, query);
    const pages = Math.max(1, Math.ceil(found.length / size));
    const page = Math.min(Math.max(1, Math.trunc(query.page ?? 1)), pages);
    const now = Date.now();
    return {
      rows: found.slice((page - 1) * size, page * size).map((row) => shown(row, now)),
      total: found.length,
      page,
      pages,
      read: rows.size,
      files: rows.size + left.length,
    };
  }

  async function matching(sorted: readonly Row[], query: ArticleSearch): Promise<readonly Row[]> {
    const { state, edited, handWritten } = query;
    const words = lower(query.text ?? '')
      .split(/\s+/)
      .filter((word) => word !== '');
    const tag = query.tag === undefined ? undefined : termKey(query.tag);
    const author = query.author === undefined ? undefined : termKey(query.author);
    const now = Date.now();
    const conditions: ((row: Row) => boolean)[] = words.map(
      (word) =>
        ({ text }) =>
          text.includes(word),
    );
    if (edited !== undefined) conditions.push((row) => row.edited === edited);
    if (handWritten !== undefined) conditions.push((row) => row.handWritten === handWritten);
    if (author !== undefined) conditions.push(({ authorKey }) => authorKey === author);
    if (tag !== undefined) conditions.push(({ tagKeys }) => tagKeys.includes(tag));
    if (state !== undefined) conditions.push((row) => stateOf(row, now) === state);
    let left = sorted;
    for (const holds of conditions) {
      const found: Row[] = [];
      for (let start = 0; start < left.length; start += ROWS_AT_ONCE) {
        if (start > 0) await setImmediate();
        for (const row of left.slice(start, start + ROWS_AT_ONCE)) if (holds(row)) found.push(row);
      }
      left = found;
    }
    return left;
  }

  function stateOf({ isDraft, path }: Row, now: number): ArticleRow['state'] {
    const entry = catalog.get(path);
    if (isDraft) return 'draft';
    return entry === undefined ? 'live' : entryState(entry, now);
  }

  function shown(row: Row, now: number): ArticleRow {
    const { id, title, url, path, date, author, tags, handWritten, edited } = row;
    const state = stateOf(row, now);
    return { id, title, url, path: `${prefix}${path}`, date, state, author, tags, handWritten, edited };
  }

  return { search, datesSince, plugin };
}

function rowOf(path: string, stored: StoredArticle): Row {
  const { article, edited, publication } = stored;
  const handWritten = isHandWritten(stored);
  const { id, title, url, date, author, tags, revision } = article;
  const row = {
    path,
    id,
    title,
    url,
    date,
    author,
    tags,
    handWritten,
    edited: !handWritten && (edited || isOfPerson(revision)),
    isDraft: publication.kind === 'draft',
    at: parseMoment(date) || 0,
    text: lower([title, url, id, author, ...tags].join('\n')),
    tagKeys: tags.map(termKey),
    authorKey: termKey(author),
  };
  // A string cut out of a file keeps its whole text in memory: through JSON each one becomes its own.
  return JSON.parse(JSON.stringify(row)) as Row;
}

function lower(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** The place of a row, or the one that it is to have. */
function placeOf(sorted: readonly Row[], row: Row, order: Order): number {
  let [start, end] = [0, sorted.length];
  while (start < end) {
    const middle = (start + end) >> 1;
    const other = sorted[middle];
    if (other !== undefined && isBefore(other, row, order)) start = middle + 1;
    else end = middle;
  }
  return start;
}

function isBefore(one: Row, other: Row, order: Order): boolean {
  if (order === 'date' && one.at !== other.at) return one.at < other.at;
  // The text begins with the title.
  if (order === 'title' && one.text !== other.text) return one.text < other.text;
  return one.path < other.path;
}
