import { setImmediate as nextTurn } from 'node:timers/promises';
import { memoized, termKey } from '../../article/names.js';
import { parseMoment } from '../../contract/moment.js';
import type { ArticleFinder, ArticleRow, ArticleSearch } from '../../host/articles/search.js';
import type { Catalog } from '../../store/catalog/catalog.js';
import { type Entry, entryState } from '../../store/catalog/entry.js';

/** The number of articles per page. */
const SIZE = { usual: 50, most: 200 };

/** How many rows are made, and how many are searched, before the event loop gets a turn. */
const [MADE_AT_ONCE, SEEN_AT_ONCE] = [500, 20_000];

/** After more changes than this, all rows are sorted again; otherwise each changed row is moved. */
const MANY = 200;

/** The searchable data of an article. */
interface Row {
  readonly entry: Entry;
  /** When it was published, in ms since 1970; 0 if unknown. */
  readonly at: number;
  /** The searchable text, in lower case; it begins with the title. */
  readonly text: string;
  readonly tagKeys: readonly string[];
  readonly authorKey: string;
}

type Order = 'date' | 'title';

/** Finds articles, for people and for `list` of plugins. */
export interface ArticleSearcher extends ArticleFinder {
  /** The paths of the matching articles below the content folder, in no particular order. */
  findPaths(query: ArticleSearch): Promise<string[]>;
}

/**
 * Finds articles by the catalog; no file is read. Rows are made and sorted on the first search, and then follow each change of
 * the catalog.
 *
 * @param prefix the content folder relative to the site's folder, with a trailing slash.
 */
export function createArticleSearch(
  catalog: Pick<Catalog, 'get' | 'follow'>,
  prefix: string,
): ArticleSearcher {
  const keyOf = memoized(termKey);
  const rows = new Map<string, Row>();
  /** The rows, sorted in each order that was used. */
  const orders = new Map<Order, Row[]>();
  let changed: Set<string> | undefined;
  let upToDate = Promise.resolve();

  /** The present rows in an order. */
  async function sorted(order: Order): Promise<readonly Row[]> {
    upToDate = upToDate.then(takeChanges, takeChanges); // also after one that failed
    await upToDate;
    const known = orders.get(order) ?? [...rows.values()].sort(compare[order]);
    orders.set(order, known);
    return [...known]; // others may change it while somebody goes through it
  }

  async function takeChanges(): Promise<void> {
    changed ??= catalog.follow();
    if (changed.size > MANY) orders.clear();
    let count = 0;
    for (const path of changed) {
      changed.delete(path);
      const before = rows.get(path);
      const row = rowAt(path);
      if (row === undefined) rows.delete(path);
      else rows.set(path, row);
      for (const [order, all] of orders) {
        if (before !== undefined) all.splice(placeOf(all, before, order), 1);
        if (row !== undefined) all.splice(placeOf(all, row, order), 0, row);
      }
      if (++count % MADE_AT_ONCE === 0) await nextTurn();
    }
  }

  function rowAt(path: string): Row | undefined {
    const entry = catalog.get(path);
    if (entry === undefined || entry.broken !== undefined) return undefined;
    const { id, url, title = '', date = '', author = '', tags = [] } = entry;
    return {
      entry,
      at: parseMoment(date) || 0,
      text: lower([title, url, id, author, ...tags].join('\n')),
      tagKeys: tags.map(keyOf),
      authorKey: keyOf(author),
    };
  }

  async function datesSince(moment: number): Promise<readonly number[]> {
    const now = Date.now();
    const all = await sorted('date');
    const first = all.findLastIndex(({ at }) => at < moment) + 1;
    return all.slice(first).flatMap(({ at, entry }) => (entry.isDraft || at > now ? [] : [at]));
  }

  async function search(query: ArticleSearch = {}) {
    const { sort = 'newest' } = query;
    const size = Math.min(Math.max(1, query.size ?? SIZE.usual), SIZE.most);
    const found = await matching(await sorted(sort === 'title' ? 'title' : 'date'), query);
    const pages = Math.max(1, Math.ceil(found.length / size));
    const page = Math.min(Math.max(1, Math.trunc(query.page ?? 1)), pages);
    const start = (page - 1) * size;
    const shown =
      sort === 'newest'
        ? found.slice(Math.max(0, found.length - start - size), found.length - start).reverse()
        : found.slice(start, start + size);
    const now = Date.now();
    return {
      rows: shown.map(({ entry }) => articleRow(entry, prefix, now)),
      total: found.length,
      page,
      pages,
    };
  }

  async function matching(all: readonly Row[], query: ArticleSearch): Promise<readonly Row[]> {
    const wanted = wantedOf(query);
    if (wanted === undefined) return all;
    const found: Row[] = [];
    for (let start = 0; start < all.length; start += SEEN_AT_ONCE) {
      if (start > 0) await nextTurn();
      found.push(...all.slice(start, start + SEEN_AT_ONCE).filter((row) => isWanted(row, wanted)));
    }
    return found;
  }

  async function findPaths(query: ArticleSearch): Promise<string[]> {
    return (await matching(await sorted('date'), query)).map(({ entry }) => entry.path);
  }

  return { search, datesSince, findPaths };
}

/** A query, prepared for the rows; undefined if it matches all. */
function wantedOf(query: ArticleSearch) {
  const { state, edited, handWritten } = query;
  const words = lower(query.text ?? '')
    .split(/\s+/)
    .filter((word) => word !== '');
  const [tagKey, authorKey] = [query.tag, query.author].map((name) => name && termKey(name));
  const isAny = [state, edited, handWritten, tagKey, authorKey].every((one) => one === undefined);
  return isAny && words.length === 0
    ? undefined
    : { state, edited, handWritten, words, tagKey, authorKey, now: Date.now() };
}

/** One function, as it runs for each row. */
function isWanted(
  { entry, text, tagKeys, authorKey }: Row,
  wanted: NonNullable<ReturnType<typeof wantedOf>>,
): boolean {
  return (
    (wanted.state === undefined || stateOf(entry, wanted.now) === wanted.state) &&
    (wanted.tagKey === undefined || tagKeys.includes(wanted.tagKey)) &&
    (wanted.authorKey === undefined || authorKey === wanted.authorKey) &&
    (wanted.edited === undefined || (entry.byPerson === 'edited') === wanted.edited) &&
    (wanted.handWritten === undefined || (entry.byPerson === 'written') === wanted.handWritten) &&
    wanted.words.every((word) => text.includes(word))
  );
}

function articleRow(entry: Entry, prefix: string, now: number): ArticleRow {
  const { id, title = '', url, path, date = '', author = '', tags = [], byPerson } = entry;
  return {
    id,
    title,
    url,
    path: `${prefix}${path}`,
    date,
    state: stateOf(entry, now),
    author,
    tags,
    handWritten: byPerson === 'written',
    edited: byPerson === 'edited',
  };
}

/** The state of an article for searches. */
export function stateOf(entry: Entry, now: number): ArticleRow['state'] {
  return entry.isDraft ? 'draft' : entryState(entry, now);
}

function lower(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** The place of a row, or the place at which to insert it. */
function placeOf(sorted: readonly Row[], row: Row, order: Order): number {
  let [start, end] = [0, sorted.length];
  while (start < end) {
    const middle = (start + end) >> 1;
    const other = sorted[middle];
    if (other !== undefined && compare[order](other, row) < 0) start = middle + 1;
    else end = middle;
  }
  return start;
}

const byPath = (one: Row, other: Row) => (one.entry.path < other.entry.path ? -1 : 1);

/** Never 0 for two different rows. */
const compare: Readonly<Record<Order, (one: Row, other: Row) => number>> = {
  date: (one, other) => one.at - other.at || byPath(one, other),
  title: (one, other) => (one.text === other.text ? byPath(one, other) : one.text < other.text ? -1 : 1),
};
