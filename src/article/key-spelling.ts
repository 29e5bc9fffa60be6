import type { ArticleMapping, FileFacts } from './mapping.js';

/** The name of a key in a file: its own spelling, such as `Title`, where the generator ignores the case of keys. */
export function spelledKey(
  data: FileFacts['data'],
  key: string,
  { ignoresKeyCase = false }: Pick<ArticleMapping, 'ignoresKeyCase'>,
): string {
  if (!ignoresKeyCase || Object.hasOwn(data, key)) return key;
  return Object.keys(data).find((name) => name.toLowerCase() === key.toLowerCase()) ?? key;
}
