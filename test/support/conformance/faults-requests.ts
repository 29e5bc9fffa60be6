import { SECRET, signature } from '../signer.js';
import { CAPABILITIES } from './receiver.js';
import type { Break } from './ways.js';
import {
  answers,
  crashes,
  finishes,
  finishesEvent,
  instead,
  lets,
  refuses,
  signs,
  stumbles,
  tolerates,
  unsigned,
  verifies,
} from './ways.js';

const again = (body: Buffer): string => {
  try {
    return JSON.stringify(JSON.parse(body.toString()));
  } catch {
    return '';
  }
};
const trimmed = (body: Buffer) => body.toString().trim();
const has = (text: string) => (body: string) => body.includes(text);

/** Faults at wrong signatures, malformed requests and tests. */
export const REQUEST_FAULTS: Record<string, Break> = {
  reachable: finishes(() => ({ cut: true })),
  'test-no-redirect': answers('webhook.test', () => ({ status: 301, headers: { Location: '/webhook/' } })),
  'endpoint-found': finishes(() => ({ status: 404, text: 'Cannot POST /webhook' })),
  'signature-accepted': verifies(() => false),

  'signature-missing': lets((given) => given === undefined),
  'signature-empty': lets((given) => given === ''),
  'signature-other-secret': lets((given = '') => /^sha256=[0-9a-f]{64}$/.test(given)),
  'signature-digits': lets((given, right) => given?.slice(8) === right.slice(8)),
  'signature-not-hex': lets((given = '', right) => {
    const decoded = Buffer.from(given.slice(7), 'hex').toString('hex');
    return decoded !== '' && right.includes(decoded);
  }),
  'signature-without-prefix': lets((given = '-', right) => right.endsWith(given)),
  'signature-length': lets((given) => given === 'sha256='),
  'signature-other-form': lets(
    (given = '', right) => Buffer.from(given.slice(7), 'base64').toString('hex') === right.slice(7),
  ),
  'signature-upper-case': crashes((given, right) => given !== right && given?.toLowerCase() === right),
  'signature-body-changed': lets((given, _, { body }) => {
    return given === signature(body.toString().replace('Connection', 'connection'));
  }),
  'signature-whitespace-changed': lets((given, _, { body }) => given === signature(again(body))),
  'signature-newline-added': lets((given, _, { body }) => given === signature(trimmed(body))),
  'signature-of-empty-body': lets((given) => given === signature('')),

  'raw-spacing': signs(again),
  'raw-line-end': signs(trimmed),
  'raw-escapes': verifies((was, _, __, { body }) => was && !body.includes('\\u0063')),
  'raw-unicode': signs((body) => Buffer.from(body.toString(), 'latin1')),
  'header-names-any-case': verifies((was, _, __, { names }) => was && names.includes('X-Service-Signature')),
  'event-body-decides': (steps) => {
    const { parse } = steps;
    steps.parse = (incoming) => ({ ...parse(incoming), event: String(incoming.headers['x-service-event']) });
  },
  'header-event-absent': stumbles((_, { headers }) => headers['x-service-event'] === undefined, 400),
  'header-timestamp-absent': stumbles((_, { headers }) => headers['x-service-timestamp'] === undefined, 400),
  'header-contract-absent': stumbles((_, { headers }) => headers['x-service-contract'] === undefined, 400),

  'json-cut-off': stumbles((text) => text.startsWith('event=')),
  'json-null': stumbles((text) => text.startsWith('"')),
  'json-invalid-utf8': stumbles((text) => text.includes('\ufffd'), 200),
  'event-missing': (steps) => {
    const { parse } = steps;
    steps.parse = (incoming) =>
      incoming.body.includes('"event"')
        ? parse(incoming)
        : { event: 'webhook.test', json: { contract_version: 2 }, data: {}, incoming };
  },
  'event-unknown-refused': stumbles(has('article.unheard'), 200),
  'event-unknown-400': stumbles(has('article.unheard'), 404),
  'publish-data-missing': stumbles(has('"data":null')),
  'publish-id-missing': refuses('article.published', ({ data }) => data.id === null, 500),
  'publish-wrong-type': instead('article.published', ({ data }) => data.tags === null),
  'error-shape-401': finishes(({ status }) => (status === 401 ? { text: 'Unauthorized' } : {})),
  'error-shape-400': finishes(({ status }) => (status === 400 ? { text: '{"message":"no"}' } : {})),
  'lookup-not-acknowledged': finishesEvent('article.lookup', ({ status }) =>
    status === 404 ? { status: 200, json: { received: true } } : {},
  ),
  'update-not-acknowledged': finishesEvent('article.updated', ({ status }) =>
    status === 400 ? { status: 200, json: { received: true } } : {},
  ),

  'test-answer': answers('webhook.test', (json) => ({
    json: { ...json, capabilities: CAPABILITIES.slice(0, 2) },
  })),
  'test-version-agrees': answers('webhook.test', (json) => ({ status: 201, json })),
  'test-again': (steps) => {
    let count = 0;
    refuses('webhook.test', () => ++count > 1, 429)(steps);
  },
  'test-version-3': tolerates('webhook.test', 3),
  'test-unknown-fields': refuses('webhook.test', ({ data }) => 'trial' in data),
  'test-writes-nothing': (steps) => {
    answers('webhook.test', (_, { data }) => {
      const article = steps.store.articles.get(String(data.id));
      if (article !== undefined) article.html = String(data.content_html);
      return {};
    })(steps);
  },

  'unsigned-invalid-json': unsigned(({ body }) => body.length === 0, 400),
  'unsigned-event': unsigned(({ body }) => body.includes('article.published') && !body.includes('"id"'), 400),
  'unsigned-redelivery': unsigned(
    ({ body }, { store }) => [...store.articles.keys()].some((id) => body.includes(`"${id}"`)),
    200,
  ),
  'unsigned-publish-writes-nothing': writesUnsigned('article.published'),
  'unsigned-update-writes-nothing': writesUnsigned('article.updated'),

  'secret-not-exposed': finishes(({ status, json }) =>
    status === 401 ? { json: { ...json, error: `key ${SECRET} does not fit` } } : {},
  ),
  'signature-not-exposed': finishes(({ status }, { body }) =>
    status === 401 ? { json: { error: `expected ${signature(body)}` } } : {},
  ),
  'too-large-413': (steps) => {
    steps.tooLarge = () => false;
  },
  'too-large-chunked-413': (steps) => {
    const { tooLarge } = steps;
    steps.tooLarge = (incoming) => !incoming.chunked && tooLarge(incoming);
  },
  'largest-accepted': (steps) => {
    steps.tooLarge = ({ body }) => body.length > 900_000;
  },
};

function writesUnsigned(event: string): Break {
  return (steps) => {
    const { unsigned: refused } = steps;
    steps.unsigned = (incoming) => {
      const envelope = steps.parse(incoming);
      if (envelope.event === event) void steps.events[event]?.(envelope);
      return refused(incoming);
    };
  };
}
