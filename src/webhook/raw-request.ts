import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import getRawBody from 'raw-body';
import { MAX_BODY_BYTES } from '../contract/limits.js';
import { PressmarkError } from '../errors.js';

/** After a 413, at most this much of what the client still sends is read and thrown away, … */
const DRAIN_BYTES = 64_000_000;
/** … and for at most this long. */
const DRAIN_MS = 10_000;

/**
 * The request's raw bytes, at most 1,000,000: Content-Length is looked at first, then the chunks are counted.
 *
 * @throws PressmarkError BODY_TOO_LARGE (the rest of the body is still unread then), BODY_ABORTED.
 */
export async function rawBody(request: IncomingMessage): Promise<Buffer> {
  const length = request.headers['content-length'];
  try {
    const limit = MAX_BODY_BYTES;
    return await getRawBody(request, length === undefined ? { limit } : { limit, length });
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? error.type : undefined;
    if (type === 'entity.too.large')
      throw new PressmarkError(
        'BODY_TOO_LARGE',
        `body is over ${MAX_BODY_BYTES} bytes, the most that is accepted`,
      );
    if (type === 'request.aborted' || type === 'request.size.invalid') {
      throw new PressmarkError('BODY_ABORTED', 'body ended before its announced length', { cause: error });
    }
    throw error;
  }
}

/**
 * Answers before the request has been read to its end, so that the client can read the answer: it is sent
 * whole at once, and the connection is closed only when the client has stopped sending. Closing earlier would
 * reset the connection under the answer.
 */
export async function answerEarly(
  request: IncomingMessage,
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
export function answer(response: ServerResponse, status: number, json: string): void {
  response.writeHead(status, headersOf(json)).end(json);
}

function headersOf(json: string): OutgoingHttpHeaders {
  return { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(json) };
}

function drained(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const timer = setTimeout(resolve, DRAIN_MS);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > DRAIN_BYTES) done();
    });
    request.once('end', done).once('close', done).once('error', done);
    if (request.readableEnded || request.destroyed) done();
    else request.resume();
  });
}
