import { type Fields, fields, GARDEN } from './receiver.js';
import type { Break, Meant } from './ways.js';
import { alsoFinds, answers, finishes, instead, misses, refuses, stores, tolerates } from './ways.js';

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
  'lookup-answer': answers(LOOKUP, (json) => ({ json: { ...json, contract_version: 2 } })),
  'lookup-target': target(() => ({ content_html: '' })),
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
  'lookup-target-url': refuses(LOOKUP, ({ data }) => typeof data.target_url === 'number', 500),
  'lookup-version': tolerates(LOOKUP, '2'),
  'lookup-version-400': refuses(LOOKUP, ({ json }) => json.contract_version === undefined, 422),

  'canonical-fragment': misses(/#/),
  'canonical-slash': misses(/\/#/),
  'canonical-host-case': misses(/GARDEN/),
  'canonical-two-slashes': alsoFinds((url) => url.replace(/\/+$/, '')),
  'canonical-other-folder': alsoFinds(
    (url) => `${GARDEN}/articles/${parts(url).pathname.split('/').at(-2)}/`,
  ),
  'canonical-other-path': alsoFinds((url) => url.replace(/[?#].*/, '')),
  'canonical-as-written': alsoFinds((url) => (/[\uff00-\uffef]/.test(url) ? parts(url).href : url)),
  'canonical-other-origin': alsoFinds((url) => `${GARDEN}${url}`),
  'canonical-credentials': alsoFinds((url) => url.replace(/\/\/.*@/, '//')),
};
