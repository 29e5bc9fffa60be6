import type { EventName } from '../../../contract/limits.js';
import { sampleTest } from '../../../sender/article/sample-event.js';
import { describe, expectSameHtml, expectThat } from '../../expect.js';
import { rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Overrides } from '../../transport/request.js';

const FIRST = 'Verify the signature before anything else looks at the body; answer 401 and stop.';
const unsigned: Overrides = { signature: () => undefined };

const refusedFirst =
  (event: EventName, data: (session: Session) => object, overrides: Overrides = {}) =>
  async (session: Session) => {
    const answer = await session.send(event, data(session), { ...unsigned, ...overrides });
    expectThat(answer.status === 401, 'status 401, before anything else', describe(answer));
  };

/** On a mismatch: 401 before parsing, looking up or writing (contract: Authentication, 3d). */
export const ORDER_RULES = rules({ section: 'Authentication, 3d', hint: FIRST }, ['request-accepted'], {
  'unsigned-invalid-json': {
    says: 'Unsigned bytes that are not JSON are answered 401, not 400.',
    check: refusedFirst('webhook.test', () => ({}), { body: () => '{"event":' }),
  },
  'unsigned-empty-body': {
    says: 'An unsigned request without a body is answered 401, not 400.',
    check: refusedFirst('webhook.test', () => ({}), { body: () => '' }),
  },
  'unsigned-unknown-event': {
    says: 'An unsigned request with an unknown event is answered 401, not 400.',
    check: refusedFirst('webhook.test', () => ({}), { envelope: { event: 'article.unheard' } }),
  },
  'unsigned-test': {
    says: 'An unsigned webhook.test with a wrong contract_version is answered 401, not 400.',
    check: refusedFirst('webhook.test', (session) => sampleTest({ id: session.id('test') }), {
      envelope: { contract_version: 7 },
    }),
  },
  'unsigned-lookup': {
    says: 'An unsigned lookup of a URL where nothing is gets 401, not 404.',
    check: refusedFirst('article.lookup', (session) => ({ target_url: session.nowhere().url })),
  },
  'unsigned-update': {
    says: 'An unsigned update of an article that is not there gets 401, not 404 or 409.',
    check: refusedFirst('article.updated', (session) =>
      session.update(session.id('draft'), session.nowhere()),
    ),
  },
  'unsigned-publish': {
    says: 'An unsigned publish is answered 401.',
    check: refusedFirst('article.published', (session) => session.article(session.id('unsigned'))),
  },
  'unsigned-publish-without-id': {
    says: 'An unsigned publish without data.id is answered 401, not 400.',
    check: refusedFirst('article.published', (session) => ({
      ...session.article(session.id('unsigned')),
      id: undefined,
    })),
  },
  'unsigned-redelivery': {
    says: 'An unsigned redelivery of an article that is stored is answered 401.',
    needs: ['publish-accepted'],
    check: async (session) => {
      const { data } = await session.main();
      await refusedFirst('article.published', () => data)(session);
    },
  },
  'unsigned-publish-writes-nothing': {
    from: 2,
    says: 'An unsigned publish stores nothing: the signed one that follows with the same id is a new article.',
    needs: ['lookup-200'],
    check: async (session) => {
      const data = session.article(session.id('forged'));
      const forged = { ...data, content_html: '<p>Forged</p>' };
      await session.send('article.published', forged, unsigned);
      const { content_html } = await session.lookup((await session.publish(data)).url());
      expectSameHtml('content_html of the signed publish', data.content_html, content_html);
    },
  },
  'unsigned-update-writes-nothing': {
    from: 2,
    says: 'An unsigned update of an article changes nothing.',
    needs: ['lookup-200'],
    check: async (session) => {
      const url = (await session.main()).url();
      const draft = await session.draft(url);
      await session.unchangedBy(url, () => session.send('article.updated', draft, unsigned));
    },
  },
});
