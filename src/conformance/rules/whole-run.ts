import { type EventName, MAX_BODY_BYTES } from '../../contract/limits.js';
import { expectThat, NotChecked } from '../expect.js';
import { type Rule, rules } from '../rule.js';
import type { Session } from '../session.js';

type Own = Parameters<typeof rules>[1][number];

const inTime = (id: string, event: EventName, seconds: number, from: 1 | 2): Own => ({
  id,
  from,
  says: `No ${event} of the whole run waited longer than ${seconds} seconds for its answer.`,
  hint: 'Answer as soon as the write has committed; build pages and clear caches afterwards.',
  check: async ({ journal }: Session) => {
    const late = journal.timeouts(event);
    expectThat(late === 0, `answers within ${seconds} s`, `${late} without an answer`);
  },
});

const inSize = (id: string, event: EventName, most: number, from: 1 | 2): Own => ({
  id,
  from,
  says: `No answer to ${event} of the whole run has more than ${most.toLocaleString('en')} bytes.`,
  hint: 'Answer only what the contract names; refuse the lookup of an article that is too large.',
  check: async ({ journal }: Session) => {
    const bytes = journal.largest(event);
    expectThat(bytes <= most, `at most ${most} bytes`, `at least ${bytes} bytes`);
  },
});

/** What is judged by all answers of a run; these come last (contract: Limits; Authentication, 6). */
export const WHOLE_RUN_RULES: readonly Rule[] = [
  ...rules({ section: 'Limits', needs: ['reachable'] }, [
    inTime('test-in-time', 'webhook.test', 15, 1),
    inTime('publish-in-time', 'article.published', 30, 1),
    inTime('lookup-in-time', 'article.lookup', 15, 2),
    // The contract names no timeout for updates.
    { ...inTime('update-in-time', 'article.updated', 30, 2), level: 'should' },
    inSize('test-answer-size', 'webhook.test', MAX_BODY_BYTES, 1),
    inSize('publish-answer-size', 'article.published', MAX_BODY_BYTES, 1),
    inSize('lookup-answer-size', 'article.lookup', MAX_BODY_BYTES - 1, 2),
    inSize('update-answer-size', 'article.updated', MAX_BODY_BYTES, 2),
  ]),
  ...rules({ section: 'Authentication, 6', needs: ['request-accepted'] }, [
    {
      id: 'secret-not-exposed',
      says: 'No answer of the whole run holds the secret.',
      hint: 'Take the secret out of your error messages.',
      check: async (session) => {
        if (session.options.secret.length < 8)
          throw new NotChecked('the secret is too short to be distinguished from other text');
        await session.send('webhook.test', {}, { signature: () => 'sha256=00' });
        const leaks = session.journal.entries.filter((entry) => entry.leaks === 'secret').length;
        expectThat(leaks === 0, 'answers without the secret', `the secret in ${leaks} of them`);
      },
    },
    {
      id: 'signature-not-exposed',
      says: 'No refusal contains the signature that would have been right.',
      hint: 'Whoever gets the right signature can send the same body again, signed. Say only that it does not match.',
      check: async (session) => {
        await session.send('webhook.test', {}, { signature: () => `sha256=${'0'.repeat(64)}` });
        const leaks = session.journal.entries.filter((entry) => entry.leaks === 'signature').length;
        expectThat(leaks === 0, 'refusals without a signature', `the right signature in ${leaks} of them`);
      },
    },
  ]),
];
