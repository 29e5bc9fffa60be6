import type { EventName } from '../../../contract/limits.js';
import { sampleTest } from '../../../sender/article/sample-event.js';
import { describe, expectSameHtml, expectThat } from '../../expect.js';
import { inEachCase, rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Overrides } from '../../transport/request.js';

const LIST = `
# Authentication, 3d; needs request-accepted
210 unsigned-invalid-json: An unsigned request whose body is empty or not JSON is answered 401, not 400.
212 unsigned-event: Each unsigned event is answered 401, even if it has other errors.
218 unsigned-redelivery (needs publish-accepted): An unsigned redelivery of a stored article is answered 401.
219 unsigned-publish-writes-nothing (V2; needs lookup-200): An unsigned publish stores nothing: the signed one that follows with the same id is a new article.
220 unsigned-update-writes-nothing (V2; needs lookup-200): An unsigned update of an article changes nothing.
  Verify the signature before you read the body in any other way; if it is wrong, answer 401 and stop.
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
  'unsigned-invalid-json': inEachCase({
    'bytes that are not JSON': refusedFirst('webhook.test', () => ({}), { body: () => '{"event":' }),
    'an empty body': refusedFirst('webhook.test', () => ({}), { body: () => '' }),
  }),
  'unsigned-event': inEachCase({
    'an unknown event': refusedFirst('webhook.test', () => ({}), { envelope: { event: 'article.unheard' } }),
    'contract_version 7': refusedFirst('webhook.test', (session) => sampleTest({ id: session.id('test') }), {
      envelope: { contract_version: 7 },
    }),
    'a lookup of nothing': refusedFirst('article.lookup', (session) => ({
      target_url: session.nowhere().url,
    })),
    'an update of nothing': refusedFirst('article.updated', (session) =>
      session.update(session.id('draft'), session.nowhere()),
    ),
    'a publish': refusedFirst('article.published', (session) => session.article(session.id('unsigned'))),
    'a publish without id': refusedFirst('article.published', (session) => ({
      ...session.article(session.id('unsigned')),
      id: undefined,
    })),
  }),
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
