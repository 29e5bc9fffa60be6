import { canonicalUrl } from '../../../contract/canonical-url.js';
import { expectRefusal, expectStatus, isSuccess, NotChecked } from '../../expect.js';
import { targetOf } from '../../lookup-target.js';
import { rules } from '../../rule.js';
import type { Session } from '../../session.js';

const LIST = `
# article.lookup, Canonicalization; V2; needs lookup-200
108 canonical-fragment: A fragment is dropped: the article is found.
109 canonical-no-slash: Without a trailing slash the article is found.
110 canonical-one-slash: With one trailing slash the article is found.
111 canonical-slash-and-fragment: With a trailing slash and a fragment the article is found.
  Drop the fragment and one trailing slash of the path on both sides before you compare.
112 canonical-host-case (should): The host’s letters have no case: the article is found.
  Compare origins as URLs, which makes the host lowercase.
119 canonical-other-folder: The same slug in another folder finds nothing.
114 canonical-query: With another query nothing is found.
115 canonical-path-case: With the path in other case nothing is found.
116 canonical-scheme: With http in place of https, or the other way round, nothing is found.
117 canonical-host: On another host nothing is found.
118 canonical-port: On another port nothing is found.
120 canonical-slug-beginning: The beginning of a slug finds nothing.
121 canonical-below: A path below the article’s finds nothing.
124 canonical-encoded-letter: With a letter of the path percent-encoded nothing is found.
128 canonical-path-alone (article.lookup data): The path alone, without scheme and host, finds nothing.
  Compare origin, path and query of both URLs exactly; never guess by slug or title.
113 canonical-two-slashes: Only one trailing slash is dropped: with two, nothing is found.
  Drop one slash, not all of them.
122 canonical-dot-segments (should): With a dot segment in the path (/x/../) nothing is found, though a parser would remove it.
123 canonical-encoded-dots (should): With an encoded dot segment in the path (/%2e/) nothing is found.
125 canonical-empty-query (should): With a bare question mark at the end nothing is found.
126 canonical-soft-hyphen (should): With a soft hyphen in the host nothing is found.
127 canonical-full-width (should): With a full-width letter in the host nothing is found.
  Compare path and query as they are written; a URL parser removes dot segments and rewrites hosts.
129 canonical-credentials (article.lookup data; should): A URL with a user and a password finds nothing.
  target_url never holds credentials: answer 400.
`;

/** An article's URL, changed. */
type Change = (url: URL) => string;

const asks = async (session: Session, change: Change) =>
  session.send('article.lookup', { target_url: change(new URL(await session.known())) });
const found = (change: Change) => async (session: Session) => expectStatus(await asks(session, change), 200);
/** The article is not found; another one may be at that very URL. */
const absent = (change: Change) => async (session: Session) => {
  const answer = await asks(session, change);
  if (!isSuccess(answer)) return;
  const known = await session.known();
  const { id, url } = targetOf(answer);
  const isOther = canonicalUrl(url) === canonicalUrl(change(new URL(known)));
  if (!isOther || id === (await session.lookup(known)).id) expectRefusal(answer);
};

const bare = (url: URL) => url.pathname.replace(/\/$/, '');
const withPath = (url: URL, path: string) => `${url.origin}${path}${url.search}`;

function without(url: URL, change: (path: string) => string): string {
  const path = change(bare(url));
  if (path === bare(url)) throw new NotChecked('the path of the article’s URL has nothing to change');
  return withPath(url, path);
}

/** A URL whose host is written with a character that URL parsers remove or replace. */
function withHost(url: URL, change: (host: string) => string): string {
  const host = change(url.host);
  if (host === url.host) throw new NotChecked('the host of the article’s URL has nothing to change');
  return url.href.replace(url.host, host);
}

/** Which URLs name an article and which do not: the contract's canonicalization, row by row. */
export const CANONICAL_RULES = rules(LIST, {
  'canonical-fragment': found((url) => `${url.href}#part`),
  'canonical-no-slash': found((url) => withPath(url, bare(url))),
  'canonical-one-slash': found((url) => withPath(url, `${bare(url)}/`)),
  'canonical-slash-and-fragment': found((url) => `${withPath(url, `${bare(url)}/`)}#part`),
  'canonical-host-case': found((url) => url.href.replace(url.host, url.host.toUpperCase())),
  'canonical-other-folder': absent((url) => withPath(url, `/elsewhere${bare(url)}/`)),
  'canonical-query': absent((url) => `${url.href.replace(/#.*/, '')}${url.search === '' ? '?' : '&'}page=2`),
  'canonical-path-case': absent((url) =>
    without(url, (path) => (path === path.toUpperCase() ? path.toLowerCase() : path.toUpperCase())),
  ),
  'canonical-scheme': absent((url) =>
    url.href.replace(url.protocol, url.protocol === 'https:' ? 'http:' : 'https:'),
  ),
  'canonical-host': absent((url) => url.href.replace(url.host, 'other.example')),
  'canonical-port': absent((url) =>
    url.href.replace(url.host, `${url.hostname}:${url.port === '8443' ? 8444 : 8443}`),
  ),
  'canonical-slug-beginning': absent((url) => without(url, (path) => path.replace(/.$/, ''))),
  'canonical-below': absent((url) => withPath(url, `${bare(url)}/more`)),
  'canonical-encoded-letter': absent((url) =>
    without(url, (path) =>
      path.replace(/[a-z](?=[^a-z]*$)/i, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    ),
  ),
  'canonical-path-alone': absent((url) => `${url.pathname}${url.search}`),
  'canonical-two-slashes': absent((url) => withPath(url, `${bare(url)}//`)),
  'canonical-dot-segments': absent((url) => withPath(url, `/x/..${url.pathname}`)),
  'canonical-encoded-dots': absent((url) => withPath(url, `/%2e${url.pathname}`)),
  'canonical-empty-query': absent((url) => {
    if (url.search !== '') throw new NotChecked('the article’s URL has a query');
    return `${withPath(url, url.pathname)}?`;
  }),
  'canonical-soft-hyphen': absent((url) => withHost(url, (host) => host.replace(/^\w/, '$&\u00ad'))),
  'canonical-full-width': absent((url) =>
    withHost(url, (host) =>
      host.replace(/^[a-z0-9]/, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
    ),
  ),
  'canonical-credentials': absent((url) => url.href.replace('://', '://user:word@')),
});
