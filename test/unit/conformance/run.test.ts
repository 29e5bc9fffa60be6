import test from 'ava';
import { hasFailed } from '../../../src/conformance/outcome.js';
import { redactor } from '../../../src/conformance/redact.js';
import { checkReceiver } from '../../../src/conformance/run.js';
import { CLOCK, type Clock } from '../../../src/sender/clock.js';
import { checked, complaints, optionsFor } from '../../support/conformance/checked.js';
import { referenceSteps, serveSteps } from '../../support/conformance/reference-receiver.js';
import { answers, finishes } from '../../support/conformance/ways.js';
import { SECRET } from '../../support/signer.js';

test('a read-only run sends nothing that writes', async (t) => {
  const steps = referenceSteps();
  const events = new Set<unknown>();
  finishes((_, { headers, body }) => {
    events.add(headers['x-service-event']);
    if (body.includes('article.published') && !body.includes('"capabilities"')) t.fail(body.toString());
    return {};
  })(steps);
  const report = await checked(steps, { readOnly: true });
  t.deepEqual(
    [...events].filter((event) => event === 'article.published' || event === 'article.updated'),
    [],
  );
  t.deepEqual(report.left, []);
  t.is(steps.store.articles.size, 0);
  t.false(hasFailed(report));
  const publish = report.outcomes.find(({ rule }) => rule.id === 'publish-accepted');
  t.is(publish?.why, 'it sends article.published, and --read-only was given');
});

test('a read-only run looks up an article that the receiver has', async (t) => {
  const steps = referenceSteps();
  await checked(steps, { only: ['publish-accepted'] });
  const [article] = steps.store.articles.values();
  const report = await checked(steps, { readOnly: true, target: article?.url });
  const results = new Map(report.outcomes.map(({ rule, result }) => [rule.id, result]));
  for (const id of ['lookup-200', 'lookup-target-title', 'canonical-query', 'lookup-version-3'])
    t.is(results.get(id), 'passed', id);
  t.is(steps.store.articles.size, 1);
});

test('the report lists the articles that the run has left behind', async (t) => {
  const steps = referenceSteps();
  const report = await checked(steps);
  t.deepEqual(report.left.map(({ id }) => id).sort(), [...steps.store.articles.keys()].sort());
  for (const { id, url } of report.left) {
    t.true(id.startsWith(`pressmark-check-${report.run}-`), id);
    t.is(url, steps.store.articles.get(id)?.url);
  }
});

test('no report holds the secret, a signature, the URL’s password or its query', async (t) => {
  const steps = referenceSteps();
  answers('article.lookup', (_, { incoming }) => ({
    status: 500,
    json: { error: `${SECRET} ${incoming.headers['x-service-signature']} for word and k4711` },
  }))(steps);
  const { url, close } = await serveSteps(steps);
  t.teardown(close);
  const private_ = new URL(`${url.href}?key=k4711`);
  private_.username = 'user';
  private_.password = 'word';
  const report = await checkReceiver(optionsFor(private_));
  const text = JSON.stringify(report);
  t.true(hasFailed(report));
  t.regex(text, /\[hidden\] sha256=\[64 hex digits\] for \[hidden\] and \[hidden\]/);
  for (const hidden of [SECRET, 'user:', 'word"', 'k4711']) t.false(text.includes(hidden), hidden);
  t.is(report.url, `${url.href}?…`);
});

test('a secret is hidden in every form that an answer may have it in', (t) => {
  const secret = 'a "quoted" secret & 100%';
  const hide = redactor(secret, new URL('https://r.example/'));
  for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    t.is(hide(`the key ${form} does not fit`), 'the key [hidden] does not fit');
});

test('the control characters of an answer are escaped in the report', async (t) => {
  const steps = referenceSteps();
  answers('article.published', () => ({ status: 500, text: '\u001b]0;owned\u0007\u009b31m\u202egone' }))(
    steps,
  );
  const report = await checked(steps);
  t.notRegex(JSON.stringify(complaints(report)), /[\u001b\u0007\u009b\u202e]/);
  t.regex(complaints(report).join(), /\\u\{1b\}\]0;owned\\u\{7\}\\u\{9b\}31m\\u\{202e\}gone/);
});

test('a run sends no more requests within a second than its rate allows', async (t) => {
  let now = 0;
  // Only the pace waits so briefly; an answer is waited for in real time.
  const clock: Clock = {
    now: () => now,
    wait: async (ms, signal) => {
      if (ms > 1000) return CLOCK.wait(ms, signal);
      now += ms;
    },
  };
  const steps = referenceSteps();
  const came: number[] = [];
  finishes(() => {
    came.push(now);
    return {};
  })(steps);
  const only = ['signature-missing', 'concurrent-one-wins', 'canonical-query'];
  const { requests } = await checked(steps, { rate: 10, only, clock });
  t.true(requests > 20);
  t.is(came.length, requests);
  for (const [n, at] of came.entries()) t.true((came[n + 10] ?? Number.POSITIVE_INFINITY) - at >= 1000);
});

test('a run with an unknown rule is refused', async (t) => {
  await t.throwsAsync(checked(referenceSteps(), { only: ['no-such-rule'] }), {
    message: /there is no rule "no-such-rule"; pressmark check --list/,
  });
});

test('an event that went unanswered three times is not sent again, and other events are', async (t) => {
  const steps = referenceSteps();
  let published = 0;
  finishes((_, { headers }) => {
    const hang = headers['x-service-event'] === 'article.published' && ++published > 1;
    return { hang };
  })(steps);
  const silent = ['publish-late-retry', 'publish-empty-title', 'publish-empty-fields', 'publish-image-null'];
  const report = await checked(steps, { only: ['publish-accepted', ...silent, 'json-null'] });
  t.is(published, 4);
  t.is(
    report.outcomes.find(({ rule }) => rule.id === 'publish-image-null')?.why,
    'article.published went unanswered 3 times',
  );
  t.is(report.outcomes.find(({ rule }) => rule.id === 'json-null')?.result, 'passed');
});
