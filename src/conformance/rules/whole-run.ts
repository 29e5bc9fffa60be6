import { type EventName, MAX_BODY_BYTES } from '../../contract/limits.js';
import { expectThat, NotChecked } from '../expect.js';
import { type OwnRule, type Rule, rules } from '../rule.js';
import type { Session } from '../session.js';

const inTime = (event: EventName, seconds: number, from: 1 | 2): OwnRule => ({
  from,
  says: `No ${event} of the whole run waited longer than ${seconds} seconds for its answer.`,
  hint: 'Answer as soon as the write has committed; build pages and clear caches afterwards.',
  check: async ({ journal }: Session) => {
    const late = journal.timeouts(event);
    expectThat(late === 0, `answers within ${seconds} s`, `${late} without an answer`);
  },
});

const inSize = (event: EventName, most: number, from: 1 | 2): OwnRule => ({
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
  ...rules({ section: 'Limits' }, ['reachable'], {
    'test-in-time': inTime('webhook.test', 15, 1),
    'publish-in-time': inTime('article.published', 30, 1),
    'lookup-in-time': inTime('article.lookup', 15, 2),
    // The contract names no timeout for updates.
    'update-in-time': { ...inTime('article.updated', 30, 2), level: 'should' },
    'test-answer-size': inSize('webhook.test', MAX_BODY_BYTES, 1),
    'publish-answer-size': inSize('article.published', MAX_BODY_BYTES, 1),
    'lookup-answer-size': inSize('article.lookup', MAX_BODY_BYTES - 1, 2),
    'update-answer-size': inSize('article.updated', MAX_BODY_BYTES, 2),
  }),
  ...rules({ section: 'Authentication, 6' }, ['request-accepted'], {
    'secret-not-exposed': {
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
    'signature-not-exposed': {
      says: 'No refusal contains the signature that would have been right.',
      hint: 'Whoever gets the right signature can send the same body again, signed. Say only that it does not match.',
      check: async (session) => {
        await session.send('webhook.test', {}, { signature: () => `sha256=${'0'.repeat(64)}` });
        const leaks = session.journal.entries.filter((entry) => entry.leaks === 'signature').length;
        expectThat(leaks === 0, 'refusals without a signature', `the right signature in ${leaks} of them`);
      },
    },
  }),
];
