import { MAX_BODY_BYTES } from '../../../contract/limits.js';
import { expectErrorBody, expectRefusal, expectStatus, expectSuccess, isSuccess } from '../../expect.js';
import { targetFields } from '../../lookup-target.js';
import { inEachCase, rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Answer } from '../../transport/probe.js';
import type { Overrides } from '../../transport/request.js';
import { nothing } from '../lookup/lookup.js';

const LIST = `
# Errors; needs request-accepted
130 json-cut-off: Signed JSON that is cut off, a signed form and an empty body are answered 400.
  Answer 400 if the verified body cannot be parsed.
133 json-null: The signed JSON value null, an array and a text are answered 400.
137 event-missing: A signed request without event is answered 400.
140 publish-data-missing: A publish whose data is missing or null is answered 400.
142 publish-id-missing: A publish whose data.id is missing, empty or null is answered 400.
146 publish-wrong-type (should): A publish is answered 400 if its data.id is a number, its content_html not a text or its tags null.
  Check the verified payload before you use it, and answer 400 with the name of the field.
136 json-invalid-utf8 (Request envelope; should): Signed bytes that are not UTF-8 are answered 400.
  Decode the body as strict UTF-8, and answer 400 if that fails.
138 event-unknown-refused (Events): An event that is not implemented fails with a status other than 2xx.
  Answer 400 to every unknown event: the service takes a 2xx for success.
139 event-unknown-400 (should): An event that is not implemented is answered 400.
  Answer 400 to every unknown event.
148 error-shape-401: A 401 carries {"error": message} as JSON.
149 error-shape-400: A 400 carries {"error": message} as JSON.
  Answer every refusal with a JSON object whose error says what was wrong.
150 lookup-not-acknowledged (article.updated): A lookup is never answered with a generic acknowledgement: a 2xx carries a target.
  Answer 400 to article.lookup until you implement it.
151 update-not-acknowledged (article.updated): An update that cannot be applied is never answered with a generic acknowledgement.
  Answer 400 to article.updated until you implement it.

# Errors; should; needs request-accepted
236 too-large-413: A body of 1,000,001 bytes is answered 413.
237 too-large-chunked-413: A body of 1,000,001 bytes with chunked transfer encoding is answered 413.
  Count the bytes as they arrive, and answer 413 above 1,000,000.
238 largest-accepted (needs publish-accepted): A publish of exactly 1,000,000 bytes is accepted.
  Raise the limit of the body parser and of the proxy before it to 1,000,000 bytes.
`;

/** Sends signed bytes instead of a webhook.test: even a receiver that accepts them has nothing to write. */
const bytes = (text: string) => async (session: Session) =>
  expectStatus(await session.send('webhook.test', {}, { body: () => text }), 400);

/** JSON whose only fault is a byte that is not UTF-8 in one of its texts. */
function notUtf8(json: string): Buffer {
  const [before = '', after = ''] = json.split('connection');
  return Buffer.concat([Buffer.from(before), Buffer.of(0xff), Buffer.from(after)]);
}

/** Sends a signed but invalid publish. */
const publish =
  (over: Record<string, unknown>, overrides: Overrides = {}) =>
  async (session: Session) => {
    const data = { ...session.article(session.id('invalid')), ...over };
    expectStatus(await session.send('article.published', data, overrides), 400);
  };

/** Sends a webhook.test with a large body, of which no receiver stores anything. */
const tooLarge = (overrides: Overrides) => async (session: Session) =>
  expectStatus(await session.test({ ...overrides, body: padded(MAX_BODY_BYTES + 1) }), 413);

/** Pads JSON with white space to a number of bytes. */
function padded(bytes: number): (json: string) => Buffer {
  return (json) => Buffer.concat([Buffer.from(json), Buffer.alloc(bytes - Buffer.byteLength(json), ' ')]);
}

/** Signed but invalid requests (contract: Errors). */
export const VALIDATION_RULES = rules(LIST, {
  'json-cut-off': inEachCase({
    'JSON that is cut off': bytes('{"event":"webhook.test","data":'),
    'an empty body': bytes(''),
    'a form': bytes('event=webhook.test&id=1'),
  }),
  'json-null': inEachCase({
    null: bytes('null'),
    'an array': bytes('[]'),
    'a text': bytes('"webhook.test"'),
  }),
  'event-missing': async (session) =>
    expectStatus(await session.test({ envelope: { event: undefined } }), 400),
  'publish-data-missing': inEachCase({
    'no data': publish({}, { envelope: { data: undefined } }),
    'data null': publish({}, { envelope: { data: null } }),
  }),
  'publish-id-missing': inEachCase({
    'no id': publish({ id: undefined }),
    'an empty id': publish({ id: '' }),
    'id null': publish({ id: null }),
  }),
  'publish-wrong-type': inEachCase({
    'a number as id': publish({ id: 4711 }),
    'a map as content_html': publish({ content_html: { html: 'no' } }),
    'tags null': publish({ tags: null }),
  }),
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
