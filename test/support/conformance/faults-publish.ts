import type { ArticleData } from '../../../src/contract/envelope.js';
import { GARDEN, type Outgoing, requireArticle, type Steps } from './receiver.js';
import type { Break, Meant } from './ways.js';
import {
  answers,
  finishes,
  handles,
  inStore,
  instead,
  meeting,
  refuses,
  shows,
  stores,
  storesHtml,
} from './ways.js';

const PUBLISHED = 'article.published';
const known: Meant = ({ data }, { store }) => store.articles.has(String(data.id));
const old = (timestamp: unknown) => Date.parse(String(timestamp)) < Date.now() - 300_000;

/** Faults in what is stored, answered and shown of a publication. */
export const PUBLISH_FAULTS: Record<string, Break> = {
  'publish-accepted': refuses(PUBLISHED, ({ json }) => json.contract_version !== 2),
  'publish-no-redirect': finishes((_, { path, headers }) =>
    headers['x-service-event'] === PUBLISHED && path === '/webhook'
      ? { status: 307, headers: { Location: '/webhook/' } }
      : {},
  ),
  'publish-200': answers(PUBLISHED, (json) => ({ json: { ...json, received: undefined } })),
  'publish-id': answers(PUBLISHED, (json) => ({ json: { ...json, id: '' } })),
  'publish-url': answers(PUBLISHED, (json) => ({
    json: { ...json, url: new URL(String(json.url)).pathname },
  })),

  'publish-late-retry': refuses(PUBLISHED, ({ json }) => old(json.timestamp)),
  'publish-empty-title': refuses(PUBLISHED, ({ data }) => data.title === ''),
  'publish-empty-fields': refuses(PUBLISHED, ({ data }) => data.json_ld === ''),
  'publish-unusual-id': refuses(PUBLISHED, ({ data }) => !/^[\w-]+$/.test(String(data.id))),
  'publish-unsafe-slug': refuses(PUBLISHED, ({ data }) => String(data.slug).includes('..')),
  'publish-unknown-fields': refuses(PUBLISHED, ({ data }) => 'trial' in data),

  'publish-again-accepted': refuses(PUBLISHED, known, 409),
  'publish-again-200': (steps) => {
    const seen = new Set<unknown>();
    answers(PUBLISHED, ({ id, url }) => {
      const isNew = !seen.has(id);
      seen.add(id);
      return isNew ? {} : { status: 202, json: { id, url } };
    })(steps);
  },
  'publish-again-same-id': instead(PUBLISHED, known, {
    json: { received: true, id: 'new', url: 'https://garden.example/' },
  }),
  'publish-again-same-url': (steps) => {
    let count = 0;
    answers(PUBLISHED, (json) => ({ json: { ...json, url: `${json.url}?n=${++count}` } }))(steps);
  },
  'publish-same-slug': inStore('freeUrl', () => (slug) => `${GARDEN}/articles/${encodeURIComponent(slug)}/`),
  'publish-id-exact': inStore('publish', (publish, { articles }) => (data) => {
    const id = data.id.toLowerCase();
    return [...articles.values()].find((one) => one.id.toLowerCase() === id) ?? publish(data);
  }),
  'publish-then-lookup': inStore('find', (find) => {
    const asked = new Set<string>();
    return (url) => {
      const article = find(url);
      if (!article?.id.includes('at-once') || asked.has(url)) return article;
      asked.add(url);
      return undefined;
    };
  }),
  'publish-id-is-lookup-id': answers(PUBLISHED, (json) => ({ json: { ...json, id: `post-${json.id}` } })),
  'publish-again-writes-nothing': inStore('publish', (publish) => (data) => {
    const article = publish(data);
    article.revision = `${article.revision}+`;
    return article;
  }),
  'publish-again-after-update': inStore('publish', (publish, store) => (data) => {
    const article = publish(data);
    store.replace(article, data);
    return article;
  }),
  'publish-same-slug-own-content': inStore('publish', (publish) => {
    const bySlug = new Map<string, string>();
    return (data) => {
      const content = bySlug.get(data.slug) ?? data.content_html;
      bySlug.set(data.slug, content);
      return publish({ ...data, content_html: content });
    };
  }),
  'publish-unusual-id-stored': storesHtml((html) => html.replaceAll('"', '&quot;')),

  'publish-at-once-one-article': gap(({ store }, publish, both) => async (data) => {
    if (store.articles.has(data.id)) return publish(data);
    await both();
    const { id, url } = store.insert(data, store.freeUrl(data.slug));
    return { status: 200, json: { received: true, id, url } };
  }),
  'publish-at-once-found': gap(({ store }, publish) => {
    const rows = new Map<string, number>();
    const find = store.find.bind(store);
    store.find = (url) => {
      const article = find(url);
      const isAmbiguous = article !== undefined && (rows.get(article.id) ?? 0) > 1;
      return isAmbiguous ? undefined : article;
    };
    return (data) => {
      rows.set(data.id, (rows.get(data.id) ?? 0) + 1);
      return publish(data);
    };
  }),
  'publish-at-once-same-slug': gap(({ store }, _, both) => async (data) => {
    const free = store.freeUrl(data.slug);
    await both();
    const { id, url } = store.articles.get(data.id) ?? store.insert(data, free);
    return { status: 200, json: { received: true, id, url } };
  }),
  'publish-at-once-own-content': gap((_, publish, both) => {
    let shared = '';
    return async (data) => {
      shared = data.content_html;
      await both();
      return publish({ ...data, content_html: shared });
    };
  }),

  'content-same': storesHtml((html) => html.replaceAll('h2>', 'h3>')),
  'content-unicode': storesHtml((html) => html.replace(/\p{Emoji_Presentation}/u, '?')),
  'content-entities': storesHtml((html) => html.replaceAll('&lt;b&gt;', '<b>')),
  'content-verbatim': storesHtml((html) => html.replaceAll('&nbsp;', '\u00a0')),
  'content-template-signs': storesHtml((html) => html.replaceAll('{{ title }}', '')),
  'content-front-matter-signs': storesHtml((html) => html.replace(/^---\n/, '')),
  'content-markup': storesHtml((html) => html.replace(/<script.*<\/script>/, '')),
  'content-item-comment': storesHtml((html) => html.replace(/<!--.*?-->/g, '')),
  'content-500-kb': storesHtml((html) => html.slice(0, 65_535)),
  'content-crlf': storesHtml((html) => html.replaceAll('\r\n', '\n')),
  'content-title': stores((article) => {
    article.title = article.title.replaceAll('&', '&amp;');
  }),

  'page-200': inStore('at', () => () => undefined),
  'page-body': shows((page) => page.replaceAll('<code>', '&lt;code>')),
  'page-item-comment': shows((page) => page.replace(/<!--.*?-->/g, '')),
  'page-tracking': shows((page) => page.replace(/<img src="https:\/\/count[^>]*>/, '')),
  'page-json-ld': shows((page) => page.replaceAll('"@type":', '"@type": ')),
  'page-json-ld-in-head': (steps) => {
    steps.page = ({ html, jsonLd }) => `<html><head></head><body>${html}${jsonLd}</body></html>`;
  },
  'page-update': (steps) => {
    const cache = new Map<string, string>();
    shows((page, { url }) => {
      const cached = cache.get(url) ?? page;
      cache.set(url, cached);
      return cached;
    })(steps);
  },
  'page-update-replaces': (steps) => {
    let all = '';
    shows((page) => {
      all += page;
      return all;
    })(steps);
  },
  'page-update-item-comment': shows((page, { revision }) =>
    revision.startsWith('first-') ? page : page.replace(/<!--.*?-->/g, ''),
  ),
  'page-update-json-ld': inStore('apply', (apply) => (article, data) => {
    apply(article, { ...data, json_ld: article.jsonLd });
  }),
  'page-image-kept': inStore('apply', (apply) => (article, data) => {
    apply(article, data);
    article.image = data.featured_image_url;
  }),
};

type Publish = (data: ArticleData) => Outgoing | Promise<Outgoing>;

/** Handles concurrent publications differently. @param otherwise gets the usual handling and a barrier for two requests. */
function gap(otherwise: (steps: Steps, publish: Publish, both: () => Promise<void>) => Publish): Break {
  return handles(PUBLISHED, (handler, steps) => {
    const publish: Publish = (data) => {
      const { id, url } = steps.store.publish(data);
      return { status: 200, json: { received: true, id, url } };
    };
    const handle = otherwise(steps, publish, meeting(2));
    return (envelope) =>
      /-(?:at-once|sibling)-/.test(String(envelope.data.id))
        ? handle(requireArticle(envelope.data))
        : handler(envelope);
  });
}
