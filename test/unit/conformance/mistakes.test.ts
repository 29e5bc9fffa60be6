import test from 'ava';
import { RULES } from '../../../src/conformance/rules/all.js';
import type { ConformanceOptions } from '../../../src/conformance/run.js';
import { checked } from '../../support/conformance/checked.js';
import { FAULTS } from '../../support/conformance/faults.js';
import { refuse } from '../../support/conformance/receiver.js';
import {
  answers,
  type Break,
  finishes,
  inStore,
  lets,
  misses,
  reads,
  signs,
  storesHtml,
  stumbles,
  verifies,
} from '../../support/conformance/ways.js';

/** What a developer gets wrong, the rule that a report names first, and what its expectation, finding or hint says. */
type Mistake = readonly [
  what: string,
  first: string,
  says: RegExp,
  /** @default the fault that the catalogue has for `first` */
  breaks?: Break,
  over?: Partial<ConformanceOptions>,
];

const everything = (status: number, text: string, headers = {}): Break =>
  finishes(() => ({ status, text, headers }));

/** Signs what PHP, Python or a parser makes of the body. */
const resigned = (write: (value: object) => string): Break =>
  signs((body) => {
    try {
      return write(JSON.parse(body.toString()));
    } catch {
      return body;
    }
  });

const pythonDumps = (value: object): string =>
  JSON.stringify(value)
    .replace(/("(?:[^"\\]|\\.)*")|([,:])/g, (_, text?: string, sign?: string) => text ?? `${sign} `)
    .replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Most of them were made by strangers who wrote receivers from the contract alone. */
const MISTAKES: readonly Mistake[] = [
  ['long bodies are refused', 'content-500-kb', /client_max|413/, stumbles((text) => text.length > 1e5, 413)],
  ['the body is signed as json.dumps writes it', 'signature-accepted', /json\.dumps/, resigned(pythonDumps)],
  [
    'the body is signed as json_encode writes it',
    'signature-whitespace-changed',
    /over the raw bytes/,
    resigned((value) => JSON.stringify(value).replaceAll('/', '\\/')),
  ],
  ['nothing is verified', 'signature-missing', /401/, lets(() => true)],
  [
    'the body is parsed before its signature is verified',
    'unsigned-invalid-json',
    /Verify the signature before you read the body/,
    (steps) => {
      const { verify } = steps;
      steps.verify = (incoming) => steps.parse(incoming) !== undefined && verify(incoming);
    },
  ],
  [
    'a publish is answered before its write has committed',
    'publish-then-lookup',
    /stored after the answer\. Answer after the write has committed/,
  ],
  [
    'headers are found in lower case alone',
    'request-accepted',
    /lower case/,
    verifies((was, _, __, { names }) =>
      names.includes('x-service-signature') ? was : refuse(400, 'no signature header'),
    ),
  ],
  [
    'the hex digits are compared in capitals',
    'signature-accepted',
    /capital/,
    verifies((_, given, right) => given === `sha256=${right.slice(7).toUpperCase()}`),
  ],
  ['a redelivery gets another id', 'publish-again-same-id', /Look data\.id up before you store anything/],
  [
    'articles are found by their slugs',
    'canonical-other-folder',
    /never guess by slug/,
    inStore('find', (find, { articles }) => {
      const slugOf = (url: string) => /([^/]+)\/*$/.exec(url.replace(/[?#].*/, ''))?.[1];
      return (url) => find(url) ?? [...articles.values()].find((one) => slugOf(one.url) === slugOf(url));
    }),
  ],
  [
    'an update is inserted as a new article',
    'update-content',
    /stored article/,
    inStore('apply', (_, store) => (__, data) => void store.insert(data, store.freeUrl(data.slug))),
  ],
  ['a null image clears the image', 'page-image-kept', /Null keeps the image/],
  [
    'an update of a stale revision is applied',
    'update-stale-409',
    /base_revision_id/,
    inStore('isStale', () => () => false),
  ],
  ['the retry of an update is answered 409', 'update-retry-200', /before you compare base_revision_id/],
  [
    'contract_version 3 is demanded',
    'version-stated',
    /must be 3.*Requests carry 2/s,
    (steps) => {
      for (const event of ['webhook.test', 'article.lookup', 'article.updated'])
        reads(event, ({ json }) =>
          json.contract_version === 3
            ? { json: { ...json, contract_version: 2 } }
            : refuse(400, 'contract_version must be 3'),
        )(steps);
    },
    { as: undefined },
  ],
  [
    'a warning comes before the JSON',
    'test-answer',
    /a JSON object as the body.*Warning/s,
    finishes(({ json }) => ({ text: `<b>Warning</b>: Undefined array key\n${JSON.stringify(json)}` })),
    { as: undefined },
  ],
  ['the trailing slash counts', 'canonical-fragment', /one trailing slash/, misses(/[^/]$/)],
  ['the url of the answer is a path', 'publish-url', /with scheme and host/],
  ['bodies of any size are taken', 'too-large-413', /413/],
  [
    'a 401 says which signature would have been right',
    'signature-not-exposed',
    /Say only that the signature does not match/,
  ],
  [
    'texts lose their first character',
    'content-same',
    /unchanged; at character 0: /,
    storesHtml((html) => html.slice(1)),
  ],
  ['HTML comments are stripped', 'content-item-comment', /Keep HTML comments/],
  [
    'the revision never changes',
    'update-200',
    /answer the stored revision/,
    answers('article.lookup', ({ target, ...json }) => ({
      json: { ...json, target: { ...Object(target), revision_id: 'one' } },
    })),
  ],
];

/** Where one failure is to be named in a report of all rules, and not each that follows from it. */
const OTHERS: readonly Mistake[] = [
  [
    'a firewall answers',
    'signature-accepted',
    /firewall/,
    everything(403, '<h1>Blocked</h1>', { Server: 'cloudflare' }),
  ],
  ['every request fails', 'request-accepted', /boom.*log/s, everything(500, '{"error":"boom"}')],
  [
    'events fail in two ways with the same words',
    'request-accepted',
    /422 .* to webhook\.test, 500 .* to article\.published/,
    finishes((_, { headers }) => ({
      status: headers['x-service-event'] === 'webhook.test' ? 422 : 500,
      text: '{"error":"boom"}',
    })),
  ],
  ['the proxy finds no receiver', 'request-accepted', /502.*proxy/s, everything(502, 'Bad Gateway')],
];

/** How many rules are checked before the one that is to be named first. */
const BEFORE = 20;

for (const mistake of [...MISTAKES, ...OTHERS]) {
  const [what, first, says, breaks = FAULTS[first], over] = mistake;
  test(`where ${what}, the first words of the report say so`, async (t) => {
    const at = RULES.findIndex(({ id }) => id === first);
    const only = RULES.slice(Math.max(0, at - BEFORE), at + 1).map(({ id }) => id);
    const { outcomes } = await checked(breaks, { ...(!OTHERS.includes(mistake) && { only }), ...over });
    const unmet = outcomes.filter(({ result }) => result === 'failed' || result === 'advice');
    t.deepEqual(
      unmet.map(({ rule }) => rule.id),
      [first],
    );
    for (const { rule, result, expected, got } of unmet) {
      t.is(result, rule.level === 'must' ? 'failed' : 'advice');
      t.regex(`${expected} ${got} ${rule.says} ${rule.hint}`, says);
    }
  });
}
