import { canonicalUrl } from '../../../contract/canonical-url.js';
import { expectRefusal, expectStatus, isSuccess, NotChecked } from '../../expect.js';
import { targetOf } from '../../lookup-target.js';
import { rules } from '../../rule.js';
import type { Session } from '../../session.js';

const FOUND = 'Drop the fragment and one trailing slash of the path on both sides before you compare.';
const EXACT = 'Compare origin, path and query of both URLs exactly; never guess by slug or title.';

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

const UNPARSED =
  'Compare path and query as they are written; a URL parser removes dot segments and rewrites hosts.';

/** A URL whose host is written with a character that URL parsers remove or replace. */
function withHost(url: URL, change: (host: string) => string): string {
  const host = change(url.host);
  if (host === url.host) throw new NotChecked('the host of the article’s URL has nothing to change');
  return url.href.replace(url.host, host);
}

/** Which URLs name an article and which do not: the contract's canonicalization, row by row. */
export const CANONICAL_RULES = rules(
  { section: 'article.lookup, Canonicalization', from: 2, hint: EXACT },
  ['lookup-200'],
  {
    'canonical-fragment': {
      says: 'A fragment is dropped: the article is found.',
      hint: FOUND,
      check: found((url) => `${url.href}#part`),
    },
    'canonical-no-slash': {
      says: 'Without a trailing slash the article is found.',
      hint: FOUND,
      check: found((url) => withPath(url, bare(url))),
    },
    'canonical-one-slash': {
      says: 'With one trailing slash the article is found.',
      hint: FOUND,
      check: found((url) => withPath(url, `${bare(url)}/`)),
    },
    'canonical-slash-and-fragment': {
      says: 'With a trailing slash and a fragment the article is found.',
      hint: FOUND,
      check: found((url) => `${withPath(url, `${bare(url)}/`)}#part`),
    },
    'canonical-host-case': {
      level: 'should',
      says: 'The host’s letters have no case: the article is found.',
      hint: 'Compare origins as URLs, which makes the host lowercase.',
      check: found((url) => url.href.replace(url.host, url.host.toUpperCase())),
    },
    'canonical-other-folder': {
      says: 'The same slug in another folder finds nothing.',
      check: absent((url) => withPath(url, `/elsewhere${bare(url)}/`)),
    },
    'canonical-two-slashes': {
      says: 'Only one trailing slash is dropped: with two, nothing is found.',
      hint: 'Drop one slash, not all of them.',
      check: absent((url) => withPath(url, `${bare(url)}//`)),
    },
    'canonical-query': {
      says: 'With another query nothing is found.',
      check: absent((url) => `${url.href.replace(/#.*/, '')}${url.search === '' ? '?' : '&'}page=2`),
    },
    'canonical-path-case': {
      says: 'With the path in other case nothing is found.',
      check: absent((url) =>
        without(url, (path) => (path === path.toUpperCase() ? path.toLowerCase() : path.toUpperCase())),
      ),
    },
    'canonical-scheme': {
      says: 'With http in place of https, or the other way round, nothing is found.',
      check: absent((url) => url.href.replace(url.protocol, url.protocol === 'https:' ? 'http:' : 'https:')),
    },
    'canonical-host': {
      says: 'On another host nothing is found.',
      check: absent((url) => url.href.replace(url.host, 'other.example')),
    },
    'canonical-port': {
      says: 'On another port nothing is found.',
      check: absent((url) =>
        url.href.replace(url.host, `${url.hostname}:${url.port === '8443' ? 8444 : 8443}`),
      ),
    },
    'canonical-slug-beginning': {
      says: 'The beginning of a slug finds nothing.',
      check: absent((url) => without(url, (path) => path.replace(/.$/, ''))),
    },
    'canonical-below': {
      says: 'A path below the article’s finds nothing.',
      check: absent((url) => withPath(url, `${bare(url)}/more`)),
    },
    'canonical-dot-segments': {
      level: 'should',
      says: 'With a dot segment in the path (/x/../) nothing is found, though a parser would remove it.',
      hint: UNPARSED,
      check: absent((url) => withPath(url, `/x/..${url.pathname}`)),
    },
    'canonical-encoded-dots': {
      level: 'should',
      says: 'With an encoded dot segment in the path (/%2e/) nothing is found.',
      hint: UNPARSED,
      check: absent((url) => withPath(url, `/%2e${url.pathname}`)),
    },
    'canonical-encoded-letter': {
      says: 'With a letter of the path percent-encoded nothing is found.',
      check: absent((url) =>
        without(url, (path) =>
          path.replace(/[a-z](?=[^a-z]*$)/i, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
        ),
      ),
    },
    'canonical-empty-query': {
      level: 'should',
      says: 'With a bare question mark at the end nothing is found.',
      hint: UNPARSED,
      check: absent((url) => {
        if (url.search !== '') throw new NotChecked('the article’s URL has a query');
        return `${withPath(url, url.pathname)}?`;
      }),
    },
    'canonical-soft-hyphen': {
      level: 'should',
      says: 'With a soft hyphen in the host nothing is found.',
      hint: UNPARSED,
      check: absent((url) => withHost(url, (host) => host.replace(/^\w/, '$&\u00ad'))),
    },
    'canonical-full-width': {
      level: 'should',
      says: 'With a full-width letter in the host nothing is found.',
      hint: UNPARSED,
      check: absent((url) =>
        withHost(url, (host) =>
          host.replace(/^[a-z0-9]/, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
        ),
      ),
    },
    'canonical-path-alone': {
      section: 'article.lookup data',
      says: 'The path alone, without scheme and host, finds nothing.',
      check: absent((url) => `${url.pathname}${url.search}`),
    },
    'canonical-credentials': {
      section: 'article.lookup data',
      level: 'should',
      says: 'A URL with a user and a password finds nothing.',
      hint: 'target_url never holds credentials: answer 400.',
      check: absent((url) => url.href.replace('://', '://user:word@')),
    },
  },
);
