import { describe, expectThat } from '../../expect.js';
import { type Rule, rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Overrides } from '../../transport/request.js';

/** The answer has to be the one that an ordinary `webhook.test` gets. */
const taken = (overrides: Overrides, over?: Record<string, unknown>) => async (session: Session) => {
  const answer = await session.test(overrides, over);
  const { status } = await session.firstTest();
  expectThat(answer.status === status, `status ${status}, as without this change`, describe(answer));
};

const RAW =
  'Compute the signature over the bytes as they came; JSON that is parsed and written again has other bytes.';

/** What signs the raw bytes has to be accepted, however they look; headers besides the signature decide nothing. */
export const RAW_BYTES_RULES: readonly Rule[] = [
  ...rules({ section: 'Authentication, 3a' }, ['request-accepted'], {
    'raw-spacing': {
      says: 'JSON with white space in it, signed as it is sent, is accepted.',
      hint: RAW,
      check: taken({ body: (json) => JSON.stringify(JSON.parse(json), undefined, 2) }),
    },
    'raw-line-end': {
      says: 'JSON with a line end after it, signed as it is sent, is accepted.',
      hint: 'Do not trim the body before you compute the signature.',
      check: taken({ body: (json) => `${json}\n` }),
    },
    'raw-escapes': {
      says: 'JSON with escaped characters, signed as it is sent, is accepted.',
      hint: RAW,
      check: taken({ body: (json) => json.replace('connection', '\\u0063onnection') }),
    },
    'raw-unicode': {
      section: 'Request envelope',
      says: 'JSON with characters outside ASCII in UTF-8, signed as it is sent, is accepted.',
      hint: 'Compute the signature over the bytes, not over a text in another encoding.',
      check: taken({}, { message: 'Grüße, 世界 🌍' }),
    },
    'raw-pieces': {
      says: 'A body that arrives in two pieces is accepted.',
      hint: 'Read the body to its end before you compute the signature.',
      check: taken({ pieces: true }),
    },
    'raw-chunked': {
      level: 'should',
      says: 'A body with chunked transfer encoding is accepted.',
      hint: 'Read the body to its end rather than as many bytes as Content-Length says.',
      check: taken({ chunked: true, pieces: true }),
    },
    'header-names-any-case': {
      section: 'Request headers',
      level: 'should',
      says: 'The names of headers count in any case.',
      hint: 'HTTP’s header names have no case; a proxy may change it.',
      check: taken({ capitals: true }),
    },
  }),
  ...rules({ section: 'Request headers' }, ['request-accepted'], {
    'event-body-decides': {
      says: 'The body’s event decides, not X-Service-Event.',
      hint: 'Dispatch on the event in the verified body; the header is not signed.',
      check: taken({ headers: ({ event }) => ({ [event]: 'article.lookup' }) }),
    },
    'header-event-absent': {
      level: 'should',
      says: 'A request without X-Service-Event is served all the same.',
      hint: 'Dispatch on the event in the verified body; the header is not signed.',
      check: taken({ headers: ({ event }) => ({ [event]: undefined }) }),
    },
    'header-timestamp-absent': {
      level: 'should',
      says: 'A request without X-Service-Timestamp is served all the same.',
      hint: 'The header is not signed; where you keep a replay window, use the body’s timestamp.',
      check: taken({ headers: ({ timestamp }) => ({ [timestamp]: undefined }) }),
    },
    'header-contract-absent': {
      level: 'should',
      from: 2,
      says: 'A test without X-Service-Contract is served all the same: its body says contract_version 2.',
      hint: 'Look at contract_version in the verified body; the header is not signed.',
      check: taken({ headers: ({ contract }) => ({ [contract]: undefined }) }),
    },
    'header-unknown': {
      level: 'should',
      says: 'A header that the contract does not name changes nothing.',
      hint: 'Proxies add headers; look only at those that you need.',
      check: taken({ headers: () => ({ 'X-Forwarded-For': '192.0.2.1', 'X-Trial': 'yes' }) }),
    },
    'content-type-charset': {
      level: 'should',
      says: 'Content-Type: application/json; charset=utf-8 is accepted.',
      hint: 'Compare the media type without its parameters.',
      check: taken({ headers: () => ({ 'Content-Type': 'application/json; charset=utf-8' }) }),
    },
  }),
];
