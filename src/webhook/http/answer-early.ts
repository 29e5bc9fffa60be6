import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** How much of a client's request is read and discarded after an early answer, … */
const DRAIN_BYTES = 64_000_000;
/** … with this minimum for each chunk, as parsing costs more than the bytes, … */
const LEAST_PER_CHUNK = 4_096;
/** … and for how long. */
const DRAIN_MS = 10_000;

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
  response.writeHead(status, { ...jsonHeaders(json), Connection: 'close' });
  response.write(json);
  await drained(request);
  response.end();
}

/** The headers of a JSON body. */
export function jsonHeaders(json: string): OutgoingHttpHeaders {
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
