import { termKey } from '../names.js';
import { isMap } from '../plain-data.js';
import type { FrontMatterValue, KeyNames } from './mapping.js';

/** The place of a text in the front matter: at a key, in a list, in a map below the key, or in a list of maps. */
export interface KeyPath {
  /** The top-level key. */
  readonly key: string;
  /** Reads the text in the value of that key; null if there is none. In a list, the first text counts. */
  read(value: unknown): string | null;
  /**
   * Makes the value with the text in it; undefined if the text is not allowed there. Other contents of a list or a map stay.
   */
  write(text: FrontMatterValue, previous?: unknown): FrontMatterValue | undefined;
}

/** The usual keys of the text in a picture's or an author's map. */
export const SUB_KEYS = { image: ['image', 'src', 'url', 'path'], author: ['name'] } as const;

/**
 * Parses a path in the config, such as `image`, `images[]`, `cover.image` or `authors[].name`. A value of another form is read
 * too, and keeps its form.
 *
 * @param subKeys the usual keys of the text in a map, if the path names none. @default those of pictures
 */
export function keyPath(path: string, subKeys: readonly string[] = SUB_KEYS.image): KeyPath {
  const [, key = path, list, rest] = /^([^.[\]]+)(\[\])?(?:\.(.+))?$/.exec(path) ?? [];
  const below = rest === undefined ? undefined : keyPath(rest, subKeys);
  const usualKey = (map: object) => subKeys.find((one) => one in map);

  function read(value: unknown): string | null {
    if (Array.isArray(value)) return value.length === 0 ? null : read(value[0]);
    if (isMap(value)) {
      if (below !== undefined && below.key in value) return below.read(value[below.key]);
      const name = usualKey(value);
      return name === undefined ? null : read(value[name]);
    }
    return typeof value === 'string' ? value : null;
  }

  function write(text: FrontMatterValue, previous?: unknown): FrontMatterValue {
    if (Array.isArray(previous)) return [written(text, previous[0]), ...previous.slice(1)];
    const value = written(text, previous);
    return list === undefined ? value : [value];
  }

  function written(text: FrontMatterValue, previous: unknown): FrontMatterValue {
    const kept = (isMap(previous) ? previous : {}) as Readonly<Record<string, FrontMatterValue>>;
    const name = below?.key ?? usualKey(kept);
    return name === undefined ? text : { ...kept, [name]: below?.write(text, kept[name]) ?? text };
  }

  return { key, read, write };
}

/**
 * Parses the path of the author. For an author that the site knows, the file contains the key: it replaces the map with the
 * name, if the path has one, as in `authors: ["marta"]` for `authors[].name`.
 *
 * @param authors the authors' keys by name.
 * @param knownOnly whether other names are not allowed.
 */
export function authorPath(
  path: string,
  authors: Readonly<Record<string, string>>,
  knownOnly = false,
): KeyPath {
  const at = keyPath(path, SUB_KEYS.author);
  const keys = new Map(Object.entries(authors).map(([name, key]) => [termKey(name), key]));
  const names = new Map(Object.entries(authors).map(([name, key]) => [key, name]));
  const asKey = keyPath(path.replace(/\..*$/, ''));
  return {
    key: at.key,
    read(value) {
      const first: unknown = Array.isArray(value) ? value[0] : value;
      return typeof first === 'string' ? (names.get(first) ?? first) : at.read(value);
    },
    write(name, previous) {
      const key = keys.get(termKey(String(name)));
      if (key !== undefined)
        return asKey.write(key, Array.isArray(previous) ? [undefined, ...previous.slice(1)] : undefined);
      return knownOnly ? undefined : at.write(name, previous);
    },
  };
}

/** The top-level front matter keys of an article's fields. */
export function topKeys(keys: Partial<KeyNames>): string[] {
  return Object.values(keys).flatMap((path) => (path == null ? [] : [keyPath(path).key]));
}
