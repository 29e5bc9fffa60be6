import type { Middleware } from 'koa';
import { MAX_BODY_BYTES } from '../../contract/limits.js';
import { PressmarkError } from '../../errors.js';
import { answerEarly } from '../../webhook/http/respond.js';

/**
 * Limits the size of bodies for plugins, however they read them. A request that announces a larger body is answered with 413. If
 * the length is not announced, the connection is cut off at the limit.
 */
export function boundedBody(mostBytes = MAX_BODY_BYTES): Middleware {
  const tooLarge = `body is over ${mostBytes} bytes, the most that a route of a plugin reads`;
  return (context, next) => {
    const { req, res } = context;
    if (Number(req.headers['content-length'] ?? 0) > mostBytes) {
      context.respond = false;
      return answerEarly(req, res, 413, JSON.stringify({ error: tooLarge }));
    }
    let bytes = 0;
    // Node.js passes the bytes of a body to `push`. Counting them here needs no further stream that routes would have to know.
    req.push = (chunk: Buffer | null) => {
      bytes += chunk?.length ?? 0;
      if (bytes <= mostBytes) return Object.getPrototypeOf(req).push.call(req, chunk);
      req.destroy(new PressmarkError('BODY_TOO_LARGE', tooLarge));
      return false;
    };
    return next();
  };
}
