import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { DELIVERY_TIMEOUT_MS, MAX_BODY_BYTES } from '../../contract/limits.js';
import type { Service } from '../../contract/service.js';
import { messageOf, PressmarkError } from '../../errors.js';
import { judgeAnswer } from './judge-answer.js';
import { type Finding, type JudgedRequest, judgeRequest } from './judge-request.js';
import type { Recording } from './recording.js';
import { createStandIn } from './stand-in.js';

export interface ListenOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly secret: string;
  readonly service: Service;
  /** Where each request is sent on to, byte for byte; without it `listen` answers itself. */
  readonly forwardTo?: URL | undefined;
  /** The statuses of the first answers, in their order; the last one is that of all others. */
  readonly statuses?: readonly number[] | undefined;
  /** Before each answer, in milliseconds. */
  readonly delayMs?: number | undefined;
  readonly onExchange: (exchange: Observed) => void;
}

/** A request, its answer, and what both break. */
export interface Observed {
  readonly request: JudgedRequest;
  readonly status: number;
  readonly ms: number;
  readonly findings: readonly Finding[];
  readonly recording: Recording;
}

/** An answer with its headers as they are written. */
interface Passed {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** More than any event has; what is larger is not read to its end, in bytes. */
const MOST_BYTES = 10_000_000;

const UNPACKERS: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Headers of one connection, which are not sent on over another (RFC 9110, 7.6.1). */
const OF_THE_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
];

/**
 * Stands where a receiver stands, or before one: holds each request and each answer against the contract as they pass.
 *
 * @throws PressmarkError USAGE where it cannot listen there.
 */
export async function listen(options: ListenOptions): Promise<{ url: string; close(): Promise<void> }> {
  let count = 0;
  let standIn: ReturnType<typeof createStandIn> | undefined;

  const answerOf = async (
    request: JudgedRequest,
    incoming: IncomingMessage,
    body: Buffer,
    gone: AbortSignal,
  ): Promise<Passed> => {
    const { statuses, forwardTo } = options;
    const status = statuses?.[Math.min(count++, statuses.length - 1)];
    if (status !== undefined && (status < 200 || status > 299))
      return jsonAnswer(status, { error: `pressmark listen answers ${status}, as it was asked to` });
    if (forwardTo !== undefined) return forwarded(forwardTo, incoming, body, gone);
    if (request.signature === 'right' && body.length > MAX_BODY_BYTES)
      return jsonAnswer(413, { error: 'the body is over 1,000,000 bytes' });
    standIn ??= createStandIn(originOf(server));
    const answer = standIn(request);
    return jsonAnswer(answer.status === 200 ? (status ?? 200) : answer.status, answer.json);
  };

  const server = http.createServer((incoming, response) => {
    const started = performance.now();
    const receivedAt = new Date().toISOString();
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    void (async () => {
      const body = await wholeBody(incoming);
      if (body === undefined) {
        response.writeHead(413, { connection: 'close' }).end();
        return;
      }
      const { method = 'POST', headers, url: path = '/' } = incoming;
      const request = judgeRequest({ method, headers, body }, options.secret, options.service);
      const answer = await answerOf(request, incoming, body, gone.signal);
      if (options.delayMs !== undefined) await pause(options.delayMs);
      const ms = Math.round(performance.now() - started);
      response.sendDate = false;
      response.writeHead(answer.status, [...answer.headers]);
      response.end(answer.body);
      options.onExchange({
        request,
        status: answer.status,
        ms,
        findings: [...request.findings, ...judgeAnswer(request, { ...decoded(answer), ms })],
        recording: {
          receivedAt,
          method,
          path,
          headers: incoming.rawHeaders,
          body: body.toString('base64'),
          answer: { ...answer, headers: [...answer.headers], body: answer.body.toString('base64'), ms },
        },
      });
    })().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(options.port, options.host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new PressmarkError(
      'USAGE',
      `it cannot listen on ${options.host}:${options.port}: ${messageOf(cause)}`,
      { cause },
    );
  }
  return {
    url: originOf(server),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function originOf(server: http.Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function jsonAnswer(status: number, json: object): Passed {
  const body = Buffer.from(JSON.stringify(json));
  return {
    status,
    headers: ['Content-Type', 'application/json', 'Content-Length', String(body.length)],
    body,
  };
}

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

/** Sends a request on as it came, and takes the answer as it comes; where none comes, it is 502 with the reason. */
function forwarded(to: URL, incoming: IncomingMessage, body: Buffer, gone: AbortSignal): Promise<Passed> {
  const { request } = to.protocol === 'https:' ? https : http;
  const headers = [
    ...ofTheMessage(incoming.rawHeaders, ['host', 'content-length']),
    'Host',
    to.host,
    'Content-Length',
    String(body.length),
  ];
  // The service has given up by then.
  const signal = AbortSignal.any([gone, AbortSignal.timeout(DELIVERY_TIMEOUT_MS * 2)]);
  return new Promise((resolve) => {
    const fail = (error: Error) =>
      resolve(jsonAnswer(502, { error: `${to.origin} did not answer: ${messageOf(error)}` }));
    const outgoing = request(
      to,
      { method: incoming.method, headers, agent: false, setHost: false, signal },
      (answer) => {
        wholeBody(answer).then((read) => {
          if (read === undefined)
            fail(new Error(`the answer is over ${MOST_BYTES.toLocaleString('en')} bytes`));
          else
            resolve({
              status: answer.statusCode ?? 0,
              headers: [
                ...ofTheMessage(answer.rawHeaders, ['content-length']),
                'Content-Length',
                String(read.length),
              ],
              body: read,
            });
        }, fail);
      },
    );
    outgoing.on('error', fail);
    outgoing.end(body);
  });
}

/** Raw headers without those of the connection, and without these. */
function ofTheMessage(raw: readonly string[], without: readonly string[]): string[] {
  const dropped = [...OF_THE_CONNECTION, ...without];
  return raw.filter((_, n) => !dropped.includes((raw[n - (n % 2)] ?? '').toLowerCase()));
}

/** An answer as it can be read, whatever a proxy has packed it in. */
function decoded({ status, headers: raw, body }: Passed) {
  const headers = headersOf(raw);
  const unpack = UNPACKERS[headers['content-encoding'] ?? ''];
  try {
    return { status, headers, body: unpack?.(body, { maxOutputLength: MOST_BYTES }) ?? body };
  } catch {
    return { status, headers, body }; // then its bytes are what is judged
  }
}

function headersOf(raw: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    raw.flatMap((name, n) => (n % 2 === 0 ? [[name.toLowerCase(), raw[n + 1] ?? ''] as const] : [])),
  );
}
