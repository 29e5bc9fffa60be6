import test from 'ava';
import type { ConformanceOptions } from '../../../src/conformance/run.js';
import { checked } from '../../support/conformance/checked.js';
import { FAULTS } from '../../support/conformance/faults.js';
import { refuse } from '../../support/conformance/receiver.js';
import {
  answers,
  type Break,
  finishes,
  inStore,
  instead,
  lets,
  misses,
  reads,
  signs,
  stumbles,
  verifies,
} from '../../support/conformance/ways.js';

/** What a developer gets wrong, and the first thing that the report says about it, where that depends on the answers. */
interface Mistake {
  readonly what: string;
  /** @default the fault that the catalogue has for `first` */
  readonly breaks?: Break;
  /** @default 'failed' */
  readonly result?: 'failed' | 'advice';
  /** The rule that is named first. */
  readonly first: string;
  /** What its expectation, finding or hint says. */
  readonly says: RegExp;
  /** How many rules fail at most; where it is not said, the run ends with the first. */
  readonly failures?: number;
  readonly over?: Partial<ConformanceOptions>;
}

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

/** Those that strangers made when they wrote receivers from the contract alone. */
const TWENTY: readonly Mistake[] = [
  {
    what: 'the body is signed as json.dumps writes it',
    breaks: resigned(pythonDumps),
    first: 'signature-accepted',
    says: /json\.dumps/,
  },
  {
    what: 'the body is signed as json_encode writes it',
    breaks: resigned((value) => JSON.stringify(value).replaceAll('/', '\\/')),
    first: 'signature-whitespace-changed',
    says: /as they came/,
  },
  {
    what: 'nothing is verified',
    breaks: lets(() => true),
    first: 'signature-missing',
    says: /401/,
  },
  {
    what: 'the body is parsed before its signature is verified',
    breaks: (steps) => {
      const { verify } = steps;
      steps.verify = (incoming) => steps.parse(incoming) !== undefined && verify(incoming);
    },
    first: 'unsigned-invalid-json',
    says: /Verify the signature before anything else/,
  },
  {
    what: 'a publish is answered before its write has committed',
    breaks: inStore('find', (find) => {
      const asked = new Set<string>();
      return (url) => {
        const article = find(url);
        if (article === undefined || asked.has(article.id)) return article;
        asked.add(article.id);
        return undefined;
      };
    }),
    first: 'publish-then-lookup',
    says: /stored after the answer: wait for the commit/,
  },
  {
    what: 'headers are found in lower case alone',
    breaks: verifies((was, _, __, { names }) =>
      names.includes('x-service-signature') ? was : refuse(400, 'no signature header'),
    ),
    first: 'request-accepted',
    says: /lower case/,
  },
  {
    what: 'the hex digits are compared in capitals',
    breaks: verifies((_, given, right) => given === `sha256=${right.slice(7).toUpperCase()}`),
    first: 'signature-accepted',
    says: /capital/,
  },
  {
    what: 'a redelivery gets another id',
    breaks: instead('article.published', ({ data }, { store }) => store.articles.has(String(data.id)), {
      json: { received: true, id: 'another', url: 'https://garden.example/articles/another/' },
    }),
    first: 'publish-again-same-id',
    says: /Look data\.id up before you store anything/,
  },
  {
    what: 'articles are found by their slugs',
    breaks: inStore('find', (find, { articles }) => {
      const slugOf = (url: string) => /([^/]+)\/*$/.exec(url.replace(/[?#].*/, ''))?.[1];
      return (url) => find(url) ?? [...articles.values()].find((one) => slugOf(one.url) === slugOf(url));
    }),
    first: 'canonical-other-folder',
    says: /never guess by slug/,
  },
  {
    what: 'an update is inserted as a new article',
    breaks: inStore('apply', (_, store) => (__, data) => void store.insert(data, store.freeUrl(data.slug))),
    first: 'update-content',
    says: /stored article/,
  },
  {
    what: 'a null image clears the image',
    first: 'page-image-kept',
    says: /Null leaves the image alone/,
  },
  {
    what: 'an update of a stale revision is applied',
    breaks: inStore('isStale', () => () => false),
    first: 'update-stale-409',
    says: /base_revision_id/,
  },
  {
    what: 'the retry of an update is answered 409',
    first: 'update-retry-200',
    says: /before the comparison of base_revision_id/,
  },
  {
    what: 'contract_version 3 is demanded',
    breaks: (steps) => {
      for (const event of ['webhook.test', 'article.lookup', 'article.updated'])
        reads(event, ({ json }) =>
          json.contract_version === 3
            ? { json: { ...json, contract_version: 2 } }
            : refuse(400, 'contract_version must be 3'),
        )(steps);
    },
    first: 'version-stated',
    says: /must be 3.*Requests carry 2/s,
    over: { as: undefined },
  },
  {
    what: 'the trailing slash counts',
    breaks: misses(/[^/]$/),
    first: 'canonical-fragment',
    says: /one trailing slash/,
  },
  {
    what: 'the url of the answer is a path',
    first: 'publish-url',
    says: /with scheme and host/,
  },
  {
    what: 'bodies of any size are taken',
    result: 'advice',
    first: 'too-large-413',
    says: /413/,
  },
  {
    what: 'a 401 says which signature would have been right',
    first: 'signature-not-exposed',
    says: /Whoever gets the right signature can send the same body again/,
  },
  {
    what: 'HTML comments are stripped',
    first: 'content-item-comment',
    says: /Keep HTML comments/,
  },
  {
    what: 'the revision never changes',
    breaks: answers('article.lookup', ({ target, ...json }) => ({
      json: { ...json, target: { ...Object(target), revision_id: 'one' } },
    })),
    first: 'update-200',
    says: /answer the stored revision/,
  },
];

/** Where one failure is to be named, and not each rule that follows from it. */
const OTHERS: readonly Mistake[] = [
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
    what: 'long bodies are refused',
    breaks: stumbles((text) => text.length > 100_000, 413),
    first: 'content-500-kb',
    says: /client_max_body_size|413/,
    failures: 5,
  },
];

const isUnmet = (result: string, wanted: string) => result === 'failed' || result === wanted;

function says({ what, first, says, failures, over, ...mistake }: Mistake, title: string): void {
  test(title, async (t) => {
    const { breaks = FAULTS[first], result: wanted = 'failed' } = mistake;
    if (breaks === undefined) throw new Error(`there is no fault for ${first}`);
    const found = new AbortController();
    const untilFirst: Partial<ConformanceOptions> = {
      signal: found.signal,
      onOutcome: ({ result }) => {
        if (isUnmet(result, wanted)) found.abort();
      },
    };
    const report = await checked(breaks, { ...over, ...(failures === undefined && untilFirst) });
    const unmet = report.outcomes.filter(({ result }) => isUnmet(result, wanted));
    const [named] = unmet;
    const all = unmet.map(({ rule }) => rule.id).join(', ');
    t.is(named?.rule.id, first, `${what}: ${all}`);
    t.is(named?.result, wanted);
    t.regex(`${named?.expected} ${named?.got} ${named?.rule.says} ${named?.rule.hint}`, says);
    if (failures !== undefined) t.true(unmet.length <= failures, all);
  });
}

for (const [n, mistake] of TWENTY.entries())
  says(mistake, `mistake ${n + 1} of 20: where ${mistake.what}, the first words of the report say so`);
for (const mistake of OTHERS) says(mistake, `the first words of a report where ${mistake.what}`);
