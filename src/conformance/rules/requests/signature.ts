import { sign } from '../../../contract/signature.js';
import { sampleTest } from '../../../sender/article/sample-event.js';
import { envelopeOf } from '../../../sender/delivery/send-event.js';
import { describe, expectStatus, expectThat } from '../../expect.js';
import { rules } from '../../rule.js';
import type { Session } from '../../session.js';
import { RAW_BYTES } from '../../signature-forms.js';
import type { Overrides } from '../../transport/request.js';

const EXACT =
  'Compare the whole header with sha256= and the hex of the HMAC, by hmac.compare_digest (Python), hash_equals (PHP), hmac.Equal (Go), Rack::Utils.secure_compare (Ruby) or crypto.timingSafeEqual (Node.js); answer 401 to everything else.';
const LENGTH =
  'Compare the lengths before you call the constant-time comparison: crypto.timingSafeEqual (Node.js) throws on unequal lengths; hmac.compare_digest, hash_equals, hmac.Equal and Rack::Utils.secure_compare answer false.';
const RAW = `Compute the signature over the bytes as they came, before anything parses or trims them: ${RAW_BYTES}.`;

const other = (right: string) => right.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));

/** Sends a wrong signature with a `webhook.test`: a receiver that accepts it writes nothing. */
const refused = (overrides: Overrides) => async (session: Session) =>
  expectStatus(await session.test(overrides), 401);

/** What must not be taken for a signature (contract: Authentication, 2 and 3). */
export const SIGNATURE_RULES = rules({ section: 'Authentication, 3', hint: EXACT }, ['request-accepted'], {
  'signature-missing': {
    section: 'Errors',
    says: 'A request without X-Service-Signature is answered 401.',
    hint: 'Answer 401 if the header is missing: constant-time comparisons fail without a value, and some of them on unequal lengths.',
    check: refused({ signature: () => undefined }),
  },
  'signature-empty': {
    section: 'Errors',
    says: 'A request with an empty X-Service-Signature is answered 401.',
    check: refused({ signature: () => '' }),
  },
  'signature-other-secret': {
    section: 'Errors',
    says: 'A signature made with another secret is answered 401.',
    check: refused({ signature: (_, signed) => sign(signed, 'another-secret') }),
  },
  'signature-last-digit': {
    says: 'A signature whose last digit differs is answered 401.',
    hint: 'Compare all 64 digits.',
    check: refused({ signature: other }),
  },
  'signature-first-digit': {
    says: 'A signature whose first digit differs is answered 401.',
    hint: 'Compare all 64 digits.',
    check: refused({
      signature: (right) => right.replace(/=(.)/, (_, digit) => (digit === '0' ? '=1' : '=0')),
    }),
  },
  'signature-truncated': {
    section: 'Authentication, 3c',
    says: 'The first half of a signature is answered 401.',
    hint: LENGTH,
    check: refused({ signature: (right) => right.slice(0, 39) }),
  },
  'signature-longer': {
    section: 'Authentication, 3c',
    says: 'A signature with more digits after the right ones is answered 401.',
    hint: LENGTH,
    check: refused({ signature: (right) => `${right}00` }),
  },
  'signature-not-hex': {
    says: 'A signature of 64 characters that are not hex digits is answered 401.',
    hint: 'Check the form of the header before you decode it; decoders of hex stop or fail at a bad digit.',
    check: refused({ signature: () => `sha256=${'z'.repeat(64)}` }),
  },
  'signature-digits-then-rubbish': {
    says: 'The right digits of half a signature, followed by rubbish, are answered 401.',
    hint: 'Check the form of the header before you decode it; decoders of hex stop or fail at a bad digit.',
    check: refused({ signature: (right) => `${right.slice(0, 39)}${'z'.repeat(32)}` }),
  },
  'signature-without-prefix': {
    section: 'Authentication, 2',
    says: 'The right digits without sha256= before them are answered 401.',
    check: refused({ signature: (right) => right.slice('sha256='.length) }),
  },
  'signature-prefix-alone': {
    section: 'Authentication, 2',
    says: 'sha256= without digits is answered 401.',
    hint: LENGTH,
    check: refused({ signature: () => 'sha256=' }),
  },
  'signature-other-algorithm': {
    section: 'Authentication, 2',
    says: 'The right digits under another algorithm’s name are answered 401.',
    hint: 'Only sha256= is known: "No options".',
    check: refused({ signature: (right) => right.replace('sha256', 'sha512') }),
  },
  'signature-base64': {
    section: 'Authentication, 2',
    says: 'The right signature as base64 is answered 401.',
    hint: 'Only lowercase hex is a signature.',
    check: refused({
      signature: (right) => `sha256=${Buffer.from(right.slice(7), 'hex').toString('base64')}`,
    }),
  },
  'signature-upper-case': {
    section: 'Authentication, 4',
    says: 'The right signature in capitals is either accepted or answered 401.',
    hint: 'Lowercase the header before you compare, or answer 401.',
    check: async (session) => {
      const overrides: Overrides = { signature: (right) => `sha256=${right.slice(7).toUpperCase()}` };
      const answer = await session.test(overrides);
      const { status } = await session.firstTest();
      expectThat(
        [status, 401].includes(answer.status),
        '401, or the answer to a right signature',
        describe(answer),
      );
    },
  },
  'signature-body-changed': {
    section: 'Authentication, 2',
    says: 'A body that was changed after it was signed is answered 401.',
    hint: RAW,
    check: refused({ sent: (signed) => signed.toString().replace('connection', 'Connection') }),
  },
  'signature-whitespace-changed': {
    section: 'Authentication, 3a',
    says: 'A body whose white space alone was changed after it was signed is answered 401.',
    hint: RAW,
    check: refused({ sent: (signed) => signed.toString().replace('{', '{ ') }),
  },
  'signature-newline-added': {
    section: 'Authentication, 3a',
    says: 'A body to which a line end was added after it was signed is answered 401.',
    hint: RAW,
    check: refused({ sent: (signed) => `${signed}\n` }),
  },
  'signature-of-empty-body': {
    section: 'Authentication, 3',
    says: 'The signature of an empty body does not open any other body.',
    hint: 'A body that a framework has already consumed reads as empty: take the raw bytes before it does.',
    // A whole webhook.test: a receiver that parses before it verifies breaks another rule, and not this one.
    check: refused({
      body: () => '',
      sent: () =>
        JSON.stringify(envelopeOf('webhook.test', sampleTest({ id: 'unsigned' }), new Date().toISOString())),
    }),
  },
});
