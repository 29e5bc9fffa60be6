import { describe, expectThat, Unmet } from '../expect.js';
import { type Rule, rules } from '../rule.js';
import { testSample } from '../samples.js';
import type { Session } from '../session.js';

/** Whether there is a receiver at the URL, and whether it holds the same secret. */
export const REACH_RULES: readonly Rule[] = rules({ section: 'Endpoints' }, [
  {
    id: 'reachable',
    says: 'A signed webhook.test gets an HTTP answer within 15 seconds.',
    hint: 'Look whether the receiver is running at this URL, and what its log says.',
    check: async (session) => {
      await session.greeting().then((reply) => {
        if (reply.kind === 'silence') throw new Unmet('an HTTP answer', describe(reply));
      });
    },
  },
  {
    id: 'test-no-redirect',
    section: 'Request headers, Redirects',
    says: 'A webhook.test is answered without a redirect.',
    hint: 'Register the final URL, with its real scheme and trailing slash; the service follows no redirect here.',
    needs: ['reachable'],
    check: async (session) => {
      const reply = await session.greeting();
      const redirects = reply.kind === 'answer' && reply.status >= 300 && reply.status < 400;
      expectThat(!redirects, 'no redirect', describe(reply));
    },
  },
  {
    id: 'endpoint-found',
    says: 'Something answers at this path: not 404 or 405 to a signed request and to an unsigned one.',
    hint: 'Is this the whole URL, with its path and trailing slash, and does it take POST?',
    needs: ['test-no-redirect'],
    check: async (session) => {
      const absent = [404, 405];
      if (!absent.includes(await greetingStatus(session))) return;
      const unsigned = { signature: () => undefined };
      const answer = await session.send('webhook.test', testSample(session.id('test')), unsigned);
      expectThat(!absent.includes(answer.status), 'a receiver at this path', describe(answer));
    },
  },
  {
    id: 'signature-accepted',
    section: 'Authentication, 2',
    says: 'A correct signature over the raw body is accepted.',
    hint: 'Compute HMAC-SHA256 over the raw bytes of the body with the signing secret; is it the same secret on both sides?',
    needs: ['endpoint-found'],
    check: async (session) => {
      const status = await greetingStatus(session);
      expectThat(
        ![401, 403].includes(status),
        'a status other than 401 or 403',
        describe(await session.greeting()),
      );
    },
  },
]);

/** How the receiver answers an ordinary `webhook.test`. */
export async function greetingStatus(session: Session): Promise<number> {
  const reply = await session.greeting();
  return reply.kind === 'answer' ? reply.status : 0;
}
