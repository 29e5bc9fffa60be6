import { type EventName, MAX_BODY_BYTES } from '../../contract/limits.js';
import { expectThat, NotChecked } from '../expect.js';
import { rules } from '../rule.js';
import type { Session } from '../session.js';

const LIST = `
# Limits; needs reachable
239 test-in-time: No webhook.test of the whole run waited longer than 15 seconds for its answer.
240 publish-in-time: No article.published of the whole run waited longer than 30 seconds for its answer.
241 lookup-in-time (V2): No article.lookup of the whole run waited longer than 15 seconds for its answer.
  Answer as soon as the write has committed; build pages and clear caches afterwards.
243 test-answer-size: No answer to webhook.test of the whole run has more than 1,000,000 bytes.
244 publish-answer-size: No answer to article.published of the whole run has more than 1,000,000 bytes.
245 lookup-answer-size (V2): No answer to article.lookup of the whole run has more than 999,999 bytes.
246 update-answer-size (V2): No answer to article.updated of the whole run has more than 1,000,000 bytes.
  Answer only what the contract names; refuse the lookup of an article that is too large.

# Authentication, 6; needs request-accepted
247 secret-not-exposed: No answer of the whole run holds the secret.
  Take the secret out of your error messages.
248 signature-not-exposed: No refusal contains the signature that would have been right.
  Whoever gets the right signature can send the same body again, signed. Say only that it does not match.
`;

const inTime =
  (event: EventName, seconds: number) =>
  async ({ sender }: Session) => {
    const late = sender.timeouts(event);
    expectThat(late === 0, `answers within ${seconds} s`, `${late} without an answer`);
  };

const inSize =
  (event: EventName, most = MAX_BODY_BYTES) =>
  async ({ sender }: Session) => {
    const bytes = sender.largest(event);
    expectThat(bytes <= most, `at most ${most} bytes`, `at least ${bytes} bytes`);
  };

/** What is judged by all answers of a run; these come last (contract: Limits; Authentication, 6). */
export const WHOLE_RUN_RULES = rules(LIST, {
  'test-in-time': inTime('webhook.test', 15),
  'publish-in-time': inTime('article.published', 30),
  'lookup-in-time': inTime('article.lookup', 15),
  'test-answer-size': inSize('webhook.test'),
  'publish-answer-size': inSize('article.published'),
  'lookup-answer-size': inSize('article.lookup', MAX_BODY_BYTES - 1),
  'update-answer-size': inSize('article.updated'),
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
