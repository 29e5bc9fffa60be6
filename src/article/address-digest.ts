import { createHash } from 'node:crypto';
import type { ArticleMapping, FileFacts } from './mapping.js';

/**
 * A digest of everything in an article file that its page's address may depend on: the file's path and its front matter,
 * without what updates replace. As long as it and the site's configuration stay, so does the address.
 *
 * @param moves whether the address depends on the title, too.
 * @returns 32 hexadecimal digits.
 */
export function addressDigest(file: FileFacts, mapping: ArticleMapping, moves: boolean): string {
  const replaced = replacedKeys(mapping, moves);
  const kept = Object.entries(file.data).filter(([key]) => !replaced.has(key));
  return createHash('sha256')
    .update(stableJson([file.path, Object.fromEntries(kept)]))
    .digest('hex')
    .slice(0, 32);
}

/** The top-level front matter keys that an update may replace, add or remove. */
function replacedKeys(mapping: ArticleMapping, moves: boolean): ReadonlySet<string> {
  const { title, description, updated, tags, image } = mapping.keys;
  // Of the reserved keys, those that pin an address stay; the others turn templates off.
  const pins = mapping.pin('/trial/');
  const inert = mapping.reserved.filter((key) => !Object.hasOwn(pins, key));
  const keys = ['pressmark', ...inert, description, updated, tags, image];
  if (!moves) keys.push(title);
  return new Set(keys.flatMap((key) => (key === null ? [] : [key])));
}

/** JSON in which the order of keys does not show. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === 'bigint') return String(inner); // TOML has 64-bit numbers
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}
