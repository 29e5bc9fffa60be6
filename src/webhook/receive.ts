import { conflictAnswer, testAnswer } from '../contract/answers.js';
import type { Delivery } from '../contract/envelope.js';
import { type HeaderNames, signatureHeaderIn } from '../contract/service.js';
import { isSignature, verify } from '../contract/signature.js';
import { PressmarkError, quote } from '../errors.js';
import type { Log } from '../log.js';
import { lookup } from './events/lookup.js';
import { type Handled, type HandlerContext, published } from './events/published.js';
import { updated } from './events/updated.js';

/**
 * The steps of an event, from its bytes to its answer:
 *
 * 1. The signature is compared with the raw bytes. Without a match nothing is decoded, parsed or looked up: 401.
 * 2. The bytes are decoded, parsed and checked, in another thread: `readDelivery`.
 * 3. The handler of the event decides, filters, and stores durably: `published`, `updated`, `lookup`.
 * 4. Its result is the body of the 200; an error has the status of its code.
 * 5. After the answer, `afterAnswer` runs the actions.
 *
 * @param names the names of the service's headers.
 */
export function createReceive(secrets: SigningSecrets, names: HeaderNames, context: HandlerContext): Receive {
  return async (delivery) => {
    try {
      requireSignature(delivery.body, delivery.headers, secrets, names);
    } catch (error) {
      return { ...refusal(error, undefined, context.log), verified: false };
    }
    return answerVerified(delivery, names, context);
  };
}

/** Answers a verified delivery. */
export async function answerVerified(
  { body, headers }: RawDelivery,
  names: HeaderNames,
  context: HandlerContext,
): Promise<Answer> {
  let delivery: Delivery | undefined;
  try {
    refuseEncoded(body, headers['content-encoding']);
    const version = headers[names.contract.toLowerCase()];
    const value = Array.isArray(version) ? version.join(', ') : version;
    delivery = await context.readDelivery(body, { name: names.contract, value });
    const { id, outcome, body: answer, afterAnswer } = await dispatch(delivery, context);
    const json = typeof answer === 'string' ? answer : JSON.stringify(answer);
    return { status: 200, body: json, event: delivery.event, id, outcome, verified: true, afterAnswer };
  } catch (error) {
    return { ...refusal(error, delivery, context.log), verified: true };
  }
}

function dispatch(delivery: Delivery, context: HandlerContext): Handled | Promise<Handled> {
  switch (delivery.event) {
    case 'article.published':
      return published(delivery.data, delivery.timestamp, context);
    case 'article.updated':
      return updated(delivery.data, delivery.timestamp, context);
    case 'article.lookup':
      return lookup(delivery.data.target_url, context);
    case 'webhook.test':
      return { id: delivery.data.id, outcome: 'tested', body: testAnswer() };
  }
}

/** The longest name of a foreign header that an answer shows, in characters. */
const MOST_SHOWN = 80;

/** A raw request: all bytes of the body, and the headers in lower case. */
export interface RawDelivery {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** An answer and what follows after it. */
export interface Answer {
  readonly status: number;
  /** JSON. */
  readonly body: string;
  readonly event: string | undefined;
  readonly id: string | undefined;
  /** The outcome for the log, or the error's code. */
  readonly outcome: string;
  /** Whether the signature matched. If not, anyone can have sent the delivery. */
  readonly verified: boolean;
  readonly afterAnswer?: (() => Promise<void>) | undefined;
}

/** Turns bytes and headers into a status and a body: the whole receiver without HTTP. */
export type Receive = (delivery: RawDelivery) => Promise<Answer>;

/** The signing secrets that are accepted now; several during a rotation. */
export interface SigningSecrets {
  now(): readonly string[];
  /** Called if a signature matches none of them. @returns whether there may be others now. */
  reread(): boolean;
}

/**
 * The signature header. Its form can be checked before the body is read, which needs memory.
 *
 * @throws PressmarkError SIGNATURE_MISSING; SIGNATURE_MISMATCH if its form is wrong.
 */
export function signatureIn(headers: RawDelivery['headers'], { signature }: HeaderNames): string {
  const header = headers[signature.toLowerCase()];
  if (typeof header !== 'string' || header === '') {
    const other = header === undefined ? signatureHeaderIn(Object.keys(headers)) : undefined;
    throw new PressmarkError(
      'SIGNATURE_MISSING',
      other === undefined
        ? `${signature} is missing; send sha256= and the HMAC-SHA256 of the raw body`
        : `${signature} is missing, and ${other.slice(0, MOST_SHOWN)} came; set service.name in the receiver's config to the name in the service's headers`,
    );
  }
  if (!isSignature(header)) {
    throw new PressmarkError(
      'SIGNATURE_MISMATCH',
      `${signature} must be sha256= and the 64 hex digits of the HMAC-SHA256 of the raw body`,
    );
  }
  return header;
}

function requireSignature(
  body: Buffer,
  headers: RawDelivery['headers'],
  secrets: SigningSecrets,
  names: HeaderNames,
): void {
  const signature = signatureIn(headers, names);
  const isRight = () => verify(body, signature, secrets.now());
  if (!isRight() && !(secrets.reread() && isRight())) {
    const cause = signOfChange(body, headers['content-encoding']) ?? 'check the signing secret';
    throw new PressmarkError(
      'SIGNATURE_MISMATCH',
      `${names.signature} does not match the raw body: ${cause}`,
    );
  }
}

/** Refuses bytes that were signed as they are, but are encoded. */
function refuseEncoded(body: Buffer, encoding: string | string[] | undefined): void {
  if (!isIdentity(encoding))
    throw new PressmarkError(
      'ENCODING_UNSUPPORTED',
      `Content-Encoding ${quote(encoding)} is not supported; send the body as it is`,
    );
  const sign = signOfChange(body, undefined);
  if (sign !== undefined) throw new PressmarkError('BODY_INVALID', sign);
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Tells how a body was changed on its way, by its encoding and its first bytes; undefined if there is no sign of it. Then a
 * wrong signature most likely means a wrong secret.
 */
function signOfChange(body: Buffer, encoding: string | string[] | undefined): string | undefined {
  if (!isIdentity(encoding))
    return `the body came with Content-Encoding ${quote(encoding)}; let no proxy compress it`;
  if (startsWith(body, GZIP)) return 'the body is compressed (gzip); let no proxy compress it';
  if (startsWith(body, BYTE_ORDER_MARK))
    return 'the body begins with a byte order mark (EF BB BF); send it without';
  return undefined;
}

/** Whether a Content-Encoding leaves the body unchanged. */
export function isIdentity(encoding: string | string[] | undefined): boolean {
  return encoding === undefined || encoding === '' || String(encoding).toLowerCase() === 'identity';
}

function startsWith(body: Buffer, bytes: Buffer): boolean {
  return body.subarray(0, bytes.length).equals(bytes);
}

/** Errors with a 5xx status that are not failures of the receiver: strangers can keep it busy, and a plugin may refuse. */
export const NO_FAILURES: ReadonlySet<string> = new Set(['RECEIVER_BUSY', 'REFUSED_BY_PLUGIN']);

/** The answer to an error: a code of the error table, or a 500 without details. */
export function refusal(error: unknown, delivery: Delivery | undefined, log: Log): Omit<Answer, 'verified'> {
  const known = error instanceof PressmarkError ? error : undefined;
  if (known === undefined || (known.status >= 500 && !NO_FAILURES.has(known.code)))
    log.error({ err: error }, 'a delivery failed');
  const message =
    known === undefined
      ? 'the receiver failed; nothing was acknowledged, send it again'
      : known.publicMessage;
  return {
    status: known?.status ?? 500,
    body: JSON.stringify(
      known?.code === 'REVISION_CONFLICT' ? conflictAnswer(known.details) : { error: message },
    ),
    event: delivery?.event,
    id: delivery === undefined ? undefined : idOf(delivery),
    outcome: known?.code ?? 'INTERNAL',
  };
}

/** The id of a delivery's article; for an update, not the draft's id. */
function idOf(delivery: Delivery): string | undefined {
  if (delivery.event === 'article.lookup') return undefined;
  return delivery.event === 'article.updated' ? delivery.data.target_id : delivery.data.id;
}
