import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { SECRET } from '../signer.js';
import { ReferenceStore, type StoredArticle } from './reference-store.js';
import { type Fields, fields, type Outgoing, Refusal, refuse } from './refusal.js';
import { requireArticle, requireTexts, requireUpdate, requireVersion2 } from './validation.js';

/** A received request. */
export interface Incoming {
  readonly headers: http.IncomingHttpHeaders;
  /** The names of the headers as they were sent. */
  readonly names: readonly string[];
  readonly body: Buffer;
  /** Whether the request has no Content-Length. */
  readonly chunked: boolean;
  readonly path: string;
}

/** The parsed body of a request. */
export interface Envelope {
  readonly event: string;
  readonly json: Fields;
  readonly data: Fields;
  readonly incoming: Incoming;
}

type Handler = (envelope: Envelope) => Outgoing | Promise<Outgoing>;

/**
 * The steps of a small, correct receiver in memory, which was written from the contract alone. Each step can be
 * replaced, so that the catalogue of faults can break the receiver in one place at a time.
 */
export interface Steps {
  readonly store: ReferenceStore;
  body(chunks: readonly Buffer[]): Buffer;
  tooLarge(incoming: Incoming): boolean;
  verify(incoming: Incoming): boolean;
  unsigned(incoming: Incoming): Outgoing;
  parse(incoming: Incoming): Envelope;
  readonly events: Record<string, Handler>;
  /** Can change every answer just before it is sent. */
  finish(out: Outgoing, incoming: Incoming): Outgoing;
  page(article: StoredArticle): string;
  /** What a person does in the receiver's own admin. */
  edit(article: StoredArticle): void;
  restart(): void;
}

export const CAPABILITIES = ['article.published', 'article.lookup', 'article.updated'];

/** The right signature of a body. */
export function signatureOf(body: Buffer): string {
  return `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
}

export function referenceSteps(): Steps {
  const store = new ReferenceStore();
  return {
    store,
    body: (chunks) => Buffer.concat(chunks),
    tooLarge: ({ body }) => body.length > 1_000_000,
    verify: ({ headers, body }) => headers['x-service-signature'] === signatureOf(body),
    unsigned: () => ({ status: 401, json: { error: 'signature' } }),
    parse: (incoming) => {
      const json = fields(parsed(incoming.body));
      if (typeof json.event !== 'string') return refuse(400, 'event');
      return { event: json.event, json, data: fields(json.data), incoming };
    },
    events: {
      'webhook.test': ({ json }) => {
        requireVersion2(json);
        return { status: 200, json: { received: true, contract_version: 3, capabilities: CAPABILITIES } };
      },
      'article.published': ({ data }) => {
        const { id, url } = store.publish(requireArticle(data));
        return { status: 200, json: { received: true, id, url } };
      },
      'article.lookup': ({ json, data }) => {
        requireVersion2(json);
        requireTexts(data, ['target_url']);
        const { id, url, revision, title, html } =
          store.find(String(data.target_url)) ?? refuse(404, 'no article at this URL');
        const target = { id, url, revision_id: revision, title, content_html: html };
        return { status: 200, json: { received: true, contract_version: 3, target } };
      },
      'article.updated': ({ json, data }) => {
        requireVersion2(json);
        store.update(requireUpdate(data));
        return { status: 200, json: { received: true, contract_version: 3, revision_id: data.revision_id } };
      },
    },
    finish: (out) => out,
    edit: (article) => {
      article.title = `${article.title}, edited`;
      article.revision = `edit-${article.revision}`;
    },
    restart: () => undefined,
    page: ({ html, jsonLd, image }) =>
      `<!doctype html><html><head><title>A page</title>${jsonLd}</head><body>${image === null ? '' : `<img src="${image}" alt="">`}${html}</body></html>`,
  };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return refuse(400, 'JSON');
  }
}

/** Answers a request, without HTTP. */
export async function answerTo(steps: Steps, incoming: Incoming): Promise<Outgoing> {
  try {
    if (!steps.verify(incoming)) return steps.unsigned(incoming);
    const envelope = steps.parse(incoming);
    const handler = steps.events[envelope.event] ?? refuse(400, 'event');
    return await handler(envelope);
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, json: { error: error.message } };
    return { status: 500, json: { error: 'crashed' } };
  }
}

/** A receiver that listens. */
export interface Listening {
  readonly url: URL;
  /** Resolves when a part of a body, but not all of it, has been read. */
  firstPieceRead(): Promise<void>;
  close(): Promise<void>;
}

/** Is notified of events inside a receiver. */
interface Watch {
  /** A piece of a body was read. */
  onPiece(request: http.IncomingMessage): void;
  /** A body was read to its end. */
  onWhole(request: http.IncomingMessage): void;
  /** A request will not be answered. */
  onHang(): void;
}

/** Serves the steps until it is closed. */
export async function serveSteps(steps: Steps, onHang: () => void = () => undefined): Promise<Listening> {
  const begun = new Set<http.IncomingMessage>();
  const waiting: (() => void)[] = [];
  const watch: Watch = {
    onPiece: (request) => {
      begun.add(request);
      for (const resolve of waiting.splice(0)) resolve();
    },
    onWhole: (request) => begun.delete(request),
    onHang,
  };
  const server = http.createServer((request, response) => {
    void serve(steps, request, response, watch);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/webhook`),
    firstPieceRead: async () => {
      if (begun.size === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function serve(
  steps: Steps,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  watch: Watch,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    watch.onPiece(request);
  }
  watch.onWhole(request);
  if (request.method === 'GET') {
    const article = steps.store.at(request.url ?? '/');
    response.writeHead(article === undefined ? 404 : 200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(article === undefined ? 'nothing here' : steps.page(article));
    return;
  }
  const incoming: Incoming = {
    headers: request.headers,
    names: request.rawHeaders.filter((_, n) => n % 2 === 0),
    body: steps.body(chunks),
    chunked: request.headers['content-length'] === undefined,
    path: request.url ?? '/',
  };
  const tooLarge: Outgoing = { status: 413, json: { error: 'too large' } };
  const first = steps.tooLarge(incoming) ? tooLarge : await answerTo(steps, incoming);
  const { status, json, text, headers, hang, cut } = steps.finish(first, incoming);
  if (hang) {
    watch.onHang();
    return;
  }
  if (cut) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(text ?? JSON.stringify(json));
}
