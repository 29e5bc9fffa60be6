import {
  DELIVERY_TIMEOUT_MS,
  MAX_ATTEMPTS,
  RETRY_WAITS_MINUTES,
  STUCK_SENDING_MINUTES,
} from '../../../contract/limits.js';
import { expectThat, NotChecked, Unmet } from '../../expect.js';
import { rulesWith } from '../../rule-list.js';
import { articleTrace, inWords, ofArticle, type Play, refreshTrace, type Seen } from '../rule.js';
import {
  ARTICLES,
  type ArticleName,
  type Attempt,
  attemptsOf,
  isFollowed,
  PATHS,
  type Trace,
} from '../scenarios.js';

const LIST = `
# States and transitions
21 accepted-is-final: A publish that was answered 200, or 202 without a body, is not sent again.
23 large-answer-is-final (Limits): A publish that was answered 200 with more than 1,000,000 bytes is not sent again.
  Set the delivery to success after any 2xx with any body, and never send it again.

# Errors, How the service treats answers
24 retry-failed: A publish that was answered 400, 401, 404, 500 or 503, got no answer, or was read before its connection was closed is sent again.
41 retry-second-redirect (Limits): A publish that was redirected twice is sent again.
  Record each 4xx, 5xx, timeout and connection error, set nextRetryAt by the schedule, and send the publish again at that time.
29 retry-409: A publish that was answered 409 is sent again.
  Set nextRetryAt by the schedule, and send the publish again at that time. A 409 is final only for an update.

# Delivery record, payload
34 retry-same-bytes: A retry has the same bytes as the first attempt.
  Keep the queued payload, with its timestamp and key order, and serialize it for each attempt.

# Request headers
35 retry-own-timestamp: X-Service-Timestamp of a retry is the time of that attempt.
  Set the header for each attempt; only the body is kept.

# Limits, Retry waits
36 retry-waits: Attempts are at least 1 minute, 5 minutes, 30 minutes, 2 hours and 6 hours apart.
  Set nextRetryAt after each failed attempt, and disable the retries of your HTTP client, its keep-alive agent and its plugins.

# Limits, Attempts
37 six-attempts: A delivery that always fails is tried exactly six times.
  Count the attempts: after the first attempt and five retries the delivery has failed for good.

# Limits, Article delivery timeout
38 publish-timeout: The sender waits 30 seconds for the answer to a publish.
  Set a time limit of 30 seconds for the whole exchange.

# Limits, Redirects
39 publish-follows-redirect: A publish follows one redirect, with the same method and bytes.
  POST the same body and headers to the URL in Location; HTTP clients often send a GET instead.
40 publish-follows-no-second-redirect: A publish follows no second redirect.
  Follow one redirect in your own code; an HTTP client follows many.

# States and transitions
42 stuck-sending: A delivery that was interrupted by the end of the sender is sent again after ten minutes.
  Store the state sending and its time before you send; after ten minutes set the delivery back to pending.

# Delivery record, url
43 publish-keeps-url: A publish is sent to the URL that it was queued for, even if the connector was edited since.
  Keep the URL, and the secret that was issued for it, with the delivery.
44 refresh-refused-after-edit: A refresh is refused if the connector no longer has the URL that the refresh was queued for.
  Compare the delivery’s URL with the connector’s before each attempt at an update; fail the delivery if they differ.
`;

const MINUTE_MS = 60_000;
/**
 * How early an attempt may seem to come, in milliseconds: one request may take longer to arrive than another, for example
 * through a tunnel.
 */
export const EARLY_MS = 5000;
/** How late a sender may give up, in milliseconds. */
const LATE_MS = 10_000;

/** Expects that a delivery does not come again. @throws Unmet, NotChecked if the run did not last long enough. */
export function expectFinal(trace: Trace, { until }: Seen, what: string, watchMs = 3 * MINUTE_MS): void {
  const attempts = attemptsOf(trace);
  const [first] = attempts;
  if (first === undefined) throw new NotChecked('it was not sent');
  if (attempts.length > 1)
    throw new Unmet(
      `one attempt at ${what}`,
      `${attempts.length}, the second after ${inWords((attempts[1]?.at ?? 0) - first.at)}`,
    );
  if (until - first.at < watchMs)
    throw new NotChecked(
      `the check watched for only ${inWords(until - first.at)}, and the first wait is a minute`,
    );
}

/**
 * Expects that a delivery comes again, until the number of attempts is reached. @throws Unmet, NotChecked if the run ended
 * before.
 */
export function expectRetried(trace: Trace, what: string, attempts = 2): void {
  const { length } = attemptsOf(trace);
  if (length === 0) throw new NotChecked('it was not sent');
  if (length < attempts && !trace.overdue)
    throw new NotChecked(`the check ended before attempt ${length + 1}`);
  expectThat(
    length >= attempts,
    `attempt ${length + 1} at ${what}`,
    'none within two minutes after its wait',
  );
}

/** Checks how long the sender waited for an answer. @throws Unmet */
export function expectTimeout(trace: Trace, event: string, limitMs: number): void {
  const held = trace.requests.find((request) => request.event === event);
  if (held?.endedAt === undefined) throw new NotChecked(`no ${event} was given up`);
  const waited = held.endedAt - held.at;
  expectThat(
    waited > limitMs - EARLY_MS && waited < limitMs + LATE_MS,
    `a sender that waits ${limitMs / 1000} s for the answer to ${event}`,
    `it gave up after ${inWords(waited)}`,
  );
}

/** All deliveries with more than one attempt, and their names; the killed one has another wait. */
function* retriesOf({ articles, refreshes }: Seen): Generator<readonly [string, Trace]> {
  for (const [name, trace] of articles)
    if (name !== 'killed' && attemptsOf(trace).length > 1)
      yield [`a publish that ${ARTICLES[name].what}`, trace];
  for (const [name, trace] of refreshes)
    if (attemptsOf(trace).length > 1) yield [`an update (${name})`, trace];
}

/** Checks publishes and updates that are tried again. */
const retries = (check: (what: string, before: Attempt, after: Attempt, n: number) => boolean): Play => ({
  articles: ['unavailable', 'closed', 'answered-500'],
  refreshes: ['update-503'],
  check: (seen) => {
    let looked = 0;
    for (const [what, trace] of retriesOf(seen))
      for (const [n, [before, after]] of pairsOf(trace).entries())
        if (check(what, before, after, n)) looked++;
    if (looked === 0) throw new NotChecked('nothing was sent twice');
  },
});

const publishThat = (name: ArticleName) => `a publish that ${ARTICLES[name].what}`;
const final = (...names: ArticleName[]) =>
  ofArticle(names, (trace, seen, name) => expectFinal(trace, seen, publishThat(name)));
const retried = (...names: ArticleName[]) =>
  ofArticle(names, (trace, _, name) =>
    expectRetried(trace, publishThat(name), Math.max(2, ARTICLES[name].answers.length)),
  );

/** Deliveries of new articles (contract: Delivery record; States and transitions; Errors; Limits). */
export const PUBLISH_SENDER_RULES = rulesWith<Play>(LIST, {
  'accepted-is-final': final('accepted', 'bare'),
  'large-answer-is-final': final('large'),
  'retry-failed': retried('unavailable', 'answered-500', 'answered-4xx', 'no-answer', 'closed'),
  'retry-409': retried('answered-409'),
  'retry-same-bytes': retries((what, { first: { body: before } }, { first: { body: after } }, n) => {
    if (!after.equals(before))
      throw new Unmet(
        `the same bytes at each attempt at ${what}`,
        `attempt ${n + 2} ${differenceOf(before, after)}`,
      );
    return true;
  }),
  'retry-own-timestamp': retries((what, before, after) => {
    const waited = after.at - before.at;
    if (waited < MINUTE_MS / 2) return false;
    expectThat(
      after.first.timestamp - before.first.timestamp >= waited / 2000,
      `a timestamp that is ${inWords(waited)} later at the next attempt at ${what}`,
      `${after.first.timestamp} after ${before.first.timestamp}`,
    );
    return true;
  }),
  'retry-waits': retries((what, before, after, n) => {
    const waitMs = (RETRY_WAITS_MINUTES[n] ?? 0) * MINUTE_MS;
    expectThat(
      after.at - before.at >= waitMs - EARLY_MS,
      `at least ${inWords(waitMs)} before attempt ${n + 2} at ${what}`,
      inWords(after.at - before.at),
    );
    return true;
  }),
  'six-attempts': ofArticle('unavailable', (trace, { until }) => {
    const attempts = attemptsOf(trace);
    const { length } = attempts;
    if (length < MAX_ATTEMPTS && !trace.overdue)
      throw new NotChecked(
        `the check ended after ${length} attempts; all of them take 8 hours and 36 minutes`,
      );
    const watched = until - (attempts.at(-1)?.at ?? until);
    expectThat(
      length === MAX_ATTEMPTS,
      'six attempts',
      `${length}, and none in the ${inWords(watched)} after`,
    );
    if (watched < 6 * 60 * MINUTE_MS)
      throw new NotChecked(`six attempts came; the check waited only ${inWords(watched)} for a seventh`);
  }),
  'publish-timeout': ofArticle('no-answer', (trace) =>
    expectTimeout(trace, 'article.published', DELIVERY_TIMEOUT_MS),
  ),
  'publish-follows-redirect': ofArticle('redirected', (trace, seen) => {
    const [first] = trace.requests;
    const followed = trace.requests.find(isFollowed);
    if (first === undefined || followed === undefined)
      throw new Unmet(`the same request at ${PATHS.followed}`, 'no valid publish there');
    expectThat(
      followed.body.equals(first.body),
      'the same bytes',
      `it ${differenceOf(first.body, followed.body)}`,
    );
    expectFinal(trace, seen, 'a publish that was redirected and accepted');
  }),
  'publish-follows-no-second-redirect': ofArticle('redirected-twice', ({ requests }) =>
    expectThat(
      !requests.some(({ path }) => path === PATHS.followed),
      'no request at the URL of the second redirect',
      `a request at ${PATHS.followed}`,
    ),
  ),
  'retry-second-redirect': retried('redirected-twice'),
  'stuck-sending': ofArticle('killed', (trace) => {
    expectRetried(trace, 'a publish that was being sent');
    const [first, second] = attemptsOf(trace);
    const waited = (second?.at ?? 0) - (first?.at ?? 0);
    expectThat(
      waited >= STUCK_SENDING_MINUTES * MINUTE_MS - EARLY_MS,
      'ten minutes before it is sent again',
      inWords(waited),
    );
  }),
  'publish-keeps-url': ofArticle('edited', (trace) => {
    expectRetried(trace, 'a publish that was queued before the connector was edited');
    const path = attemptsOf(trace)[1]?.first.path;
    expectThat(path === PATHS.registered, `the second attempt at ${PATHS.registered}`, `at ${path}`);
  }),
  'refresh-refused-after-edit': {
    articles: ['accepted', 'edited'],
    refreshes: ['edited'],
    check: (seen) => {
      const trace = refreshTrace(seen, 'edited');
      expectRetried(articleTrace(seen, 'edited'), 'the publish beside it');
      const [, second] = attemptsOf(trace);
      expectThat(second === undefined, 'no attempt after the edit', `one at ${second?.first.path}`);
    },
  },
});

/** Pairs each attempt after the first with the one before it. */
export function pairsOf(trace: Trace) {
  const attempts = attemptsOf(trace);
  return attempts.slice(1).flatMap((after, n) => {
    const before = attempts[n];
    return before === undefined ? [] : [[before, after] as const];
  });
}

/** Describes where two bodies differ. */
function differenceOf(a: Buffer, b: Buffer): string {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const around = (body: Buffer) => JSON.stringify(body.subarray(Math.max(0, at - 20), at + 40).toString());
  return `differs at byte ${at}: ${around(b)} in place of ${around(a)}`;
}
