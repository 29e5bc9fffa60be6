import { hash } from 'node:crypto';
import { misuseOf } from '../invalid.js';
import type { PluginStorage } from '../storage.js';
import type { Articles } from './articles.js';

/** How long a repeated request counts as the same one, in milliseconds. */
const SAME_MS = 600_000;

const misuse = misuseOf('articles.receive');

/** The article of a request. */
interface Request {
  readonly id: string;
  /** Whether it was received. If not, it may have been: the process may have ended in between. */
  readonly isDone: boolean;
}

/**
 * `receive` with `once`: the id for a request is noted before its article is stored.
 *
 * @param requests the requests of the plugin.
 */
export function receivingOnce(
  { get, receive }: Pick<Articles, 'get' | 'receive'>,
  requests: Pick<PluginStorage, 'get' | 'set' | 'update'>,
): Articles['receive'] {
  return async (article, { once } = {}) => {
    if (once === undefined) return receive(article);
    if (typeof once !== 'string' || once === '')
      throw misuse('once must be a text that identifies the request');
    const key = hash('sha256', once);
    const done = await requests.get<Request>(key);
    const there = done?.isDone ? await get(done.id) : undefined;
    if (there !== undefined) return { id: there.id, url: there.url, outcome: 'known' };
    const first: Request = { id: article.id, isDone: false };
    const { id } =
      (await requests.update<Request>(key, (known = first) => known, { ttlMs: SAME_MS })) ?? first;
    const received = await receive({ ...article, id });
    await requests.set(key, { id, isDone: true }, { ttlMs: SAME_MS });
    return received;
  };
}
