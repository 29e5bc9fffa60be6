import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Context } from 'koa';

/** After an early answer, at most this much of what the client still sends is read and thrown away, … */
const DRAIN_BYTES = 64_000_000;
/** … a small chunk counting as so much, as to parse it costs more than its bytes, … */
const LEAST_PER_CHUNK = 4_096;
/** … and for at most this long. */
const DRAIN_MS = 10_000;

/** What a 503 asks the sender to wait, in seconds: the least that the service waits anyway (contract: Limits). */
const RETRY_AFTER_SECONDS = 60;

/** Sends an answer as it is. Not by Koa, whose way of answering takes a tenth of a redelivery's time. */
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
 * Answers before the request has been read to its end, so that the client can read the answer: it is sent
 * whole at once, and the connection is closed only when the client has stopped sending. Closing earlier would
 * reset the connection under the answer.
 *
 * @param request what is still to be read of it.
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
