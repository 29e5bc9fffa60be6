import { canonicalUrl } from '../../../contract/canonical-url.js';
import { type EventName, LOOKUP_TIMEOUT_MS } from '../../../contract/limits.js';
import { expectEqual, expectThat, NotChecked, Unmet } from '../../expect.js';
import { rulesWith } from '../../rule-list.js';
import { ofRefresh, type Play, refreshTrace } from '../rule.js';
import { isFollowed, type RefreshName, type SeenRequest, type Trace } from '../scenarios.js';
import { targetIn } from '../scripted-receiver.js';
import { expectFinal, expectRetried, expectTimeout, pairsOf } from './publish.js';

const LIST = `
# webhook.test
51 test-on-connect: A new connection begins with a webhook.test, before any article.
  Send webhook.test when a connector is registered or its URL is edited.
52 refresh-order: Each refresh sends webhook.test, article.lookup and article.updated, in this order.
  Test the receiver and look the article up for every refresh; cache nothing.
53 test-before-each-update (should): Each retry of an update follows its own webhook.test.
  Send webhook.test before each retry of an update.

# Errors, How the service treats answers
54 test-answer-stops (webhook.test): A refresh stops if its webhook.test is answered only {"received": true}, or with two of the three capabilities.
60 lookup-answer-stops: A refresh stops if its article.lookup is answered 404, with an article at another URL, or with an empty title.
57 large-answer-stops (Limits): A refresh stops if its webhook.test or article.lookup is answered with more than 1,000,000 bytes.
  Check each answer before you send the next event: status 200, received, contract_version, and the event’s own fields; stop the refresh if one is wrong.

# Limits
56 redirect-stops: A refresh stops if its webhook.test or article.lookup is answered with a redirect.
73 update-follows-no-redirect: An update follows no redirect.
  Disable redirects in your HTTP client for these events.
58 refresh-timeout: A refresh stops if its webhook.test or article.lookup is not answered within 15 seconds.
  Set a time limit of 15 seconds for the whole exchange, and stop when it is over.

# article.lookup data
59 lookup-of-article-url: The lookup asks for the article’s public URL.
  Send the url in the answer to the publish as target_url.

# article.updated data
66 update-of-lookup: The update names the article that the lookup found, by its canonical URL, and its revision.
  Send the id and revision_id of the lookup’s answer as target_id and base_revision_id, and its url without fragment and one trailing slash as target_url.
67 update-own-revision: Each refresh has a unique revision_id.
  Give every refresh draft a unique id, and never use it for another text.

# article.updated
68 updated-is-final: An update that got the right answer is not sent again.
  Set the delivery to success if the answer matches.
69 conflict-is-final (States and transitions): An update that was answered 409 has failed, and is never sent again.
  Fail the delivery at once: the article has changed since the lookup.

# Errors, How the service treats answers; should
70 update-retried: An update that is answered 503, with another revision_id, or {"received": true} alone has failed, and is sent again.
74 update-redirected-retried (Limits): An update that is answered with a redirect has failed, and is sent again.
75 update-large-retried (Limits): An update that is answered with more than 1,000,000 bytes has failed, and is sent again.
  Keep the update pending until an answer has received, contract_version 2 or 3 and the same revision_id.
`;

const requestOf = ({ requests }: Trace, event: EventName): SeenRequest => {
  const found = requests.find((request) => request.event === event);
  if (found === undefined) throw new NotChecked(`no ${event} came`);
  return found;
};

/** The event at which a scenario ends. */
const lastOf = (name: RefreshName): EventName =>
  name.startsWith('test-') ? 'webhook.test' : 'article.lookup';

/** Expects that the refresh ended with the answer to this event. @throws Unmet, NotChecked */
function expectStopped(trace: Trace, name: RefreshName): void {
  const event = lastOf(name);
  const at = trace.requests.indexOf(requestOf(trace, event));
  const after = trace.requests
    .slice(at + 1)
    .find((request) => request.event !== event || isFollowed(request));
  expectThat(
    after === undefined,
    `nothing after the ${event} (${name})`,
    `${after?.event} at ${after?.path}`,
  );
}

const stops = (...names: RefreshName[]) => ofRefresh(names, (trace, _, name) => expectStopped(trace, name));

// Advice: the contract's schedule is for publishes, and failed updates may be retried on it.
const retried = (...names: RefreshName[]) =>
  ofRefresh(names, (trace, _, name) => expectRetried(trace, `an update (${name})`));

const FULL = ['refreshed', 'conflict'] as const;

/** Refreshes: test, lookup, update (contract: webhook.test; article.lookup; article.updated; Versioning). */
export const REFRESH_SENDER_RULES = rulesWith<Play>(LIST, {
  'test-on-connect': {
    articles: ['accepted'],
    refreshes: [],
    check: ({ requests: [first] }) => {
      if (first === undefined) throw new NotChecked('no request came');
      expectThat(first.event === 'webhook.test', 'webhook.test as the first request', first.event);
    },
  },
  'refresh-order': {
    articles: ['accepted'],
    refreshes: FULL,
    check: (seen) => {
      for (const name of FULL) {
        const events = refreshTrace(seen, name).requests.map(({ event }) => event);
        expectEqual(
          'the events',
          ['webhook.test', 'article.lookup', 'article.updated'],
          [...new Set(events)],
        );
      }
    },
  },
  // Advice: the contract requires a test before each refresh, and has no retries of updates.
  'test-before-each-update': ofRefresh('update-503', (trace, { requests }) => {
    const pairs = pairsOf(trace);
    if (pairs.length === 0) throw new NotChecked('no update was sent again');
    for (const [n, [before, after]] of pairs.entries()) {
      const between = requests.slice(requests.indexOf(before.last), requests.indexOf(after.first));
      const tested = between.some(({ event }) => event === 'webhook.test');
      expectThat(tested, `webhook.test before attempt ${n + 2} at an update`, 'none');
    }
  }),
  'test-answer-stops': stops('test-bare', 'test-two-capabilities'),
  'lookup-answer-stops': stops('lookup-404', 'lookup-other-url', 'lookup-empty-field'),
  'large-answer-stops': stops('test-large', 'lookup-large'),
  'redirect-stops': stops('test-redirected', 'lookup-redirected'),
  'refresh-timeout': ofRefresh(['test-no-answer', 'lookup-no-answer'], (trace, _, name) => {
    expectTimeout(trace, lastOf(name), LOOKUP_TIMEOUT_MS);
    expectStopped(trace, name);
  }),
  'lookup-of-article-url': ofRefresh('refreshed', (trace, { articleUrl = '' }) => {
    const { target_url: url } = requestOf(trace, 'article.lookup').data;
    expectEqual('target_url', canonicalUrl(articleUrl), canonicalUrl(String(url)));
  }),
  'update-of-lookup': ofRefresh('refreshed', (trace) => {
    const target = targetIn(requestOf(trace, 'article.lookup'));
    const { data } = requestOf(trace, 'article.updated');
    expectEqual('target_id', target.id, data.target_id);
    expectEqual('target_url', canonicalUrl(target.url ?? ''), data.target_url);
    expectEqual('base_revision_id', target.revision_id, data.base_revision_id);
  }),
  'update-own-revision': {
    articles: ['accepted'],
    refreshes: FULL,
    check: (seen) => {
      const [one, other] = FULL.map(
        (name) => requestOf(refreshTrace(seen, name), 'article.updated').data.revision_id,
      );
      expectThat(one !== other, 'two revisions', `${one} for both`);
    },
  },
  'updated-is-final': ofRefresh('refreshed', (trace, seen) =>
    expectFinal(trace, seen, 'an update that was accepted'),
  ),
  'conflict-is-final': ofRefresh('conflict', (trace, seen) =>
    expectFinal(trace, seen, 'an update that was answered 409'),
  ),
  'update-retried': retried('update-503', 'update-other-revision', 'update-bare'),
  'update-follows-no-redirect': ofRefresh('update-redirected', (trace) => {
    requestOf(trace, 'article.updated');
    const followed = trace.requests.find(isFollowed);
    if (followed !== undefined)
      throw new Unmet('no request at the URL of the redirect', `${followed.event} at ${followed.path}`);
  }),
  'update-redirected-retried': retried('update-redirected'),
  'update-large-retried': retried('update-large'),
});
