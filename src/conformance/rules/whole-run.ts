import { EVENTS, MAX_BODY_BYTES } from '../../contract/limits.js';
import { timeoutOf } from '../../sender/delivery/send-event.js';
import { expectThat, NotChecked } from '../expect.js';
import { rules } from '../rule.js';

const LIST = `
# Limits; needs reachable
239 answers-in-time: Every webhook.test and lookup of the run was answered within 15 seconds, and every publish within 30.
  Answer as soon as the write has committed; build pages and clear caches afterwards.
243 answer-sizes: No answer of the run has more than 1,000,000 bytes, and no answer to a lookup more than 999,999. Only before Version 3, an answer to a publish may.
  Answer only the contract’s fields; refuse the lookup of an article that is too large.

# Authentication, 6; needs request-accepted
247 secret-not-exposed: No answer of the run contains the secret.
  Take the secret out of your error messages.
248 signature-not-exposed: No refusal contains the right signature.
  Say only that the signature does not match: with the right one, a sender can sign the same body.
`;

/** Rules about all answers of a run, which come last (contract: Limits; Authentication, 6). */
export const WHOLE_RUN_RULES = rules(LIST, {
  // The contract has no timeout for updates.
  'answers-in-time': async ({ sender }) => {
    for (const event of EVENTS.filter((one) => one !== 'article.updated')) {
      const late = sender.timeouts(event);
      expectThat(
        late === 0,
        `${event} answered within ${timeoutOf(event) / 1000} s`,
        `${late} without an answer`,
      );
    }
  },
  'answer-sizes': async ({ sender, version }) => {
    for (const event of EVENTS) {
      if (event === 'article.published' && version < 3) continue; // nothing in it is needed
      const bytes = sender.largest(event);
      const most = event === 'article.lookup' ? MAX_BODY_BYTES - 1 : MAX_BODY_BYTES;
      expectThat(bytes <= most, `at most ${most} bytes to ${event}`, `at least ${bytes} bytes`);
    }
  },
  'secret-not-exposed': async (session) => {
    if (session.options.secret.length < 8)
      throw new NotChecked('the secret is too short to be distinguished from other text');
    await session.send('webhook.test', {}, { signature: () => 'sha256=00' });
    const leaks = session.sender.entries.filter((entry) => entry.leaks === 'secret').length;
    expectThat(leaks === 0, 'answers without the secret', `the secret in ${leaks} of them`);
  },
  'signature-not-exposed': async (session) => {
    await session.send('webhook.test', {}, { signature: () => `sha256=${'0'.repeat(64)}` });
    const leaks = session.sender.entries.filter((entry) => entry.leaks === 'signature').length;
    expectThat(leaks === 0, 'refusals without a signature', `the right signature in ${leaks} of them`);
  },
});
