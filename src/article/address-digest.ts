import { hash } from 'node:crypto';
import type { ArticleMapping, FileFacts } from './mapping.js';

/**
 * A digest of what the address of a file's page may depend on: the file's path and its front matter, less what
 * updates replace. The date counts: updates leave it.
 *
 * @param moves whether the address depends on what updates replace; then all front matter counts.
 */
export function addressDigest({ path, data }: FileFacts, mapping: ArticleMapping, moves: boolean): string {
  const name = (key: string) => (mapping.ignoresKeyCase ? key.toLowerCase() : key);
  const without = new Set(moves ? ['pressmark'] : ['pressmark', ...replacedKeys(mapping)].map(name));
  const counted = Object.entries(data)
    .map(([key, value]) => [name(key), value] as const)
    .filter(([key]) => !without.has(key));
  return `sha256-${hash('sha256', JSON.stringify([path, moves, counted]))}`;
}

/** The keys that an update may set. */
function replacedKeys(mapping: ArticleMapping): string[] {
  const { date: _, ...replaced } = mapping.keys;
  const pins = new Set(Object.keys(mapping.pin('/address/')));
  const switches = mapping.reserved.filter((key) => !pins.has(key));
  return [...Object.values(replaced).filter((key) => key !== null), ...switches];
}
