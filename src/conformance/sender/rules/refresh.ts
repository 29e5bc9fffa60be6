import { canonicalUrl } from '../../../contract/canonical-url.js';
import { type EventName, LOOKUP_TIMEOUT_MS } from '../../../contract/limits.js';
import { expectEqual, expectThat, NotChecked, Unmet } from '../../expect.js';
import { refreshTrace, type Seen, senderRules, type UnnumberedRule } from '../rule.js';
import { isFollowed, type RefreshName, type SeenRequest, type Trace } from '../scenarios.js';
import { targetIn } from '../scripted-receiver.js';
import { expectFinal, expectRetried, expectTimeout, pairsOf } from './publish.js';

const STOP =
  'Check each answer before you send the next event: status 200, received, contract_version, and what the event asked for; on anything else the refresh stops.';
const NO_REDIRECT = 'Let your HTTP client follow no redirect at these events.';

const requestOf = ({ requests }: Trace, event: EventName): SeenRequest => {
  const found = requests.find((request) => request.event === event);
  if (found === undefined) throw new NotChecked(`no ${event} came`);
  return found;
};

/** The refresh ended where this event was answered. @throws Unmet, NotChecked */
function expectStopped(trace: Trace, event: EventName, answer: string): void {
  const at = trace.requests.indexOf(requestOf(trace, event));
  const after = trace.requests
    .slice(at + 1)
    .find((request) => request.event !== event || isFollowed(request));
  expectThat(
    after === undefined,
    `nothing after the ${event} that was answered ${answer}`,
    `${after?.event} at ${after?.path}`,
  );
}

const stops = (name: RefreshName, event: EventName, answer: string, hint = STOP) => ({
  id: `${name}-stops`,
  says: `A refresh stops where its ${event} is answered ${answer}.`,
  hint,
  refreshes: [name],
  check: (seen: Seen) => expectStopped(refreshTrace(seen, name), event, answer),
});

const timesOut = (name: RefreshName, event: EventName) => ({
  id: `${event === 'webhook.test' ? 'test' : 'lookup'}-timeout`,
  says: `An answer to ${event} is waited for 15 seconds, and without one the refresh stops.`,
  hint: 'Set a time limit of 15 seconds for the whole exchange, and stop where it is over.',
  refreshes: [name],
  check: (seen: Seen) => {
    const trace = refreshTrace(seen, name);
    expectTimeout(trace, event, LOOKUP_TIMEOUT_MS);
    expectStopped(trace, event, 'nothing');
  },
});

const retried = (name: RefreshName, answer: string) => ({
  id: `${name}-retried`,
  level: 'should' as const, // the contract has the schedule for publishes, and lets failed updates be retried on it
  says: `An update that is answered ${answer} has failed, and is sent again.`,
  hint: 'An update has landed only where the answer has received, contract_version 2 or 3 and the same revision_id; else keep it pending.',
  refreshes: [name],
  check: (seen: Seen) => expectRetried(refreshTrace(seen, name), `an update that was answered ${answer}`),
});

/** What is refreshed is the article that was accepted. */
function refreshRules(...[section, own]: Parameters<typeof senderRules>): UnnumberedRule[] {
  return senderRules(section, own).map((rule) => ({ ...rule, articles: ['accepted'] }));
}

/** Refreshes: test, lookup, update (contract: webhook.test; article.lookup; article.updated; Versioning). */
export const REFRESH_SENDER_RULES: readonly UnnumberedRule[] = [
  ...refreshRules('webhook.test', [
    {
      id: 'test-on-connect',
      says: 'A webhook.test is sent on connection, before any article.',
      hint: 'Send webhook.test when a connector is registered or its URL is edited.',
      check: ({ requests: [first] }) => {
        if (first === undefined) throw new NotChecked('no request came');
        expectThat(first.event === 'webhook.test', 'webhook.test as the first request', first.event);
      },
    },
    {
      id: 'refresh-order',
      says: 'Each refresh sends webhook.test, article.lookup and article.updated, in this order.',
      hint: 'Ask the receiver and look the article up anew for every refresh; nothing is cached.',
      refreshes: ['refreshed', 'conflict'],
      check: (seen) => {
        for (const name of ['refreshed', 'conflict'] as const) {
          const events = refreshTrace(seen, name).requests.map(({ event }) => event);
          expectEqual(
            'the events',
            ['webhook.test', 'article.lookup', 'article.updated'],
            [...new Set(events)],
          );
        }
      },
    },
    {
      id: 'test-before-each-update',
      level: 'should', // the contract asks for a test before each refresh, and has no retries of updates
      says: 'Each retry of an update comes after a webhook.test of its own.',
      hint: 'Send webhook.test before a retry of an update too.',
      refreshes: ['update-503'],
      check: (seen) => {
        const pairs = pairsOf(refreshTrace(seen, 'update-503'));
        if (pairs.length === 0) throw new NotChecked('no update was sent again');
        for (const [n, [before, after]] of pairs.entries()) {
          const between = seen.requests.slice(
            seen.requests.indexOf(before.last),
            seen.requests.indexOf(after.first),
          );
          const tested = between.some(({ event }) => event === 'webhook.test');
          expectThat(tested, `webhook.test before attempt ${n + 2} at an update`, 'none');
        }
      },
    },
    stops('test-bare', 'webhook.test', '{"received": true} alone'),
    stops('test-two-capabilities', 'webhook.test', 'with two of the three capabilities'),
  ]),
  ...refreshRules('Limits', [
    stops('test-redirected', 'webhook.test', 'with a redirect', NO_REDIRECT),
    stops('test-large', 'webhook.test', 'with more than 1,000,000 bytes'),
    timesOut('test-no-answer', 'webhook.test'),
  ]),
  ...refreshRules('article.lookup data', [
    {
      id: 'lookup-of-article-url',
      says: 'The lookup asks for the article’s public URL.',
      hint: 'Send as target_url the url of the answer to the publish.',
      refreshes: ['refreshed'],
      check: (seen) => {
        const { target_url: url } = requestOf(refreshTrace(seen, 'refreshed'), 'article.lookup').data;
        expectEqual('target_url', canonicalUrl(seen.articleUrl ?? ''), canonicalUrl(String(url)));
      },
    },
  ]),
  ...refreshRules('Errors, How the service treats answers', [
    stops('lookup-other-url', 'article.lookup', 'with an article at another URL'),
    stops('lookup-empty-field', 'article.lookup', 'with an empty title'),
    stops('lookup-404', 'article.lookup', '404'),
  ]),
  ...refreshRules('Limits', [
    stops('lookup-redirected', 'article.lookup', 'with a redirect', NO_REDIRECT),
    stops('lookup-large', 'article.lookup', 'with more than 1,000,000 bytes'),
    timesOut('lookup-no-answer', 'article.lookup'),
  ]),
  ...refreshRules('article.updated data', [
    {
      id: 'update-of-lookup',
      says: 'The update names the article that the lookup found, by its canonical URL, and the revision.',
      hint: 'Send target_id and base_revision_id as the lookup’s answer has them, and its url without the fragment and one slash at the end as target_url.',
      refreshes: ['refreshed'],
      check: (seen) => {
        const trace = refreshTrace(seen, 'refreshed');
        const target = targetIn(requestOf(trace, 'article.lookup'));
        const { data } = requestOf(trace, 'article.updated');
        expectEqual('target_id', target.id, data.target_id);
        expectEqual('target_url', canonicalUrl(target.url ?? ''), data.target_url);
        expectEqual('base_revision_id', target.revision_id, data.base_revision_id);
      },
    },
    {
      id: 'update-own-revision',
      says: 'Each refresh has a revision_id of its own.',
      hint: 'Give every refresh draft an id of its own, which is never used for another text.',
      refreshes: ['refreshed', 'conflict'],
      check: (seen) => {
        const ids = (['refreshed', 'conflict'] as const).map(
          (name) => requestOf(refreshTrace(seen, name), 'article.updated').data.revision_id,
        );
        expectThat(ids[0] !== ids[1], 'two revisions', `${ids[0]} for both`);
      },
    },
  ]),
  ...refreshRules('article.updated', [
    {
      id: 'updated-is-final',
      says: 'An update that is answered as the contract has it is not sent again.',
      hint: 'Set the delivery to success where the answer matches.',
      refreshes: ['refreshed'],
      check: (seen) => expectFinal(refreshTrace(seen, 'refreshed'), seen, 'an update that was accepted'),
    },
  ]),
  ...refreshRules('States and transitions', [
    {
      id: 'conflict-is-final',
      says: 'An update that is answered 409 has failed, and is never sent again.',
      hint: 'Fail the delivery at once: the article has changed since the lookup.',
      refreshes: ['conflict'],
      check: (seen) => expectFinal(refreshTrace(seen, 'conflict'), seen, 'an update that was answered 409'),
    },
  ]),
  ...refreshRules('Errors, How the service treats answers', [
    retried('update-503', '503'),
    retried('update-other-revision', 'with another revision_id'),
    retried('update-bare', '{"received": true} alone'),
  ]),
  ...refreshRules('Limits', [
    {
      id: 'update-follows-no-redirect',
      says: 'An update follows no redirect.',
      hint: NO_REDIRECT,
      refreshes: ['update-redirected'],
      check: (seen) => {
        const trace = refreshTrace(seen, 'update-redirected');
        requestOf(trace, 'article.updated');
        const followed = trace.requests.find(isFollowed);
        if (followed !== undefined)
          throw new Unmet('no request at the URL of the redirect', `${followed.event} at ${followed.path}`);
      },
    },
    retried('update-redirected', 'with a redirect'),
    retried('update-large', 'with more than 1,000,000 bytes'),
  ]),
];
