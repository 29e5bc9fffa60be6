import type { HeaderNames } from '../../contract/service.js';
import { createHooks } from '../../host/hooks/hooks.js';
import type { DeliveryDetail, DryRun } from '../../host/records.js';
import { answerVerified } from '../receive.js';
import type { HandlerContext } from './published.js';

/** The filters that run before an article is stored. */
const FILTERS: ReadonlySet<string> = new Set(['article.draft', 'article.slug', 'article.frontMatter']);

/**
 * Answers a delivery as if it came again now: by the same code, with a store that writes nothing, hooks without handlers, and
 * no jobs. The signature was verified when the delivery came, and is not kept.
 *
 * @returns undefined for a request to an adapter, or if the body was not kept.
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
  /** Records that the filters would run. */
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

/** The headers in the form of Node.js. */
function headersOf(headers: DeliveryDetail['headers']): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, value } of headers) {
    const key = name.toLowerCase();
    if (value !== null) found[key] = found[key] === undefined ? value : `${found[key]}, ${value}`;
  }
  return found;
}
