import type { LookupTarget } from '../../../contract/answers.js';
import { canonicalUrl } from '../../../contract/canonical-url.js';
import { expectEqual, expectNoRedirect, expectStatus, fieldsOf } from '../../expect.js';
import { expectUnchanged, targetFields, targetOf, targetText } from '../../lookup-target.js';
import { type OwnRule, type Rule, rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Answer } from '../../transport/probe.js';

const FIELD =
  'Answer {"received": true, "contract_version": 3, "target": {id, url, revision_id, title, content_html}}, each a nonempty text.';
const known = async (session: Session): Promise<Answer> => (await session.find(await session.known())).answer;

/** A lookup of a URL where no article is. */
export const nothing = (session: Session): Promise<Answer> =>
  session.send('article.lookup', { target_url: session.nowhere().url });

const field = (name: keyof LookupTarget): OwnRule => ({
  section: 'Lookup target',
  says: `The answer to a lookup has target.${name}, a nonempty text.`,
  check: async (session) => {
    targetText(targetFields(await known(session)), name);
  },
});

/** What a lookup answers (contract: article.lookup, Lookup target). */
export const LOOKUP_RULES: readonly Rule[] = [
  ...rules({ section: 'article.lookup', from: 2 }, ['request-accepted'], {
    'lookup-200': {
      says: 'A lookup of a published article’s URL is answered 200.',
      hint: 'Find the article whose canonical URL is the one asked for.',
      needs: ['publish-accepted', 'publish-url'],
      check: async (session) => expectStatus(await known(session), 200),
    },
    'lookup-no-redirect': {
      section: 'Request headers, Redirects',
      says: 'A lookup is answered without a redirect.',
      hint: 'Register the final URL; the service follows no redirect here.',
      check: async (session) => expectNoRedirect(await nothing(session)),
    },
  }),
  ...rules({ section: 'article.lookup', from: 2, hint: FIELD }, ['lookup-200'], {
    'lookup-received': {
      says: 'The answer to a lookup says received: true.',
      check: async (session) => expectEqual('received', true, fieldsOf(await known(session)).received),
    },
    'lookup-contract-version': {
      section: 'Versioning',
      says: 'The answer to a lookup says the contract_version that the answer to webhook.test says.',
      check: async (session) =>
        expectEqual('contract_version', session.version, fieldsOf(await known(session)).contract_version),
    },
    'lookup-target-id': field('id'),
    'lookup-target-url': field('url'),
    'lookup-target-revision-id': field('revision_id'),
    'lookup-target-title': field('title'),
    'lookup-target-content-html': field('content_html'),
    'lookup-empty-title': {
      section: 'Lookup target',
      says: 'Even of an article that was published without a title, the answer to a lookup has a nonempty one.',
      hint: 'Store a placeholder where the title is empty; the service rejects a lookup with an empty field.',
      needs: ['publish-empty-title'],
      check: async (session) => {
        const url = (await session.stored('untitled', () => ({ title: '' }))).url();
        targetText(targetFields((await session.find(url)).answer), 'title');
      },
    },
    'lookup-url-matches': {
      section: 'Lookup target',
      says: 'target.url canonicalizes to the URL that was asked for.',
      hint: 'Answer the article’s public URL; the service rejects an answer with another one.',
      needs: ['lookup-target-url'],
      check: async (session) => {
        const asked = await session.known();
        const url = targetText(targetFields(await known(session)), 'url');
        expectEqual('canonical target.url', canonicalUrl(asked), canonicalUrl(url));
      },
    },
    'lookup-again': {
      says: 'Two lookups in a row have the same answer: a lookup is read-only.',
      hint: 'Make the revision when the content changes, not when it is asked for.',
      check: async (session) =>
        expectUnchanged(targetOf(await known(session)), targetOf(await known(session))),
    },
  }),
];
