import test from 'ava';
import type { Report } from '../../../src/conformance/outcome.js';
import { checkSender } from '../../../src/conformance/sender/check-sender.js';
import { SENDER_RULES } from '../../../src/conformance/sender/rules/all.js';
import { DEFAULT_SERVICE } from '../../../src/contract/service.js';
import { sign } from '../../../src/contract/signature.js';
import { type Faults, trialSender } from '../../support/conformance/trial-sender.js';
import { SECRET } from '../../support/signer.js';

async function checked(faults: Faults = {}, only?: readonly string[]): Promise<Report> {
  const driver = trialSender(faults);
  const place = { host: '127.0.0.1', port: 0, secret: SECRET, service: DEFAULT_SERVICE };
  return checkSender({ ...place, driver, sender: 'a trial', onHeld: driver.held, only });
}

const complaints = ({ outcomes }: Report) =>
  outcomes
    .filter(({ result }) => result !== 'passed')
    .map(({ rule, result, expected, got, why }) => `${rule.id}: ${result}; ${why ?? `${expected} | ${got}`}`);

type Json = Record<string, unknown>;
const data = (envelope: Json) => Object(envelope.data) as Json;
const isArticle = (envelope: Json) => /published|updated/.test(String(envelope.event));
const isUpdate = (envelope: Json) => envelope.event === 'article.updated';
const inData = (isMeant: (envelope: Json) => boolean, change: (of: Json) => object): Faults => ({
  envelope: (envelope) =>
    isMeant(envelope) ? { ...envelope, data: { ...data(envelope), ...change(data(envelope)) } } : envelope,
});
const header = (name: string, change: (value: string) => string): Faults => ({
  headers: (headers) => ({ ...headers, [name]: change(headers[name] ?? '') }),
});
/** Takes an answer for final; without a status, that none came. */
const status = (code?: number): Faults => ({
  isFinal: (event, got) => got === code || (event === 'article.updated' && got === 409),
});
const updateStatus = (code: number): Faults => ({
  isFinal: (event, got) => event === 'article.updated' && (got === code || got === 409),
});
const follows = (events: RegExp, most = 1): Faults => ({
  redirects: (event) => (events.test(event) ? most : 0),
});
const timeout = (events: RegExp, ms: number, others: number): Faults => ({
  timeoutMs: (event) => (events.test(event) ? ms : others),
});
const waits = (...minutes: readonly number[]) => minutes.map((some) => some * 60_000);
const okay = ({ status: code }: { status: number }) => code >= 200 && code <= 299;
const small = (reply: { status: number; text: string }) => okay(reply) && reply.text.length < 1e6;
const json = ({ text }: { text: string }) => Object(JSON.parse(text || '{}')) as Json;
const record = (change: (of: { status: string }) => object): Faults => ({
  record: (one) => ({ ...one, ...change(one) }),
});

/** For each rule a sender that breaks it. */
const FAULTS: Readonly<Record<string, Faults>> = {
  signature: { sign: (body, secret) => `sha256=${secret.length}${body.length}` },
  'signature-lower-case': header('X-Service-Signature', (value) => value.toUpperCase().replace('SHA', 'sha')),
  post: { method: (_, isFollowed) => (isFollowed ? 'GET' : 'POST') },
  'content-type': header('Content-Type', () => 'text/plain'),
  'timestamp-header': header('X-Service-Timestamp', (seconds) => `${seconds}000`),
  payload: inData(isArticle, () => ({ tags: null })),
  compact: { write: (envelope) => JSON.stringify(envelope, null, 2) },
  'publish-without-version': { envelope: (envelope) => ({ ...envelope, contract_version: 2 }) },
  'event-header': header('X-Service-Event', () => 'article'),
  'contract-header': header('X-Service-Contract', () => '2'),
  'published-at': inData(isArticle, () => ({ published_at: '2026-11-19T07:00:00Z' })),
  'revision-is-id': inData(isUpdate, ({ id }) => ({ id: `${id}-x` })),
  'item-comment': inData(isArticle, () => ({ content_html: '<p>Text</p>' })),
  'body-size': inData(isArticle, () => ({ meta_description: 'x'.repeat(1_000_000) })),
  'accepted-is-final': { landed: () => false },
  'large-answer-is-final': { landed: small },
  'retry-failed': status(404),
  'retry-409': { isFinal: (_, code) => code === 409 },
  'retry-same-bytes': {
    retried: (envelope, now) => ({
      ...envelope,
      timestamp: new Date(now).toISOString(),
      data: { ...data(envelope), published_at: new Date(now).toISOString() },
    }),
  },
  'retry-own-timestamp': { sentAt: (_, first) => first },
  'retry-waits': { waits: waits(0.5, 5, 30, 120, 360) },
  'six-attempts': { attempts: 7 },
  'publish-timeout': timeout(/published/, 10_000, 15_000),
  'publish-follows-redirect': { redirects: () => 0 },
  'publish-follows-no-second-redirect': follows(/published/, 5),
  'retry-second-redirect': status(307),
  'stuck-sending': { stuckMs: 0 },
  'publish-keeps-url': { urlAfterEdit: (_, __, edited) => edited },
  'refresh-refused-after-edit': { urlAfterEdit: (_, queued) => queued },
  'test-on-connect': { testsOnConnect: false },
  'refresh-order': { testsRefresh: () => false },
  'test-before-each-update': { testsRetry: false },
  'test-answer-stops': {
    isTestRight: (reply) => small(reply) && json(reply).contract_version === 3,
  },
  'lookup-of-article-url': { targetUrl: (url) => url.replace(/[^/]+\/?$/, '') },
  'lookup-answer-stops': {
    isLookupRight: (reply, url) => small(reply) && Object(json(reply).target).url === url,
  },
  'redirect-stops': follows(/lookup|published/),
  'large-answer-stops': {
    isLookupRight: okay,
    targetOf: ({ text }) => Object(JSON.parse(text).target),
  },
  'refresh-timeout': timeout(/test/, 15_000, 30_000),
  'update-of-lookup': inData(isUpdate, () => ({ base_revision_id: 'cached' })),
  'update-own-revision': { draftId: () => 'draft' },
  'updated-is-final': { isUpdateRight: () => false },
  'conflict-is-final': { isFinal: () => false },
  'update-retried': {
    isUpdateRight: (reply) => small(reply) && json(reply).revision_id !== undefined,
  },
  'update-follows-no-redirect': follows(/updated|published/),
  'update-redirected-retried': updateStatus(307),
  'update-large-retried': { isUpdateRight: (reply, id) => okay(reply) && json(reply).revision_id === id },
  'record-pending': record(({ status: now }) => (now === 'pending' ? { status: 'failed' } : {})),
  'record-success': record(({ status: now }) =>
    now === 'success' ? { nextRetryAt: '2026-11-19T08:00:00Z' } : {},
  ),
  'record-failed': record(({ status: now }) => (now === 'failed' ? { status: 'pending' } : {})),
  'record-conflict': {
    record: (one) => (one.lastStatusCode === 409 && one.status === 'failed' ? { ...one, attempts: 2 } : one),
  },
  'record-no-status': { record: (one) => ({ ...one, lastStatusCode: one.lastStatusCode ?? 0 }) },
  'record-error': { record: (one) => ({ ...one, lastError: one.lastError?.slice(0, 100) ?? null }) },
  'record-url': { record: (one) => ({ ...one, url: `${one.url}-edited` }) },
};

/** Each was once overlooked. */
const OVERLOOKED: readonly (readonly [rule: string, faults: Faults, says?: RegExp])[] = [
  ['item-comment', inData(isArticle, ({ id }) => ({ content_html: `<!-- acme:item:1 --><p>${id}</p>` }))],
  ['payload', inData(isArticle, () => ({ slug: '' })), /slug is empty/],
  [
    'payload',
    inData(
      ({ event }) => event === 'webhook.test',
      () => ({ capabilities: ['article.published'] }),
    ),
    /capabilities must be/,
  ],
  ['timestamp-header', { sentAt: () => 100_000_000_000 }],
  ['timestamp-header', { sentAt: (now) => now + 3_600_000 }],
  ['refresh-order', { testsRefresh: (nth) => nth === 1 }],
  ['retry-waits', { waits: waits(1, 4, 30, 120, 360), timeJumps: true }, /at least 5\.0 min .* 4\.8 min/],
  ['retry-waits', { waits: waits(1, 5, 30, 90, 360) }, /at least 2\.0 h .* 1\.5 h/],
];

/** What a report of all rules names first, where that is not plain. */
const NAMED_FIRST = ['signature', 'post', 'accepted-is-final', 'retry-waits', 'conflict-is-final'];

/** Of each kind of expectation, one in words. */
const WORDS: Readonly<Record<string, RegExp>> = {
  'published-at': /both must be equal/,
  'accepted-is-final': /one attempt .* 200 .* 6, the second after \d+ s/,
  'retry-failed': /404 . none/,
  'retry-same-bytes': /differs at byte/,
  'retry-waits': /at least 60 s .* [35]0 s/,
  'publish-timeout': /waits 30 s.* after 10 s/,
  'test-answer-stops': /article\.lookup at/,
  'update-of-lookup': /base_revision_id "cached"/,
  'record-error': /to its 200th character/,
};

test('JSON with escapes that it does not need is compact', async (t) => {
  const write = (envelope: object) => JSON.stringify(envelope).replaceAll('<', '\\u003c');
  t.deepEqual(complaints(await checked({ write }, ['compact'])), []);
});

test('a sender without a fault keeps every rule, also if a request takes three seconds longer than the next one', async (t) => {
  t.deepEqual(complaints(await checked()), []);
  const late = { waits: waits(0.95, 5, 30, 120, 360) };
  t.deepEqual(complaints(await checked(late, ['retry-waits'])), []);
});

test('a signature of other bytes is named by what was signed, and is the only failure', async (t) => {
  const python = (body: string) =>
    JSON.stringify(JSON.parse(body)).replace(
      /("(?:[^"\\]|\\.)*")|([,:])/g,
      (_, text?: string, sign?: string) => text ?? `${sign} `,
    );
  const report = await checked({ sign: (body, secret) => sign(Buffer.from(python(body)), secret) });
  const failed = report.outcomes.filter(({ result }) => result !== 'not checked' && result !== 'passed');
  t.is(failed.length, 1);
  t.regex(failed[0]?.got ?? '', /is a signature made of the body as Python’s json\.dumps writes it/);
  t.true(report.outcomes.slice(1).every(({ why }) => why === 'it needs signature (failed)'));
});

test('the record of an update that never came is not checked', async (t) => {
  const report = await checked({ isLookupRight: () => false }, ['record-conflict']);
  t.deepEqual(complaints(report), ['record-conflict: not checked; no attempt came for it']);
});

test('for every rule about senders there is a fault, and for every fault such a rule', (t) => {
  t.deepEqual(Object.keys(FAULTS).sort(), SENDER_RULES.map(({ id }) => id).sort());
});

for (const [n, [id, faults, says = WORDS[id] ?? /./]] of [...Object.entries(FAULTS), ...OVERLOOKED].entries())
  test(`${n + 1}: a sender that breaks ${id} is told so`, async (t) => {
    const report = await checked(faults, NAMED_FIRST.includes(id) ? undefined : [id]);
    const [broken] = report.outcomes.filter(({ result }) => result !== 'passed');
    const said = complaints(report).join('\n');
    t.is(broken?.rule.id, id, said);
    t.is(broken?.result, broken?.rule.level === 'must' ? 'failed' : 'advice', said);
    t.regex(`${broken?.expected} | ${broken?.got}`, says);
  });
