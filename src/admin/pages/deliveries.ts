import type { DeliveryAftermath } from '../../host/admin/site-services.js';
import type { ReceiverHost } from '../../host/plugin.js';
import type { DeliveryRecord } from '../../host/records.js';
import { type AdminPage, type AdminRoom, MISSING, type PageRequest, pageIn, view } from '../page.js';
import { articlePath } from './article.js';

/** The number of deliveries per page. */
const ON_A_PAGE = 50;

/** The contract's events, for the filter. */
const EVENTS = ['article.published', 'article.updated', 'article.lookup', 'webhook.test'] as const;

/** The longest body that is shown whole, in characters; a longer one can be downloaded. */
const MOST_SHOWN = 50_000;

/** At least the bytes of that many characters; no more of a longer body is decoded. */
const MOST_BYTES = 4 * MOST_SHOWN + 4;

/** How long the page follows a delivery, in milliseconds, as not every site has a live check. */
const FOLLOWED_MS = 15 * 60_000;

/** The outcomes, besides errors, that have an explanation. */
const EXPLAINED: ReadonlySet<string> = new Set(['stored', 'known', 'deleted', 'retry', 'found', 'tested']);

/** The pages of deliveries: the list, one delivery, and the answer that it would get now. */
export function deliveryPages({ host }: AdminRoom): AdminPage[] {
  return [
    {
      path: 'deliveries',
      title: 'deliveries.title',
      role: 'editor',
      menu: 30,
      show: async (request) => {
        const filters = filtersOf(request);
        const { q, event, status } = filters;
        const found = await host.deliveries({
          limit: 1_000,
          ...(q !== '' && { text: q }),
          ...(event !== '' && { event }),
          ...statusQuery(status),
        });
        const pages = Math.max(1, Math.ceil(found.length / ON_A_PAGE));
        const page = pageIn(request, pages);
        return view('deliveries', {
          deliveries: found.slice((page - 1) * ON_A_PAGE, page * ON_A_PAGE),
          refusals: (await host.refusals()).slice(0, 10),
          total: found.length,
          isFiltered: q !== '' || event !== '' || status !== '',
          events: EVENTS,
          page,
          pages,
          ...filters,
        });
      },
    },
    {
      path: 'deliveries/one',
      title: 'deliveries.one',
      role: 'editor',
      show: async ({ query }) => {
        const key = query.get('key') ?? '';
        const delivery = await host.delivery(key);
        if (delivery === undefined) return MISSING;
        const [after, dryRun] = await Promise.all([
          host.use('builds').after(delivery),
          query.has('dry') ? host.dryRun(key) : undefined,
        ]);
        const { body, answer, ...record } = delivery;
        return view('delivery', {
          ...record,
          articleAt: record.id === null ? undefined : await pageOf(host, record.id),
          body: partOf(body?.toString('utf8', 0, MOST_BYTES)),
          answer: partOf(answer ?? undefined),
          canRepeat: body !== null && record.adapter === null,
          after,
          isFollowed: dryRun === undefined && isFollowed(delivery, after, Date.now()),
          dryRun,
          explained: dryRun !== undefined && EXPLAINED.has(dryRun.outcome) ? dryRun.outcome : undefined,
        });
      },
    },
    {
      path: 'deliveries/body',
      title: 'deliveries.body',
      role: 'editor',
      show: async ({ query }) => {
        const body = (await host.delivery(query.get('key') ?? ''))?.body;
        return body ? { kind: 'file', type: 'application/octet-stream', body } : MISSING;
      },
    },
  ];
}

/** Whether further steps may follow soon, so that the page reloads. */
export function isFollowed(
  { at }: Pick<DeliveryRecord, 'at'>,
  { path, live }: Pick<DeliveryAftermath, 'path' | 'live'>,
  now: number,
): boolean {
  return path !== null && live === null && Date.parse(at) > now - FOLLOWED_MS;
}

function filtersOf({ query }: PageRequest) {
  const [q = '', event = '', status = ''] = ['q', 'event', 'status'].map((name) => query.get(name)?.trim());
  return { q, event, status };
}

/** The filter by status: `ok`, `refused`, or a number. */
function statusQuery(status: string): { refused?: boolean; status?: number } {
  if (status === 'ok' || status === 'refused') return { refused: status === 'refused' };
  return status === '' ? {} : { status: Number(status) };
}

/** The admin's page of the article with this id; undefined if the article was removed. */
async function pageOf({ articles }: ReceiverHost, id: string): Promise<string | undefined> {
  if ((await articles.get(id)) !== undefined) return articlePath(id);
  return (await articles.trashed()).some((one) => one.id === id) ? 'articles/trash' : undefined;
}

/** A text, or its beginning; undefined if there is none. */
function partOf(text: string | undefined): { readonly text: string; readonly isWhole: boolean } | undefined {
  return text === undefined
    ? undefined
    : { text: text.slice(0, MOST_SHOWN), isWhole: text.length <= MOST_SHOWN };
}
