import type { UpdateData } from '../../../src/contract/envelope.js';
import type { Outgoing, Store, StoredArticle } from './receiver.js';
import { GARDEN, refuse, requireUpdate } from './receiver.js';
import type { Break, Meant } from './ways.js';
import { answers, finishes, handles, inStore, instead, meeting, reads, refuses, tolerates } from './ways.js';

const UPDATED = 'article.updated';
type Apply = Store['apply'];

/** Applies updates differently. */
const applies = (change: (apply: Apply, ...of: [...Parameters<Apply>, Store]) => void): Break =>
  inStore('apply', (apply, store) => (article, data) => change(apply, article, data, store));

/** Decides differently which updates are stale. */
const stale = (isStale: Store['isStale']): Break => inStore('isStale', () => isStale);

const unknownTarget: Meant = ({ data }, { store }) => !store.articles.has(String(data.target_id));
export const current: Meant = ({ data }, { store }) =>
  [...store.articles.values()].some(({ revision }) => revision === data.revision_id);

/** Writes the content before it checks whether the update is stale. */
const WRITES_STALE = inStore('isStale', (isStale, store) => (article, data) => {
  store.replace(article, data);
  return isStale(article, data);
});

/** Faults in what an update changes and in the reasons for its refusal. */
export const UPDATE_FAULTS: Record<string, Break> = {
  'update-200': answers(UPDATED, () => ({ status: 202 })),
  'update-no-redirect': instead(UPDATED, unknownTarget, { status: 302, headers: { Location: '/' } }),
  'update-answer': answers(UPDATED, (json) => ({ json: { ...json, revision_id: 'r2' } })),
  'update-content': applies((apply, article, data) =>
    apply(article, { ...data, content_html: article.html }),
  ),
  'update-title': applies((apply, article, data) => apply(article, { ...data, title: article.title })),
  'update-revision-stored': applies((apply, article, data) => {
    apply(article, data);
    article.revision = `own-${data.revision_id}`;
  }),
  'update-keeps-id': applies((apply, article, data, store) => {
    apply(article, data);
    store.articles.delete(article.id);
    store.articles.set(data.id, Object.assign(article, { id: data.id }));
  }),
  'update-keeps-url': applies((apply, article, data, store) => {
    apply(article, data);
    Object.assign(article, { url: store.freeUrl(data.slug) });
  }),
  'update-inserts-nothing': applies((apply, article, data, store) => {
    apply(article, data);
    store.insert(data, `${GARDEN}/articles/${data.slug}/`);
  }),
  'update-chain': stale((_, { base_revision_id }) => !base_revision_id.startsWith('first-')),
  'update-canonical-url': instead(
    UPDATED,
    ({ data }, { store }) => store.find(String(data.target_url))?.url !== data.target_url,
    { status: 404 },
  ),
  'update-null-image': refuses(UPDATED, ({ data }) => data.featured_image_url === null),
  'update-500-kb': applies((apply, article, data) =>
    apply(article, { ...data, content_html: data.content_html.slice(0, 65_535) }),
  ),
  'update-unknown-fields': refuses(UPDATED, ({ data }) => 'trial' in data),

  'update-field-missing': refuses(UPDATED, ({ data }) => data.revision_id === undefined, 404),
  'update-field-empty': refuses(UPDATED, ({ data }) => data.revision_id === '', 409),
  'update-field-number': reads(UPDATED, ({ data }) => ({ data: { ...data, author: String(data.author) } })),
  'update-title-null': reads(UPDATED, ({ data }) => ({ data: { ...data, title: data.title ?? '' } })),
  'update-tags-text': reads(UPDATED, ({ data }) => ({ data: { ...data, tags: [] } })),
  'update-format-before-target': refuses(UPDATED, unknownTarget, 404),
  'update-version': tolerates(UPDATED, '2'),
  'update-version-400': refuses(UPDATED, ({ json }) => json.contract_version === undefined, 422),

  'update-id-not-revision': reads(UPDATED, ({ data }) => ({ data: { ...data, id: data.revision_id } })),
  'update-target-unknown': refuses(UPDATED, unknownTarget, 409),
  'update-target-404': refuses(UPDATED, unknownTarget, 410),
  'update-target-id-of-another': inStore('target', (_, store) => ({ target_url }) => {
    return store.find(target_url) ?? refuse(404, 'no such article');
  }),
  'update-target-url-of-another': inStore('target', (_, { articles }) => ({ target_id }) => {
    return articles.get(target_id) ?? refuse(404, 'no such article');
  }),
  'update-target-url-elsewhere': inStore('target', (target) => (data) => {
    return target({ ...data, target_url: `${GARDEN}${new URL(data.target_url).pathname}` });
  }),
  'update-id-before-retry': instead(UPDATED, current),
  'update-target-before-retry': instead(UPDATED, current),
  'update-target-before-base': refuses(
    UPDATED,
    ({ data }, { store }) => store.articles.get(String(data.target_id))?.revision !== data.base_revision_id,
    409,
  ),
  'error-shape-409': finishes(({ status }) => (status === 409 ? { text: '' } : {})),

  'update-retry-200': inStore('isRetry', () => () => false),
  'update-retry-applies-nothing': ({ store }) => {
    const isStale = store.isStale.bind(store);
    store.isRetry = () => false;
    store.isStale = (article, data) => article.revision !== data.revision_id && isStale(article, data);
  },
  'update-stale-409': finishes(({ status }) => (status === 409 ? { status: 412 } : {})),
  'update-unknown-base-409': stale(
    (article, { base_revision_id: base }) => article.revision !== base && !base.includes('never'),
  ),
  'update-stale-changes-nothing': WRITES_STALE,
  'update-old-retry-409': ({ store }) => {
    const applied = new Set<string>();
    const apply = store.apply.bind(store);
    store.isRetry = (_, { revision_id }) => applied.has(revision_id);
    store.apply = (article, data) => {
      applied.add(data.revision_id);
      apply(article, data);
    };
  },
  'update-old-retry-changes-nothing': WRITES_STALE,
  'update-seen-whole': seenBetween(({ revision_id }) => revision_id),
  'concurrent-one-wins': race((store, article, data) => store.apply(article, data)),
  'concurrent-others-409': race((store, article, data) => {
    if (store.isStale(article, data)) refuse(404, 'gone');
    store.apply(article, data);
  }),
  'concurrent-winner-stored': race((store, article, data) => {
    const late = store.isStale(article, data);
    store.replace(article, data);
    if (late) refuse(409, 'Article revision conflict');
    store.apply(article, data);
  }),
  'update-same-twice-at-once': race((store, article, data) => {
    if (store.isStale(article, data)) refuse(409, 'Article revision conflict');
    store.apply(article, data);
  }),
};

/** Answers 503 to all but one of several updates at the same moment, as a busy database may. */
export const BUSY = race((store, article, data) => {
  if (store.isStale(article, data)) refuse(503, 'busy');
  store.apply(article, data);
});

/** How many lookups the checker sends together with an update; the update is handled after all of them. */
const BURST = 10;

/** Stores a revision first, and the content only after the answer to another lookup. */
export function seenBetween(revisionOf: (data: UpdateData) => string): Break {
  return ({ store, events }) => {
    const lookup = events['article.lookup'] ?? (() => refuse(500, 'no lookup'));
    let looked: () => void = () => undefined;
    const lookups = async (count: number) => {
      for (let n = 0; n < count; n++)
        await new Promise<void>((resolve) => {
          looked = resolve;
        });
    };
    events['article.lookup'] = async (envelope) => {
      const out = await lookup(envelope);
      looked();
      return out;
    };
    const update = events[UPDATED] ?? (() => refuse(500, 'no update'));
    events[UPDATED] = async (envelope) => {
      if (!String(envelope.data.revision_id).includes('-watched-')) return update(envelope);
      const data = requireUpdate(envelope.data);
      await lookups(BURST);
      store.target(data).revision = revisionOf(data);
      await lookups(1);
      store.apply(store.target(data), data);
      return updated(data);
    };
  };
}

/** Checks whether an update may be applied, waits until a concurrent one has been checked, too, and only then writes. */
function race(write: (store: Store, article: StoredArticle, data: UpdateData) => void): Break {
  return handles(UPDATED, (handler, { store }) => {
    const meetings = new Map<string, () => Promise<void>>();
    return async (envelope) => {
      if (!/-(?:rival|twin)-/.test(String(envelope.data.revision_id))) return handler(envelope);
      const data = requireUpdate(envelope.data);
      const article = store.target(data);
      if (store.isRetry(article, data)) return updated(data);
      if (store.isStale(article, data)) refuse(409, 'Article revision conflict');
      const meet = meetings.get(data.base_revision_id) ?? meeting(2);
      meetings.set(data.base_revision_id, meet);
      await meet();
      write(store, article, data);
      return updated(data);
    };
  });
}

const updated = ({ revision_id }: UpdateData): Outgoing => ({
  status: 200,
  json: { received: true, contract_version: 3, revision_id },
});
