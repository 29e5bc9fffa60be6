import { ERROR_BODY, expectErrorBody, expectRefusal, expectStatus, isSuccess } from '../../expect.js';
import { targetFields } from '../../lookup-target.js';
import { rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Answer } from '../../transport/probe.js';
import type { Overrides } from '../../transport/request.js';
import { nothing } from '../lookup/lookup.js';

const PARSE = 'Answer 400 where the verified body cannot be parsed.';
const CHECK = 'Check the verified payload before you use it, and answer 400 with the name of the field.';

/** Signed bytes in the place of a webhook.test: even a receiver that takes them has nothing to write. */
const bytes = (body: () => string) => async (session: Session) =>
  expectStatus(await session.send('webhook.test', {}, { body }), 400);

/** JSON with a byte in one of its texts that is no UTF-8; nothing else is wrong with it. */
function notUtf8(json: string): Buffer {
  const [before = '', after = ''] = json.split('connection');
  return Buffer.concat([Buffer.from(before), Buffer.of(0xff), Buffer.from(after)]);
}

/** A publish that is signed but wrong. */
const publish =
  (over: Record<string, unknown>, overrides: Overrides = {}) =>
  async (session: Session) => {
    const data = { ...session.article(session.id('invalid')), ...over };
    expectStatus(await session.send('article.published', data, overrides), 400);
  };

/** Signed, but no valid payload: 400 (contract: Errors). */
export const VALIDATION_RULES = rules({ section: 'Errors', hint: CHECK }, ['request-accepted'], {
  'json-cut-off': {
    says: 'Signed JSON that is cut off is answered 400.',
    hint: PARSE,
    check: bytes(() => '{"event":"webhook.test","data":'),
  },
  'json-empty': {
    says: 'A signed request with an empty body is answered 400.',
    hint: PARSE,
    check: bytes(() => ''),
  },
  'json-no-json': {
    says: 'A signed body that is a form and no JSON is answered 400.',
    hint: PARSE,
    check: bytes(() => 'event=webhook.test&id=1'),
  },
  'json-null': {
    says: 'The signed JSON value null is answered 400.',
    check: bytes(() => 'null'),
  },
  'json-array': { says: 'A signed JSON array is answered 400.', check: bytes(() => '[]') },
  'json-text': {
    says: 'A signed JSON text is answered 400.',
    check: bytes(() => '"webhook.test"'),
  },
  'json-invalid-utf8': {
    level: 'should',
    section: 'Request envelope',
    says: 'Signed bytes that are not UTF-8 are answered 400.',
    hint: 'Decode the body as strict UTF-8, and answer 400 where that fails.',
    check: async (session) => expectStatus(await session.test({ body: notUtf8 }), 400),
  },
  'event-missing': {
    says: 'A signed request without event is answered 400.',
    check: async (session) => expectStatus(await session.test({ envelope: { event: undefined } }), 400),
  },
  'event-unknown-refused': {
    section: 'Events',
    says: 'An event that is not implemented fails with a status other than 2xx.',
    hint: 'Answer 400 to every event that you do not know; a 2xx says that it has landed.',
    check: async (session) => expectRefusal(await unknown(session)),
  },
  'event-unknown-400': {
    level: 'should',
    says: 'An event that is not implemented is answered 400.',
    hint: 'Answer 400 to every event that you do not know.',
    check: async (session) => expectStatus(await unknown(session), 400),
  },
  'publish-data-missing': {
    says: 'A publish without data is answered 400.',
    check: publish({}, { envelope: { data: undefined } }),
  },
  'publish-data-null': {
    says: 'A publish whose data is null is answered 400.',
    check: publish({}, { envelope: { data: null } }),
  },
  'publish-id-missing': {
    says: 'A publish without data.id is answered 400.',
    check: publish({ id: undefined }),
  },
  'publish-id-empty': {
    says: 'A publish whose data.id is empty is answered 400.',
    check: publish({ id: '' }),
  },
  'publish-id-number': {
    level: 'should',
    says: 'A publish whose data.id is a number is answered 400.',
    check: publish({ id: 4711 }),
  },
  'publish-id-null': {
    says: 'A publish whose data.id is null is answered 400.',
    check: publish({ id: null }),
  },
  'publish-wrong-type': {
    level: 'should',
    says: 'A publish whose content_html is not a text is answered 400.',
    check: publish({ content_html: { html: 'no' } }),
  },
  'publish-tags-null': {
    level: 'should',
    section: 'Article',
    says: 'A publish whose tags are null is answered 400.',
    check: publish({ tags: null }),
  },
  'error-shape-401': {
    says: 'A 401 carries {"error": message} as JSON.',
    hint: ERROR_BODY,
    check: async (session) =>
      expectErrorBody(await session.send('webhook.test', {}, { signature: () => undefined })),
  },
  'error-shape-400': {
    says: 'A 400 carries {"error": message} as JSON.',
    hint: ERROR_BODY,
    check: async (session) => expectErrorBody(await session.send('webhook.test', {}, { body: () => '{' })),
  },
  'lookup-not-acknowledged': {
    section: 'article.updated',
    says: 'A lookup is never answered with a generic acknowledgement: a 2xx carries a target.',
    hint: 'Answer 400 to article.lookup as long as you do not implement it.',
    check: async (session) => {
      const answer = await nothing(session);
      if (isSuccess(answer)) targetFields(answer);
    },
  },
  'update-not-acknowledged': {
    section: 'article.updated',
    says: 'An update that cannot be made is never answered with a generic acknowledgement.',
    hint: 'Answer 400 to article.updated as long as you do not implement it.',
    check: async (session) =>
      expectRefusal(await session.send('article.updated', { id: session.id('draft') })),
  },
});

function unknown(session: Session): Promise<Answer> {
  return session.send('webhook.test', {}, { envelope: { event: 'article.unheard' } });
}
