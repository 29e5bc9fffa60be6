import { type Fields, fields, GARDEN } from './receiver.js';
import type { Break, Meant } from './ways.js';
import {
  alsoFinds,
  answers,
  finishes,
  inStore,
  instead,
  misses,
  refuses,
  stores,
  tolerates,
} from './ways.js';

const LOOKUP = 'article.lookup';
/** Answers with another target. */
const target = (over: (target: Fields) => Fields): Break =>
  answers(LOOKUP, (json) => {
    const right = fields(json.target);
    return { json: { ...json, target: { ...right, ...over(right) } } };
  });
const nothingThere: Meant = ({ data }, { store }) => store.find(String(data.target_url)) === undefined;
const parts = (url: string): URL => new URL(url, GARDEN);

/** Faults in the answers of lookups and in the search for articles. */
export const LOOKUP_FAULTS: Record<string, Break> = {
  'lookup-200': answers(LOOKUP, () => ({ status: 203 })),
  'lookup-no-redirect': instead(LOOKUP, nothingThere, { status: 302, headers: { Location: '/' } }),
  'lookup-received': answers(LOOKUP, (json) => ({ json: { ...json, received: false } })),
  'lookup-contract-version': answers(LOOKUP, (json) => ({ json: { ...json, contract_version: 2 } })),
  'lookup-target-id': target(() => ({ id: 17 })),
  'lookup-target-url': target(() => ({ url: undefined })),
  'lookup-target-revision-id': target(() => ({ revision_id: '' })),
  'lookup-target-title': target(() => ({ title: null })),
  'lookup-target-content-html': target(() => ({ content_html: '' })),
  'lookup-empty-title': stores((article) => {
    if (article.title === 'Untitled') article.title = '';
  }),
  'lookup-url-matches': target(({ url }) => ({ url: `${url}?from=lookup` })),
  'lookup-again': (steps) => {
    let count = 0;
    target(() => ({ revision_id: `r${++count}` }))(steps);
  },
  'lookup-nothing-refused': instead(LOOKUP, nothingThere, { json: { received: true, target: {} } }),
  'lookup-nothing-404': refuses(LOOKUP, nothingThere, 410),
  'error-shape-404': finishes(({ status }) => (status === 404 ? { text: '<h1>Not found</h1>' } : {})),
  'lookup-target-url-missing': refuses(LOOKUP, ({ data }) => data.target_url === undefined, 404),
  'lookup-target-url-empty': refuses(LOOKUP, ({ data }) => data.target_url === '', 404),
  'lookup-target-url-number': refuses(LOOKUP, ({ data }) => typeof data.target_url === 'number', 500),
  'lookup-version-missing': tolerates(LOOKUP, undefined),
  'lookup-version-3': tolerates(LOOKUP, 3),
  'lookup-version-text': tolerates(LOOKUP, '2'),
  'lookup-version-400': refuses(LOOKUP, ({ json }) => json.contract_version === undefined, 422),

  'canonical-fragment': misses(/#/),
  'canonical-no-slash': misses(/[^/]$/),
  'canonical-one-slash': (steps) => {
    inStore('freeUrl', (freeUrl) => (slug) => freeUrl(slug).replace(/\/$/, ''))(steps);
    misses(/\/$/)(steps);
  },
  'canonical-slash-and-fragment': misses(/\/#/),
  'canonical-host-case': misses(/GARDEN/),
  'canonical-two-slashes': alsoFinds((url) => url.replace(/\/+$/, '')),
  'canonical-query': alsoFinds((url) => url.split('?')[0] ?? ''),
  'canonical-path-case': alsoFinds((url) => url.toLowerCase()),
  'canonical-scheme': alsoFinds((url) => url.replace(/^http:/, 'https:')),
  'canonical-host': alsoFinds((url) => `${GARDEN}${parts(url).pathname}`),
  'canonical-port': alsoFinds((url) => `https://${parts(url).hostname}${parts(url).pathname}`),
  'canonical-other-folder': alsoFinds(
    (url) => `${GARDEN}/articles/${parts(url).pathname.split('/').at(-2)}/`,
  ),
  'canonical-slug-beginning': inStore(
    'find',
    (find, { articles }) =>
      (url) =>
        find(url) ?? [...articles.values()].find((article) => article.url.startsWith(url)),
  ),
  'canonical-below': alsoFinds((url) => url.replace(/[^/]*$/, '')),
  'canonical-dot-segments': alsoFinds((url) => (url.includes('/..') ? parts(url).href : url)),
  'canonical-encoded-dots': alsoFinds((url) => (url.includes('%2e') ? parts(url).href : url)),
  'canonical-encoded-letter': alsoFinds(decodeURI),
  'canonical-empty-query': alsoFinds((url) => url.replace(/\?$/, '')),
  'canonical-soft-hyphen': alsoFinds((url) => (url.includes('\u00ad') ? parts(url).href : url)),
  'canonical-full-width': alsoFinds((url) => (/[\uff00-\uffef]/.test(url) ? parts(url).href : url)),
  'canonical-path-alone': alsoFinds((url) => `${GARDEN}${url}`),
  'canonical-credentials': alsoFinds((url) => url.replace(/\/\/.*@/, '//')),
};
