import test from 'ava';
import { NotChecked } from '../../../src/conformance/expect.js';
import type { Report } from '../../../src/conformance/outcome.js';
import { checkSender } from '../../../src/conformance/sender/check-sender.js';
import type { SenderDriver } from '../../../src/conformance/sender/driver.js';
import { SENDER_RULES } from '../../../src/conformance/sender/rules/all.js';
import { DEFAULT_SERVICE } from '../../../src/contract/service.js';
import { sign } from '../../../src/contract/signature.js';
import { type Faults, trialSender } from '../../support/conformance/trial-sender.js';
import { SECRET } from '../../support/signer.js';

async function checked(
  faults: Faults = {},
  only?: readonly string[],
  driver = trialSender(faults),
): Promise<Report> {
  const place = { host: '127.0.0.1', port: 0, secret: SECRET, service: DEFAULT_SERVICE };
  return checkSender({ ...place, driver, sender: 'a trial', onHeld: driver.held, only });
}

const complaints = ({ outcomes }: Report) =>
  outcomes
    .filter(({ result }) => result !== 'passed')
    .map(({ rule, result, expected, got, why }) => `${rule.id}: ${result}; ${why ?? `${expected} | ${got}`}`);

interface Mistake {
  readonly faults: Faults;
  /** What its expectation or finding says. */
  readonly says: RegExp;
  /** Whether a report of all rules names it first. */
  readonly first?: true;
}

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
const okay = ({ status: code }: { status: number }) => code >= 200 && code <= 299;
const small = (reply: { status: number; text: string }) => okay(reply) && reply.text.length < 1e6;
const json = ({ text }: { text: string }) => Object(JSON.parse(text || '{}')) as Json;
const record = (change: (of: { status: string }) => object): Faults => ({
  record: (one) => ({ ...one, ...change(one) }),
});

/** For each rule a sender that breaks it, and the words that the report has for that. */
const MISTAKES: Readonly<Record<string, Mistake>> = {
  signature: {
    first: true,
    faults: { sign: (body, secret) => `sha256=${secret.length}${body.length}` },
    says: /is not the HMAC|has not the form/,
  },
  'signature-lower-case': {
    faults: header('X-Service-Signature', (value) => value.toUpperCase().replace('SHA', 'sha')),
    says: /has capitals/,
  },
  post: {
    first: true,
    faults: { method: (_, isFollowed) => (isFollowed ? 'GET' : 'POST') },
    says: /the method is GET/,
  },
  'content-type': {
    faults: header('Content-Type', () => 'text/plain'),
    says: /Content-Type is text\/plain/,
  },
  'timestamp-header': {
    faults: header('X-Service-Timestamp', (seconds) => `${seconds}000`),
    says: /moment of sending in seconds/,
  },
  payload: { faults: inData(isArticle, () => ({ tags: null })), says: /tags/ },
  compact: { faults: { write: (envelope) => JSON.stringify(envelope, null, 2) }, says: /not compact/ },
  'publish-without-version': {
    faults: { envelope: (envelope) => ({ ...envelope, contract_version: 2 }) },
    says: /carries no contract_version/,
  },
  'event-header': {
    faults: header('X-Service-Event', () => 'article'),
    says: /X-Service-Event is article/,
  },
  'contract-header': {
    faults: header('X-Service-Contract', () => '2'),
    says: /on article.published it is absent/,
  },
  'published-at': {
    faults: inData(isArticle, () => ({ published_at: '2026-11-19T07:00:00Z' })),
    says: /both are the same/,
  },
  'revision-is-id': {
    faults: inData(isUpdate, ({ id }) => ({ id: `${id}-x` })),
    says: /revision_id is/,
  },
  'item-comment': {
    faults: inData(isArticle, () => ({ content_html: '<p>Text</p>' })),
    says: /does not end with the item comment/,
  },
  'body-size': {
    faults: inData(isArticle, () => ({ meta_description: 'x'.repeat(1_000_000) })),
    says: /1,00\d,\d+ bytes/,
  },
  'accepted-is-final': {
    first: true,
    faults: { landed: () => false },
    says: /one attempt .* 200 .* 6, the second after \d+ s/,
  },
  'bare-2xx-is-final': {
    faults: { landed: (reply) => okay(reply) && reply.text !== '' },
    says: /202 without a body/,
  },
  'large-answer-is-final': { faults: { landed: small }, says: /more than 1,000,000 bytes/ },
  'retry-503': { faults: status(503), says: /503 each time . none/ },
  'retry-500': { faults: status(500), says: /500 . none/ },
  'retry-400': { faults: status(400), says: /400 . none/ },
  'retry-401': { faults: status(401), says: /401 . none/ },
  'retry-404': { faults: status(404), says: /404 . none/ },
  'retry-409': { faults: { isFinal: (_, code) => code === 409 }, says: /409 . none/ },
  'retry-410': { faults: status(410), says: /410 . none/ },
  'retry-429': { faults: status(429), says: /429 . none/ },
  'retry-no-answer': { faults: status(), says: /got no answer . none/ },
  'retry-closed': { faults: status(), says: /its connection closed . none/ },
  'retry-same-bytes': {
    faults: {
      retried: (envelope, now) => ({
        ...envelope,
        timestamp: new Date(now).toISOString(),
        data: { ...data(envelope), published_at: new Date(now).toISOString() },
      }),
    },
    says: /differs at byte/,
  },
  'retry-own-timestamp': { faults: { sentAt: (_, first) => first }, says: /a timestamp that is 60 s later/ },
  'retry-waits': {
    first: true,
    faults: { waits: [30, 300, 1800, 7200, 21_600].map((s) => s * 1000) },
    says: /at least 60 s .* [35]0 s/,
  },
  'six-attempts': { faults: { attempts: 7 }, says: /six attempts . 7/ },
  'publish-timeout': { faults: timeout(/published/, 10_000, 15_000), says: /waits 30 s.* after 10 s/ },
  'publish-follows-redirect': { faults: { redirects: () => 0 }, says: /no valid publish there/ },
  'publish-follows-no-second-redirect': {
    faults: follows(/published/, 5),
    says: /a request at \/followed/,
  },
  'retry-second-redirect': { faults: status(307), says: /redirected twice . none/ },
  'stuck-sending': { faults: { stuckMs: 0 }, says: /ten minutes before it is sent again . / },
  'publish-keeps-url': {
    faults: { urlAfterEdit: (event, _, edited) => (event === 'article.updated' ? undefined : edited) },
    says: /at \/webhook . at \/webhook-edited/,
  },
  'refresh-refused-after-edit': {
    faults: { urlAfterEdit: (_, queued) => queued },
    says: /no attempt after the edit . one at \/webhook/,
  },
  'test-on-connect': { faults: { testsOnConnect: false }, says: /article\.published/ },
  'refresh-order': { faults: { testsRefresh: () => false }, says: /webhook\.test/ },
  'test-before-each-update': { faults: { testsRetry: false }, says: /webhook\.test before attempt 2/ },
  'test-bare-stops': {
    faults: {
      isTestRight: (reply) =>
        small(reply) &&
        json(reply).received === true &&
        [undefined, 3].includes((json(reply).capabilities as unknown[] | undefined)?.length),
    },
    says: /article\.lookup at/,
  },
  'test-two-capabilities-stops': {
    faults: { isTestRight: (reply) => small(reply) && json(reply).contract_version === 3 },
    says: /article\.lookup at/,
  },
  'test-redirected-stops': { faults: follows(/test|published/), says: /webhook\.test at \/followed/ },
  'test-large-stops': {
    faults: { isTestRight: (reply) => okay(reply) && Object(json(reply).capabilities).length === 3 },
    says: /article\.lookup at/,
  },
  'test-timeout': { faults: timeout(/lookup/, 15_000, 30_000), says: /waits 15 s .* 30 s/ },
  'lookup-of-article-url': {
    faults: { targetUrl: (url) => url.replace(/[^/]+\/?$/, '') },
    says: /target_url/,
  },
  'lookup-other-url-stops': {
    faults: { isLookupRight: (reply) => small(reply) && Object(json(reply).target).title !== '' },
    says: /article\.updated at/,
  },
  'lookup-empty-field-stops': {
    faults: { isLookupRight: (reply, url) => small(reply) && Object(json(reply).target).url === url },
    says: /article\.updated at/,
  },
  'lookup-404-stops': {
    faults: {
      isLookupRight: ({ status: code }, _url) => code === 404 || code === 200,
      targetOf: (_, url) => ({ id: 'article', url, revision_id: 'cached' }),
    },
    says: /article\.updated at/,
  },
  'lookup-redirected-stops': {
    faults: follows(/lookup|published/),
    says: /article\.lookup at \/followed/,
  },
  'lookup-large-stops': {
    faults: {
      isLookupRight: okay,
      targetOf: ({ text }) => Object(JSON.parse(text).target),
    },
    says: /article\.updated at/,
  },
  'lookup-timeout': { faults: timeout(/test/, 15_000, 30_000), says: /waits 15 s .* 30 s/ },
  'update-of-lookup': {
    faults: inData(isUpdate, () => ({ base_revision_id: 'cached' })),
    says: /base_revision_id "cached"/,
  },
  'update-own-revision': { faults: { draftId: () => 'draft' }, says: /draft for both/ },
  'updated-is-final': {
    faults: { isUpdateRight: () => false },
    says: /one attempt at an update that was accepted/,
  },
  'conflict-is-final': {
    first: true,
    faults: { isFinal: () => false },
    says: /update that was answered 409/,
  },
  'update-503-retried': { faults: updateStatus(503), says: /answered 503 . none/ },
  'update-other-revision-retried': {
    faults: { isUpdateRight: (reply) => small(reply) && json(reply).revision_id !== undefined },
    says: /another revision_id . none/,
  },
  'update-bare-retried': {
    faults: {
      isUpdateRight: (reply, id) => small(reply) && [id, undefined].includes(json(reply).revision_id),
    },
    says: /alone . none/,
  },
  'update-follows-no-redirect': {
    faults: follows(/updated|published/),
    says: /article\.updated at \/followed/,
  },
  'update-redirected-retried': { faults: updateStatus(307), says: /a redirect . none/ },
  'update-large-retried': {
    faults: { isUpdateRight: (reply, id) => okay(reply) && json(reply).revision_id === id },
    says: /1,000,000 bytes . none/,
  },
  'record-pending': {
    faults: record(({ status: now }) => (now === 'pending' ? { status: 'failed' } : {})),
    says: /status "failed"/,
  },
  'record-success': {
    faults: record(({ status: now }) => (now === 'success' ? { nextRetryAt: '2026-11-19T08:00:00Z' } : {})),
    says: /nextRetryAt null/,
  },
  'record-failed': {
    faults: record(({ status: now }) => (now === 'failed' ? { status: 'pending' } : {})),
    says: /status "failed"/,
  },
  'record-conflict': {
    faults: {
      record: (one) =>
        one.lastStatusCode === 409 && one.status === 'failed' ? { ...one, attempts: 2 } : one,
    },
    says: /attempts 1/,
  },
  'record-no-status': {
    faults: { record: (one) => ({ ...one, lastStatusCode: one.lastStatusCode ?? 0 }) },
    says: /lastStatusCode null/,
  },
  'record-error': {
    faults: { record: (one) => ({ ...one, lastError: one.lastError?.slice(0, 100) ?? null }) },
    says: /to its 200th character/,
  },
  'record-url': {
    faults: { record: (one) => ({ ...one, url: `${one.url}-edited` }) },
    says: /a URL with \/webhook/,
  },
};

/** Each was once overlooked. */
const OVERLOOKED: readonly (readonly [rule: string, Mistake])[] = [
  [
    'item-comment',
    {
      faults: inData(isArticle, ({ id }) => ({ content_html: `<!-- acme:item:1 --><p>${id}</p>` })),
      says: /does not end with the item comment <!-- svc:item:article-/,
    },
  ],
  [
    'timestamp-header',
    { faults: { sentAt: () => 100_000_000_000 }, says: /not before the body’s timestamp/ },
  ],
  ['timestamp-header', { faults: { sentAt: (now) => now + 3_600_000 }, says: /that is still to come/ }],
  ['refresh-order', { faults: { testsRefresh: (nth) => nth === 1 }, says: /\["article\.lookup"/ }],
];

test('JSON with escapes that it does not need is compact', async (t) => {
  const write = (envelope: object) => JSON.stringify(envelope).replaceAll('<', '\\u003c');
  t.deepEqual(complaints(await checked({ write }, ['compact'])), []);
});

test('a sender without a fault keeps every rule', async (t) => {
  t.deepEqual(complaints(await checked()), []);
});

test('where the sender cannot be killed, that rule alone is not checked', async (t) => {
  const driver = trialSender();
  const take: SenderDriver['take'] = async (step, seen) => {
    if (step.kind !== 'kill') return driver.take(step, seen);
    driver.held(); // it gives the request up when its time is over
    throw new NotChecked('the command for kill ended with 1');
  };
  const report = await checked({}, undefined, { ...driver, take });
  t.deepEqual(complaints(report), ['stuck-sending: not checked; the command for kill ended with 1']);
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
  t.true(report.outcomes.slice(1).every(({ why }) => why === 'it needs signature, which is failed'));
});

test('for every rule there is a mistake, and for every mistake a rule', (t) => {
  t.deepEqual(Object.keys(MISTAKES).sort(), SENDER_RULES.map(({ id }) => id).sort());
});

for (const [n, [id, { faults, says, first }]] of [...Object.entries(MISTAKES), ...OVERLOOKED].entries())
  test(`${n + 1}: a sender that breaks ${id} ${first ? 'is told so first' : 'is told so'}`, async (t) => {
    const report = await checked(faults, first ? undefined : [id]);
    const [broken] = report.outcomes.filter(({ result }) => result !== 'passed');
    const said = complaints(report).join('\n');
    t.is(broken?.rule.id, id, said);
    t.is(broken?.result, broken?.rule.level === 'must' ? 'failed' : 'advice', said);
    t.regex(`${broken?.expected} | ${broken?.got}`, says);
  });
