import type { IncomingHttpHeaders } from 'node:http';
import { type Delivery, parseDelivery } from '../../contract/envelope.js';
import { itemComment } from '../../contract/item-comment.js';
import { MAX_BODY_BYTES } from '../../contract/limits.js';
import { headerNames, type Service, signatureHeaderIn } from '../../contract/service.js';
import { isSignature, verify } from '../../contract/signature.js';
import { messageOf } from '../../errors.js';
import { SIGNATURE_FORMS } from '../signature-forms.js';

/** A request as it came. */
export interface Received {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What a request breaks of the contract, and where that stands. */
export interface Breach {
  readonly section: string;
  readonly says: string;
}

/**
 * What a service keeps to in each request that it sends. The ids are stable, and so is the order: a rule’s number is its place
 * here, from 1.
 */
export const REQUEST_RULES = {
  signature: {
    section: 'Authentication, 2',
    says: 'X-Service-Signature is sha256= and the HMAC-SHA256 of the raw body.',
    hint: 'Serialize the body once, sign these bytes with the secret of the webhook, and send the same bytes.',
  },
  'signature-lower-case': {
    section: 'Authentication, 4',
    says: 'The signature’s hex digits are in lower case.',
    hint: 'Write the digits in lower case.',
  },
  post: { section: 'Endpoints', says: 'Every event is POSTed.', hint: 'Send every event with POST.' },
  'content-type': {
    section: 'Request headers',
    says: 'Content-Type is application/json.',
    hint: 'Send Content-Type: application/json.',
  },
  'timestamp-header': {
    section: 'Request headers',
    says: 'X-Service-Timestamp is the moment of sending in seconds.',
    hint: 'Send the seconds since 1970 as digits, at each attempt those of that moment.',
  },
  payload: {
    section: 'Request envelope',
    says: 'The body is JSON with every field of its event.',
    hint: 'Send every key of the article; only featured_image_url can be null.',
  },
  compact: {
    section: 'Request envelope',
    says: 'The JSON is compact.',
    hint: 'Serialize without white space between the values.',
  },
  'publish-without-version': {
    section: 'Request envelope',
    says: 'article.published carries no contract_version.',
    hint: 'Leave the field out on article.published.',
  },
  'event-header': {
    section: 'Request headers',
    says: 'X-Service-Event is the body’s event.',
    hint: 'Take the header from the same value as the body’s event.',
  },
  'contract-header': {
    section: 'Request headers',
    says: 'X-Service-Contract is 2 on test, lookup and update, and absent on a publish.',
    hint: 'Send X-Service-Contract: 2 with every body that has contract_version 2, and with no other.',
  },
  'published-at': {
    section: 'Article',
    says: 'published_at is the timestamp.',
    hint: 'Give data.published_at and timestamp the same text.',
  },
  'revision-is-id': {
    section: 'article.updated data',
    says: 'revision_id of an update is its data.id.',
    hint: 'Give data.revision_id and data.id the id of the refresh draft.',
  },
  'item-comment': {
    section: 'Body additions',
    says: 'content_html of a new article ends with the item comment.',
    hint: 'End content_html with <!-- svc:item:<id> -->.',
  },
  'body-size': {
    section: 'Errors',
    says: 'The body has at most 1,000,000 bytes.',
    hint: 'Refuse the article before it is sent: receivers may answer 413.',
  },
} as const;

export type RequestRuleId = keyof typeof REQUEST_RULES;

/** A rule of requests that is broken. */
export interface RequestBreach extends Breach {
  readonly rule: RequestRuleId;
}

/** A request against the contract. */
export interface JudgedRequest {
  readonly signature: 'right' | 'wrong' | 'missing';
  /** Undefined if the body is not what the contract describes. */
  readonly delivery: Delivery | undefined;
  readonly findings: readonly RequestBreach[];
}

/** A sender may read two clocks for one request. */
const CLOCKS_APART_MS = 60_000;

/** Holds a request against what a service sends (contract: Request envelope, Request headers, Article). */
export function judgeRequest(
  { method, headers, body }: Received,
  secret: string,
  service: Service,
): JudgedRequest {
  const findings: RequestBreach[] = [];
  const find = (rule: RequestRuleId, says: string) => findings.push(finding(rule, says));
  const names = headerNames(service);
  const valueIn = (name: string) => [headers[name.toLowerCase()]].flat()[0];

  if (method !== 'POST') find('post', `the method is ${method}; all events are POSTed`);
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    find(
      'content-type',
      `Content-Type is ${headers['content-type'] ?? 'missing'}; it is always application/json`,
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
    find('signature-lower-case', `${names.signature} has capitals; the hex is always in lower case`);

  const parsed = parsedDelivery(body);
  const written = 'why' in parsed ? 0 : Date.parse(parsed.delivery.timestamp) - CLOCKS_APART_MS;
  if (timestamp === undefined || !/^\d{9,11}$/.test(timestamp) || Number(timestamp) * 1000 < written)
    find(
      'timestamp-header',
      `${names.timestamp} is ${timestamp ?? 'missing'}; it is the moment of sending in seconds, and not before the body’s timestamp`,
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
    find('event-header', `${names.event} is ${event ?? 'missing'}, and the body’s event ${delivery.event}`);
  const contract = valueIn(names.contract);
  const wanted = delivery.event === 'article.published' ? undefined : '2';
  if (contract !== wanted)
    find(
      'contract-header',
      `${names.contract} is ${contract ?? 'missing'}; on ${delivery.event} it is ${wanted ?? 'absent'}`,
    );
  findings.push(...findingsIn(delivery, json, service));
  return { signature, delivery, findings };
}

function finding(rule: RequestRuleId, says: string): RequestBreach {
  return { rule, section: REQUEST_RULES[rule].section, says };
}

function findingsIn(delivery: Delivery, json: unknown, service: Service): RequestBreach[] {
  if (delivery.event !== 'article.published' && delivery.event !== 'article.updated') return [];
  const { data, timestamp } = delivery;
  const found: RequestBreach[] = [];
  if (delivery.event === 'article.published' && Object.hasOwn(Object(json), 'contract_version'))
    found.push(finding('publish-without-version', 'article.published carries no contract_version'));
  if (data.published_at !== timestamp)
    found.push(
      finding(
        'published-at',
        `published_at is ${data.published_at}, and the timestamp ${timestamp}; both are the same`,
      ),
    );
  if (delivery.event === 'article.updated' && data.id !== delivery.data.revision_id)
    found.push(
      finding(
        'revision-is-id',
        `revision_id is ${delivery.data.revision_id}, and data.id ${data.id}; both are the same`,
      ),
    );
  const comment = itemComment(data.id, service);
  if (delivery.event === 'article.published' && !data.content_html.trimEnd().endsWith(comment))
    found.push(finding('item-comment', `content_html does not end with the item comment ${comment}`));
  return found;
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
    : `${name} is missing; there is ${other}: give the service’s name with --service`;
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
      return false; // the body is no JSON
    }
  });
  if (form !== undefined) return `${name} is a signature ${form.what}`;
  if (!given.startsWith('sha256=')) return `${name} does not begin with sha256=`;
  if (!isSignature(given)) return `${name} has not the form sha256= and 64 hex digits`;
  return `${name} is not the HMAC of this body; is it the same secret on both sides?`;
}
