import { sign } from '../../../contract/signature.js';
import { sampleTest } from '../../../sender/article/sample-event.js';
import { envelopeOf } from '../../../sender/delivery/send-event.js';
import { describe, expectStatus, expectThat } from '../../expect.js';
import { inEachCase, rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Overrides } from '../../transport/request.js';

const LIST = `
# Authentication, 3; needs request-accepted
6 signature-missing (Errors): A request without X-Service-Signature is answered 401.
  Answer 401 if the header is missing: constant-time comparisons fail without a value, and some of them on unequal lengths.
7 signature-empty (Errors): A request with an empty X-Service-Signature is answered 401.
8 signature-other-secret (Errors): A signature made with another secret is answered 401.
15 signature-without-prefix (Authentication, 2): The right digits without sha256= before them are answered 401.
  Compare the whole header with sha256= and the hex of the HMAC, by hmac.compare_digest (Python), hash_equals (PHP), hmac.Equal (Go), Rack::Utils.secure_compare (Ruby) or crypto.timingSafeEqual (Node.js); answer 401 to everything else.
9 signature-digits: A signature whose first or last digit differs is answered 401.
  Compare all 64 digits.
11 signature-length (Authentication, 3c): The first half of a signature, one with more digits after the right ones, and sha256= alone are answered 401.
  Compare the lengths before you call the constant-time comparison: crypto.timingSafeEqual (Node.js) throws on unequal lengths; hmac.compare_digest, hash_equals, hmac.Equal and Rack::Utils.secure_compare answer false.
13 signature-not-hex: A signature whose 64 characters are not all hex digits is answered 401.
  Check the form of the header before you decode it: hex decoders stop or fail at a bad digit.
17 signature-other-form (Authentication, 2): The right digits under another algorithm’s name, and the right signature as base64, are answered 401.
  Accept no form but sha256= and lowercase hex.
19 signature-upper-case (Authentication, 4): The right signature in capitals is either accepted or answered 401.
  Lowercase the header before you compare, or answer 401.
20 signature-body-changed (Authentication, 2): A body that was changed after it was signed is answered 401.
21 signature-whitespace-changed (Authentication, 3a): A body in which only white space was changed after it was signed is answered 401.
22 signature-newline-added (Authentication, 3a): A body to which a line end was added after it was signed is answered 401.
  Compute the signature over the raw bytes, before anything parses or trims them: request.get_data() (Flask), php://input (PHP), io.ReadAll(r.Body) (Go), request.raw_post (Rails), express.raw() (Node.js).
23 signature-of-empty-body: The signature of an empty body is refused with any other body.
  A body reads as empty after a framework has consumed it: take the raw bytes before.
`;

const another = (digit: string) => (digit === '0' ? '1' : '0');

/** Sends a `webhook.test` with a wrong signature: even a receiver that accepts it writes nothing. */
const refused = (overrides: Overrides) => async (session: Session) =>
  expectStatus(await session.test(overrides), 401);

/** The same with several wrong signatures, made from the right one. */
const refusedEach = (wrong: Readonly<Record<string, (right: string) => string>>) =>
  inEachCase(
    Object.fromEntries(Object.entries(wrong).map(([name, signature]) => [name, refused({ signature })])),
  );

/** Values that must not be accepted as a signature (contract: Authentication, 2 and 3). */
export const SIGNATURE_RULES = rules(LIST, {
  'signature-missing': refused({ signature: () => undefined }),
  'signature-empty': refused({ signature: () => '' }),
  'signature-other-secret': refused({ signature: (_, signed) => sign(signed, 'another-secret') }),
  'signature-without-prefix': refused({ signature: (right) => right.slice('sha256='.length) }),
  'signature-digits': refusedEach({
    'another last digit': (right) => right.replace(/.$/, another),
    'another first digit': (right) => right.replace(/(?<==)./, another),
  }),
  'signature-length': refusedEach({
    'half a signature': (right) => right.slice(0, 39),
    'more digits': (right) => `${right}00`,
    'sha256= alone': () => 'sha256=',
  }),
  'signature-not-hex': refusedEach({
    'no hex digits': () => `sha256=${'z'.repeat(64)}`,
    'the right digits, then others': (right) => `${right.slice(0, 39)}${'z'.repeat(32)}`,
  }),
  'signature-other-form': refusedEach({
    'another algorithm': (right) => right.replace('sha256', 'sha512'),
    base64: (right) => `sha256=${Buffer.from(right.slice(7), 'hex').toString('base64')}`,
  }),
  'signature-upper-case': async (session) => {
    const overrides: Overrides = { signature: (right) => `sha256=${right.slice(7).toUpperCase()}` };
    const answer = await session.test(overrides);
    const { status } = await session.firstTest();
    expectThat(
      [status, 401].includes(answer.status),
      '401, or the answer to a right signature',
      describe(answer),
    );
  },
  'signature-body-changed': refused({
    sent: (signed) => signed.toString().replace('connection', 'Connection'),
  }),
  'signature-whitespace-changed': refused({ sent: (signed) => signed.toString().replace('{', '{ ') }),
  'signature-newline-added': refused({ sent: (signed) => `${signed}\n` }),
  // A complete webhook.test: a receiver that parses before it verifies breaks another rule, not this one.
  'signature-of-empty-body': refused({
    body: () => '',
    sent: () =>
      JSON.stringify(envelopeOf('webhook.test', sampleTest({ id: 'unsigned' }), new Date().toISOString())),
  }),
});
