import { hash } from 'node:crypto';
import { topKeys } from './key-path.js';
import type { ArticleMapping, FileFacts } from './mapping.js';
import { ownPath } from './own-keys.js';

/**
 * A digest of what decides the address of a file's page: the file's path and its front matter, less what an update
 * replaces. An update pins the address, or cannot change it.
 */
export function addressDigest({ path, data }: FileFacts, mapping: ArticleMapping): string {
  const name = (key: string) => (mapping.ignoresKeyCase ? key.toLowerCase() : key);
  const without = new Set([...ownPath(mapping).slice(0, 1), ...replacedKeys(mapping)].map(name));
  const counted = Object.entries(data)
    .map(([key, value]) => [name(key), value] as const)
    .filter(([key]) => !without.has(key));
  return `sha256-${hash('sha256', JSON.stringify([path, counted]))}`;
}

/** The keys that an update may set. The date is not one of them. */
function replacedKeys(mapping: ArticleMapping): string[] {
  const { date: _, ...replaced } = mapping.keys;
  const pins = new Set(Object.keys(mapping.pin('/address/')));
  const switches = mapping.reserved.filter((key) => !pins.has(key));
  return [...topKeys(replaced), ...switches];
}
