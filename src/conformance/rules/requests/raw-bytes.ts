import { describe, expectThat, isSuccess, Unmet } from '../../expect.js';
import { rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Overrides } from '../../transport/request.js';
import { nothing } from '../lookup/lookup.js';

const LIST = `
# Authentication, 3a; needs request-accepted
24 raw-spacing: Signed JSON that contains white space is accepted.
26 raw-escapes: Signed JSON that contains escaped characters is accepted.
  Compute the signature over the raw bytes: JSON that is parsed and written again has other bytes.
25 raw-line-end: Signed JSON that ends with a line end is accepted.
  Do not trim the body before you compute the signature.
27 raw-unicode (Request envelope): Signed JSON that contains non-ASCII characters in UTF-8 is accepted.
  Compute the signature over the bytes, not over a text in another encoding.
28 raw-pieces: A body that arrives in two pieces is accepted.
  Read the body to its end before you compute the signature.
30 header-names-any-case (Request headers; should): Header names are recognised in any case.
  Ignore the case of header names: a proxy may change it.

# Request headers; needs request-accepted
31 event-body-decides: The body’s event decides, not X-Service-Event.
32 header-event-absent (should): A request without X-Service-Event is accepted.
  Dispatch on the event in the verified body: the header is not signed.
33 header-timestamp-absent (should): A request without X-Service-Timestamp is accepted.
  The header is not signed: for a replay window, use the body’s timestamp.
34 header-contract-absent (V2; should): A test without X-Service-Contract is accepted: its body has contract_version 2.
  Read contract_version in the verified body: the header is not signed.
`;

/** Expects the same answer as for an ordinary `webhook.test`. */
const taken = (overrides: Overrides, over?: Record<string, unknown>) => async (session: Session) => {
  const answer = await session.test(overrides, over);
  const { status } = await session.firstTest();
  expectThat(answer.status === status, `status ${status}, as without this change`, describe(answer));
};

/** A signature of the raw bytes must be accepted, whatever they look like; headers other than the signature have no effect. */
export const RAW_BYTES_RULES = rules(LIST, {
  'raw-spacing': taken({ body: (json) => JSON.stringify(JSON.parse(json), undefined, 2) }),
  'raw-escapes': taken({ body: (json) => json.replace('connection', '\\u0063onnection') }),
  'raw-line-end': taken({ body: (json) => `${json}\n` }),
  'raw-unicode': taken({}, { message: 'Grüße, 世界 🌍' }),
  'raw-pieces': taken({ pieces: true }),
  'header-names-any-case': taken({ capitals: true }),
  // A receiver may also refuse a header that contradicts the body.
  'event-body-decides': async (session) => {
    const answer = await nothing(session, { headers: ({ event }) => ({ [event]: 'webhook.test' }) });
    if (!isSuccess(answer) || isSuccess(await nothing(session))) return;
    throw new Unmet('a refusal, as of a lookup that finds nothing', describe(answer));
  },
  'header-event-absent': taken({ headers: ({ event }) => ({ [event]: undefined }) }),
  'header-timestamp-absent': taken({ headers: ({ timestamp }) => ({ [timestamp]: undefined }) }),
  'header-contract-absent': taken({ headers: ({ contract }) => ({ [contract]: undefined }) }),
});
