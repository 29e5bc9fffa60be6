import { MAX_BODY_BYTES } from '../../../contract/limits.js';
import { expectErrorBody, expectRefusal, expectStatus, expectSuccess, isSuccess } from '../../expect.js';
import { targetFields } from '../../lookup-target.js';
import { rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Answer } from '../../transport/probe.js';
import type { Overrides } from '../../transport/request.js';
import { nothing } from '../lookup/lookup.js';

const LIST = `
# Errors; needs request-accepted
130 json-cut-off: Signed JSON that is cut off is answered 400.
131 json-empty: A signed request with an empty body is answered 400.
132 json-no-json: A signed body that is a form and no JSON is answered 400.
  Answer 400 where the verified body cannot be parsed.
133 json-null: The signed JSON value null is answered 400.
134 json-array: A signed JSON array is answered 400.
135 json-text: A signed JSON text is answered 400.
137 event-missing: A signed request without event is answered 400.
140 publish-data-missing: A publish without data is answered 400.
141 publish-data-null: A publish whose data is null is answered 400.
142 publish-id-missing: A publish without data.id is answered 400.
143 publish-id-empty: A publish whose data.id is empty is answered 400.
144 publish-id-number (should): A publish whose data.id is a number is answered 400.
145 publish-id-null: A publish whose data.id is null is answered 400.
146 publish-wrong-type (should): A publish whose content_html is not a text is answered 400.
147 publish-tags-null (Article; should): A publish whose tags are null is answered 400.
  Check the verified payload before you use it, and answer 400 with the name of the field.
136 json-invalid-utf8 (Request envelope; should): Signed bytes that are not UTF-8 are answered 400.
  Decode the body as strict UTF-8, and answer 400 where that fails.
138 event-unknown-refused (Events): An event that is not implemented fails with a status other than 2xx.
  Answer 400 to every event that you do not know; a 2xx says that it has landed.
139 event-unknown-400 (should): An event that is not implemented is answered 400.
  Answer 400 to every event that you do not know.
148 error-shape-401: A 401 carries {"error": message} as JSON.
149 error-shape-400: A 400 carries {"error": message} as JSON.
  Answer every refusal with a JSON object whose error says what was wrong.
150 lookup-not-acknowledged (article.updated): A lookup is never answered with a generic acknowledgement: a 2xx carries a target.
  Answer 400 to article.lookup as long as you do not implement it.
151 update-not-acknowledged (article.updated): An update that cannot be made is never answered with a generic acknowledgement.
  Answer 400 to article.updated as long as you do not implement it.

# Errors; should; needs request-accepted
236 too-large-413: A body of 1,000,001 bytes is answered 413.
237 too-large-chunked-413: A body of 1,000,001 bytes with chunked transfer encoding is answered 413.
  Count the bytes as they come, and answer 413 once there are more than 1,000,000.
238 largest-accepted (needs publish-accepted): A publish of exactly 1,000,000 bytes is accepted.
  Raise the limit of the body parser and of the proxy before it to 1,000,000 bytes.
`;

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

/** A webhook.test with a large body: no receiver stores anything of it. */
const tooLarge = (overrides: Overrides) => async (session: Session) =>
  expectStatus(await session.test({ ...overrides, body: padded(MAX_BODY_BYTES + 1) }), 413);

/** JSON with white space after it up to so many bytes. */
function padded(bytes: number): (json: string) => Buffer {
  return (json) => Buffer.concat([Buffer.from(json), Buffer.alloc(bytes - Buffer.byteLength(json), ' ')]);
}

/** Signed, but no valid request (contract: Errors). */
export const VALIDATION_RULES = rules(LIST, {
  'json-cut-off': bytes(() => '{"event":"webhook.test","data":'),
  'json-empty': bytes(() => ''),
  'json-no-json': bytes(() => 'event=webhook.test&id=1'),
  'json-null': bytes(() => 'null'),
  'json-array': bytes(() => '[]'),
  'json-text': bytes(() => '"webhook.test"'),
  'event-missing': async (session) =>
    expectStatus(await session.test({ envelope: { event: undefined } }), 400),
  'publish-data-missing': publish({}, { envelope: { data: undefined } }),
  'publish-data-null': publish({}, { envelope: { data: null } }),
  'publish-id-missing': publish({ id: undefined }),
  'publish-id-empty': publish({ id: '' }),
  'publish-id-number': publish({ id: 4711 }),
  'publish-id-null': publish({ id: null }),
  'publish-wrong-type': publish({ content_html: { html: 'no' } }),
  'publish-tags-null': publish({ tags: null }),
  'json-invalid-utf8': async (session) => expectStatus(await session.test({ body: notUtf8 }), 400),
  'event-unknown-refused': async (session) => expectRefusal(await unknown(session)),
  'event-unknown-400': async (session) => expectStatus(await unknown(session), 400),
  'error-shape-401': async (session) =>
    expectErrorBody(await session.send('webhook.test', {}, { signature: () => undefined })),
  'error-shape-400': async (session) =>
    expectErrorBody(await session.send('webhook.test', {}, { body: () => '{' })),
  'lookup-not-acknowledged': async (session) => {
    const answer = await nothing(session);
    if (isSuccess(answer)) targetFields(answer);
  },
  'update-not-acknowledged': async (session) =>
    expectRefusal(await session.send('article.updated', { id: session.id('draft') })),
  'too-large-413': tooLarge({}),
  'too-large-chunked-413': tooLarge({ chunked: true }),
  'largest-accepted': async (session) => {
    const data = session.article(session.id('largest'));
    expectSuccess(await session.send('article.published', data, { body: padded(MAX_BODY_BYTES) }));
  },
});

function unknown(session: Session): Promise<Answer> {
  return session.send('webhook.test', {}, { envelope: { event: 'article.unheard' } });
}
