import type { Entry } from './entry.js';

/** The index of all articles by path, id and URL: derived from the files, rebuildable, never the truth. */
export interface Catalog {
  readonly size: number;
  get(path: string): Entry | undefined;
  /** All files that carry this id, always in the same order; more than one after a person has copied a file. */
  byId(id: string): readonly Entry[];
  /** All files at this canonical URL. */
  byUrl(canonical: string): readonly Entry[];
  entries(): IterableIterator<Entry>;
  /** Adds an entry, or replaces the one of the same path. */
  set(entry: Entry): void;
  delete(path: string): Entry | undefined;
}

/** An empty catalog. */
export function createCatalog(): Catalog {
  const paths = new Map<string, Entry>();
  const ids = createIndex();
  const urls = createIndex();

  function set(entry: Entry): void {
    remove(entry.path);
    paths.set(entry.path, entry);
    ids.add(entry.id, entry);
    if (entry.canonical !== undefined) urls.add(entry.canonical, entry);
  }

  function remove(path: string): Entry | undefined {
    const entry = paths.get(path);
    if (entry === undefined) return undefined;
    paths.delete(path);
    ids.remove(entry.id, entry);
    if (entry.canonical !== undefined) urls.remove(entry.canonical, entry);
    return entry;
  }

  return {
    get size() {
      return paths.size;
    },
    get: (path) => paths.get(path),
    byId: ids.get,
    byUrl: urls.get,
    entries: () => paths.values(),
    set,
    delete: remove,
  };
}

const NONE: readonly Entry[] = [];

/** Key to entries; nearly every key has one, so that one is kept without a list around it. */
function createIndex() {
  const map = new Map<string, Entry | Entry[]>();

  function get(key: string): readonly Entry[] {
    const found = map.get(key);
    if (found === undefined) return NONE;
    return Array.isArray(found) ? found : [found];
  }

  function add(key: string, entry: Entry): void {
    const found = get(key);
    map.set(key, found.length === 0 ? entry : [...found, entry].sort(byPath));
  }

  function remove(key: string, entry: Entry): void {
    const [first, ...rest] = get(key).filter((other) => other !== entry);
    if (first === undefined) map.delete(key);
    else map.set(key, rest.length === 0 ? first : [first, ...rest]);
  }

  return { get, add, remove };
}

/**
 * The first of several must be the same one whatever was written last, and after a restart; the shorter name
 * is the likelier original, as copies are called `name-copy`.
 */
function byPath(a: Entry, b: Entry): number {
  return a.path.length - b.path.length || (a.path < b.path ? -1 : 1);
}
