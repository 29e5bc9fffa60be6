import { hash } from 'node:crypto';
import type { ArticleMapping, FileFacts } from './mapping.js';

/**
 * A digest of what the address of a file's page may depend on: the file's path and its front matter, less what
 * updates replace. The date counts: updates leave it.
 *
 * @param moves whether the address depends on what updates replace; then all front matter counts.
 */
export function addressDigest({ path, data }: FileFacts, mapping: ArticleMapping, moves: boolean): string {
  return `sha256-${hash('sha256', JSON.stringify([path, moves, moves ? withoutOwn(data) : kept(data, mapping)]))}`;
}

function withoutOwn({ pressmark: _, ...data }: FileFacts['data']): FileFacts['data'] {
  return data;
}

function kept(data: FileFacts['data'], mapping: ArticleMapping): [string, unknown][] {
  const { date: _, ...replaced } = mapping.keys;
  const pins = new Set(Object.keys(mapping.pin('/address/')));
  const switches = mapping.reserved.filter((key) => !pins.has(key));
  const left = new Set<string | null>([...Object.values(replaced), ...switches, 'pressmark']);
  return Object.entries(data).filter(([key]) => !left.has(key));
}
