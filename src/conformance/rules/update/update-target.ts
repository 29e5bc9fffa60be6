import {
  describe,
  expectRefusal,
  expectStatus,
  expectThat,
  fieldsOf,
  isSuccess,
  shown,
} from '../../expect.js';
import { type Rule, rules } from '../../rule.js';
import { update } from './update.js';
import { nowhere, untouched, wrong } from './update-form.js';

const SAME = 'Find the article by target_id, and compare its canonical URL with target_url.';

/** Updates whose parts do not name one article (contract: article.updated, step 2). */
export const UPDATE_TARGET_RULES: readonly Rule[] = rules(
  { section: 'article.updated, 2', from: 2, needs: ['update-200'] },
  [
    {
      id: 'update-id-not-revision',
      says: 'An update whose data.id is not its revision_id is refused and changes nothing.',
      hint: 'Compare data.id with data.revision_id before you write.',
      check: untouched((_, session) => ({ revision_id: session.id('other-revision') })),
    },
    {
      id: 'update-target-unknown',
      says: 'An update of an article that is not there is refused, and not with 409.',
      hint: 'Answer 404 where there is no such article; 409 is for a stale revision alone.',
      check: async (session) => {
        const answer = await wrong(session, () => nowhere(session));
        const right = !isSuccess(answer) && answer.status !== 409;
        expectThat(right, 'a refusal other than 409', describe(answer));
      },
    },
    {
      id: 'update-target-404',
      section: 'Errors',
      level: 'should',
      says: 'An update of an article that is not there is answered 404.',
      hint: SAME,
      check: async (session) => expectStatus(await wrong(session, () => nowhere(session)), 404),
    },
    {
      id: 'update-target-id-of-another',
      says: 'The id of one article with the URL of another is refused, and the article at the URL stays as it was.',
      hint: SAME,
      check: async (session) => {
        const other = await session.lookup((await session.stored('main')).url());
        await untouched(() => ({ target_id: other.id }))(session);
      },
    },
    {
      id: 'update-target-url-of-another',
      says: 'The URL of one article with the id of another is refused, and the article with the id stays as it was.',
      hint: SAME,
      check: async (session) => {
        const other = await session.lookup((await session.stored('main')).url());
        await untouched(() => ({ target_url: other.url }))(session);
      },
    },
    {
      id: 'update-target-url-elsewhere',
      says: 'The right id with a URL on another host is refused and changes nothing.',
      hint: SAME,
      check: untouched(({ target_url }) => ({
        target_url: target_url.replace(new URL(target_url).host, 'other.example'),
      })),
    },
    {
      id: 'update-id-before-retry',
      says: 'Whether data.id is the revision_id is looked at before whether the update is a retry.',
      hint: 'Keep to the order of the contract: a wrong request is refused even if its revision is the current one.',
      check: async (session) => {
        const { data } = await update(session);
        expectRefusal(await session.send('article.updated', { ...data, id: session.id('other-id') }));
      },
    },
    {
      id: 'update-target-before-retry',
      says: 'Whether the target is right is looked at before whether the update is a retry.',
      hint: 'Keep to the order of the contract: the target first, then the revisions.',
      check: async (session) => {
        const { data } = await update(session);
        expectRefusal(
          await session.send('article.updated', { ...data, ...nowhere(session), target_id: data.target_id }),
        );
      },
    },
    {
      id: 'update-target-before-base',
      says: 'A wrong target with a stale base is refused for the target, not with 409: that would end the retries.',
      hint: 'Keep to the order of the contract: the target first, then the revisions.',
      check: async (session) => {
        const over = { target_url: 'https://nowhere.example/none/', base_revision_id: session.id('stale') };
        const answer = await wrong(session, () => over);
        const right = !isSuccess(answer) && answer.status !== 409;
        expectThat(right, 'a refusal other than 409', describe(answer));
      },
    },
    {
      id: 'error-shape-409',
      section: 'Errors',
      says: 'A 409 carries {"error": message} as JSON.',
      hint: 'Answer {"error": "Article revision conflict"}.',
      needs: ['update-stale-409'],
      check: async (session) => {
        const answer = await wrong(session, () => ({ base_revision_id: session.id('stale') }));
        const { error } = fieldsOf(answer);
        expectThat(
          typeof error === 'string' && error !== '',
          'a nonempty text error',
          `error ${shown(error)}`,
        );
      },
    },
  ],
);
