import type { FrontMatterChange } from './front-matter/edit.js';
import type { ArticleMapping, FileFacts, FrontMatterValue } from './mapping.js';

/** The key of Pressmark's own front matter in the files of most generators. */
export const OWN_KEY = 'pressmark';

/** Front matter that is Pressmark's where it stands at the top of the file, besides that of the mapping. */
export const OWN_KEYS_AT_TOP = [
  ...['keyword', 'slug', 'id', 'revision', 'url'],
  ...['digest', 'body_digest', 'json_ld', 'content_html'],
];

type Data = FileFacts['data'];

/** The keys that lead to Pressmark's own front matter; none where it stands at the top. */
export function ownPath({ own = [OWN_KEY] }: Pick<ArticleMapping, 'own'>): readonly string[] {
  return own;
}

/** Pressmark's own front matter. */
export function ownOf(data: Data, path: readonly string[]): Data {
  return path.reduce((map, key) => mapOf(map[key]), data);
}

/** The changes that put Pressmark's own front matter into a file. */
export function ownChanges(
  data: Data,
  path: readonly string[],
  own: Readonly<Record<string, FrontMatterValue>>,
): FrontMatterChange[] {
  const [key, ...rest] = path;
  if (key === undefined) return Object.entries(own).map(([name, value]) => ({ key: name, value }));
  return [{ key, value: nested(mapOf(data[key]), rest, own) }];
}

function nested(
  map: Data,
  [key, ...rest]: readonly string[],
  own: Readonly<Record<string, FrontMatterValue>>,
): Readonly<Record<string, FrontMatterValue>> {
  if (key === undefined) return own;
  return { ...(map as Record<string, FrontMatterValue>), [key]: nested(mapOf(map[key]), rest, own) };
}

/** A value that is a map; an empty one for any other, which a person may have written there. */
export function mapOf(value: unknown): Data {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMap ? (value as Data) : {};
}
