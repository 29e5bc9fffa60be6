import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import type { Middleware } from 'koa';
import { MAX_BODY_BYTES } from '../../contract/limits.js';
import { answerEarly } from '../../webhook/http/respond.js';

/** Lets plugins read at most so many bytes of a body, however they read it; what sends more gets 413. */
export function boundedBody(mostBytes = MAX_BODY_BYTES): Middleware {
  const tooLarge = JSON.stringify({
    error: `body is over ${mostBytes} bytes, the most that a route of a plugin reads`,
  });
  return async (context, next) => {
    const { req, res } = context;
    const isAnnounced = Number(req.headers['content-length'] ?? 0) > mostBytes;
    const rest = isAnnounced
      ? req
      : await Promise.race([next().then(() => undefined), restBeyondLimit(req, mostBytes)]);
    if (rest === undefined) return;
    context.respond = false;
    if (res.headersSent) res.destroy();
    else await answerEarly(rest, res, 413, tooLarge);
  };
}

/**
 * Resolves with what comes after the limit, when that begins to arrive. The request's own readers get no more of it.
 * Node.js hands the bytes of a body to `push`: a stage behind the request would be one more thing for routes to know.
 */
function restBeyondLimit(request: IncomingMessage, mostBytes: number): Promise<Readable> {
  return new Promise((resolve) => {
    const rest = new PassThrough();
    let bytes = 0;
    request.push = (chunk: Buffer | null) => {
      bytes += chunk?.length ?? 0;
      if (bytes <= mostBytes) return Object.getPrototypeOf(request).push.call(request, chunk);
      resolve(rest);
      if (chunk !== null) return rest.write(chunk) || true; // what waits is bounded by what is thrown away
      rest.end();
      return true;
    };
  });
}
