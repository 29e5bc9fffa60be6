import type { Context, Middleware } from 'koa';
import { PressmarkError } from '../errors.js';
import type { Hooks } from '../host/hooks.js';
import type { Log } from '../log.js';
import { answer, answerEarly, rawBody } from './raw-request.js';
import { type Answer, type Receive, refusal } from './receive.js';

export interface WebhookOptions {
  /** The endpoint's path; it is served with and without a trailing slash, never by a redirect. */
  readonly endpoint: string;
  readonly receive: Receive;
  readonly hooks: Hooks;
  readonly log: Log;
}

/** The thin adapter between Koa and `receive`: the bounded raw body in, JSON out, one log line a delivery. */
export function webhook({ endpoint, receive, hooks, log }: WebhookOptions): Middleware {
  const path = endpoint.replace(/\/$/, '');
  return async (context, next) => {
    if (context.path !== path && context.path !== `${path}/`) return next();
    const started = performance.now();
    const given = await answerTo(context, receive, log);
    await send(context, given);
    // Once the answer is out or the client is gone; actions must not delay either, nor depend on them.
    whenClosed(context, () => {
      const ms = Math.round((performance.now() - started) * 10) / 10;
      const { event, id, outcome, status } = given;
      const report = { event, id: id?.slice(0, 200), outcome, status, ms };
      if (status < 400) log.info(report, 'delivery');
      else log.warn(report, 'delivery refused');
      void given.after?.();
      void hooks.doAction(status < 400 ? 'delivery.accepted' : 'delivery.refused', report);
    });
  };
}

async function answerTo(context: Context, receive: Receive, log: Log): Promise<Answer> {
  try {
    if (context.method !== 'POST')
      throw new PressmarkError(
        'METHOD_NOT_ALLOWED',
        `${context.method} is not accepted here; POST signed events`,
      );
    return await receive({ body: await rawBody(context.req), headers: context.req.headers });
  } catch (error) {
    return refusal(error, undefined, log);
  }
}

// Not by Koa, whose way of answering takes a tenth of a redelivery's time.
async function send(context: Context, { status, body }: Answer): Promise<void> {
  const { req, res } = context;
  context.respond = false;
  if (status === 405) res.setHeader('Allow', 'POST');
  if (req.complete) answer(res, status, body);
  else await answerEarly(req, res, status, body);
}

function whenClosed({ res }: Context, then: () => void): void {
  if (res.writableFinished || res.destroyed) then();
  else res.once('close', then);
}
