import type { LookupTarget } from '../../../contract/answers.js';
import { canonicalUrl } from '../../../contract/canonical-url.js';
import type { UpdateData } from '../../../contract/envelope.js';
import {
  describe,
  expectEqual,
  expectNoRedirect,
  expectRefusal,
  expectSameHtml,
  expectSameText,
  expectStatus,
  expectThat,
  fieldsOf,
  NotChecked,
  Unmet,
} from '../../expect.js';
import { type Rule, rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Answer } from '../../transport/probe.js';
import { large } from '../publish/content.js';

const ANSWER =
  'Answer {"received": true, "contract_version": 3, "revision_id": …} with the request’s revision_id.';
const REPLACE =
  'Replace content and revision of the stored article in one transaction; keep its id, slug and URL.';

const CURRENT =
  'Its base is the revision that the lookup before it was answered: answer the stored revision there, and store revision_id with each update.';

/** The URL of the article that the updates of this run replace. */
export const updatedUrl = async (session: Session): Promise<string> =>
  (await session.stored('updated')).url();

/** A good update of that article, as it was sent and answered. */
export async function update(
  session: Session,
  over: Partial<UpdateData> = {},
): Promise<{ data: UpdateData; answer: Answer }> {
  const data = await session.draft(await updatedUrl(session), over);
  return { data, answer: await session.send('article.updated', data) };
}

/** Holds what a lookup is answered after a good update against that update. */
const stored =
  (
    compare: (data: UpdateData, now: LookupTarget) => void,
    over: (session: Session) => Partial<UpdateData> = () => ({}),
  ) =>
  async (session: Session) => {
    const { data, answer } = await update(session, over(session));
    expectStatus(answer, 200);
    compare(data, await session.lookup(data.target_url));
  };

const sameHtml = (data: UpdateData, now: LookupTarget) =>
  expectSameHtml('content_html', data.content_html, now.content_html);

/** What a good update does (contract: article.updated, steps 5 and 6). */
export const UPDATE_RULES: readonly Rule[] = [
  ...rules({ section: 'article.updated', from: 2 }, ['request-accepted'], {
    'update-200': {
      says: 'An update that is based on the current revision is answered 200.',
      hint: REPLACE,
      needs: [
        'lookup-200',
        'lookup-target-id',
        'lookup-url-matches',
        'lookup-target-revision-id',
        'lookup-target-title',
        'lookup-target-content-html',
      ],
      check: async (session) => {
        const { answer } = await update(session);
        if (answer.status === 409) throw new Unmet('status 200', describe(answer), CURRENT);
        expectStatus(answer, 200);
      },
    },
    'update-no-redirect': {
      section: 'Request headers, Redirects',
      says: 'An update is answered without a redirect.',
      hint: 'Register the final URL; the service follows no redirect here.',
      check: async (session) => {
        const data = session.update(session.id('draft'), session.nowhere());
        expectNoRedirect(await session.send('article.updated', data));
      },
    },
  }),
  ...rules({ section: 'article.updated', from: 2, hint: ANSWER }, ['update-200'], {
    'update-received': {
      says: 'The answer to an update says received: true.',
      check: async (session) =>
        expectEqual('received', true, fieldsOf((await update(session)).answer).received),
    },
    'update-contract-version': {
      section: 'Versioning',
      says: 'The answer to an update says the contract_version that the answer to webhook.test says.',
      check: async (session) => {
        const { answer } = await update(session);
        expectEqual('contract_version', session.version, fieldsOf(answer).contract_version);
      },
    },
    'update-revision-echoed': {
      says: 'The answer to an update says the request’s revision_id.',
      check: async (session) => {
        const { data, answer } = await update(session);
        expectEqual('revision_id', data.revision_id, fieldsOf(answer).revision_id);
      },
    },
    'update-content': {
      says: 'After an update the answer to a lookup has the new content_html, unchanged.',
      hint: REPLACE,
      check: stored(sameHtml),
    },
    'update-title': {
      says: 'After an update the answer to a lookup has the new title.',
      hint: 'An update replaces all supported fields, the title too.',
      check: stored(
        (data, now) => expectSameText('title', data.title, now.title),
        (session) => ({ title: `Pressmark check: ${session.id('new title')}` }),
      ),
    },
    'update-revision-stored': {
      section: 'States and transitions',
      says: 'After an update the answer to a lookup has the request’s revision_id as the current revision.',
      hint: 'Store revision_id together with the content.',
      check: stored((data, now) => expectEqual('revision_id', data.revision_id, now.revision_id)),
    },
    'update-keeps-id': {
      says: 'An update keeps the stored id, although data.id is the draft’s.',
      hint: REPLACE,
      check: stored((data, now) => expectEqual('id', data.target_id, now.id)),
    },
    'update-keeps-url': {
      says: 'An update with another slug keeps the public URL.',
      hint: REPLACE,
      check: async (session) => {
        const { data, answer } = await update(session, { slug: session.id('another-slug') });
        expectStatus(answer, 200);
        const found = await session.send('article.lookup', { target_url: data.target_url });
        expectThat(found.status === 200, 'the article at its URL', describe(found));
      },
    },
    'update-inserts-nothing': {
      says: 'After an update with another slug no second article is there under that slug.',
      hint: 'Replace, never insert.',
      check: async (session) => {
        const slug = session.id('second-slug');
        const { data, answer } = await update(session, { slug });
        expectStatus(answer, 200);
        const old = (await session.stored('updated')).data.slug;
        if (!data.target_url.includes(old)) throw new NotChecked('the slug is not in the article’s URL');
        expectRefusal(
          await session.send('article.lookup', { target_url: data.target_url.replace(old, slug) }),
        );
      },
    },
    'update-chain': {
      says: 'An update can be followed by another one that is based on it.',
      hint: 'Compare base_revision_id with the revision that the last update stored.',
      check: async (session) => {
        const { data } = await update(session);
        const next = { ...data, id: session.id('draft'), base_revision_id: data.revision_id };
        const answer = await session.send('article.updated', { ...next, revision_id: next.id });
        expectStatus(answer, 200);
      },
    },
    'update-canonical-url': {
      section: 'article.updated data',
      says: 'target_url in its canonical form, without a trailing slash, names the article.',
      hint: 'Compare canonical URLs, as in a lookup.',
      check: async (session) => {
        const url = await updatedUrl(session);
        const { answer } = await update(session, { target_url: canonicalUrl(url) ?? url });
        expectStatus(answer, 200);
      },
    },
    'update-null-image': {
      section: 'Article',
      says: 'An update whose featured_image_url is null is accepted.', // that the image stays: page-image-kept
      hint: 'Leave the image alone where the update’s is null; never clear it, never refuse.',
      check: async (session) =>
        expectStatus((await update(session, { featured_image_url: null })).answer, 200),
    },
    'update-500-kb': {
      section: 'article.updated data',
      says: 'An update with a body of 500,000 characters is stored whole.',
      hint: 'Raise the limit of the column or of the body parser.',
      check: stored(sameHtml, (session) => ({ content_html: large(session.comment(session.id('large'))) })),
    },
    'update-line-ends': {
      level: 'should',
      says: 'An update’s line ends and white space come back as they were.',
      hint: 'Store content_html as it came.',
      check: stored(
        (data, now) => expectSameText('content_html', data.content_html, now.content_html),
        () => ({ content_html: ' <pre>one\r\ntwo\n\tthree</pre>\r\n ' }),
      ),
    },
    'update-unknown-fields': {
      section: 'Versioning',
      level: 'should',
      says: 'An update with fields that the contract does not name is not refused.',
      hint: 'Ignore fields that you do not know.',
      check: async (session) => {
        const data = { ...(await session.draft(await updatedUrl(session))), trial: { deep: [1] } };
        expectStatus(await session.send('article.updated', data, { envelope: { trial: 1 } }), 200);
      },
    },
  }),
];
