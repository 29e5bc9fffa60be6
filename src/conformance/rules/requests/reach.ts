import { describe, expectNoRedirect, expectThat, isSuccess, NotChecked, Unmet } from '../../expect.js';
import { rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Answer } from '../../transport/probe.js';
import { whyNotAccepted, whyNotSigned } from '../../why-refused.js';

const LIST = `
# Endpoints
1 reachable: A signed webhook.test gets an HTTP answer within 15 seconds.
  Check that the receiver runs at this URL, and read its log.
2 test-no-redirect (Request headers, Redirects; needs reachable): A webhook.test is answered without a redirect.
  Register the final URL, with its real scheme and trailing slash; the service follows no redirect here.
3 endpoint-found (needs test-no-redirect): A receiver answers at this path: signed and unsigned requests do not both get 404 or 405.
  Check the URL, with its path and trailing slash, and that it accepts POST.
4 signature-accepted (Authentication, 2; needs endpoint-found): A correct signature over the raw body is accepted.
  Compute HMAC-SHA256 over the raw bytes of the body with the signing secret, and check that both sides have the same secret.
5 request-accepted (Events; needs signature-accepted): A signed webhook.test, or at least an article.published, is answered 2xx.
  Read the answer and the log of the receiver or of its proxy; until this is mended, nothing else can be checked.
`;

/** Whether there is a receiver at the URL, and whether it has the same secret. */
export const REACH_RULES = rules(LIST, {
  reachable: (session) => session.firstTest(),
  'test-no-redirect': async (session) => expectNoRedirect(await session.firstTest()),
  'endpoint-found': async (session) => {
    const absent = [404, 405];
    if (!absent.includes((await session.firstTest()).status)) return;
    const unsigned = { signature: () => undefined };
    const answer = await session.test(unsigned);
    expectThat(!absent.includes(answer.status), 'a receiver at this path', describe(answer));
  },
  'signature-accepted': async (session) => {
    const answer = await session.firstTest();
    if (answer.status !== 401 && answer.status !== 403) return;
    throw new Unmet('a status other than 401 or 403', describe(answer), await whyNotSigned(session, answer));
  },
  'request-accepted': async (session) => {
    const answer = await session.firstTest();
    if (isSuccess(answer)) return;
    const failed = answer.status === 429 || answer.status >= 500;
    if (session.options.readOnly && !failed)
      throw new NotChecked(
        `its webhook.test is answered ${describe(answer)}, and --read-only forbids a publish`,
      );
    // A Version 1 receiver refuses a test as an unknown event.
    const published = session.options.readOnly ? answer : await publishedAnswer(session);
    if (published === undefined) return;
    const got =
      published.text === answer.text && published.status === answer.status
        ? describe(answer)
        : `${describe(answer)} to webhook.test, ${describe(published)} to article.published`;
    throw new Unmet('status 2xx', got, await whyNotAccepted(session, answer));
  },
});

/** The refusal of the first publication; undefined if it is accepted. @throws Unmet if there is no answer. */
async function publishedAnswer(session: Session): Promise<Answer | undefined> {
  const answer = await session.send('article.published', session.article(session.id('first')));
  return isSuccess(answer) ? undefined : answer;
}
