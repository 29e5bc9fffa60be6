import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { canonicalUrl } from '../contract/canonical-url.js';
import { DEFAULT_SERVICE } from '../contract/service.js';
import { serviceSchema } from '../contract/service-schema.js';
import { didYouMean, messageOf, PressmarkError, quote } from '../errors.js';
import { writeAtomically } from '../fs/atomic-write.js';
import type { Recipient } from './delivery/send-event.js';
import { firstIssue, makeState, type SenderState } from './state.js';

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

const url = z.string().refine((text) => canonicalUrl(text) !== undefined && !text.includes('#'), {
  error: 'must be an absolute http(s) URL without credentials and fragment',
});

const secret = z.string().min(1, { error: 'must not be empty' });

/** The names of the service that sends the articles. */
const service = serviceSchema.required();

const schema = z.strictObject({
  /** The receiver's address for all events. */
  url,
  secret,
  service,
  /** The earlier receivers of this connector; deliveries that were queued for one of them still go there. */
  earlier: z.array(z.strictObject({ url, secret, service })),
  /** The byline of articles without an author in their file; if empty, the application's name. */
  author: z.string(),
  /** The name of the publishing site or company: the last fallback of the byline, and the Organization block. */
  application: z.string().min(1, { error: 'must not be empty' }),
  /** The address of a view-tracking image; null if there is none. */
  tracking: url.nullable(),
  /** The old address of the articles, against which relative links are resolved (see `oldUrlsOf`); null if it is not set. */
  baseUrl: url.nullable(),
  /** Distinguishes the ids of this connector's articles from those of other folders; created once. */
  key: z.string().min(16),
});

type StoredConnector = z.infer<typeof schema>;

/** A receiver for articles. */
export type Connector = StoredConnector & { readonly name: string };

/** A connector's settings from the user; undefined fields keep their value. */
export type ConnectorInput = Pick<Connector, 'name' | 'url' | 'secret'> & {
  readonly [field in 'author' | 'application' | 'tracking' | 'baseUrl' | 'service']?:
    | Connector[field]
    | undefined;
};

/**
 * Checks a connector's settings. An existing connector of that name keeps its key, and the fields that are undefined.
 *
 * @throws PressmarkError USAGE, naming the field; CONFIG_INVALID if the existing one cannot be read.
 */
export function makeConnector(state: SenderState, { name, ...input }: ConnectorInput): Connector {
  if (!NAME.test(name))
    throw new PressmarkError(
      'USAGE',
      `${quote(name)} cannot be the name of a connector; use lowercase letters, digits and hyphens, at most 40`,
    );
  const key = randomBytes(16).toString('hex');
  const { name: _, ...stored }: Partial<Connector> = findConnector(state, name) ?? {};
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const result = schema.safeParse({
    author: '',
    application: name,
    tracking: null,
    baseUrl: null,
    service: DEFAULT_SERVICE,
    key,
    ...stored,
    ...given,
    earlier: earlierReceivers(stored, input.url),
  });
  if (!result.success) throw new PressmarkError('USAGE', `the connector's ${firstIssue(result.error)}`);
  return { name, ...result.data };
}

/**
 * The receivers that a connector pointed to before `url`, each with its own secret: a delivery that was queued for one of them
 * is signed with that secret (contract: Delivery record, url).
 */
function earlierReceivers(
  { url, secret, service = DEFAULT_SERVICE, earlier = [] }: Partial<StoredConnector>,
  next: string,
) {
  const last = url === undefined || secret === undefined ? [] : [{ url, secret, service }];
  const others = earlier.filter((one) => one.url !== url);
  return [...others, ...last].filter((one) => one.url !== next);
}

/** The receiver of a delivery that was queued for `url`, with its secret. */
export function recipientOf(connector: Connector, url: string): Recipient {
  const issued = [connector, ...connector.earlier].find((one) => one.url === url) ?? connector;
  return { url, secret: issued.secret, service: issued.service };
}

/**
 * Stores a connector, readable only by its owner.
 *
 * @throws PressmarkError QUEUE_FAILED
 */
export async function saveConnector(state: SenderState, { name, ...connector }: Connector): Promise<void> {
  makeState(state);
  try {
    await writeAtomically(
      join(state.connectors, `${name}.json`),
      `${JSON.stringify(connector, null, 2)}\n`,
      0o600,
    );
  } catch (cause) {
    throw new PressmarkError('QUEUE_FAILED', `the connector cannot be stored: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/**
 * All connectors, ordered by name.
 *
 * @throws PressmarkError CONFIG_INVALID if one of the files cannot be read.
 */
export function readConnectors(state: SenderState): Connector[] {
  if (!fs.existsSync(state.connectors)) return [];
  return fs
    .readdirSync(state.connectors)
    .filter((file) => file.endsWith('.json') && NAME.test(file.slice(0, -5)))
    .sort()
    .map((file) => readConnector(join(state.connectors, file), file.slice(0, -5)));
}

/**
 * The current connector of a name; undefined if there is none.
 *
 * @throws PressmarkError CONFIG_INVALID if its file cannot be read.
 */
export function findConnector(state: SenderState, name: string): Connector | undefined {
  const path = join(state.connectors, `${name}.json`);
  return NAME.test(name) && fs.existsSync(path) ? readConnector(path, name) : undefined;
}

function readConnector(path: string, name: string): Connector {
  const refuse = (reason: string, cause?: unknown) =>
    new PressmarkError(
      'CONFIG_INVALID',
      `${path}: ${reason}; fix it. If it is removed, and ${name} connected anew, its articles are published once more`,
      { cause },
    );
  let json: unknown;
  try {
    json = JSON.parse(fs.readFileSync(path, 'utf8'));
  } catch (cause) {
    throw refuse('cannot be read as JSON', cause); // the parser's message would quote the secret
  }
  const result = schema.safeParse(json);
  if (!result.success) throw refuse(firstIssue(result.error));
  return { name, ...result.data };
}

/**
 * The connector of a name, or without a name the only one.
 *
 * @throws PressmarkError USAGE
 */
export function chooseConnector(connectors: readonly Connector[], name: string | undefined): Connector {
  const [only, second] = connectors;
  if (only === undefined)
    throw new PressmarkError(
      'USAGE',
      'nothing is published until a receiver is connected: pressmark connect <name> <url>',
    );
  const names = connectors.map((one) => one.name);
  if (name === undefined) {
    if (second === undefined) return only;
    throw new PressmarkError('USAGE', `say which connector with --connector; there are ${names.join(', ')}`);
  }
  const found = connectors.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new PressmarkError('USAGE', `there is no connector ${quote(name)}${didYouMean(name, names)}`);
}
