import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_BODY_BYTES } from '../../contract/limits.js';
import { messageOf, systemCode } from '../../errors.js';
import { CLOCK, type Clock } from '../../sender/clock.js';
import { sendOnce, TOO_LARGE } from '../../sender/delivery/transport.js';
import { unreachableBecause } from '../../sender/delivery/unreachable.js';

/**
 * A request on the wire. A checker needs to do what a sender must never do: leave out headers or capitalise them, send a body
 * in pieces, hold back the last byte. A missing answer is a finding here, not an error.
 */
export interface ProbeRequest {
  readonly url: URL;
  /** With the exact names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Sends the body with chunked transfer encoding, without a length. */
  readonly chunked?: boolean;
  /** Sends the body in two pieces; the second one follows when the promise settles. */
  readonly pieces?: () => Promise<void>;
  /** Called when all bytes but the last one have been sent; that byte follows when the promise settles. */
  readonly hold?: () => Promise<void>;
  /** The time limit of the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
}

/** An HTTP answer, read to its end or to one byte more than the service reads. */
export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The number of bytes that were read. */
  readonly bytes: number;
  /** The number of redirects that were followed. */
  readonly redirects: number;
}

/** A missing HTTP answer. */
export interface Silence {
  readonly kind: 'silence';
  readonly why: 'timeout' | 'unreachable' | 'closed' | 'malformed';
  readonly reason: string;
  /** The fix if no connection is possible. */
  readonly fix?: string;
}

export type Reply = Answer | Silence;

const NO_CONNECTION =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPROTO)$|CERT|SSL|TLS|VERIFY/;

/** Sends a request once; any result is a finding about the receiver. */
export async function probe(request: ProbeRequest, clock: Pick<Clock, 'wait'> = CLOCK): Promise<Reply> {
  const { url, headers, body, chunked = false, timeoutMs } = request;
  const length = chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(body.length) };
  const over = new AbortController();
  const settled = new AbortController();
  void clock.wait(timeoutMs, settled.signal).then(() => settled.signal.aborted || over.abort());
  let sent: ClientRequest | undefined;
  const late = {
    kind: 'silence',
    why: 'timeout',
    reason: `no whole answer within ${timeoutMs / 1000} s`,
  } as const;
  try {
    const answer = await sendOnce({
      ...{ url: url.href, method: 'POST', headers: { ...headers, ...length } },
      signal: over.signal,
      write: (outgoing) => {
        sent = outgoing;
        void write(outgoing, request);
      },
    });
    const { status, body: read, incomplete } = answer;
    const isTooLarge = incomplete === TOO_LARGE;
    if (incomplete !== undefined && !isTooLarge)
      return over.signal.aborted
        ? late
        : { kind: 'silence', why: 'closed', reason: `the answer ${incomplete}` };
    const bytes = isTooLarge ? MAX_BODY_BYTES + 1 : read.length;
    return { kind: 'answer', status, headers: answer.headers, text: read.toString(), bytes, redirects: 0 };
  } catch (error) {
    return over.signal.aborted ? late : silenceOf(error);
  } finally {
    settled.abort('answered');
    sent?.destroy(); // a receiver may answer before it has read everything
  }
}

async function write(outgoing: ClientRequest, { body, pieces, hold }: ProbeRequest): Promise<void> {
  const first = hold ? body.length - 1 : body.length >> 1;
  const between = hold ?? pieces;
  if (between === undefined) {
    outgoing.end(body);
    return;
  }
  await flushed(outgoing, body.subarray(0, first));
  await between();
  outgoing.end(body.subarray(first));
}

/** Waits until the system has accepted a piece, or will not accept it any more. */
function flushed(outgoing: ClientRequest, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once('socket', (socket: Socket) => socket.setNoDelay(true));
    outgoing.once('close', resolve);
    outgoing.write(piece, () => resolve());
  });
}

function silenceOf(error: unknown): Silence {
  const code = systemCode(error) ?? '';
  const { what, fix } = unreachableBecause(error);
  if (NO_CONNECTION.test(code)) return { kind: 'silence', why: 'unreachable', reason: what, fix };
  const why = code.startsWith('HPE_') ? 'malformed' : 'closed';
  return { kind: 'silence', why, reason: messageOf(error) || code };
}
