import type { Context, Middleware } from 'koa';
import { messageOf, PressmarkError, quote } from '../../errors.js';
import type { Hooks } from '../../host/hooks/hooks.js';
import { callerOf } from '../../host/http/accounts.js';
import {
  type AdapterRequest,
  type FoundRoute,
  type IncomingArticle,
  type PluginAdapter,
  routeFor,
} from '../../host/http/adapter.js';
import { AdapterAnswer, type AdapterError, answerOf, exposedError } from '../../host/http/adapter-answer.js';
import { fieldsOf, formIn } from '../../host/http/form.js';
import { originOf } from '../../host/http/local-request.js';
import { asPlugin } from '../../host/plugin-code.js';
import type { Log } from '../../log.js';
import { TimeoutError, within } from '../../time-limit.js';
import type { ArticleReceiver } from '../events/receive-article.js';
import { isIdentity, NO_FAILURES } from '../receive.js';
import { createRecorder, type Notes } from '../record.js';
import { createBodyReader, type ReadBody } from './body-reader.js';
import { sendJson } from './middleware.js';

/** How long each function of an adapter may take, in milliseconds. */
export interface AdapterLimits {
  readonly verify: number;
  readonly parse: number;
  readonly receive: number;
}

/** The types of bodies that are files. */
const NO_JSON = /^(?:(?:image|audio|video)\/|application\/(?:pdf|octet-stream)\b)/i;

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

const LIMITS_MS: AdapterLimits = { verify: 5_000, parse: 25_000, receive: 25_000 };

export interface AdapterOptions {
  readonly receive: ArticleReceiver['receive'];
  /** Called with each answer, for the health check. */
  noteAnswer(answer: Pick<Outcome, 'body' | 'outcome'>): void;
  readonly readBody: ReadBody;
  /** Parses a body in another thread, if the plugin has no `parse`; see the function of this name. */
  readJson(body: Buffer): Promise<unknown>;
  readonly hooks: Hooks;
  readonly log: Log;
  /** The log of deliveries. @default none */
  readonly notes?: Notes;
  /** @default 5 s to verify, 25 s each to parse and to receive */
  readonly limitsMs?: AdapterLimits;
}

/** An answer, with the details for the log. */
interface Outcome {
  readonly status: number;
  /** JSON. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What happened, or the error's code. */
  readonly outcome: string;
  /** The reason of a refusal, in words. */
  readonly error?: string;
  readonly id?: string;
  readonly verified: boolean;
}

/**
 * The endpoint of one adapter: reads the bounded raw body, verifies it before parsing, and stores the plugin's articles before
 * the answer. A fault of the plugin is answered with 500 and never affects other requests.
 */
export function adapterEndpoint(
  adapter: PluginAdapter,
  { receive, noteAnswer, readBody, readJson, hooks, log, notes, limitsMs = LIMITS_MS }: AdapterOptions,
): Middleware {
  const { plugin, verification, maxBytes, keepsBodies = false } = adapter;
  // Its own reader, so that its long bodies do not take the memory of other adapters.
  const read = maxBytes === undefined ? readBody : createBodyReader({ maxBytes });
  const record = createRecorder({ log, notes, adapter: plugin, keepsBodies });

  async function outcomeOf(
    { method, path, querystring, req }: Context,
    route: FoundRoute,
  ): Promise<Outcome & { readonly sent?: Buffer }> {
    let verified = false;
    let sent: { sent?: Buffer } = {};
    try {
      if (route.kind === 'none') throw new PressmarkError('NOT_FOUND', 'there is nothing at this path');
      if (route.kind === 'other method')
        throw new PressmarkError(
          'METHOD_NOT_ALLOWED',
          `${method} is not accepted here; use ${route.methods.join(' or ')}`,
        );
      const request: AdapterRequest = {
        method,
        path,
        params: route.params,
        origin: originOf(req.headers.host),
        query: fieldsOf(new URLSearchParams(querystring)),
        headers: req.headers,
        body: await read(req),
      };
      const from = await senderOf(request);
      verified = true;
      sent = { sent: request.body };
      const payload = await parsed(request);
      const result = await ofPlugin('receive', async () => route.handler(payload, { ...request, ...from }));
      return { verified, ...sent, ...(await answerTo(result)) };
    } catch (error) {
      return { verified, ...sent, ...refusalOf(error) };
    }
  }

  async function senderOf(request: AdapterRequest): Promise<Pick<AdapterRequest, 'caller'>> {
    if (verification.kind !== 'verify') return { caller: callerOf(request, verification) };
    const { verify } = verification;
    if ((await ofPlugin('verify', async () => verify(request))) === true) return {};
    throw new PressmarkError('SIGNATURE_MISMATCH', 'this request could not be verified');
  }

  async function ofPlugin<T>(what: keyof AdapterLimits, run: () => Promise<T>): Promise<T> {
    try {
      return await within(limitsMs[what], asPlugin(plugin, run));
    } catch (error) {
      if (error instanceof PressmarkError || exposedError(error) !== undefined) throw error;
      const isLate = error instanceof TimeoutError;
      // A body that cannot be parsed is the sender's fault.
      if (what === 'parse' && !isLate) {
        log.warn({ adapter: plugin, err: error }, 'parse of an adapter failed');
        throw new PressmarkError('BODY_INVALID', 'the body cannot be parsed', { cause: error });
      }
      const message = isLate
        ? `${what} of plugin ${plugin} took longer than ${limitsMs[what] / 1_000} s`
        : `${what} of plugin ${plugin} failed: the receiver’s log says why`;
      throw new PressmarkError('FILTER_FAILED', message, { cause: error });
    }
  }

  async function parsed(request: AdapterRequest): Promise<unknown> {
    const { 'content-encoding': encoding } = request.headers;
    if (!isIdentity(encoding))
      throw new PressmarkError(
        'ENCODING_UNSUPPORTED',
        `Content-Encoding ${quote(encoding)} is not supported`,
      );
    if (adapter.parse !== undefined) return ofPlugin('parse', async () => adapter.parse?.(request));
    const { 'content-type': type = '' } = request.headers;
    if (request.body.length === 0) return request.method === 'POST' ? {} : undefined;
    if (NO_JSON.test(type)) return undefined;
    const fields = await formIn(request).catch((cause: unknown) => {
      throw new PressmarkError('BODY_INVALID', `the form cannot be read: ${messageOf(cause)}`, { cause });
    });
    return fields ?? readJson(request.body);
  }

  async function answerTo(result: unknown): Promise<Omit<Outcome, 'verified'>> {
    if (adapter.returnsArticles && !(result instanceof AdapterAnswer)) return stored(result);
    if (result === undefined) throw new PressmarkError('NOT_FOUND', 'there is nothing at this path');
    const answer = result instanceof AdapterAnswer ? result : answerOf(plugin, 200, result, {});
    const { status, body, headers } = answer;
    return { status, body, headers, outcome: 'answered' };
  }

  /**
   * Stores the articles that the plugin returned. All of them are tried; if one fails, the sender must repeat the whole
   * request.
   */
  async function stored(result: unknown): Promise<Omit<Outcome, 'verified'>> {
    const drafts: readonly IncomingArticle[] = Array.isArray(result) ? result : [result];
    const articles: object[] = [];
    let failure: Omit<Outcome, 'verified'> | undefined;
    for (const draft of drafts) {
      try {
        articles.push(await receive(draft));
      } catch (error) {
        const refused = refusalOf(error);
        articles.push({ id: draft?.id, ...Object(JSON.parse(refused.body)) });
        // A 500 wins over a 4xx, which a sender may take as final.
        if (failure === undefined || (failure.status < 500 && refused.status >= 500)) failure = refused;
      }
    }
    const [only, ...others] = articles;
    const isOne = only !== undefined && others.length === 0;
    const id = isOne && 'id' in only && typeof only.id === 'string' ? { id: only.id } : {};
    const answer = failure === undefined ? { received: true } : Object(JSON.parse(failure.body));
    const body = JSON.stringify({ ...answer, ...(isOne && only), articles });
    return { status: 200, outcome: 'stored', ...failure, body, ...id };
  }

  /** The answer to an error: a code of the error table or of the plugin, or a 500 without details. */
  function refusalOf(error: unknown): Omit<Outcome, 'verified'> {
    const exposed = exposedError(error);
    if (exposed !== undefined) return answerWith(exposed);
    const known = error instanceof PressmarkError ? error : undefined;
    if (known === undefined || (known.status >= 500 && !NO_FAILURES.has(known.code)))
      log.error({ adapter: plugin, err: known?.cause ?? error }, 'an adapter failed');
    const message = known?.publicMessage ?? 'the receiver failed; nothing was acknowledged, send it again';
    return answerWith({ status: known?.status ?? 500, code: known?.code ?? 'INTERNAL', message });
  }

  function answerWith(given: AdapterError): Omit<Outcome, 'verified'> {
    const { status, code: outcome, message: error } = given;
    let body: string | undefined;
    try {
      body = JSON.stringify(asPlugin(plugin, () => adapter.errorBody?.(given)));
    } catch (cause) {
      log.error({ adapter: plugin, err: cause }, 'errorBody of an adapter failed');
    }
    return { status, body: body ?? JSON.stringify({ error }), outcome, error, headers: challengeOf(status) };
  }

  /** The challenge that tells a client how to authenticate. */
  function challengeOf(status: number): Readonly<Record<string, string>> {
    if (status !== 401 || verification.kind === 'verify') return {};
    return {
      'WWW-Authenticate':
        verification.kind === 'basic' ? 'Basic realm="Pressmark", charset="UTF-8"' : 'Bearer',
    };
  }

  return async (context, next) => {
    const route = routeFor(adapter, context.method, context.path);
    if (route === undefined) return next();
    const started = performance.now();
    const given = await outcomeOf(context, route);
    const { status, body, headers, outcome, error, id, verified, sent = null } = given;
    // In the host's own form, whatever `errorBody` returns.
    noteAnswer({ outcome, body: JSON.stringify({ error }) });
    const allow = route.kind === 'other method' ? { Allow: route.methods.join(', ') } : {};
    await sendJson(context, { status, body, headers: { ...allow, ...headers } });
    const ms = Math.round((performance.now() - started) * 10) / 10;
    const report = { event: undefined, adapter: plugin, id: id?.slice(0, 200), outcome, status, ms };
    // Reads are only debug lines, so that a client that asks every minute does not fill the log.
    if (status < 400 && READS.has(context.method)) return log.debug(report, 'read');
    record(report, { verified, rawHeaders: context.req.rawHeaders, body: sent, answer: body });
    void hooks.doAction(status < 400 ? 'delivery.accepted' : 'delivery.refused', report);
  };
}
