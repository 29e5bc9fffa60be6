import type { ConformanceOptions } from '../../../src/conformance/run.js';
import { SECRET, signature } from '../signer.js';
import { LOOKUP_FAULTS } from './faults-lookup.js';
import { PUBLISH_FAULTS } from './faults-publish.js';
import { REQUEST_FAULTS } from './faults-requests.js';
import { BUSY, current, seenBetween, UPDATE_FAULTS } from './faults-update.js';
import type { Fields } from './receiver.js';
import {
  alsoFinds,
  answers,
  type Break,
  finishes,
  finishesEvent,
  inStore,
  instead,
  refuses,
  storesHtml,
  stumbles,
} from './ways.js';

const LARGE = ' '.repeat(1_000_001);

/** Answers only the first request of an event. */
function hangs(event: string): Break {
  return (steps) => {
    let count = 0;
    finishesEvent(event, () => (++count > 1 ? { hang: true } : {}))(steps);
  };
}

const pads = (event: string): Break =>
  finishesEvent(event, ({ json }) => ({ text: `${JSON.stringify(json)}${LARGE}` }));

/** Faults in what a person does, and in what all answers of a run have in common. */
const OTHER_FAULTS: Readonly<Record<string, Break>> = {
  'version-stated': answers('webhook.test', () => ({ json: { received: true } })),
  'request-accepted': stumbles(() => true, 400),
  'raw-pieces': (steps) =>
    Object.assign(steps, { body: ([first = Buffer.alloc(0)]) => first } as Partial<typeof steps>),

  'manual-edit-changes-revision': (steps) => Object.assign(steps, { edit: () => undefined }),
  'manual-edit-is-kept': inStore('isStale', (isStale) => (article, data) => {
    return !article.revision.startsWith('edit-') && isStale(article, data);
  }),
  'manual-restart-keeps-articles': (steps) => {
    steps.restart = () => {
      for (const article of steps.store.articles.values()) article.revision = `first-${article.id}`;
    };
  },
  'manual-restart-keeps-ids': (steps) => {
    steps.restart = () =>
      inStore('publish', (publish) => (data) => publish({ ...data, id: `${data.id}-again` }))(steps);
  },

  'answers-in-time': hangs('article.lookup'),
  'answer-sizes': pads('article.lookup'),
};

/** For each rule a fault that breaks it. */
export const FAULTS: Readonly<Record<string, Break>> = {
  ...REQUEST_FAULTS,
  ...PUBLISH_FAULTS,
  ...LOOKUP_FAULTS,
  ...UPDATE_FAULTS,
  ...OTHER_FAULTS,
};

/** Rules that judge all answers of a run, and rules whose requests trigger their faults. */
export const TRIGGERS: Readonly<Record<string, string>> = {
  'answers-in-time': 'lookup-again',
  'answer-sizes': 'lookup-200',
};

/** Says something in each 401, made from the right signature. */
const says = (words: (right: Buffer) => string): Break =>
  finishes(({ status }, { body }) =>
    status === 401 ? { json: { error: words(Buffer.from(signature(body).slice(7), 'hex')) } } : {},
  );
const unavailable = (event: string, id: string): Break =>
  refuses(event, ({ data }) => String(data.id).includes(id), 503);
const failsAtSecond: Break = (steps) => {
  let count = 0;
  refuses('article.updated', () => ++count > 1, 503)(steps);
};

/** Further faults that a rule has to find: each was once overlooked. */
export const OVERLOOKED: readonly (readonly [rule: string, what: string, breaks: Break])[] = [
  [
    'publish-again-after-update',
    'fails at a redelivery after an update',
    refuses(
      'article.published',
      ({ data }, { store }) => store.articles.get(String(data.id))?.revision.startsWith('first-') === false,
      500,
    ),
  ],
  ['publish-at-once-same-slug', 'stores none of them', unavailable('article.published', '-sibling-')],
  ['publish-at-once-own-content', 'stores none of them', unavailable('article.published', '-sibling-')],
  ['update-retry-200', 'answers a retry with received alone', instead('article.updated', current)],
  ['update-seen-whole', 'fails at the update', unavailable('article.updated', '-watched-')],
  ['update-seen-whole', 'states a revision in between', seenBetween(() => 'in-between')],
  ['update-keeps-id', 'fails at the update', failsAtSecond],
  ['update-inserts-nothing', 'fails at the update', failsAtSecond],
  ['update-keeps-url', 'fails at the update', failsAtSecond],
  [
    'lookup-not-acknowledged',
    'answers a target that is null',
    finishesEvent('article.lookup', ({ status }) =>
      status === 404 ? { status: 200, json: { received: true, target: null } } : {},
    ),
  ],
  ['secret-not-exposed', 'says it in base64', says(() => Buffer.from(SECRET).toString('base64'))],
  ['signature-not-exposed', 'says it in capitals', says((right) => right.toString('hex').toUpperCase())],
  ['signature-not-exposed', 'says it in base64', says((right) => right.toString('base64'))],
];

const bare = (event: string, json: (was: Fields) => Fields) => answers(event, (was) => ({ json: json(was) }));

/** Receivers that keep rules in another way than most, and must not be blamed. */
export const OTHERWISE: readonly (readonly [
  what: string,
  breaks: Break,
  only: readonly string[],
  over?: Partial<ConformanceOptions>,
])[] = [
  [
    'refuses a header that contradicts the body',
    stumbles((text, { headers }) => !text.includes(`"event":"${headers['x-service-event']}"`), 400),
    ['event-body-decides'],
  ],
  [
    'answers 503 to updates that it cannot apply at the same moment',
    BUSY,
    ['concurrent-one-wins', 'concurrent-others-409', 'concurrent-winner-stored'],
  ],
  ['decodes the path of a URL', alsoFinds(decodeURI), ['canonical-other-path']],
  [
    'finds nothing at an empty URL, and normalises what it stores',
    (steps) => {
      refuses('article.lookup', ({ data }) => data.target_url === '', 404)(steps);
      storesHtml((html) => html.normalize('NFC'))(steps);
    },
    ['lookup-target-url', 'content-unicode'],
  ],
  [
    'has Version 1, and answers a publish with its URL',
    (steps) => {
      bare('webhook.test', () => ({ received: true }))(steps);
      bare('article.published', ({ url }) => ({ received: true, url }))(steps);
    },
    ['version-stated'],
    { as: undefined },
  ],
  [
    'has Version 2, and answers a publish with a large page',
    pads('article.published'),
    ['publish-accepted', 'answer-sizes'],
    { as: 2 },
  ],
];

/**
 * Rules whose faults neither hide one another nor stand in for one another: one receiver has all of a paragraph, which saves
 * what each check sends before it comes to its rule. Each other fault has a receiver of its own.
 */
const TOGETHER = `
raw-spacing header-names-any-case publish-url publish-no-redirect publish-200 publish-id publish-late-retry
publish-empty-title publish-unusual-id publish-unsafe-slug publish-unknown-fields lookup-nothing-refused
publish-id-missing publish-wrong-type event-unknown-400 update-no-redirect unsigned-redelivery secret-not-exposed
signature-empty signature-length signature-other-form header-event-absent json-null publish-data-missing test-answer
too-large-chunked-413 publish-empty-fields

test-unknown-fields test-version-3 lookup-nothing-404 too-large-413 answer-sizes signature-missing
signature-other-secret signature-without-prefix header-contract-absent event-missing event-unknown-refused

signature-not-hex signature-upper-case signature-whitespace-changed test-version-agrees test-writes-nothing
unsigned-publish-writes-nothing unsigned-update-writes-nothing signature-not-exposed largest-accepted
publish-again-accepted publish-same-slug publish-then-lookup publish-id-is-lookup-id content-verbatim content-crlf
page-200 lookup-no-redirect lookup-empty-title canonical-fragment canonical-other-origin update-200

raw-unicode raw-pieces event-body-decides header-timestamp-absent json-cut-off publish-accepted

json-invalid-utf8 error-shape-401 error-shape-400 update-not-acknowledged unsigned-invalid-json unsigned-event
signature-newline-added publish-again-200 publish-again-same-url publish-at-once-same-slug

publish-again-same-id lookup-not-acknowledged raw-line-end publish-same-slug-own-content publish-unusual-id-stored
publish-at-once-own-content page-body lookup-url-matches lookup-again

signature-digits signature-body-changed signature-of-empty-body raw-escapes publish-again-writes-nothing
publish-at-once-one-article page-item-comment page-tracking page-json-ld canonical-as-written canonical-credentials
update-keeps-id update-inserts-nothing manual-edit-changes-revision

canonical-two-slashes canonical-other-folder publish-again-after-update publish-at-once-found page-json-ld-in-head
page-update-replaces page-update-item-comment update-canonical-url update-500-kb update-target-unknown
update-target-id-of-another update-id-before-retry error-shape-409 update-unknown-base-409
update-stale-changes-nothing update-old-retry-409 update-seen-whole concurrent-one-wins
manual-restart-keeps-articles

canonical-slash canonical-host-case page-update-json-ld page-image-kept update-chain update-format-before-target
manual-restart-keeps-ids

publish-id-exact update-null-image update-unknown-fields update-field-missing update-field-empty update-field-number
update-title-null update-tags-text update-version update-version-400 update-target-url-elsewhere
update-target-before-retry update-old-retry-changes-nothing concurrent-others-409

content-same content-unicode content-entities content-template-signs content-front-matter-signs content-markup
content-item-comment content-500-kb content-title update-keeps-url manual-edit-is-kept

lookup-answer lookup-target lookup-target-url lookup-version lookup-version-400

update-answer update-content update-title update-target-before-base

update-id-not-revision update-target-404 update-target-url-of-another update-stale-409 update-retry-200

update-retry-applies-nothing concurrent-winner-stored
`
  .split('\n\n')
  .map((row) => row.trim().split(/\s+/));

/** The ids of the rules by the receivers that have their faults. */
export const RECEIVERS: readonly (readonly string[])[] = [
  ...TOGETHER,
  ...Object.keys(FAULTS).flatMap((id) => (TOGETHER.flat().includes(id) ? [] : [[id]])),
];
