import { canonicalUrl } from '../../../contract/canonical-url.js';
import { expectRefusal, expectStatus, isSuccess } from '../../expect.js';
import { targetOf } from '../../lookup-target.js';
import { inEachCase, rules } from '../../rule.js';
import type { Session } from '../../session.js';

const LIST = `
# article.lookup, Canonicalization; V2; needs lookup-200
108 canonical-fragment: The article is found at its URL with a fragment.
109 canonical-slash: The article is found with and without one trailing slash, even before a fragment.
  Drop the fragment and one trailing slash of the path on both sides before you compare.
112 canonical-host-case (should): The article is found whatever the case of the host’s letters.
  Compare origins as URLs, which makes the host lowercase.
119 canonical-other-folder: The same slug in another folder finds nothing.
116 canonical-other-origin: Another scheme, host or port, or the path alone, finds nothing.
114 canonical-other-path: Another query, or the path in another case, longer or shorter, finds nothing.
  Compare origin, path and query of both URLs exactly; never guess by slug or title.
113 canonical-two-slashes: A URL with two trailing slashes finds nothing.
  Drop one slash, not all slashes.
122 canonical-as-written (should): A URL finds nothing if it has an encoded letter or a dot segment, plain or encoded, in the path, a bare question mark at the end, or a soft hyphen or full-width letter in the host.
  Compare the path and query as text: a URL parser may decode letters, remove dot segments and rewrite hosts.
129 canonical-credentials (article.lookup data; should): A URL with a user and a password finds nothing.
  target_url never holds credentials: answer 400.
`;

/** Changes an article's URL; undefined if there is nothing to change. */
type Change = (url: URL) => string | undefined;

const asks = async (session: Session, changed: string) =>
  session.send('article.lookup', { target_url: changed });
const found = (change: Change) => async (session: Session) => {
  const changed = change(new URL(await session.known()));
  if (changed !== undefined) expectStatus(await asks(session, changed), 200);
};
/** Expects that the article is not found; another one may be at that very URL. */
const absent = (change: Change) => async (session: Session) => {
  const known = await session.known();
  const changed = change(new URL(known));
  if (changed === undefined) return;
  const answer = await asks(session, changed);
  if (!isSuccess(answer)) return;
  const { id, url } = targetOf(answer);
  const isOther = canonicalUrl(url) === canonicalUrl(changed);
  if (!isOther || id === (await session.lookup(known)).id) expectRefusal(answer);
};
const each = (kind: typeof found, changes: Readonly<Record<string, Change>>) =>
  inEachCase(Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, kind(change)])));

const bare = (url: URL) => url.pathname.replace(/\/$/, '');
const withPath = (url: URL, path: string) => `${url.origin}${path}${url.search}`;
const inPath = (url: URL, change: (path: string) => string) => {
  const path = change(bare(url));
  return path === bare(url) ? undefined : withPath(url, path);
};
/** Changes the host of a URL by a character that URL parsers remove or replace. */
const inHost = (url: URL, change: (host: string) => string) => {
  const host = change(url.host);
  return host === url.host ? undefined : url.href.replace(url.host, host);
};

/** The URLs that name an article, and those that do not, by the contract's canonicalization. */
export const CANONICAL_RULES = rules(LIST, {
  'canonical-fragment': found((url) => `${url.href}#part`),
  'canonical-slash': each(found, {
    'no slash': (url) => withPath(url, bare(url)),
    'one slash': (url) => withPath(url, `${bare(url)}/`),
    'a slash and a fragment': (url) => `${withPath(url, `${bare(url)}/`)}#part`,
  }),
  'canonical-host-case': found((url) => url.href.replace(url.host, url.host.toUpperCase())),
  'canonical-other-folder': absent((url) => withPath(url, `/elsewhere${bare(url)}/`)),
  'canonical-other-origin': each(absent, {
    'another scheme': (url) => url.href.replace(url.protocol, url.protocol === 'https:' ? 'http:' : 'https:'),
    'another host': (url) => url.href.replace(url.host, 'other.example'),
    'another port': (url) =>
      url.href.replace(url.host, `${url.hostname}:${url.port === '8443' ? 8444 : 8443}`),
    'the path alone': (url) => `${url.pathname}${url.search}`,
  }),
  'canonical-other-path': each(absent, {
    'another query': (url) => `${url.href.replace(/#.*/, '')}${url.search === '' ? '?' : '&'}page=2`,
    'other case': (url) =>
      inPath(url, (path) => (path === path.toUpperCase() ? path.toLowerCase() : path.toUpperCase())),
    'the beginning of the slug': (url) => inPath(url, (path) => path.replace(/.$/, '')),
    'a path below': (url) => withPath(url, `${bare(url)}/more`),
  }),
  'canonical-two-slashes': absent((url) => withPath(url, `${bare(url)}//`)),
  'canonical-as-written': each(absent, {
    'an encoded letter': (url) =>
      inPath(url, (path) =>
        path.replace(/[a-z](?=[^a-z]*$)/i, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
      ),
    'a dot segment': (url) => withPath(url, `/x/..${url.pathname}`),
    'an encoded dot segment': (url) => withPath(url, `/%2e${url.pathname}`),
    'a bare question mark': (url) => (url.search === '' ? `${withPath(url, url.pathname)}?` : undefined),
    'a soft hyphen': (url) => inHost(url, (host) => host.replace(/^\w/, '$&\u00ad')),
    'a full-width letter': (url) =>
      inHost(url, (host) =>
        host.replace(/^[a-z0-9]/, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
      ),
  }),
  'canonical-credentials': absent((url) => url.href.replace('://', '://user:word@')),
});
