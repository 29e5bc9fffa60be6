import type { Context, Middleware } from 'koa';
import type { HeaderNames } from '../../contract/service.js';
import { PressmarkError } from '../../errors.js';
import type { Hooks } from '../../host/hooks/hooks.js';
import type { Log } from '../../log.js';
import { type Answer, type Receive, refusal, signatureIn } from '../receive.js';
import { createRecorder, type Notes } from '../record.js';
import { answerEarly, jsonHeaders } from './answer-early.js';
import { createBodyReader, type ReadBody } from './body-reader.js';

export interface WebhookOptions {
  /** The endpoint's path; it is served with and without a trailing slash, never by a redirect. */
  readonly endpoint: string;
  /** The names of the service's headers. */
  readonly names: HeaderNames;
  readonly receive: Receive;
  readonly hooks: Hooks;
  readonly log: Log;
  /** Notes each delivery for people. @default none */
  readonly notes?: Notes;
}

/** The thin adapter between Koa and `receive`: bounded raw body in, JSON out; then the log, the record, and the actions. */
export function webhook({ endpoint, names, receive, hooks, log, notes }: WebhookOptions): Middleware {
  const path = endpoint.replace(/\/$/, '');
  const readBody = createBodyReader();
  const harmlessHeaders = new Set(
    [names.event, names.timestamp, names.contract].map((name) => name.toLowerCase()),
  );
  const record = createRecorder({ log, notes, harmlessHeaders, keepsBodies: true });
  return async (context, next) => {
    if (context.path !== path && context.path !== `${path}/`) return next();
    const started = performance.now();
    const { answer: given, body } = await answerTo(context, { names, receive, readBody, log });
    await sendJson(context, given);
    // After the answer, or after the client has gone: actions never delay an answer, and run in any case.
    whenClosed(context, () => {
      const ms = Math.round((performance.now() - started) * 10) / 10;
      const { event, id, outcome, status, verified } = given;
      const report = { event, id: id?.slice(0, 200), outcome, status, ms };
      record(report, { verified, rawHeaders: context.req.rawHeaders, body, answer: given.body });
      void given.afterAnswer?.();
      void hooks.doAction(status < 400 ? 'delivery.accepted' : 'delivery.refused', report);
    });
  };
}

async function answerTo(
  context: Context,
  {
    names,
    receive,
    readBody,
    log,
  }: Pick<WebhookOptions, 'names' | 'receive' | 'log'> & { readBody: ReadBody },
): Promise<{ readonly answer: Answer; readonly body: Buffer | null }> {
  const { headers } = context.req;
  let body: Buffer | null = null;
  try {
    if (context.method !== 'POST')
      throw new PressmarkError(
        'METHOD_NOT_ALLOWED',
        `${context.method} is not accepted here; POST signed events`,
      );
    signatureIn(headers, names); // before the body is read: what cannot be signed is not worth the memory
    body = await readBody(context.req);
    return { answer: await receive({ body, headers }), body };
  } catch (error) {
    return { answer: { ...refusal(error, undefined, log), verified: false }, body };
  }
}

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
  if (req.complete) res.writeHead(status, jsonHeaders(body)).end(body);
  else await answerEarly(req, res, status, body);
}

function whenClosed({ res }: Context, then: () => void): void {
  if (res.writableFinished || res.destroyed) then();
  else res.once('close', then);
}
