import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Context } from 'koa';

/** How much of a client's request is read and discarded after an early answer, … */
const DRAIN_BYTES = 64_000_000;
/** … with this minimum for each chunk, as parsing costs more than the bytes, … */
const LEAST_PER_CHUNK = 4_096;
/** … and for how long. */
const DRAIN_MS = 10_000;

/** The `Retry-After` of a 503, in seconds: the service's own shortest pause (contract: Limits). */
const RETRY_AFTER_SECONDS = 60;

/** Sends an answer directly: Koa's response handling would take a tenth of a redelivery's time. */
export async function sendJson(
  context: Context,
  {
    status,
    body,
    headers = {},
  }: { status: number; body: string; headers?: Readonly<Record<string, string>> },
): Promise<void> {
  const { req, res } = context;
  context.respond = false;
  if (status === 405) res.setHeader('Allow', 'POST');
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (status === 503) res.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  if (req.complete) answer(res, status, body);
  else await answerEarly(req, res, status, body);
}

/**
 * Answers before the request has been read to its end. The connection is closed only when the client has stopped sending;
 * closing it earlier would reset the connection before the client has read the answer.
 *
 * @param request the partly read request.
 */
export async function answerEarly(
  request: Readable,
  response: ServerResponse,
  status: number,
  json: string,
): Promise<void> {
  response.writeHead(status, { ...headersOf(json), Connection: 'close' });
  response.write(json);
  await drained(request);
  response.end();
}

/** Answers a request that has been read to its end. */
function answer(response: ServerResponse, status: number, json: string): void {
  response.writeHead(status, headersOf(json)).end(json);
}

function headersOf(json: string): OutgoingHttpHeaders {
  return { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(json) };
}

function drained(request: Readable): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const timer = setTimeout(resolve, DRAIN_MS);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    request.on('data', (chunk: Buffer) => {
      bytes += Math.max(chunk.length, LEAST_PER_CHUNK);
      if (bytes > DRAIN_BYTES) done();
    });
    request.once('end', done).once('close', done).once('error', done);
    if (request.readableEnded || request.destroyed) done();
    else request.resume();
  });
}
