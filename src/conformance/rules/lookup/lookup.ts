import { canonicalUrl } from '../../../contract/canonical-url.js';
import { expectUnchanged, type Target, targetFields, targetOf, targetText } from '../../answers.js';
import { describe, expectEqual, expectStatus, expectThat, fieldsOf } from '../../expect.js';
import { type Rule, rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Answer } from '../../transport/probe.js';

const FIELD =
  'Answer {"received": true, "contract_version": 3, "target": {id, url, revision_id, title, content_html}}, each a nonempty text.';
const known = async (session: Session): Promise<Answer> => (await session.find(await session.known())).answer;

/** A lookup of a URL where no article is. */
export const nothing = (session: Session): Promise<Answer> =>
  session.send('article.lookup', { target_url: `https://nowhere.example/${session.id('nothing')}/` });

const field = (name: keyof Target) => ({
  id: `lookup-target-${name.replaceAll('_', '-')}`,
  section: 'Lookup target',
  says: `The answer to a lookup has target.${name}, a nonempty text.`,
  hint: FIELD,
  check: async (session: Session) => {
    targetText(targetFields(await known(session)), name);
  },
});

/** What a lookup answers (contract: article.lookup, Lookup target). */
export const LOOKUP_RULES: readonly Rule[] = [
  ...rules({ section: 'article.lookup', from: 2, needs: ['request-accepted'] }, [
    {
      id: 'lookup-200',
      says: 'A lookup of a published article’s URL is answered 200.',
      hint: 'Find the article whose canonical URL is the one asked for.',
      needs: ['publish-accepted', 'publish-url'],
      check: async (session) => expectStatus(await known(session), 200),
    },
    {
      id: 'lookup-no-redirect',
      section: 'Request headers, Redirects',
      says: 'A lookup is answered without a redirect.',
      hint: 'Register the final URL; the service follows no redirect here.',
      check: async (session) => {
        const answer = await nothing(session);
        expectThat(answer.status < 300 || answer.status > 399, 'no redirect', describe(answer));
      },
    },
  ]),
  ...rules({ section: 'article.lookup', from: 2, needs: ['lookup-200'] }, [
    {
      id: 'lookup-received',
      says: 'The answer to a lookup says received: true.',
      hint: FIELD,
      check: async (session) => expectEqual('received', true, fieldsOf(await known(session)).received),
    },
    {
      id: 'lookup-contract-version',
      section: 'Versioning',
      says: 'The answer to a lookup says the contract_version that the answer to webhook.test says.',
      hint: FIELD,
      check: async (session) =>
        expectEqual('contract_version', session.version, fieldsOf(await known(session)).contract_version),
    },
    field('id'),
    field('url'),
    field('revision_id'),
    field('title'),
    field('content_html'),
    {
      id: 'lookup-empty-title',
      section: 'Lookup target',
      says: 'Even of an article that was published without a title, the answer to a lookup has a nonempty one.',
      hint: 'Store a placeholder where the title is empty; the service rejects a lookup with an empty field.',
      needs: ['publish-empty-title'],
      check: async (session) => {
        const url = (await session.stored('untitled', () => ({ title: '' }))).url();
        targetText(targetFields((await session.find(url)).answer), 'title');
      },
    },
    {
      id: 'lookup-url-matches',
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
    {
      id: 'lookup-again',
      says: 'Two lookups in a row have the same answer: a lookup is read-only.',
      hint: 'Make the revision when the content changes, not when it is asked for.',
      check: async (session) =>
        expectUnchanged(targetOf(await known(session)), targetOf(await known(session))),
    },
  ]),
];
