import { canonicalUrl } from '../../contract/canonical-url.js';
import { catalogId, type Entry } from './entry.js';

/** An index of all articles by path, id and URL. It is derived from the files, which alone are authoritative. */
export type Catalog = ReturnType<typeof createCatalog>;

/** Creates an empty catalog. */
export function createCatalog() {
  const paths = new Map<string, Entry>();
  /** Made on demand, as page builds need no index. */
  let indexes: Indexes | undefined;
  const followers: Set<string>[] = [];

  function indexed() {
    if (indexes !== undefined) return indexes;
    indexes = { ids: createIndex(), urls: createIndex(), unresolved: createIndex(), lost: new Set() };
    for (const entry of paths.values()) index(entry, indexes);
    return indexes;
  }

  function set(entry: Entry): void {
    remove(entry.path);
    paths.set(entry.path, entry);
    for (const changed of followers) changed.add(entry.path);
    if (indexes !== undefined) index(entry, indexes);
  }

  function remove(path: string): Entry | undefined {
    const entry = paths.get(path);
    if (entry === undefined) return undefined;
    paths.delete(path);
    for (const changed of followers) changed.add(path);
    if (indexes === undefined) return entry;
    indexes.ids.remove(entry.id, entry);
    if (indexes.ids.get(entry.id).length === 0) indexes.lost.add(entry.id);
    const canonical = canonicalUrl(entry.url);
    if (canonical !== undefined) indexes.urls.remove(canonical, entry);
    if (entry.address?.kind === 'unknown')
      indexes.unresolved.remove(lastSegment(entry.url).toLowerCase(), entry);
    return entry;
  }

  return {
    get size() {
      return paths.size;
    },
    get: (path: string) => paths.get(path),
    /** All files with this id, always in the same order; several if a person has copied a file. */
    byId: (id: string) => indexed().ids.get(catalogId(id)),
    /** All files at this canonical URL. */
    byUrl: (canonical: string) => indexed().urls.get(canonical),
    /** Files whose URL is not certain, by its last segment, ignoring case, as generators convert it to lower case. */
    unresolved: (slug: string) => indexed().unresolved.get(slug.toLowerCase()),
    entries: () => paths.values(),
    /** The ids of all readable articles. */
    *ids(): Iterable<string> {
      for (const { id, broken } of paths.values()) if (broken === undefined) yield id;
    },
    /** Adds an entry, or replaces the entry with the same path. */
    set,
    delete: remove,
    /** Returns a set of all paths, to which later changes add paths; the caller removes those that it has handled. */
    follow(): Set<string> {
      const changed = new Set(paths.keys());
      followers.push(changed);
      return changed;
    },
    /** Whether the last file with this id is gone: it was deleted, or moved to a path that is not known yet. */
    hasLost: (id: string) => indexed().lost.has(catalogId(id)),
  };
}

/** Lists the files that cannot be read as articles, with the reason, except those in an unsupported form. */
export function malformedFiles(catalog: Catalog): { readonly path: string; readonly reason: string }[] {
  return [...catalog.entries()].flatMap(({ path, broken, isUnsupported = false }) =>
    broken === undefined || isUnsupported ? [] : [{ path, reason: broken }],
  );
}

type Index = ReturnType<typeof createIndex>;

interface Indexes {
  readonly ids: Index;
  readonly urls: Index;
  readonly unresolved: Index;
  /** The ids whose last file is gone. */
  readonly lost: Set<string>;
}

function index(entry: Entry, { ids, urls, unresolved, lost }: Indexes): void {
  ids.add(entry.id, entry);
  lost.delete(entry.id);
  const canonical = canonicalUrl(entry.url);
  // Share one string in memory if both are equal.
  if (canonical !== undefined) urls.add(canonical === entry.url ? entry.url : canonical, entry);
  if (entry.address?.kind === 'unknown') unresolved.add(lastSegment(entry.url).toLowerCase(), entry);
}

/** Returns the last segment of a URL's path without its extension, which is nearly always the slug. */
export function lastSegment(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  return (
    path
      .replace(/\/(?:index\.html)?$/, '')
      .split('/')
      .at(-1)
      ?.replace(/\.html$/, '') ?? ''
  );
}

const NONE: readonly Entry[] = [];

/** Creates an index from key to entries. A single entry is kept without a list, as nearly every key has only one. */
function createIndex() {
  const map = new Map<string, Entry | Entry[]>();

  function get(key: string): readonly Entry[] {
    const found = map.get(key);
    if (found === undefined) return NONE;
    return Array.isArray(found) ? found : [found];
  }

  function add(key: string, entry: Entry): void {
    const found = get(key);
    map.set(key, found.length === 0 ? entry : [...found, entry].sort(comparePaths));
  }

  function remove(key: string, entry: Entry): void {
    const [first, ...rest] = get(key).filter((other) => other !== entry);
    if (first === undefined) map.delete(key);
    else map.set(key, rest.length === 0 ? first : [first, ...rest]);
  }

  return { get, add, remove };
}

/**
 * Orders entries with the same id or URL, so that the first one does not depend on the order of writes. The shorter path comes
 * first, as copies have names like `name-copy`.
 */
export function comparePaths(a: Pick<Entry, 'path'>, b: Pick<Entry, 'path'>): number {
  return a.path.length - b.path.length || (a.path < b.path ? -1 : 1);
}
