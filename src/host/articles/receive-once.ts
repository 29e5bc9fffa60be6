import { hash } from 'node:crypto';
import { misuseOf } from '../invalid.js';
import type { PluginStorage } from '../storage.js';
import type { Articles } from './articles.js';

/** How long a repeated request counts as the same one, in milliseconds. */
const SAME_MS = 600_000;

const misuse = misuseOf('articles.receive');

/** `receive` with `once`: the id for a request is noted before its article is stored. */
export function receivingOnce(
  { get, receive }: Pick<Articles, 'get' | 'receive'>,
  storage: Pick<PluginStorage, 'update'>,
): Articles['receive'] {
  return async (article, { once } = {}) => {
    if (once === undefined) return receive(article);
    if (typeof once !== 'string' || once === '')
      throw misuse('once must be a text that identifies the request');
    const key = `once ${hash('sha256', once)}`;
    const id = await storage.update<string>(key, (known) => known ?? article.id, { ttlMs: SAME_MS });
    const there = id === undefined || id === article.id ? undefined : await get(id);
    if (there === undefined) return receive({ ...article, id: id ?? article.id });
    return { id: there.id, url: there.url, outcome: 'known' };
  };
}
