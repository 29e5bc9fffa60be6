import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Service } from '../../contract/service.js';
import { messageOf, PressmarkError } from '../../errors.js';
import { type JudgedRequest, judgeRequest, type Received } from './judge-request.js';

/** A request, with the data to forward it. */
export interface Incoming extends Received {
  readonly path: string;
  /** Names and values in turn, unchanged. */
  readonly rawHeaders: readonly string[];
}

/** An answer with its raw headers. */
export interface Passed {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** A request and its answer. */
export interface Exchanged {
  readonly receivedAt: string;
  readonly request: JudgedRequest;
  readonly incoming: Incoming;
  readonly answer: Passed;
  /** The time from the first byte of the request to the answer, in milliseconds. */
  readonly ms: number;
}

export interface TrafficOptions {
  readonly host: string;
  /** 0 makes the system choose. */
  readonly port: number;
  readonly secret: string;
  readonly service: Service;
  /** A moment that no request can have yet, in milliseconds since the epoch. */
  readonly future: () => number;
  /**
   * Answers a request; if it returns undefined, the connection is closed without an answer.
   *
   * @param judged judges the request on its first call, at the latest after the answer.
   * @param gone is aborted when the connection has ended, on either side.
   */
  readonly answer: (
    judged: () => JudgedRequest,
    incoming: Incoming,
    gone: AbortSignal,
  ) => Promise<Passed | undefined>;
  readonly onExchange?: (exchanged: Exchanged) => void;
}

/** The largest body that is read to its end, in bytes; no event is that large. */
export const MOST_BYTES = 10_000_000;

/**
 * Starts a server that judges a sender's requests.
 *
 * @throws PressmarkError USAGE if it cannot listen there.
 */
export async function startTrafficServer(
  options: TrafficOptions,
): Promise<{ origin: string; close(): Promise<void> }> {
  const server = http.createServer((message, response) => {
    const started = performance.now();
    const receivedAt = new Date().toISOString();
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    void (async () => {
      const body = await wholeBody(message);
      if (body === undefined) {
        response.writeHead(413, { connection: 'close' }).end();
        return;
      }
      const { method = 'POST', headers, rawHeaders, url: path = '/' } = message;
      const incoming = { method, path, headers, rawHeaders, body };
      let request: JudgedRequest | undefined;
      const judged = () => {
        request ??= judgeRequest(incoming, { ...options, future: options.future() });
        return request;
      };
      const answer = await options.answer(judged, incoming, gone.signal);
      if (answer === undefined) {
        response.destroy();
        return;
      }
      const ms = Math.round(performance.now() - started);
      response.sendDate = false;
      response.writeHead(answer.status, [...answer.headers]);
      response.end(answer.body);
      options.onExchange?.({ receivedAt, request: judged(), incoming, answer, ms });
    })().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(options.port, options.host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new PressmarkError(
      'USAGE',
      `cannot listen on ${options.host}:${options.port}: ${messageOf(cause)}`,
      { cause },
    );
  }
  const { address, family, port } = server.address() as AddressInfo;
  return {
    origin: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An answer with a JSON body. */
export function jsonAnswer(status: number, json: object): Passed {
  const body = Buffer.from(JSON.stringify(json));
  return {
    status,
    headers: ['Content-Type', 'application/json', 'Content-Length', String(body.length)],
    body,
  };
}

/** Reads a body to its end; undefined if it is over 10 MB. */
async function wholeBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
