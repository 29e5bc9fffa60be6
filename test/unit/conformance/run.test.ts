import test from 'ava';
import { hasFailed, type Outcome } from '../../../src/conformance/outcome.js';
import { redactor } from '../../../src/conformance/redact.js';
import { exchangeLines } from '../../../src/conformance/report/exchange.js';
import { markdownReport } from '../../../src/conformance/report/markdown.js';
import { RULES } from '../../../src/conformance/rules/all.js';
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
  const bytes = Buffer.from(secret);
  for (const form of [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('base64url'),
  ])
    t.is(hide(`the key ${form} does not fit`), 'the key [hidden] does not fit');
});

test('a report hides the user of the URL, and leaves words whole where the secret is a letter', (t) => {
  const hide = redactor('e', new URL('https://gardener:@r.example/'));
  t.is(hide('gardener, refused'), '[hidden], refused');
});

test('a receiver that ends, or begins to limit requests, has failed, though the rule is known to fail', async (t) => {
  for (const stops of [{ cut: true }, { status: 429, json: {} }, { status: 503, json: {} }]) {
    const steps = referenceSteps();
    let stopped = false;
    finishes((_, { body }) => {
      stopped ||= body.toString() === 'null';
      return stopped ? stops : {};
    })(steps);
    const report = await checked(steps, { known: ['json-null'] });
    const results = new Map(report.outcomes.map(({ rule, result }) => [rule.id, result]));
    t.is(results.get('json-null'), 'failed');
    t.is(results.get('too-large-413'), 'not checked');
    t.true(hasFailed(report));
  }
});

for (const status of [429, 503])
  test(`a receiver that answers ${status} to everything keeps no rule by that, not even one that asks for a refusal`, async (t) => {
    const steps = referenceSteps();
    let isFailing = false;
    finishes((_, { body }) => {
      isFailing ||= body.includes('article.unheard');
      return isFailing ? { status, json: { error: 'later' } } : {};
    })(steps);
    const only = ['event-unknown-refused', 'lookup-not-acknowledged', 'update-not-acknowledged'];
    const report = await checked(steps, { only });
    const results = report.outcomes.flatMap(({ rule, result }) => (only.includes(rule.id) ? [result] : []));
    t.deepEqual(results.sort(), ['failed', 'not checked', 'not checked']);
  });

test('a receiver of Version 3 that is checked as Version 1 is not said to state no version', async (t) => {
  const { notes } = await checked(referenceSteps(), { as: 1, only: ['reachable'] });
  t.deepEqual(notes, []);
});

test('a run in which nothing passed has failed', async (t) => {
  const report = await checked(referenceSteps(), { only: ['reachable'], skip: ['reachable'] });
  t.deepEqual(complaints(report), ['reachable: not checked; it is left out by --skip']);
  t.true(hasFailed(report));
});

test('the command that repeats a request has no URL with a secret in it, and sends an empty header', (t) => {
  const exchange = {
    headers: { 'X-Service-Signature': '' },
    body: Buffer.from('{}'),
    reply: { kind: 'silence', why: 'timeout', reason: 'late' },
  } as const;
  const repeated = (url: string) =>
    exchangeLines({ url: new URL(url), ...exchange }, SECRET, redactor(SECRET, new URL(url))).at(-1);
  t.regex(
    repeated('https://r.example/hook') ?? '',
    /curl -i 'https:\/\/r\.example\/hook' -H 'X-Service-Signature;' /,
  );
  t.regex(repeated('https://r.example/hook?key=k4711') ?? '', /curl -i "\$RECEIVER_URL" -H /);
  t.regex(repeated('https://gardener:word@r.example/hook') ?? '', /curl -i "\$RECEIVER_URL" -H /);
});

test('the badge of a report is green where rules have passed and none is broken or known to be, and its table has errors too', (t) => {
  const [rule] = RULES;
  if (rule === undefined) throw new Error('there is no rule');
  const markdown = (outcome: Pick<Outcome, 'result' | 'why'>) =>
    markdownReport({
      ...{ url: '', subject: 'Version 3', checkedAs: '', notes: [], requests: 1, ms: 1 },
      outcomes: [{ rule, ms: 1, ...outcome }],
    });
  t.regex(markdown({ result: 'known' }), /^!\[.*-yellow\)/);
  t.regex(markdown({ result: 'passed' }), /^!\[.*-brightgreen\)/);
  t.regex(markdown({ result: 'not checked', why: 'no time' }), /^!\[.*-lightgrey\)/);
  t.regex(markdown({ result: 'error', why: 'it broke' }), /^\| `reachable` \(error\) \| +\| it broke \| /m);
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
