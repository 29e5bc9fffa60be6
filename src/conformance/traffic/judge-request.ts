import type { IncomingHttpHeaders } from 'node:http';
import { type Delivery, parseDelivery } from '../../contract/envelope.js';
import { itemComment } from '../../contract/item-comment.js';
import { CAPABILITIES, MAX_BODY_BYTES } from '../../contract/limits.js';
import { headerNames, type Service, signatureHeaderIn } from '../../contract/service.js';
import { isSignature, verify } from '../../contract/signature.js';
import { messageOf } from '../../errors.js';
import { SIGNATURE_FORMS } from '../signature-forms.js';
import { REQUEST_RULES } from './request-rules.js';

/** A received request. */
export interface Received {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A breach of the contract, and its section. */
export interface Breach {
  readonly section: string;
  readonly says: string;
}

/** A breach of a rule about requests. */
export interface RequestBreach extends Breach {
  /** The id of the rule. */
  readonly rule: string;
}

/** The result of checking a request against the contract. */
export interface JudgedRequest {
  readonly signature: 'right' | 'wrong' | 'missing';
  /** Undefined if the body is not as the contract describes. */
  readonly delivery: Delivery | undefined;
  readonly findings: readonly RequestBreach[];
}

/** The largest difference between two clock readings for one request, in milliseconds. */
const CLOCKS_APART_MS = 60_000;

/** The service that sends, and a moment that no request can have yet, in milliseconds since the epoch. */
export interface Judging {
  readonly secret: string;
  readonly service: Service;
  readonly future: number;
}

/** Checks a request against the contract (Request envelope, Request headers, Article). */
export function judgeRequest(
  { method, headers, body }: Received,
  { secret, service, future }: Judging,
): JudgedRequest {
  const findings: RequestBreach[] = [];
  const find = (rule: string, says: string) => {
    const section = REQUEST_RULES.find(({ id }) => id === rule)?.section ?? '';
    findings.push({ rule, section, says });
  };
  const names = headerNames(service);
  const valueIn = (name: string) => [headers[name.toLowerCase()]].flat()[0];

  if (method !== 'POST') find('post', `the method is ${method}; it must be POST`);
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    find(
      'content-type',
      `Content-Type is ${headers['content-type'] ?? 'missing'}; it must be application/json`,
    );
  if (body.length > MAX_BODY_BYTES)
    find(
      'body-size',
      `the body has ${body.length.toLocaleString('en')} bytes; receivers may answer 413 above 1,000,000`,
    );

  const given = valueIn(names.signature);
  const timestamp = valueIn(names.timestamp);
  const signature = given === undefined ? 'missing' : verify(body, given, [secret]) ? 'right' : 'wrong';
  if (signature === 'missing') find('signature', missingSignature(names.signature, headers));
  if (signature === 'wrong')
    find('signature', wrongSignature(names.signature, given ?? '', body, secret, timestamp ?? ''));
  if (signature === 'right' && given !== given?.toLowerCase())
    find('signature-lower-case', `${names.signature} has capitals; the hex must be in lower case`);

  const parsed = parsedDelivery(body);
  const written = 'why' in parsed ? 0 : Date.parse(parsed.delivery.timestamp) - CLOCKS_APART_MS;
  const sent = /^\d{9,11}$/.test(timestamp ?? '') ? Number(timestamp) * 1000 : Number.NaN;
  if (!(sent >= written && sent < future))
    find(
      'timestamp-header',
      `${names.timestamp} is ${timestamp ?? 'missing'}; it must be the time of sending in seconds, ${
        sent >= future ? 'but is in the future' : 'and not before the body’s timestamp'
      }`,
    );

  if ('why' in parsed) {
    find('payload', parsed.why);
    return { signature, delivery: undefined, findings };
  }
  const { delivery, json } = parsed;
  if (!isCompact(body.toString()))
    find('compact', 'the JSON is not compact: it has white space or a line end between its values');
  const event = valueIn(names.event);
  if (event !== delivery.event)
    find(
      'event-header',
      `${names.event} is ${event ?? 'missing'}, but the body’s event is ${delivery.event}`,
    );
  const contract = valueIn(names.contract);
  const wanted = delivery.event === 'article.published' ? undefined : '2';
  if (contract !== wanted)
    find(
      'contract-header',
      `${names.contract} is ${contract ?? 'missing'}; on ${delivery.event} it must be ${wanted ?? 'absent'}`,
    );
  if ('slug' in delivery.data && delivery.data.slug === '')
    find('payload', 'slug is empty; an article without a slug has its id there');
  if (
    delivery.event === 'webhook.test' &&
    CAPABILITIES.some((one) => !delivery.data.capabilities.includes(one))
  )
    find('payload', `capabilities must be ${CAPABILITIES.join(', ')}`);
  if ('published_at' in delivery.data && delivery.data.published_at !== delivery.timestamp)
    find(
      'published-at',
      `published_at is ${delivery.data.published_at}, but the timestamp is ${delivery.timestamp}; both must be equal`,
    );
  if (delivery.event === 'article.published') {
    if (Object.hasOwn(Object(json), 'contract_version'))
      find('publish-without-version', 'article.published carries no contract_version');
    const comment = itemComment(delivery.data.id, service);
    if (!delivery.data.content_html.trimEnd().endsWith(comment))
      find('item-comment', `content_html does not end with the item comment ${comment}`);
  }
  if (delivery.event === 'article.updated' && delivery.data.id !== delivery.data.revision_id)
    find(
      'revision-is-id',
      `revision_id is ${delivery.data.revision_id}, but data.id is ${delivery.data.id}; both must be equal`,
    );
  return { signature, delivery, findings };
}

/** Whether JSON has no white space outside its texts. */
function isCompact(json: string): boolean {
  let inText = false;
  for (const [sign] of json.matchAll(/\\.|["\s]/g)) {
    if (sign === '"') inText = !inText;
    else if (!inText) return false;
  }
  return true;
}

function parsedDelivery(body: Buffer): { delivery: Delivery; json: unknown } | { why: string } {
  try {
    return { delivery: parseDelivery(body), json: JSON.parse(body.toString()) };
  } catch (error) {
    return { why: messageOf(error) };
  }
}

function missingSignature(name: string, headers: IncomingHttpHeaders): string {
  const other = signatureHeaderIn(Object.keys(headers));
  return other === undefined
    ? `${name} is missing`
    : `${name} is missing, but ${other} is present: give the service’s name with --service`;
}

function wrongSignature(
  name: string,
  given: string,
  body: Buffer,
  secret: string,
  timestamp: string,
): string {
  const form = SIGNATURE_FORMS.find(({ sign }) => {
    try {
      return sign(body.toString(), secret, timestamp) === given;
    } catch {
      return false; // the body is not JSON
    }
  });
  if (form !== undefined) return `${name} is a signature ${form.what}`;
  if (!given.startsWith('sha256=')) return `${name} does not begin with sha256=`;
  if (!isSignature(given)) return `${name} must be sha256= and 64 hex digits`;
  return `${name} is not the HMAC of this body; check that both sides have the same secret`;
}
