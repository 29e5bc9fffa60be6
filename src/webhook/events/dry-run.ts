import type { HeaderNames } from '../../contract/service.js';
import { createHooks } from '../../host/hooks/hooks.js';
import type { DeliveryDetail, DryRun } from '../../host/records.js';
import { answerVerified } from '../receive.js';
import type { Surroundings } from './handler.js';

/** The filters that an article goes through before it is stored. */
const FILTERS: ReadonlySet<string> = new Set(['article.draft', 'article.slug', 'article.frontMatter']);

/**
 * Makes what answers a delivery as if it came again now: by the same code, upon a store that writes nothing, with hooks that
 * have no handler, and without the jobs of plugins. The signature was right when it came, and is not kept.
 */
export function createDryRun(
  names: HeaderNames,
  around: Surroundings,
): (detail: DeliveryDetail) => Promise<DryRun | undefined> {
  return async ({ adapter, headers, body }) => {
    if (adapter !== null || body === null) return undefined;
    let isFiltered = false;
    /** Notes that the article would go through the filters. */
    const filtered = <Args extends unknown[], Made>(prepare: (...args: Args) => Promise<Made>) => {
      return (...args: Args) => {
        isFiltered = true;
        return prepare(...args);
      };
    };
    const { noteJobs: _, deleted, store, ...others } = around;
    const { dryRun } = store;
    const log = around.log.child({ dryRun: true });
    const answer = await answerVerified(names, {
      ...others,
      log,
      hooks: createHooks(log),
      deleted: { urlOf: (id) => deleted.urlOf(id), add: () => undefined },
      store: {
        ...store,
        publish: (id, prepare) => dryRun.publish(id, filtered(prepare)),
        update: (target, prepare) => dryRun.update(target, filtered(prepare)),
      },
    })({ body, headers: headersOf(headers) });
    const { status, body: json, outcome, event = null, id = null } = answer;
    const asked = around.hooks.report().filter(({ name }) => isFiltered && FILTERS.has(name));
    return {
      status,
      body: json,
      outcome,
      event,
      id,
      unasked: [...new Set(asked.map(({ plugin }) => plugin))],
    };
  };
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
