import test from 'ava';
import { hasFailed } from '../../../src/conformance/outcome.js';
import { redactor } from '../../../src/conformance/redact.js';
import { checkReceiver } from '../../../src/conformance/run.js';
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
