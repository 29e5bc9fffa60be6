import { canonicalUrl } from '../../../contract/canonical-url.js';
import {
  expectEqual,
  expectErrorBody,
  expectNoRedirect,
  expectRefusal,
  expectStatus,
  fieldsOf,
} from '../../expect.js';
import { expectUnchanged, targetFields, targetOf, targetText } from '../../lookup-target.js';
import { inEachCase, rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Answer } from '../../transport/probe.js';
import type { Overrides } from '../../transport/request.js';

const LIST = `
# article.lookup; V2; needs request-accepted
47 lookup-200 (needs publish-accepted publish-url): A lookup of a published article’s URL is answered 200.
  Find the article whose canonical URL equals the canonical target_url.
63 lookup-no-redirect (Request headers, Redirects): A lookup is answered without a redirect.
  Register the final URL; the service follows no redirect here.

# article.lookup; V2; needs lookup-200
64 lookup-answer: The answer to a lookup has received: true, and the contract_version of the answer to webhook.test.
66 lookup-target (Lookup target): The answer to a lookup has a target with id, url, revision_id, title and content_html.
  Answer {"received": true, "contract_version": 3, "target": {id, url, revision_id, title, content_html}}, each a nonempty text.
71 lookup-empty-title (Lookup target; needs publish-empty-title): The answer to a lookup has a nonempty title, even if the article was published without one.
  Store a placeholder if the title is empty: the service rejects an answer with an empty field.
72 lookup-url-matches (Lookup target; needs lookup-target): target.url has the same canonical form as the requested target_url.
  Answer the article’s public URL: the service rejects an answer with another URL.
73 lookup-again: Two lookups in a row have the same answer: a lookup is read-only.
  Make a new revision when the content changes, not at each lookup.

# article.lookup; V2; needs request-accepted
98 lookup-nothing-refused: A lookup of a URL without an article fails with a status other than 2xx.
99 lookup-nothing-404 (Errors; should): A lookup of a URL without an article is answered 404.
  Answer 404 if no article has exactly this URL.
100 error-shape-404 (Errors; should): The refusal of a lookup carries {"error": message} as JSON.
  Answer every refusal with a JSON object whose error says what was wrong.
101 lookup-target-url (Errors): A lookup whose target_url is missing or a number is answered 400, and an empty one is refused.
  Check that target_url is a nonempty text.

# article.lookup; V2; needs lookup-200
104 lookup-version (Errors): A lookup whose contract_version is 3, the text "2" or missing is refused.
107 lookup-version-400 (Errors; should): A lookup without contract_version is answered 400.
  Answer 400 if contract_version is not the integer 2.
`;

const known = async (session: Session): Promise<Answer> => (await session.find(await session.known())).answer;

/** Looks up a URL without an article. */
export const nothing = (session: Session, overrides?: Overrides): Promise<Answer> =>
  session.send('article.lookup', { target_url: session.nowhere().url }, overrides);

/** Looks up an existing article with this contract_version. */
const ofVersion = async (session: Session, version: unknown) =>
  session.send(
    'article.lookup',
    { target_url: await session.known() },
    { envelope: { contract_version: version } },
  );

const invalid = (data: Record<string, unknown>) => async (session: Session) =>
  expectStatus(await session.send('article.lookup', data), 400);

/** Successful and refused lookups (contract: article.lookup, Lookup target, Errors). */
export const LOOKUP_RULES = rules(LIST, {
  'lookup-200': async (session) => expectStatus(await known(session), 200),
  'lookup-no-redirect': async (session) => expectNoRedirect(await nothing(session)),
  'lookup-answer': async (session) => {
    const { received, contract_version } = fieldsOf(await known(session));
    expectEqual('received', true, received);
    expectEqual('contract_version', session.version, contract_version);
  },
  'lookup-target': async (session) => targetOf(await known(session)),
  'lookup-empty-title': async (session) => {
    const url = (await session.stored('untitled', () => ({ title: '' }))).url();
    targetText(targetFields((await session.find(url)).answer), 'title');
  },
  'lookup-url-matches': async (session) => {
    const asked = await session.known();
    const url = targetText(targetFields(await known(session)), 'url');
    expectEqual('canonical target.url', canonicalUrl(asked), canonicalUrl(url));
  },
  'lookup-again': async (session) =>
    expectUnchanged(targetOf(await known(session)), targetOf(await known(session))),
  'lookup-nothing-refused': async (session) => expectRefusal(await nothing(session)),
  'lookup-nothing-404': async (session) => expectStatus(await nothing(session), 404),
  'error-shape-404': async (session) => expectErrorBody(await nothing(session)),
  'lookup-target-url': inEachCase({
    'no target_url': invalid({}),
    'an empty target_url': async (session) =>
      expectRefusal(await session.send('article.lookup', { target_url: '' })),
    'a number as target_url': invalid({ target_url: 4711 }),
  }),
  'lookup-version': inEachCase({
    'contract_version 3': async (session) => expectRefusal(await ofVersion(session, 3)),
    'contract_version "2"': async (session) => expectRefusal(await ofVersion(session, '2')),
    'no contract_version': async (session) => expectRefusal(await ofVersion(session, undefined)),
  }),
  'lookup-version-400': async (session) => expectStatus(await ofVersion(session, undefined), 400),
});
