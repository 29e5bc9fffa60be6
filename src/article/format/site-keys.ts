import type { FrontMatterChange } from '../front-matter/edit.js';
import { termName } from '../names.js';
import { mapOf } from '../plain-data.js';
import { authorPath, keyPath, topKeys } from './key-path.js';
import type { ArticleMapping, FileFacts, FrontMatterValue } from './mapping.js';

/** The key of Pressmark's own front matter in the files of most generators. */
export const OWN_KEY = 'pressmark';

/** Front matter keys that are Pressmark's own at the top of a file, besides those of the mapping. */
const OWN_KEYS_AT_TOP = [
  ...['keyword', 'slug', 'id', 'revision', 'url'],
  ...['digest', 'body_digest', 'json_ld', 'content_html', 'received', 'held'],
];

type Data = FileFacts['data'];

/** The keys in a site's article files; see `siteKeys`. */
export type SiteKeys = ReturnType<typeof siteKeys>;

/** The keys of a site's files, from its mapping. */
export function siteKeys(mapping: ArticleMapping) {
  const { keys, constants, reserved, keptTags = [], ignoresKeyCase = false, aliases = {} } = mapping;
  const { tagsAreWords = false } = mapping;
  const path = ownPath(mapping);
  const image = keys.image == null ? undefined : keyPath(keys.image);
  const author =
    keys.author == null
      ? undefined
      : authorPath(keys.author, mapping.authors ?? {}, mapping.knownAuthorsOnly);
  const own = path.length === 0 ? OWN_KEYS_AT_TOP : path.slice(0, 1);
  const all: ReadonlySet<string> = new Set([...own, ...topKeys(keys), ...reserved]);
  const folded = (key: string) => (ignoresKeyCase ? key.toLowerCase() : key);
  const allFolded = new Set([...all, ...Object.values(aliases)].map(folded));

  const constantTags = keys.tags === null ? [] : looseList(constants[keys.tags]);
  const selecting = new Set([...constantTags, ...keptTags].map(mapping.tagKey));

  /** The key of an article's tag; empty for a tag by which the site's templates select posts. */
  function tagKey(tag: string): string {
    const key = mapping.tagKey(termName(tag));
    return selecting.has(key) ? '' : key;
  }

  /** The other spellings of known keys in a file, by the names in the mapping. */
  function spellings(data: Data): ReadonlyMap<string, string> {
    const read = Object.entries(aliases).filter(([, alias]) => data[alias] != null);
    if (!ignoresKeyCase) return new Map(read);
    const names = new Map(
      Object.keys(data)
        .reverse()
        .map((name) => [name.toLowerCase(), name]),
    );
    const others = [...all].flatMap((key): [string, string][] => {
      const name = Object.hasOwn(data, key) ? key : names.get(key.toLowerCase());
      return name === undefined || name === key ? [] : [[key, name]];
    });
    return new Map([...others, ...read]);
  }

  /** A file's front matter with the key names of the mapping. */
  function named(data: Data): Data {
    const found = spellings(data);
    if (found.size === 0) return data;
    const known = new Map([...found].map(([key, name]) => [name, key]));
    // The generator ignores a key that also exists in another spelling.
    const read = Object.entries(data).filter(([name]) => !found.has(name));
    const isAlias = (name: string) => Object.values(aliases).includes(name);
    return Object.fromEntries(
      read.map(([name, value]) => [known.get(name) ?? name, isAlias(name) ? looseList(value) : value]),
    );
  }

  /** The tags in a value of their key. */
  function tagsIn(value: unknown): string[] {
    return looseList(tagsAreWords && typeof value === 'string' ? value.split(/\s+/).filter(Boolean) : value);
  }

  return {
    /** The keys that lead to Pressmark's own front matter; empty if it is at the top. */
    path,
    image,
    author,
    /** All keys of the mapping, and Pressmark's own. */
    all,
    /** The tags that every new article has. */
    constantTags,
    tagsIn,
    tagKey,
    /** Whether a front matter key is Pressmark's own, which plugins may not set. */
    isOwn: (key: string) => allFolded.has(folded(key)),
    spellings,
    named,
  };
}

/** The keys that lead to Pressmark's own front matter; empty if it is at the top. */
export function ownPath({ own = [OWN_KEY] }: Pick<ArticleMapping, 'own'>): readonly string[] {
  return own;
}

/** Pressmark's own front matter. */
export function ownOf(data: Data, path: readonly string[]): Data {
  return path.reduce((map, key) => mapOf(map[key]), data);
}

/** The reason why a file's article is held; undefined if it is not. */
export function heldIn(data: Data, path: readonly string[]): string | undefined {
  const reason = scalarOf(ownOf(data, path).held);
  return reason === '' || reason === 'false' ? undefined : reason;
}

/** The changes that write Pressmark's own front matter into a file. */
export function ownChanges(
  data: Data,
  path: readonly string[],
  own: Readonly<Record<string, FrontMatterValue | undefined>>,
): FrontMatterChange[] {
  const [key, ...rest] = path;
  if (key === undefined) return Object.entries(own).map(([name, value]) => ({ key: name, value }));
  const known = Object.entries(own).filter(
    (entry): entry is [string, FrontMatterValue] => entry[1] !== undefined,
  );
  return [{ key, value: nested(mapOf(data[key]), rest, Object.fromEntries(known)) }];
}

function nested(
  map: Data,
  [key, ...rest]: readonly string[],
  own: Readonly<Record<string, FrontMatterValue>>,
): Readonly<Record<string, FrontMatterValue>> {
  if (key === undefined) return own;
  return { ...(map as Record<string, FrontMatterValue>), [key]: nested(mapOf(map[key]), rest, own) };
}

/** A scalar as text; undefined for nothing, a list or a map, which a person may have written. */
export function scalarOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** The scalars of a list, or a single scalar, as texts. */
function looseList(value: unknown): string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.map(scalarOf).filter((item) => item !== undefined);
}
