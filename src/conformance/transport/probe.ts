import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { MAX_BODY_BYTES } from '../../contract/limits.js';
import { messageOf, systemCode } from '../../errors.js';
import { CLOCK, type Clock } from '../../sender/clock.js';
import { unreachableBecause } from '../../sender/delivery/unreachable.js';

/**
 * One request as it goes over the wire. A checker needs what a sender must never do: headers left out or
 * written in capitals, a body in pieces, a last byte held back; and silence is a finding here, no error. Hence a
 * transport of its own besides the sender's.
 */
export interface ProbeRequest {
  readonly url: URL;
  readonly method: string;
  /** Names as they are written. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Sends the body with chunked transfer encoding, without a length. */
  readonly chunked?: boolean;
  /** Sends the body in two pieces; the second one follows when the promise has settled. */
  readonly pieces?: () => Promise<void>;
  /** Called when all but the last byte is on its way; that byte follows when the promise has settled. */
  readonly hold?: () => Promise<void>;
  /** For the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
}

/** An HTTP answer, read to its end or to one byte above what the service reads. */
export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** As many as were read. */
  readonly bytes: number;
  readonly ms: number;
  /** How many redirects were followed to it. */
  readonly redirects: number;
}

/** No HTTP answer came. */
export interface Silence {
  readonly kind: 'silence';
  readonly why: 'timeout' | 'unreachable' | 'closed' | 'malformed';
  readonly reason: string;
  /** What to do where no connection can be had. */
  readonly fix?: string;
  readonly ms: number;
}

export type Reply = Answer | Silence;

/** Sends each request over a connection of its own: what becomes of it is a finding about the receiver, and nothing is sent twice. */
export interface Transport {
  exchange(request: ProbeRequest): Promise<Reply>;
}

const NO_CONNECTION =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPROTO)$|CERT|SSL|TLS|VERIFY/;

/** A transport to one receiver. */
export function createTransport(clock: Pick<Clock, 'wait'> = CLOCK): Transport {
  return { exchange: (request) => attempt(request, clock) };
}

function attempt(request: ProbeRequest, clock: Pick<Clock, 'wait'>): Promise<Reply> {
  const { url, method, headers, body, chunked = false, timeoutMs } = request;
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  return new Promise((resolve) => {
    const { request: open } = url.protocol === 'https:' ? https : http;
    const length = chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(body.length) };
    const sent = open(url, { method, agent: false, headers: { ...headers, ...length } });
    const settled = new AbortController();
    const settle = (reply: Reply) => {
      settled.abort();
      resolve(reply);
    };
    const silence = (why: Silence['why'], reason: string, fix?: string) => {
      settle({ kind: 'silence', why, reason, ...(fix !== undefined && { fix }), ms: elapsed() });
    };
    void clock.wait(timeoutMs, settled.signal).then(() => {
      if (settled.signal.aborted) return;
      silence('timeout', `no whole answer within ${timeoutMs / 1000} s`);
      sent.destroy();
    });
    let answering = false;
    sent.on('error', (error) => {
      if (answering) return; // a receiver may answer before it has read everything; the answer counts
      const why = whyOf(error);
      const { what, fix } = unreachableBecause(error);
      if (why === 'unreachable') silence(why, what, fix);
      else silence(why, messageOf(error) || String(systemCode(error)));
    });
    // Such as an answer that asks for another protocol: Node hangs up without a word.
    sent.on('close', () => silence('closed', 'the connection was closed without an answer'));
    sent.on('response', (response) => {
      answering = true;
      const chunks: Buffer[] = [];
      let bytes = 0;
      const answered = () =>
        settle({
          kind: 'answer',
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
          bytes,
          ms: elapsed(),
          redirects: 0,
        });
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes <= MAX_BODY_BYTES) return;
        answered(); // what is beyond the limit is not worth reading
        sent.destroy();
      });
      response.on('end', answered);
      response.on('error', (error) => silence('closed', messageOf(error)));
    });
    void write(sent, request);
  });
}

async function write(sent: http.ClientRequest, { body, pieces, hold }: ProbeRequest): Promise<void> {
  if (hold !== undefined) {
    await flushed(sent, body.subarray(0, -1));
    await hold();
    sent.end(body.subarray(-1));
    return;
  }
  if (pieces) {
    await flushed(sent, body.subarray(0, body.length >> 1));
    await pieces();
    sent.end(body.subarray(body.length >> 1));
    return;
  }
  sent.end(body);
}

/** Waits until the system has taken a piece, or will not take it any more. */
function flushed(sent: http.ClientRequest, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    sent.once('socket', (socket: Socket) => socket.setNoDelay(true));
    sent.once('close', resolve);
    sent.write(piece, () => resolve());
  });
}

function whyOf(error: Error): Silence['why'] {
  const code = systemCode(error) ?? '';
  if (NO_CONNECTION.test(code)) return 'unreachable';
  return code.startsWith('HPE_') ? 'malformed' : 'closed';
}
