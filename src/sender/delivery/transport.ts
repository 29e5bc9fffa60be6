import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { MAX_BODY_BYTES } from '../../contract/limits.js';
import { PressmarkError, quote } from '../../errors.js';
import { unreachableBecause } from './unreachable.js';

/** An HTTP request to be sent. */
export interface Outgoing {
  readonly url: string;
  /** @default 'POST' */
  readonly method?: string;
  /** Only Host, Content-Length, Connection and `Accept-Encoding: identity` are added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The time limit for everything: name lookup, connection, redirects, the answer to its last byte. */
  readonly timeoutMs: number;
  /** The number of redirects that are followed, with the same method and the same bytes. @default 0 */
  readonly redirects?: number;
}

/** An answer with a status line; its body may be incomplete. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The received body, at most 1,000,000 bytes. */
  readonly body: Buffer;
  /** Why the body is incomplete, such as `is over 1,000,000 bytes`; undefined if it is complete. */
  readonly incomplete: string | undefined;
  /** The URL that answered: another one than the requested URL if a redirect was followed. */
  readonly url: string;
  /** Why a redirect was not followed; undefined if there was none. */
  readonly redirectRefused: string | undefined;
  /** The time from the first step to the last byte, in milliseconds. */
  readonly ms: number;
}

/** Redirects that keep the method, or that all senders of webhooks follow. A 303 asks for a GET, which has no body. */
export const FOLLOWED = [301, 302, 307, 308];

/**
 * Sends a request and reads its answer, within the contract's limits.
 *
 * @throws PressmarkError UNREACHABLE if no answer came: no connection, no answer in time, or no HTTP.
 */
export async function exchange(request: Outgoing): Promise<Reply> {
  const started = performance.now();
  const signal = AbortSignal.timeout(request.timeoutMs);
  let reply = await once(request, request.url, signal);
  let redirectRefused: string | undefined;
  for (let left = request.redirects ?? 0; ; left--) {
    const next = nextOf(reply, left, reply.url !== request.url);
    redirectRefused = next?.refused;
    if (next?.url === undefined) break;
    reply = await once(request, next.url, signal);
  }
  return { ...reply, redirectRefused, ms: Math.round(performance.now() - started) };
}

/** The target of a redirect, or why it is not followed; undefined if the answer is not a redirect. */
function nextOf({ status, url, headers }: Part, left: number, isSecond: boolean): Redirect | undefined {
  if (status === 303) return { refused: 'it asks for a GET, which carries no event; register the final URL' };
  if (!FOLLOWED.includes(status)) return undefined;
  if (left === 0)
    return { refused: `no ${isSecond ? 'further ' : ''}redirect is followed; register the final URL` };
  return redirectTarget(url, headers.location);
}

/** The target of a redirect, or why it is not followed. */
interface Redirect {
  readonly url?: string;
  readonly refused?: string;
}

/**
 * The target of a redirect, or why it is not followed: an article that was sent over https is never forwarded unencrypted.
 *
 * @param url the requested URL.
 */
export function redirectTarget(url: string, location: string | undefined): Redirect {
  if (location === undefined) return { refused: 'there is no Location header' };
  const target = URL.canParse(location, url) ? new URL(location, url) : undefined;
  if (target === undefined || canonicalUrl(target.href) === undefined)
    return { refused: `${quote(location, 200)} is not an http(s) URL without credentials` };
  if (new URL(url).protocol === 'https:' && target.protocol === 'http:')
    return { refused: `${quote(target.href, 200)} leads from https to http` };
  return { url: target.href };
}

async function once(request: Outgoing, url: string, signal: AbortSignal): Promise<Part> {
  const { method = 'POST', body } = request;
  const headers = {
    'accept-encoding': 'identity',
    ...(body !== undefined && { 'content-length': String(body.length) }),
    ...request.headers,
  };
  try {
    const part = await sendOnce({ url, method, headers, signal, write: (outgoing) => outgoing.end(body) });
    const isLate = part.incomplete === 'broke off' && signal.aborted;
    return isLate ? { ...part, incomplete: `was not complete within ${request.timeoutMs / 1000} s` } : part;
  } catch (error) {
    const { what, fix } = signal.aborted
      ? unreachableBecause(new Error(`no answer within ${request.timeoutMs / 1000} s`))
      : unreachableBecause(error);
    throw new PressmarkError('UNREACHABLE', `${url} cannot be reached: ${what}; ${fix}`, { cause: error });
  }
}

/** A request on the wire. */
export interface WireRequest {
  readonly url: string;
  readonly method: string;
  /** Only Host and Connection are added; to a list of names and values in turn, nothing is added. */
  readonly headers: Readonly<Record<string, string>> | readonly string[];
  readonly signal: AbortSignal;
  /** The number of bytes of the answer that are read. @default 1,000,000 */
  readonly mostBytes?: number;
  /** Writes the body and ends the request. */
  readonly write: (outgoing: http.ClientRequest) => void;
}

type Part = Pick<Reply, 'status' | 'headers' | 'body' | 'incomplete' | 'url'> & {
  readonly rawHeaders: readonly string[];
};

/** The text in `incomplete` for an answer that was not read to its end. */
export const TOO_LARGE = `is over ${MAX_BODY_BYTES.toLocaleString('en')} bytes`;

/**
 * Sends one request over its own connection, and reads the answer. A kept-alive connection may end while the receiver already
 * processes the request, and sending it again would be an uncounted attempt.
 *
 * @throws the error of Node.js if there is no answer.
 */
export function sendOnce({ url, method, headers, signal, mostBytes, write }: WireRequest): Promise<Part> {
  const target = new URL(url);
  const { request } = target.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const outgoing = request(target, {
      method,
      headers,
      agent: false,
      signal,
      setHost: !Array.isArray(headers),
    });
    let answered = false;
    outgoing.on('error', (error) => {
      if (!answered) reject(error); // a receiver may answer before it has read everything; the answer counts
    });
    // For example, for an answer that asks for another protocol, Node.js closes the connection without an error.
    outgoing.on('close', () => {
      if (!answered) reject(new Error('the connection was closed without an answer'));
    });
    outgoing.on('response', (incoming) => {
      answered = true;
      const { statusCode: status = 0, headers, rawHeaders } = incoming;
      readBody(incoming, mostBytes).then(
        (read) => resolve({ status, headers, rawHeaders, url, ...read }),
        reject,
      );
    });
    write(outgoing);
  });
}

/** Reads an answer to its end, or to the limit (contract: Limits, response size). */
function readBody(
  incoming: IncomingMessage,
  mostBytes = MAX_BODY_BYTES,
): Promise<Pick<Part, 'body' | 'incomplete'>> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (incomplete: string | undefined) =>
      resolve({ body: Buffer.concat(chunks).subarray(0, mostBytes), incomplete });
    incoming.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= mostBytes) return;
      end(`is over ${mostBytes.toLocaleString('en')} bytes`);
      incoming.destroy();
    });
    incoming.on('end', () => end(undefined));
    incoming.on('error', () => end('broke off'));
    incoming.on('close', () => end('broke off')); // comes last, even if the answer is complete
  });
}
