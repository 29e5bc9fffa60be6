import test from 'ava';
import type { ConformanceOptions } from '../../../src/conformance/run.js';
import { checked } from '../../support/conformance/checked.js';
import { referenceSteps, signatureOf } from '../../support/conformance/reference-receiver.js';
import { answers, type Break, finishes, stumbles } from '../../support/conformance/ways.js';

const SVC = 'x-service-signature';

/** What a developer gets wrong, and the first thing that the report says about it. */
interface Mistake {
  readonly what: string;
  readonly breaks: Break;
  /** The rule that is named first; empty where that depends on the order. */
  readonly first: string;
  /** What its expectation, finding or hint says. */
  readonly says: RegExp;
  /** How many rules fail at most. */
  readonly failures: number;
  readonly over?: Partial<ConformanceOptions>;
}

const everything = (status: number, text: string, headers = {}): Break =>
  finishes(() => ({ status, text, headers }));

/** Those that are not among the fifty of the receivers in test/e2e/receivers. */
const MISTAKES: readonly Mistake[] = [
  {
    what: 'the hex digits are compared in capitals',
    breaks: (steps) => {
      steps.verify = ({ headers, body }) =>
        headers[SVC] === `sha256=${signatureOf(body).slice(7).toUpperCase()}`;
    },
    first: 'signature-accepted',
    says: /capital/,
    failures: 1,
  },
  {
    what: 'an update is inserted as a new article',
    breaks: (steps) => {
      const { store } = steps;
      store.apply = (_, data) => void store.insert(data, store.freeUrl(data.slug));
    },
    first: 'update-content',
    says: /stored article/,
    failures: 8,
  },
  {
    what: 'the revision never changes',
    breaks: answers('article.lookup', ({ target, ...json }) => ({
      json: { ...json, target: { ...Object(target), revision_id: 'one' } },
    })),
    first: 'update-200',
    says: /answer the stored revision/,
    failures: 8,
  },
  {
    what: 'a firewall answers',
    breaks: everything(403, '<h1>Blocked</h1>', { Server: 'cloudflare' }),
    first: 'signature-accepted',
    says: /firewall/,
    failures: 1,
  },
  {
    what: 'every request fails',
    breaks: everything(500, '{"error":"boom"}'),
    first: 'request-accepted',
    says: /boom.*log/s,
    failures: 1,
  },
  {
    what: 'the proxy finds no receiver',
    breaks: everything(502, 'Bad Gateway'),
    first: 'request-accepted',
    says: /502.*proxy/s,
    failures: 1,
  },
  {
    what: 'requests are limited',
    breaks: (steps) => {
      let count = 0;
      finishes(() => (++count > 40 ? { status: 429, text: '{"error":"slow down"}' } : {}))(steps);
    },
    first: '',
    says: /--rate/,
    failures: 1,
  },
  {
    what: 'webhook.test is only acknowledged',
    breaks: answers('webhook.test', () => ({ json: { received: true } })),
    first: 'version-stated',
    says: /capabilities/,
    failures: 1,
    over: { as: undefined },
  },
  {
    what: 'long bodies are refused',
    breaks: stumbles((text) => text.length > 100_000, 413),
    first: 'content-500-kb',
    says: /client_max_body_size|413/,
    failures: 5,
  },
];

for (const { what, first, breaks, says, failures, over } of MISTAKES)
  test(`the first words of a report where ${what}`, async (t) => {
    const steps = referenceSteps();
    breaks(steps);
    const { outcomes } = await checked(steps, over);
    const failed = outcomes.filter(({ result }) => result === 'failed');
    const all = failed.map(({ rule }) => rule.id).join(', ');
    const [named] = failed;
    if (first !== '') t.is(named?.rule.id, first, all);
    t.regex(`${named?.expected} ${named?.got} ${named?.rule.says} ${named?.rule.hint}`, says);
    t.true(failed.length <= failures, all);
  });
