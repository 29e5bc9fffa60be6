import type { LookupTarget } from '../../../contract/answers.js';
import {
  describe,
  expectErrorBody,
  expectRefusal,
  expectStatus,
  expectThat,
  isSuccess,
} from '../../expect.js';
import { rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Answer } from '../../transport/probe.js';
import { update } from './update.js';
import { nowhere, untouched, wrong } from './update-form.js';

const LIST = `
# article.updated, 2; V2; needs update-200
183 update-id-not-revision: An update whose data.id differs from its revision_id is refused and changes nothing.
  Compare data.id with data.revision_id before you write.
184 update-target-unknown: An update of an unknown article is refused, but not with 409.
  Answer 404 if no such article exists; 409 means a stale revision.
185 update-target-404 (Errors; should): An update of an unknown article is answered 404.
186 update-target-id-of-another: An update with the id of one article and the URL of another is refused, and does not change the article at the URL.
187 update-target-url-of-another: An update with the URL of one article and the id of another is refused, and does not change the article with the id.
188 update-target-url-elsewhere: An update with the right id and a URL on another host is refused and changes nothing.
  Find the article by target_id, and compare its canonical URL with target_url.
189 update-id-before-retry: A retry whose data.id differs from its revision_id is refused.
  Check in the contract’s order: a wrong request is refused even if its revision is the current one.
190 update-target-before-retry: A retry with a wrong target is refused.
191 update-target-before-base: An update with a wrong target and a stale base is not answered 409, which would end the retries.
  Check in the contract’s order: the target before the revisions.
193 error-shape-409 (Errors; needs update-stale-409): A 409 carries {"error": message} as JSON.
  Answer {"error": "Article revision conflict"}.
`;

/** Sends an update with a part of another article in it. */
const ofAnother = (over: (other: LookupTarget) => object) => async (session: Session) => {
  const other = await session.lookup((await session.main()).url());
  await untouched(() => over(other))(session);
};

/** Updates whose parts name different articles (contract: article.updated, step 2). */
export const UPDATE_TARGET_RULES = rules(LIST, {
  'update-id-not-revision': untouched((_, session) => ({ revision_id: session.id('other-revision') })),
  'update-target-unknown': async (session) => {
    expectNoConflict(await wrong(session, () => nowhere(session)));
  },
  'update-target-404': async (session) => expectStatus(await wrong(session, () => nowhere(session)), 404),
  'update-target-id-of-another': ofAnother(({ id }) => ({ target_id: id })),
  'update-target-url-of-another': ofAnother(({ url }) => ({ target_url: url })),
  'update-target-url-elsewhere': untouched(({ target_url }) => ({
    target_url: target_url.replace(new URL(target_url).host, 'other.example'),
  })),
  'update-id-before-retry': async (session) => {
    const { data } = await update(session);
    expectRefusal(await session.send('article.updated', { ...data, id: session.id('other-id') }));
  },
  'update-target-before-retry': async (session) => {
    const { data } = await update(session);
    expectRefusal(
      await session.send('article.updated', { ...data, ...nowhere(session), target_id: data.target_id }),
    );
  },
  'update-target-before-base': async (session) => {
    const over = { target_url: session.nowhere().url, base_revision_id: session.id('stale') };
    expectNoConflict(await wrong(session, () => over));
  },
  'error-shape-409': async (session) => {
    expectErrorBody(await wrong(session, () => ({ base_revision_id: session.id('stale') })));
  },
});

/** Expects a refusal that allows retries: a 409 would end them. */
function expectNoConflict(answer: Answer): void {
  expectThat(!isSuccess(answer) && answer.status !== 409, 'a refusal other than 409', describe(answer));
}
