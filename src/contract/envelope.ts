import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import { PressmarkError, quote } from '../errors.js';
import { canonicalUrl } from './canonical-url.js';
import { EVENTS, type EventName, REQUEST_CONTRACT_VERSION } from './limits.js';
import { isMoment } from './moment.js';

/**
 * The deepest nesting of a body. The contract has three levels; unknown fields may have more. They are passed to plugins in
 * another thread, which cannot read more than about 1,500 levels.
 */
const MOST_LEVELS = 500;

// The contract's texts are checked for lone surrogates afterwards; a rule for each would slow down every delivery.
const text = z.string();
const nonempty = text.min(1, { error: 'must not be empty' });
const moment = text.refine(isMoment, { error: 'must be an ISO 8601 moment such as 2026-11-19T08:00:00Z' });
const articleUrl = nonempty.refine((value) => canonicalUrl(value) !== undefined, {
  error: 'must be an absolute http(s) URL without credentials',
});

// Not z.array, which reports every wrong element and creates an object for each right one.
const texts = z.custom<string[]>().check(({ value, issues }) => {
  if (!Array.isArray(value)) {
    issues.push({ code: 'invalid_type', expected: 'array', input: value });
    return;
  }
  const wrong = value.findIndex((one) => typeof one !== 'string');
  if (wrong !== -1) issues.push({ code: 'invalid_type', expected: 'string', input: value, path: [wrong] });
});

const article = z.object({
  id: nonempty,
  title: text,
  slug: text,
  content_html: text,
  content_markdown: text,
  meta_description: text,
  focus_keyword: text,
  featured_image_url: text.nullable(),
  tags: texts,
  author: text,
  published_at: moment,
  json_ld: text,
});

const update = article.extend({
  target_id: nonempty,
  target_url: articleUrl,
  base_revision_id: nonempty,
  revision_id: nonempty,
});

const envelope = <E extends EventName, D extends z.ZodType>(event: E, data: D) =>
  z.object({ event: z.literal(event), timestamp: moment, data });

const SCHEMAS = {
  'article.published': envelope('article.published', article),
  'webhook.test': envelope('webhook.test', z.object({ id: text, message: text, capabilities: texts })),
  'article.lookup': envelope('article.lookup', z.object({ target_url: articleUrl })),
  'article.updated': envelope('article.updated', update),
};

/** `data` of `article.published`; every key is present (contract: Article). */
export type ArticleData = z.infer<typeof article> & FurtherFields;
/** `data` of `article.updated` (contract: article.updated data). */
export type UpdateData = z.infer<typeof update> & FurtherFields;
/** Fields of an article besides those of the contract. */
interface FurtherFields {
  /** Fields that the contract does not know; undefined if there are none. */
  readonly source?: Readonly<Record<string, unknown>>;
}

/** The type of each event's `data`. */
interface DataOf extends Record<EventName, unknown> {
  'article.published': ArticleData;
  'article.updated': UpdateData;
  'webhook.test': z.infer<(typeof SCHEMAS)['webhook.test']>['data'];
  'article.lookup': z.infer<(typeof SCHEMAS)['article.lookup']>['data'];
}

/** One of the four requests, with only the keys of the contract. Further keys of an article are in `source`. */
export type Delivery = {
  [E in EventName]: Omit<z.infer<(typeof SCHEMAS)[E]>, 'data'> & { readonly data: DataOf[E] };
}[EventName];

/** The header with the contract's version, and its value if it was sent. */
export interface ContractHeader {
  readonly name: string;
  readonly value: string | undefined;
}

/**
 * Decodes, parses and validates a verified body (contract: Request envelope). Extra fields are accepted; those of an article
 * are in its `source`, others are dropped. The `event` of the body counts, not the header's.
 *
 * @param contract the name of the contract's header, and its value if it was sent. The version must be 2 for every event except
 *   `article.published`, which needs neither header nor field.
 * @throws PressmarkError BODY_INVALID, EVENT_UNSUPPORTED or CONTRACT_VERSION, beginning with the field.
 */
export function parseDelivery(body: Buffer, contract?: ContractHeader): Delivery {
  const json = objectIn(body);
  const event = eventOf(json);
  if (event !== 'article.published') requireContractVersion(json.contract_version, contract, event);
  const result = SCHEMAS[event].safeParse(json);
  if (!result.success) throw new PressmarkError('BODY_INVALID', describe(result.error, json));
  const field = illFormed(result.data);
  if (field !== undefined) throw new PressmarkError('BODY_INVALID', `${field} is not well-formed Unicode`);
  const delivery: Delivery = result.data;
  if (delivery.event !== 'article.published' && delivery.event !== 'article.updated') return delivery;
  const further = Object.entries(json.data ?? {}).filter(([key]) => !Object.hasOwn(delivery.data, key));
  if (further.length === 0) return delivery;
  return { ...delivery, data: { ...delivery.data, source: Object.fromEntries(further) } } as Delivery;
}

/** The path of the first text with a lone surrogate, which JSON escapes allow and UTF-8 cannot encode. */
function illFormed(value: unknown): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : '';
  if (Array.isArray(value)) {
    const at = value.findIndex((one) => illFormed(one) !== undefined);
    return at === -1 ? undefined : pathBelow(String(at), illFormed(value[at]));
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key in value) {
    const below = illFormed(value[key as keyof typeof value]);
    if (below !== undefined) return pathBelow(key, below);
  }
  return undefined;
}

function pathBelow(key: string, below: string | undefined): string {
  return below === undefined || below === '' ? key : `${key}.${below}`;
}

/** Whether arrays and objects are nested deeper than a number of levels. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}

/** Parses the JSON in a body. @throws PressmarkError BODY_INVALID. */
export function jsonIn(body: Buffer): unknown {
  if (!isUtf8(body))
    throw new PressmarkError('BODY_INVALID', 'body is not valid UTF-8; send JSON encoded as UTF-8');
  const json = parsed(body.toString('utf8'));
  if (isDeeper(json, MOST_LEVELS))
    throw new PressmarkError(
      'BODY_INVALID',
      `body is JSON that is nested deeper than ${MOST_LEVELS} levels; send flat data`,
    );
  return json;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // Without the parser's message, which would quote the body.
    throw new PressmarkError('BODY_INVALID', 'body is not valid JSON', { cause });
  }
}

function objectIn(body: Buffer): Record<string, unknown> {
  const json = jsonIn(body);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new PressmarkError('BODY_INVALID', `body must be a JSON object, got ${typeName(json)}`);
  }
  return json as Record<string, unknown>;
}

function eventOf(json: Record<string, unknown>): EventName {
  const { event } = json;
  if (typeof event !== 'string')
    throw new PressmarkError('BODY_INVALID', `event must be a string, got ${typeName(event)}`);
  const known = EVENTS.find((name) => name === event);
  if (known === undefined) {
    throw new PressmarkError(
      'EVENT_UNSUPPORTED',
      `event ${quote(event)} is not supported; known: ${EVENTS.join(', ')}`,
    );
  }
  return known;
}

function requireContractVersion(field: unknown, header: ContractHeader | undefined, event: EventName): void {
  if (field !== REQUEST_CONTRACT_VERSION) {
    const got = typeof field === 'number' ? String(field) : typeName(field);
    throw new PressmarkError(
      'CONTRACT_VERSION',
      `contract_version must be the integer 2 on ${event}, got ${got}`,
    );
  }
  if (header?.value !== undefined && header.value !== String(REQUEST_CONTRACT_VERSION)) {
    throw new PressmarkError(
      'CONTRACT_VERSION',
      `${header.name} must be 2 on ${event}, got ${quote(header.value)}`,
    );
  }
}

/** Describes the first fault in one sentence: field, rule, actual value. */
function describe(error: z.ZodError, json: unknown): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'body does not match the contract';
  const field = issue.path.map(String).join('.');
  if (issue.code !== 'invalid_type') return `${field} ${issue.message}`;
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)[key], json);
  const type = `${withIndefinite(issue.expected)}${field === 'data.featured_image_url' ? ' or null' : ''}`;
  if (value === undefined) return `${field} is missing; it must be ${type}`;
  return `${field} must be ${type}, got ${typeName(value)}`;
}

function withIndefinite(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function typeName(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
