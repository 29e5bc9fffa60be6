import test from 'ava';
import { hasFailed, type Report } from '../../../src/conformance/outcome.js';
import { redactor } from '../../../src/conformance/redact.js';
import { exchangeLines } from '../../../src/conformance/report/exchange.js';
import { markdownReport } from '../../../src/conformance/report/markdown.js';
import { RULES } from '../../../src/conformance/rules/all.js';
import { checkReceiver } from '../../../src/conformance/run.js';
import { SENDER_RULES } from '../../../src/conformance/sender/rules/all.js';
import { checked, complaints, optionsFor } from '../../support/conformance/checked.js';
import { FAULTS } from '../../support/conformance/faults.js';
import { GARDEN, referenceSteps, refuse, serveSteps } from '../../support/conformance/receiver.js';
import { answers, type Break, finishes, finishesEvent } from '../../support/conformance/ways.js';
import { SECRET } from '../../support/signer.js';

const outcomeOf = ({ outcomes }: Report, id: string) => outcomes.find(({ rule }) => rule.id === id);

test('the numbers of rules are stable and never given twice', (t) => {
  for (const [rules, numbers] of [
    [RULES, { reachable: 1, 'publish-again-same-url': 88, 'concurrent-one-wins': 200 }],
    [SENDER_RULES, { 'body-size': 14, 'update-large-retried': 75, 'record-url': 87 }],
  ] as const) {
    const all = new Map(rules.map(({ id, number }) => [id, number]));
    t.is(new Set(all.values()).size, rules.length);
    for (const [id, number] of Object.entries(numbers)) t.is(all.get(id), number, id);
  }
});

test('a read-only run sends nothing that writes', async (t) => {
  const events = new Set<unknown>();
  const seen = finishes((_, { headers, body }) => {
    events.add(headers['x-service-event']).add(/"event":"([^"]+)"/.exec(body.toString())?.[1]);
    return {};
  });
  const report = await checked(seen, { readOnly: true });
  t.false(events.has('article.published') || events.has('article.updated'));
  t.deepEqual(report.left, []);
  t.false(hasFailed(report));
  t.is(outcomeOf(report, 'publish-accepted')?.why, 'it sends article.published, which --read-only forbids');
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
  const report = await checkReceiver(optionsFor(private_, { only: ['lookup-200'] }));
  const text = JSON.stringify(report);
  t.true(hasFailed(report));
  t.regex(text, /\[hidden\] sha256=\[64 hex digits\] for \[hidden\] and \[hidden\]/);
  for (const hidden of [SECRET, 'user:', 'word"', 'k4711']) t.false(text.includes(hidden), hidden);
  t.is(report.url, `${url.href}?…`);
});

test('a secret is hidden in every form that an answer may have it in; words stay whole where it is a letter', (t) => {
  const secret = 'a "quoted" secret & 100%';
  const hide = redactor(secret, new URL('https://gardener:@r.example/'));
  const forms = [JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  for (const form of [secret, ...forms, Buffer.from(secret).toString('base64url')])
    t.is(hide(`the key ${form} does not fit gardener`), 'the key [hidden] does not fit [hidden]');
  t.is(redactor('e', new URL('https://r.example/'))('refused'), 'refused');
});

test('the control characters of an answer are escaped in the report', async (t) => {
  const text = '\u001b]0;owned\u0007\u009b31m\u202egone';
  const report = await checked(
    answers('article.published', () => ({ status: 500, text })),
    { only: ['publish-accepted'] },
  );
  t.notRegex(JSON.stringify(complaints(report)), /[\u001b\u0007\u009b\u202e]/);
  t.regex(complaints(report).join(), /\\u\{1b\}\]0;owned\\u\{7\}\\u\{9b\}31m\\u\{202e\}gone/);
});

test('a receiver that ends, or begins to limit requests, has failed, though the rule is known to fail, and keeps no later rule by that', async (t) => {
  for (const stops of [{ cut: true }, { status: 429, json: {} }, { status: 503, json: {} }]) {
    let stopped = false;
    const fault = finishes((_, { body }) => {
      stopped ||= body.toString() === 'null';
      return stopped ? stops : {};
    });
    const only = ['json-null', 'event-unknown-refused', 'lookup-not-acknowledged'];
    const report = await checked(fault, { known: ['json-null'], only });
    t.deepEqual(
      only.map((id) => outcomeOf(report, id)?.result),
      ['failed', 'not checked', 'not checked'],
    );
    t.true(hasFailed(report));
  }
});

test('the badge is green where all passed, red where a rule failed, yellow where all that failed were known to, and grey where nothing passed, which is a failure', async (t) => {
  const only = ['lookup-nothing-404', 'lookup-nothing-refused'];
  const wrong = FAULTS['lookup-nothing-refused'];
  for (const [colour, isFailed, breaks, over] of [
    ['brightgreen', false, [], { only }],
    ['red', true, wrong, { only }],
    ['yellow', false, wrong, { only, known: only }],
    ['lightgrey', true, [], { only: ['reachable'], skip: ['reachable'] }],
  ] as const) {
    const report = await checked(breaks, over);
    t.true(markdownReport(report).includes(`-${colour})`), colour);
    t.is(hasFailed(report), isFailed, colour);
  }
});

test('an event that went unanswered three times is not sent again, and other events are', async (t) => {
  let published = 0;
  const fault = finishesEvent('article.published', () => ({ hang: ++published > 1 }));
  const silent = ['publish-late-retry', 'publish-empty-title', 'publish-empty-fields', 'publish-unusual-id'];
  const report = await checked(fault, { only: ['publish-accepted', ...silent, 'json-null'] });
  t.is(published, 4);
  t.is(outcomeOf(report, 'publish-unusual-id')?.why, 'article.published went unanswered 3 times');
  t.is(outcomeOf(report, 'json-null')?.result, 'passed');
});

test('the command that repeats a request has no URL with a secret in it, and sends an empty header', (t) => {
  const exchange = {
    headers: { 'X-Service-Signature': '' },
    body: Buffer.from('{}'),
    reply: { kind: 'silence', why: 'timeout', reason: 'late' },
  } as const;
  const repeated = (url: string) =>
    exchangeLines({ url: new URL(url), ...exchange }, SECRET, redactor(SECRET, new URL(url))).at(-1) ?? '';
  t.regex(
    repeated('https://r.example/hook'),
    /curl -i 'https:\/\/r\.example\/hook' -H 'X-Service-Signature;' /,
  );
  for (const url of ['https://r.example/hook?key=k4711', 'https://gardener:word@r.example/hook'])
    t.regex(repeated(url), /curl -i "\$RECEIVER_URL" -H /);
});

const LATER_EVENTS = ['webhook.test', 'article.lookup', 'article.updated'];
const failed = ({ outcomes }: Report) =>
  outcomes.filter(({ result }) => result === 'failed' || result === 'advice').map(({ rule }) => rule.id);

/** Knows `article.published` alone, and says nothing but that it came. */
const version1: Break = (steps) => {
  for (const event of LATER_EVENTS) steps.events[event] = () => refuse(400, 'unsupported event');
  answers('article.published', () => ({ status: 202, text: '' }))(steps);
};

test('a receiver that refuses webhook.test is Version 1, and keeps all rules of Version 1', async (t) => {
  const report = await checked(version1, { as: undefined, pages: undefined });
  t.is(report.version, 1);
  t.deepEqual(failed(report), []);
  for (const id of ['signature-missing', 'publish-again-accepted'])
    t.is(outcomeOf(report, id)?.result, 'passed');
  t.like(outcomeOf(report, 'lookup-200'), {
    result: 'not applicable',
    why: 'it is for receivers of Version 2',
  });
});

test('a bare 200 to everything is Version 1, but must not acknowledge a lookup or an update', async (t) => {
  const bare: Break = (steps) => {
    version1(steps);
    for (const event of LATER_EVENTS) steps.events[event] = () => ({ status: 200, json: { received: true } });
  };
  const only = ['version-stated', 'lookup-not-acknowledged', 'update-not-acknowledged'];
  const report = await checked(bare, { as: undefined, only });
  t.is(report.version, 1);
  t.deepEqual(failed(report), ['lookup-not-acknowledged', 'update-not-acknowledged']);
});

test('a receiver that answers contract_version 2 is Version 2, and may answer a publish barely', async (t) => {
  const version2: Break = (steps) => {
    for (const event of LATER_EVENTS)
      answers(event, (json) => ({ json: { ...json, contract_version: 2 } }))(steps);
    answers('article.published', () => ({ json: { received: true } }))(steps);
  };
  const articleUrl = `${GARDEN}/articles/{slug}/`;
  const report = await checked(version2, { as: undefined, articleUrl });
  t.is(report.version, 2);
  t.deepEqual(failed(report), []);
  t.is(outcomeOf(report, 'update-content')?.result, 'passed');
  t.is(outcomeOf(report, 'publish-url')?.result, 'not applicable');
});

test('a receiver of Version 3 that is checked as Version 1 is not said to state no version', async (t) => {
  const { notes } = await checked([], { as: 1, only: ['reachable'] });
  t.deepEqual(notes, []);
});
