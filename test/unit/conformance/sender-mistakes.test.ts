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

interface Mistake {
  readonly faults: Faults;
  /** What its expectation or finding says. */
  readonly says: RegExp;
  /** Whether a report of all rules names it first. */
  readonly first?: true;
}

const data = (envelope: Record<string, unknown>) => Object(envelope.data) as Record<string, unknown>;
const inData = (change: (of: Record<string, unknown>) => object): Faults => ({
  envelope: (envelope) => ({ ...envelope, data: { ...data(envelope), ...change(data(envelope)) } }),
});
const isUpdate = (envelope: Record<string, unknown>) => envelope.event === 'article.updated';
const status = (code: number): Faults => ({
  isFinal: (event, got) => got === code || (event === 'article.updated' && got === 409),
});
const okay = ({ status: code }: { status: number }) => code >= 200 && code <= 299;
const json = ({ text }: { text: string }) => Object(JSON.parse(text || '{}')) as Record<string, unknown>;
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
    faults: {
      headers: (headers) => ({
        ...headers,
        'X-Service-Signature': `${headers['X-Service-Signature']}`.toUpperCase().replace('SHA', 'sha'),
      }),
    },
    says: /has capitals/,
  },
  post: {
    first: true,
    faults: { method: (_, isFollowed) => (isFollowed ? 'GET' : 'POST') },
    says: /the method is GET/,
  },
  'content-type': {
    faults: { headers: (headers) => ({ ...headers, 'Content-Type': 'text/plain' }) },
    says: /Content-Type is text\/plain/,
  },
  'timestamp-header': {
    faults: {
      headers: ({ 'X-Service-Timestamp': seconds, ...headers }) => ({
        ...headers,
        'X-Service-Timestamp': `${seconds}000`,
      }),
    },
    says: /moment of sending in seconds/,
  },
  payload: {
    faults: inData(({ tags }) => (tags === undefined ? {} : { tags: null })),
    says: /tags/,
  },
  compact: { faults: { write: (envelope) => JSON.stringify(envelope, null, 2) }, says: /not compact/ },
  'publish-without-version': {
    faults: { envelope: (envelope) => ({ ...envelope, contract_version: 2 }) },
    says: /carries no contract_version/,
  },
  'event-header': {
    faults: { headers: (headers) => ({ ...headers, 'X-Service-Event': 'article' }) },
    says: /X-Service-Event is article/,
  },
  'contract-header': {
    faults: { headers: (headers) => ({ ...headers, 'X-Service-Contract': '2' }) },
    says: /on article.published it is absent/,
  },
  'published-at': {
    faults: inData(({ published_at }) =>
      published_at === undefined ? {} : { published_at: '2026-11-19' + 'T07:00:00Z' },
    ),
    says: /both are the same/,
  },
  'revision-is-id': {
    faults: {
      envelope: (envelope) =>
        isUpdate(envelope)
          ? { ...envelope, data: { ...data(envelope), id: `${data(envelope).id}-x` } }
          : envelope,
    },
    says: /revision_id is/,
  },
  'item-comment': {
    faults: inData(({ content_html }) => (content_html === undefined ? {} : { content_html: '<p>Text</p>' })),
    says: /does not end with the item comment/,
  },
  'body-size': {
    faults: inData(({ title }) => (title === undefined ? {} : { meta_description: 'x'.repeat(1_000_000) })),
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
  'large-answer-is-final': {
    faults: { landed: (reply) => okay(reply) && reply.text.length < 1_000_000 },
    says: /more than 1,000,000 bytes/,
  },
  'retry-503': { faults: status(503), says: /503 each time . none/ },
  'retry-500': { faults: status(500), says: /500 . none/ },
  'retry-400': { faults: status(400), says: /400 . none/ },
  'retry-401': { faults: status(401), says: /401 . none/ },
  'retry-404': { faults: status(404), says: /404 . none/ },
  'retry-409': { faults: { isFinal: (_, code) => code === 409 }, says: /409 . none/ },
  'retry-410': { faults: status(410), says: /410 . none/ },
  'retry-429': { faults: status(429), says: /429 . none/ },
  'retry-no-answer': {
    faults: { isFinal: (event, code) => code === undefined || (event === 'article.updated' && code === 409) },
    says: /got no answer . none/,
  },
  'retry-closed': {
    faults: { isFinal: (event, code) => code === undefined || (event === 'article.updated' && code === 409) },
    says: /its connection closed . none/,
  },
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
  'publish-timeout': {
    faults: { timeoutMs: (event) => (event === 'article.published' ? 10_000 : 15_000) },
    says: /waits 30 s.* after 10 s/,
  },
  'publish-follows-redirect': { faults: { redirects: () => 0 }, says: /no valid publish there/ },
  'publish-follows-no-second-redirect': {
    faults: { redirects: (event) => (event === 'article.published' ? 5 : 0) },
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
        json(reply).received === true &&
        reply.text.length < 1e6 &&
        (json(reply).capabilities === undefined || Object(json(reply).capabilities).length === 3),
    },
    says: /article\.lookup at/,
  },
  'test-two-capabilities-stops': {
    faults: {
      isTestRight: (reply) => okay(reply) && reply.text.length < 1e6 && json(reply).contract_version === 3,
    },
    says: /article\.lookup at/,
  },
  'test-redirected-stops': {
    faults: { redirects: (event) => (/test|published/.test(event) ? 1 : 0) },
    says: /webhook\.test at \/followed/,
  },
  'test-large-stops': {
    faults: { isTestRight: (reply) => okay(reply) && Object(json(reply).capabilities).length === 3 },
    says: /article\.lookup at/,
  },
  'test-timeout': {
    faults: { timeoutMs: (event) => (event === 'article.lookup' ? 15_000 : 30_000) },
    says: /waits 15 s .* 30 s/,
  },
  'lookup-of-article-url': {
    faults: { targetUrl: (url) => url.replace(/[^/]+\/?$/, '') },
    says: /target_url/,
  },
  'lookup-other-url-stops': {
    faults: {
      isLookupRight: (reply) =>
        okay(reply) && reply.text.length < 1e6 && Object(json(reply).target).title !== '',
    },
    says: /article\.updated at/,
  },
  'lookup-empty-field-stops': {
    faults: {
      isLookupRight: (reply, url) =>
        okay(reply) && reply.text.length < 1e6 && Object(json(reply).target).url === url,
    },
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
    faults: { redirects: (event) => (/lookup|published/.test(event) ? 1 : 0) },
    says: /article\.lookup at \/followed/,
  },
  'lookup-large-stops': {
    faults: {
      isLookupRight: okay,
      targetOf: ({ text }) => Object(JSON.parse(text).target),
    },
    says: /article\.updated at/,
  },
  'lookup-timeout': {
    faults: { timeoutMs: (event) => (/test/.test(event) ? 15_000 : 30_000) },
    says: /waits 15 s .* 30 s/,
  },
  'update-of-lookup': {
    faults: {
      envelope: (envelope) =>
        isUpdate(envelope)
          ? { ...envelope, data: { ...data(envelope), base_revision_id: 'cached' } }
          : envelope,
    },
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
  'update-503-retried': {
    faults: { isFinal: (event, code) => event === 'article.updated' && (code === 409 || code === 503) },
    says: /answered 503 . none/,
  },
  'update-other-revision-retried': {
    faults: {
      isUpdateRight: (reply) =>
        okay(reply) && reply.text.length < 1e6 && json(reply).revision_id !== undefined,
    },
    says: /another revision_id . none/,
  },
  'update-bare-retried': {
    faults: {
      isUpdateRight: (reply, id) =>
        okay(reply) && reply.text.length < 1e6 && [id, undefined].includes(json(reply).revision_id),
    },
    says: /alone . none/,
  },
  'update-follows-no-redirect': {
    faults: { redirects: (event) => (/updated|published/.test(event) ? 1 : 0) },
    says: /article\.updated at \/followed/,
  },
  'update-redirected-retried': {
    faults: { isFinal: (event, code) => event === 'article.updated' && (code === 409 || code === 307) },
    says: /a redirect . none/,
  },
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
      faults: inData(({ id, content_html }) =>
        content_html === undefined ? {} : { content_html: `<!-- acme:item:1 --><p>${id}</p>` },
      ),
      says: /does not end with the item comment <!-- svc:item:article-/,
    },
  ],
  [
    'timestamp-header',
    { faults: { sentAt: () => 100_000_000_000 }, says: /not before the body’s timestamp/ },
  ],
  ['refresh-order', { faults: { testsRefresh: (nth) => nth === 1 }, says: /\["article\.lookup"/ }],
];

test('JSON with escapes that it does not need is compact', async (t) => {
  const write = (envelope: object) => JSON.stringify(envelope).replaceAll('<', '\\u003c');
  t.deepEqual(complaints(await checked({ write }, ['compact'])), []);
});

test('a sender without a fault keeps every rule', async (t) => {
  t.deepEqual(complaints(await checked()), []);
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
