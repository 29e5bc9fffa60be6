import type { HeaderNames } from '../../contract/service.js';
import { createHooks } from '../../host/hooks/hooks.js';
import type { DeliveryDetail, DryRun } from '../../host/records.js';
import { answerVerified } from '../receive.js';
import type { HandlerContext } from './handler.js';

/** The filters that an article goes through before it is stored. */
const FILTERS: ReadonlySet<string> = new Set(['article.draft', 'article.slug', 'article.frontMatter']);

/**
 * Answers a delivery as if it came again now: by the same code, upon a store that writes nothing, with hooks that have no
 * handler, and without the jobs of plugins. The signature was right when it came, and is not kept.
 *
 * @returns undefined for what came to an adapter, and where the body was not kept.
 */
export async function dryRun(
  { adapter, headers, body }: DeliveryDetail,
  names: HeaderNames,
  { noteJobs: _, ...context }: HandlerContext,
): Promise<DryRun | undefined> {
  if (adapter !== null || body === null) return undefined;
  const { knownIds, store } = context;
  const log = context.log.child({ dryRun: true });
  let isFiltered = false;
  /** Notes that the article would go through the filters. */
  const filtered = <Args extends unknown[], Made>(prepare: (...args: Args) => Promise<Made>) => {
    return (...args: Args) => {
      isFiltered = true;
      return prepare(...args);
    };
  };
  const answer = await answerVerified({ body, headers: headersOf(headers) }, names, {
    ...context,
    log,
    hooks: createHooks(log),
    knownIds: { urlOfDeleted: (id) => knownIds.urlOfDeleted(id), add: async () => undefined },
    store: {
      ...store,
      publish: (id, prepare) => store.dryRun.publish(id, filtered(prepare)),
      update: (target, prepare) => store.dryRun.update(target, filtered(prepare)),
    },
  });
  const { status, body: json, outcome, event = null, id = null } = answer;
  const asked = context.hooks.report().filter(({ name }) => isFiltered && FILTERS.has(name));
  const unasked = [...new Set(asked.map(({ plugin }) => plugin))];
  return { status, body: json, outcome, event, id, unasked };
}

/** The headers as Node.js has them. */
function headersOf(headers: DeliveryDetail['headers']): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, value } of headers) {
    const key = name.toLowerCase();
    if (value !== null) found[key] = found[key] === undefined ? value : `${found[key]}, ${value}`;
  }
  return found;
}
