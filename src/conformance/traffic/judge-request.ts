import type { IncomingHttpHeaders } from 'node:http';
import { type Delivery, parseDelivery } from '../../contract/envelope.js';
import { MAX_BODY_BYTES } from '../../contract/limits.js';
import { headerNames, itemComments, type Service, signatureHeaderIn } from '../../contract/service.js';
import { isSignature, verify } from '../../contract/signature.js';
import { messageOf } from '../../errors.js';

/** A request as it came. */
export interface Received {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What a request breaks of the contract, and where that stands. */
export interface Finding {
  readonly section: string;
  readonly says: string;
}

/** A request against the contract. */
export interface JudgedRequest {
  readonly signature: 'right' | 'wrong' | 'missing';
  /** Undefined where the body is not what the contract describes. */
  readonly delivery: Delivery | undefined;
  readonly findings: readonly Finding[];
}

/** Holds a request against what a service sends (contract: Request envelope, Request headers, Article). */
export function judgeRequest(
  { method, headers, body }: Received,
  secret: string,
  service: Service,
): JudgedRequest {
  const findings: Finding[] = [];
  const find = (section: string, says: string) => findings.push({ section, says });
  const names = headerNames(service);
  const valueIn = (name: string) => [headers[name.toLowerCase()]].flat()[0];

  if (method !== 'POST') find('Endpoints', `the method is ${method}; all events are POSTed`);
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    find(
      'Request headers',
      `Content-Type is ${headers['content-type'] ?? 'missing'}; it is always application/json`,
    );
  if (body.length > MAX_BODY_BYTES)
    find(
      'Errors',
      `the body has ${body.length.toLocaleString('en')} bytes; receivers may answer 413 above 1,000,000`,
    );

  const given = valueIn(names.signature);
  const signature = given === undefined ? 'missing' : verify(body, given, [secret]) ? 'right' : 'wrong';
  if (signature === 'missing') find('Authentication, 2', missingSignature(names.signature, headers));
  if (signature === 'wrong') find('Authentication, 2', wrongSignature(names.signature, given ?? ''));
  if (signature === 'right' && given !== given?.toLowerCase())
    find('Authentication, 4', `${names.signature} has capitals; the hex is always in lower case`);

  const timestamp = valueIn(names.timestamp);
  if (timestamp === undefined || !/^\d{9,11}$/.test(timestamp))
    find(
      'Request headers',
      `${names.timestamp} is ${timestamp ?? 'missing'}; it is the moment of sending in seconds`,
    );

  const parsed = parsedDelivery(body);
  if ('why' in parsed) {
    find('Request envelope', parsed.why);
    return { signature, delivery: undefined, findings };
  }
  const { delivery, json } = parsed;
  if (JSON.stringify(json) !== body.toString())
    find(
      'Request envelope',
      'the JSON is not compact: it has white space, escapes or a line end that it does not need',
    );
  const event = valueIn(names.event);
  if (event !== delivery.event)
    find(
      'Request headers',
      `${names.event} is ${event ?? 'missing'}, and the body’s event ${delivery.event}`,
    );
  const contract = valueIn(names.contract);
  const wanted = delivery.event === 'article.published' ? undefined : '2';
  if (contract !== wanted)
    find(
      'Request headers',
      `${names.contract} is ${contract ?? 'missing'}; on ${delivery.event} it is ${wanted ?? 'absent'}`,
    );
  findings.push(...findingsIn(delivery, json));
  return { signature, delivery, findings };
}

function findingsIn(delivery: Delivery, json: unknown): Finding[] {
  if (delivery.event !== 'article.published' && delivery.event !== 'article.updated') return [];
  const { data, timestamp } = delivery;
  const found: Finding[] = [];
  if (delivery.event === 'article.published' && Object.hasOwn(Object(json), 'contract_version'))
    found.push({ section: 'Request envelope', says: 'article.published carries no contract_version' });
  if (data.published_at !== timestamp)
    found.push({
      section: 'Article',
      says: `published_at is ${data.published_at}, and the timestamp ${timestamp}; both are the same`,
    });
  if (delivery.event === 'article.updated' && data.id !== delivery.data.revision_id)
    found.push({
      section: 'article.updated data',
      says: `revision_id is ${delivery.data.revision_id}, and data.id ${data.id}; both are the same`,
    });
  if (delivery.event === 'article.published' && itemComments(data.content_html).length === 0)
    found.push({ section: 'Body additions', says: 'content_html does not end with the item comment' });
  return found;
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

function wrongSignature(name: string, given: string): string {
  if (!given.startsWith('sha256=')) return `${name} does not begin with sha256=`;
  if (!isSignature(given)) return `${name} has not the form sha256= and 64 hex digits`;
  return `${name} is not the HMAC of this body; is it the same secret on both sides?`;
}
