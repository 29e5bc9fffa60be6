import {
  DELIVERY_TIMEOUT_MS,
  MAX_ATTEMPTS,
  RETRY_WAITS_MINUTES,
  STUCK_SENDING_MINUTES,
} from '../../../contract/limits.js';
import { expectThat, NotChecked, Unmet } from '../../expect.js';
import { articleTrace, inWords, refreshTrace, type Seen, senderRules, type UnnumberedRule } from '../rule.js';
import {
  ARTICLES,
  type ArticleName,
  attemptsOf,
  isFollowed,
  PATHS,
  type RefreshName,
  type Trace,
} from '../scenarios.js';

const MINUTE_MS = 60_000;
/** So much earlier than a sender’s own time it may seem to come: clocks are read at two places. */
const EARLY_MS = 1000;
/** A sender that gives up so much later has waited as long as it says. */
const LATE_MS = 10_000;

const RETRY =
  'Record each 4xx, 5xx, timeout and connection error, set nextRetryAt by the schedule, and send again then.';
const FINAL = 'Set the delivery to success at any 2xx, whatever the body says, and never send it again.';

/** A delivery that must not come again. @throws Unmet, NotChecked where it was not watched for long enough. */
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
      `it was watched for ${inWords(until - first.at)} only, and the first wait is a minute`,
    );
}

/** A delivery that must come again. @throws Unmet, NotChecked where the run ended before. */
export function expectRetried(trace: Trace, what: string): void {
  const { length } = attemptsOf(trace);
  if (length === 0) throw new NotChecked('it was not sent');
  if (length === 1 && !trace.overdue) throw new NotChecked('the check ended before its second attempt');
  expectThat(length > 1, `a second attempt at ${what}`, 'none within three minutes');
}

/** How long the sender waited for an answer. @throws Unmet */
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

const final = (id: string, name: ArticleName) => ({
  id,
  says: `A publish that ${ARTICLES[name].what} is delivered, and not sent again.`,
  hint: FINAL,
  articles: [name],
  check: (seen: Seen) => expectFinal(articleTrace(seen, name), seen, `a publish that ${ARTICLES[name].what}`),
});

const retried = (id: string, name: ArticleName, hint = RETRY) => ({
  id,
  says: `A publish that ${ARTICLES[name].what} is sent again.`,
  hint,
  articles: [name],
  check: (seen: Seen) => expectRetried(articleTrace(seen, name), `a publish that ${ARTICLES[name].what}`),
});

/** Every delivery with more than one attempt, and what it is; the killed one has a wait of its own. */
function* retriesOf({ articles, refreshes }: Seen): Generator<readonly [string, Trace]> {
  for (const [name, trace] of articles)
    if (name !== 'killed' && attemptsOf(trace).length > 1)
      yield [`a publish that ${ARTICLES[name].what}`, trace];
  for (const [name, trace] of refreshes)
    if (attemptsOf(trace).length > 1) yield [`an update (${name})`, trace];
}

const FAILING: readonly ArticleName[] = ['unavailable', 'closed', 'answered-500'];
const FAILING_UPDATES: readonly RefreshName[] = ['update-503'];

/** Deliveries of new articles (contract: Delivery record; States and transitions; Errors; Limits). */
export const PUBLISH_SENDER_RULES: readonly UnnumberedRule[] = [
  ...senderRules('States and transitions', [
    final('accepted-is-final', 'accepted'),
    final('bare-2xx-is-final', 'bare'),
  ]),
  ...senderRules('Limits', [final('large-answer-is-final', 'large')]),
  ...senderRules('Errors, How the service treats answers', [
    retried('retry-503', 'unavailable'),
    retried('retry-500', 'answered-500'),
    retried('retry-400', 'answered-400'),
    retried('retry-401', 'answered-401'),
    retried('retry-404', 'answered-404'),
    retried('retry-409', 'answered-409', `${RETRY} A 409 is final for an update alone.`),
    retried('retry-410', 'answered-410'),
    retried('retry-429', 'answered-429'),
    retried('retry-no-answer', 'no-answer'),
    retried('retry-closed', 'closed'),
  ]),
  ...senderRules('Delivery record, payload', [
    {
      id: 'retry-same-bytes',
      says: 'A retry has the same bytes as the first attempt.',
      hint: 'Keep the payload as it was queued, its timestamp and key order too, and serialize that each time.',
      articles: FAILING,
      refreshes: FAILING_UPDATES,
      check: (seen) => {
        let retries = 0;
        for (const [what, trace] of retriesOf(seen)) {
          const [first, ...others] = attemptsOf(trace);
          retries += others.length;
          for (const [n, { first: later }] of others.entries())
            if (first !== undefined && !later.body.equals(first.first.body))
              throw new Unmet(
                `the bytes of the first attempt at ${what}`,
                `attempt ${n + 2} ${differenceOf(first.first.body, later.body)}`,
              );
        }
        if (retries === 0) throw new NotChecked('nothing was sent twice');
      },
    },
  ]),
  ...senderRules('Request headers', [
    {
      id: 'retry-own-timestamp',
      says: 'X-Service-Timestamp of a retry is the moment of that attempt.',
      hint: 'Make the header anew for each attempt; only the body is kept.',
      articles: FAILING,
      check: (seen) => {
        let retries = 0;
        for (const [what, trace] of retriesOf(seen))
          for (const [before, after] of pairsOf(trace)) {
            if (after.at - before.at < MINUTE_MS / 2) continue;
            retries++;
            const moved = after.first.timestamp - before.first.timestamp;
            expectThat(
              moved >= (after.at - before.at) / 2000,
              `a timestamp that is ${inWords(after.at - before.at)} later at the next attempt at ${what}`,
              `${after.first.timestamp} after ${before.first.timestamp}`,
            );
          }
        if (retries === 0) throw new NotChecked('nothing was sent twice');
      },
    },
  ]),
  ...senderRules('Limits', [
    {
      id: 'retry-waits',
      section: 'Limits, Retry waits',
      says: 'Attempts are at least 1 minute, 5 minutes, 30 minutes, 2 hours and 6 hours apart.',
      hint: 'Each failed attempt sets nextRetryAt; let no HTTP client send again by itself, as keep-alive agents and retry plugins do.',
      articles: FAILING,
      refreshes: FAILING_UPDATES,
      check: (seen) => {
        let retries = 0;
        for (const [what, trace] of retriesOf(seen))
          for (const [n, [before, after]] of pairsOf(trace).entries()) {
            retries++;
            const waitMs = (RETRY_WAITS_MINUTES[n] ?? 0) * MINUTE_MS;
            expectThat(
              after.at - before.at >= waitMs - EARLY_MS,
              `at least ${inWords(waitMs)} before attempt ${n + 2} at ${what}`,
              inWords(after.at - before.at),
            );
          }
        if (retries === 0) throw new NotChecked('nothing was sent twice');
      },
    },
    {
      id: 'six-attempts',
      section: 'Limits, Attempts',
      says: 'A delivery that fails each time is tried six times, and no more.',
      hint: 'Count the attempts: after the first try and five retries the delivery has failed for good.',
      articles: ['unavailable'],
      check: (seen) => {
        const trace = articleTrace(seen, 'unavailable');
        const attempts = attemptsOf(trace);
        const { length } = attempts;
        if (length < MAX_ATTEMPTS && !trace.overdue)
          throw new NotChecked(
            `the check ended after ${length} attempts; all of them take 8 hours and 36 minutes`,
          );
        const watched = seen.until - (attempts.at(-1)?.at ?? seen.until);
        expectThat(
          length === MAX_ATTEMPTS,
          'six attempts',
          `${length}, and none in the ${inWords(watched)} after`,
        );
        if (watched < 6 * 60 * MINUTE_MS)
          throw new NotChecked(
            `six attempts came; for a seventh it was watched for ${inWords(watched)} only`,
          );
      },
    },
    {
      id: 'publish-timeout',
      section: 'Limits, Article delivery timeout',
      says: 'An answer to a publish is waited for 30 seconds.',
      hint: 'Set a time limit of 30 seconds for the whole exchange.',
      articles: ['no-answer'],
      check: (seen) =>
        expectTimeout(articleTrace(seen, 'no-answer'), 'article.published', DELIVERY_TIMEOUT_MS),
    },
    {
      id: 'publish-follows-redirect',
      section: 'Limits, Redirects',
      says: 'A publish follows one redirect, with the same method and bytes.',
      hint: 'POST the same body and headers once more to the URL in Location; HTTP clients often send a GET there.',
      articles: ['redirected'],
      check: (seen) => {
        const trace = articleTrace(seen, 'redirected');
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
      },
    },
    {
      id: 'publish-follows-no-second-redirect',
      section: 'Limits, Redirects',
      says: 'A publish follows no second redirect.',
      hint: 'Follow one redirect yourself; an HTTP client follows many.',
      articles: ['redirected-twice'],
      check: (seen) => {
        const { requests } = articleTrace(seen, 'redirected-twice');
        expectThat(
          !requests.some(({ path }) => path === PATHS.followed),
          'no request at the URL of the second redirect',
          `a request at ${PATHS.followed}`,
        );
      },
    },
    retried('retry-second-redirect', 'redirected-twice'),
  ]),
  ...senderRules('States and transitions', [
    {
      id: 'stuck-sending',
      says: 'A delivery that was being sent when the sender ended is sent again after ten minutes.',
      hint: 'Write sending and its moment before you send; return what is older than ten minutes to pending.',
      articles: ['killed'],
      check: (seen) => {
        const trace = articleTrace(seen, 'killed');
        expectRetried(trace, 'a publish that was being sent');
        const [first, second] = attemptsOf(trace);
        const waited = (second?.at ?? 0) - (first?.at ?? 0);
        expectThat(
          waited >= STUCK_SENDING_MINUTES * MINUTE_MS - EARLY_MS,
          'ten minutes before it is sent again',
          inWords(waited),
        );
      },
    },
  ]),
  ...senderRules('Delivery record, url', [
    {
      id: 'publish-keeps-url',
      says: 'A publish goes on to the URL that it was queued for, although the connector was edited since.',
      hint: 'Keep the URL, and the secret that was issued for it, with the delivery.',
      articles: ['edited'],
      check: (seen) => {
        const trace = articleTrace(seen, 'edited');
        expectRetried(trace, 'a publish that was queued before the connector was edited');
        const path = attemptsOf(trace)[1]?.first.path;
        expectThat(path === PATHS.registered, `the second attempt at ${PATHS.registered}`, `at ${path}`);
      },
    },
    {
      id: 'refresh-refused-after-edit',
      says: 'A refresh is refused when the connector no longer points where it was queued for.',
      hint: 'Compare the delivery’s URL with the connector’s before each attempt at an update; fail the delivery where they differ.',
      articles: ['accepted', 'edited'],
      refreshes: ['edited'],
      check: (seen) => {
        const trace = refreshTrace(seen, 'edited');
        expectRetried(articleTrace(seen, 'edited'), 'the publish beside it');
        const [, second] = attemptsOf(trace);
        expectThat(second === undefined, 'no attempt after the edit', `one at ${second?.first.path}`);
      },
    },
  ]),
];

/** Each attempt after the first with the one before it. */
export function pairsOf(trace: Trace) {
  const attempts = attemptsOf(trace);
  return attempts.slice(1).flatMap((after, n) => {
    const before = attempts[n];
    return before === undefined ? [] : [[before, after] as const];
  });
}

/** Where two bodies differ. */
function differenceOf(a: Buffer, b: Buffer): string {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const around = (body: Buffer) => JSON.stringify(body.subarray(Math.max(0, at - 20), at + 40).toString());
  return `differs at byte ${at}: ${around(b)} in place of ${around(a)}`;
}
