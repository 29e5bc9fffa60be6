import { SECRET } from '../signer.js';
import { LOOKUP_FAULTS } from './faults-lookup.js';
import { PUBLISH_FAULTS } from './faults-publish.js';
import { REQUEST_FAULTS } from './faults-requests.js';
import { seenBetween, UPDATE_FAULTS } from './faults-update.js';
import { type Incoming, type Steps, signatureOf } from './reference-receiver.js';
import { answers, type Break, finishes, refuses, stumbles } from './ways.js';

/** A fault of the receiver, and the rules that must run so that the checker can find it. */
export interface Fault {
  readonly break: Break;
  /** Other rules whose requests trigger the fault. */
  readonly with: readonly string[];
  /** As which version the receiver is checked. @default 3 */
  readonly as?: 1 | 2 | 3 | undefined;
}

const LARGE = ' '.repeat(1_000_001);

/** Answers only the first request of an event. */
const hangs = (event: string, rule: string): Fault => {
  const breaks: Break = (steps) => {
    let count = 0;
    finishes((_, { headers }) => (headers['x-service-event'] === event && ++count > 1 ? { hang: true } : {}))(
      steps,
    );
  };
  return { break: breaks, with: [rule] };
};

const pads = (event: string, rule: string): Fault => ({
  break: finishes(({ json }, { headers }: Incoming) =>
    headers['x-service-event'] === event ? { text: `${JSON.stringify(json)}${LARGE}` } : {},
  ),
  with: [rule],
});

const firstPieceAlone: Break = (steps) => {
  steps.body = ([first]) => first ?? Buffer.alloc(0);
};

/** Says something in each 401, made from the right signature. */
const says = (words: (right: Buffer) => string): Break =>
  finishes(({ status }, { body }) =>
    status === 401 ? { json: { error: words(Buffer.from(signatureOf(body).slice(7), 'hex')) } } : {},
  );
const base64 = (bytes: Buffer) => bytes.toString('base64');

/** Further faults that a rule has to find: each was once overlooked. */
export const OVERLOOKED: readonly { readonly rule: string; readonly what: string; readonly break: Break }[] =
  [
    {
      rule: 'publish-again-after-update',
      what: 'fails at a redelivery after an update',
      break: refuses(
        'article.published',
        ({ data }, { store }) => store.articles.get(String(data.id))?.revision.startsWith('first-') === false,
        500,
      ),
    },
    ...['publish-at-once-same-slug', 'publish-at-once-own-content'].map((rule) => ({
      rule,
      what: 'stores none of them, also when they come again',
      break: refuses('article.published', ({ data }) => String(data.id).includes('-sibling-'), 503),
    })),
    {
      rule: 'update-seen-whole',
      what: 'fails at the update',
      break: refuses('article.updated', ({ data }) => String(data.id).includes('-watched-'), 503),
    },
    {
      rule: 'update-seen-whole',
      what: 'states a revision in between',
      break: seenBetween(() => 'in-between'),
    },
    ...['update-keeps-id', 'update-inserts-nothing', 'update-keeps-url'].map((rule) => ({
      rule,
      what: 'fails at the update',
      break: (steps: Steps) => {
        let count = 0;
        refuses('article.updated', () => ++count > 1, 503)(steps);
      },
    })),
    {
      rule: 'lookup-not-acknowledged',
      what: 'answers a target that is null',
      break: finishes((out, { headers }) =>
        headers['x-service-event'] === 'article.lookup' && out.status === 404
          ? { status: 200, json: { received: true, target: null } }
          : {},
      ),
    },
    { rule: 'secret-not-exposed', what: 'says it in base64', break: says(() => base64(Buffer.from(SECRET))) },
    {
      rule: 'signature-not-exposed',
      what: 'says it in capitals',
      break: says((right) => right.toString('hex').toUpperCase()),
    },
    { rule: 'signature-not-exposed', what: 'says it in base64', break: says(base64) },
  ];

/** For each rule a fault that breaks only this rule. */
export const CATALOGUE: ReadonlyMap<string, Fault> = new Map([
  ...Object.entries({
    ...REQUEST_FAULTS,
    ...PUBLISH_FAULTS,
    ...LOOKUP_FAULTS,
    ...UPDATE_FAULTS,
  }).map(([id, breaks]): [string, Fault] => [id, { break: breaks, with: [] }]),
  [
    'version-stated',
    { break: answers('webhook.test', () => ({ json: { received: true } })), with: [], as: undefined },
  ],
  [
    'manual-edit-changes-revision',
    { break: (steps) => Object.assign(steps, { edit: () => undefined }), with: [] },
  ],
  [
    'manual-edit-is-kept',
    {
      break: (steps) => {
        const { isStale } = steps.store;
        steps.store.isStale = (article, data) =>
          !article.revision.startsWith('edit-') && isStale.call(steps.store, article, data);
      },
      with: [],
    },
  ],
  [
    'manual-restart-keeps-articles',
    {
      break: (steps) =>
        Object.assign(steps, {
          restart: () => {
            for (const article of steps.store.articles.values()) article.revision = `first-${article.id}`;
          },
        }),
      with: [],
    },
  ],
  [
    'manual-restart-keeps-ids',
    {
      break: (steps) =>
        Object.assign(steps, {
          restart: () => {
            const publish = steps.store.publish.bind(steps.store);
            steps.store.publish = (data) => publish({ ...data, id: `${data.id}-again` });
          },
        }),
      with: [],
    },
  ],
  ['request-accepted', { break: stumbles(() => true, 400), with: [] }],
  ['raw-pieces', { break: firstPieceAlone, with: [] }],
  ['test-in-time', hangs('webhook.test', 'test-again')],
  ['publish-in-time', hangs('article.published', 'publish-again-accepted')],
  ['lookup-in-time', hangs('article.lookup', 'lookup-again')],
  ['update-in-time', hangs('article.updated', 'update-chain')],
  ['test-answer-size', pads('webhook.test', 'test-200')],
  ['publish-answer-size', pads('article.published', 'publish-accepted')],
  ['lookup-answer-size', pads('article.lookup', 'lookup-200')],
  ['update-answer-size', pads('article.updated', 'update-200')],
]);
