import type { EventName } from '../../../contract/limits.js';
import { sampleTest } from '../../../sender/article/sample-event.js';
import { describe, expectSameHtml, expectThat } from '../../expect.js';
import { rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Overrides } from '../../transport/request.js';

const LIST = `
# Authentication, 3d; needs request-accepted
210 unsigned-invalid-json: Unsigned bytes that are not JSON are answered 401, not 400.
211 unsigned-empty-body: An unsigned request without a body is answered 401, not 400.
212 unsigned-unknown-event: An unsigned request with an unknown event is answered 401, not 400.
213 unsigned-test: An unsigned webhook.test with a wrong contract_version is answered 401, not 400.
214 unsigned-lookup: An unsigned lookup of a URL where nothing is gets 401, not 404.
215 unsigned-update: An unsigned update of an article that is not there gets 401, not 404 or 409.
216 unsigned-publish: An unsigned publish is answered 401.
217 unsigned-publish-without-id: An unsigned publish without data.id is answered 401, not 400.
218 unsigned-redelivery (needs publish-accepted): An unsigned redelivery of an article that is stored is answered 401.
219 unsigned-publish-writes-nothing (V2; needs lookup-200): An unsigned publish stores nothing: the signed one that follows with the same id is a new article.
220 unsigned-update-writes-nothing (V2; needs lookup-200): An unsigned update of an article changes nothing.
  Verify the signature before anything else looks at the body; answer 401 and stop.
`;

const unsigned: Overrides = { signature: () => undefined };

const refusedFirst =
  (event: EventName, data: (session: Session) => object, overrides: Overrides = {}) =>
  async (session: Session) => {
    const answer = await session.send(event, data(session), { ...unsigned, ...overrides });
    expectThat(answer.status === 401, 'status 401, before anything else', describe(answer));
  };

/** On a mismatch: 401 before parsing, looking up or writing (contract: Authentication, 3d). */
export const ORDER_RULES = rules(LIST, {
  'unsigned-invalid-json': refusedFirst('webhook.test', () => ({}), { body: () => '{"event":' }),
  'unsigned-empty-body': refusedFirst('webhook.test', () => ({}), { body: () => '' }),
  'unsigned-unknown-event': refusedFirst('webhook.test', () => ({}), {
    envelope: { event: 'article.unheard' },
  }),
  'unsigned-test': refusedFirst('webhook.test', (session) => sampleTest({ id: session.id('test') }), {
    envelope: { contract_version: 7 },
  }),
  'unsigned-lookup': refusedFirst('article.lookup', (session) => ({ target_url: session.nowhere().url })),
  'unsigned-update': refusedFirst('article.updated', (session) =>
    session.update(session.id('draft'), session.nowhere()),
  ),
  'unsigned-publish': refusedFirst('article.published', (session) => session.article(session.id('unsigned'))),
  'unsigned-publish-without-id': refusedFirst('article.published', (session) => ({
    ...session.article(session.id('unsigned')),
    id: undefined,
  })),
  'unsigned-redelivery': async (session) => {
    const { data } = await session.main();
    await refusedFirst('article.published', () => data)(session);
  },
  'unsigned-publish-writes-nothing': async (session) => {
    const data = session.article(session.id('forged'));
    const forged = { ...data, content_html: '<p>Forged</p>' };
    await session.send('article.published', forged, unsigned);
    const { content_html } = await session.lookup((await session.publish(data)).url());
    expectSameHtml('content_html of the signed publish', data.content_html, content_html);
  },
  'unsigned-update-writes-nothing': async (session) => {
    const url = (await session.main()).url();
    const draft = await session.draft(url);
    await session.unchangedBy(url, () => session.send('article.updated', draft, unsigned));
  },
});
