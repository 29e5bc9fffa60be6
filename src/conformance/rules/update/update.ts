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
import { rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Answer } from '../../transport/probe.js';
import { large } from '../publish/content.js';

const LIST = `
# article.updated; V2; needs request-accepted
93 update-200 (needs lookup-target lookup-url-matches): An update based on the current revision is answered 200.
  Replace content and revision of the stored article in one transaction; keep its id, slug and URL.
152 update-no-redirect (Request headers, Redirects): An update is answered without a redirect.
  Register the final URL; the service follows no redirect here.

# article.updated; V2; needs update-200
153 update-answer: The answer to an update has received: true, the contract_version of the answer to webhook.test, and the request’s revision_id.
  Answer {"received": true, "contract_version": 3, "revision_id": …} with the request’s revision_id.
94 update-content: After an update the answer to a lookup has the new content_html, unchanged.
158 update-keeps-id: An update keeps the stored id: data.id is the id of the draft.
159 update-keeps-url: An update with another slug keeps the public URL.
  Replace content and revision of the stored article in one transaction; keep its id, slug and URL.
156 update-title: After an update the answer to a lookup has the new title.
  An update replaces all supported fields, the title too.
157 update-revision-stored (States and transitions): After an update the answer to a lookup has the request’s revision_id as the current revision.
  Store revision_id together with the content.
160 update-inserts-nothing: An update with another slug creates no second article at that slug.
  Replace, never insert.
161 update-chain: A second update can be based on the first.
  Compare base_revision_id with the revision of the last update.
162 update-canonical-url (article.updated data): target_url in its canonical form, without a trailing slash, names the article.
  Compare canonical URLs, as in a lookup.
163 update-null-image (Article): An update whose featured_image_url is null is accepted.
  Keep the image if the update’s image is null: neither clear it nor refuse the update.
164 update-500-kb (article.updated data): An update with a body of 500,000 characters is stored whole.
  Raise the limit of the column or of the body parser.
166 update-unknown-fields (Versioning; should): An update with fields that the contract does not name is not refused.
  Ignore fields that you do not know.
`;

const CURRENT =
  'The update is based on the revision in the lookup’s answer: answer the stored revision to a lookup, and store revision_id with each update.';

/** The URL of the article that this run updates. */
export const updatedUrl = async (session: Session): Promise<string> =>
  (await session.stored('updated')).url();

/** A valid update of that article, with its answer. */
export async function update(
  session: Session,
  over: Partial<UpdateData> = {},
): Promise<{ data: UpdateData; answer: Answer }> {
  const data = await session.draft(await updatedUrl(session), over);
  return { data, answer: await session.send('article.updated', data) };
}

/** Expects the answer of step 6. @throws Unmet */
export function expectUpdated(session: Session, data: UpdateData, answer: Answer): void {
  expectStatus(answer, 200);
  const { received, contract_version, revision_id } = fieldsOf(answer);
  expectEqual('received', true, received);
  expectEqual('contract_version', session.version, contract_version);
  expectEqual('revision_id', data.revision_id, revision_id);
}

/** Compares the lookup after a valid update with that update. */
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

/** The effects of a valid update (contract: article.updated, steps 5 and 6). */
export const UPDATE_RULES = rules(LIST, {
  'update-200': async (session) => {
    const { answer } = await update(session);
    if (answer.status === 409) throw new Unmet('status 200', describe(answer), CURRENT);
    expectStatus(answer, 200);
  },
  'update-no-redirect': async (session) => {
    const data = session.update(session.id('draft'), session.nowhere());
    expectNoRedirect(await session.send('article.updated', data));
  },
  'update-answer': async (session) => {
    const { data, answer } = await update(session);
    expectUpdated(session, data, answer);
  },
  'update-content': stored(sameHtml),
  'update-keeps-id': stored((data, now) => expectEqual('id', data.target_id, now.id)),
  'update-keeps-url': async (session) => {
    const { data, answer } = await update(session, { slug: session.id('another-slug') });
    expectStatus(answer, 200);
    const found = await session.send('article.lookup', { target_url: data.target_url });
    expectThat(found.status === 200, 'the article at its URL', describe(found));
  },
  'update-title': stored(
    (data, now) => expectSameText('title', data.title, now.title),
    (session) => ({ title: `Pressmark check: ${session.id('new title')}` }),
  ),
  'update-revision-stored': stored((data, now) =>
    expectEqual('revision_id', data.revision_id, now.revision_id),
  ),
  'update-inserts-nothing': async (session) => {
    const slug = session.id('second-slug');
    const { data, answer } = await update(session, { slug });
    expectStatus(answer, 200);
    const old = (await session.stored('updated')).data.slug;
    if (!data.target_url.includes(old)) throw new NotChecked('the slug is not in the article’s URL');
    expectRefusal(await session.send('article.lookup', { target_url: data.target_url.replace(old, slug) }));
  },
  'update-chain': async (session) => {
    const { data } = await update(session);
    const next = { ...data, id: session.id('draft'), base_revision_id: data.revision_id };
    const answer = await session.send('article.updated', { ...next, revision_id: next.id });
    expectStatus(answer, 200);
  },
  'update-canonical-url': async (session) => {
    const url = await updatedUrl(session);
    const { answer } = await update(session, { target_url: canonicalUrl(url) ?? url });
    expectStatus(answer, 200);
  },
  // page-image-kept checks that the image stays
  'update-null-image': async (session) =>
    expectStatus((await update(session, { featured_image_url: null })).answer, 200),
  'update-500-kb': stored(sameHtml, (session) => ({
    content_html: large(session.comment(session.id('large'))),
  })),
  'update-unknown-fields': async (session) => {
    const data = { ...(await session.draft(await updatedUrl(session))), trial: { deep: [1] } };
    expectStatus(await session.send('article.updated', data, { envelope: { trial: 1 } }), 200);
  },
});
