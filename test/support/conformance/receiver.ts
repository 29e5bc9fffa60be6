import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ArticleData, UpdateData } from '../../../src/contract/envelope.js';
import { signature } from '../signer.js';

// A small, correct receiver in memory, which was written from the contract alone and shares nothing with Pressmark's but types.

/** The fields of an object. */
export type Fields = Record<string, unknown>;

/** An answer that should be sent, or the lack of one. */
export interface Outgoing {
  readonly status: number;
  readonly json?: Fields | undefined;
  /** Is sent instead of the JSON. */
  readonly text?: string;
  readonly headers?: Record<string, string>;
  /** Never answers. */
  readonly hang?: boolean;
  /** Closes the connection without an answer. */
  readonly cut?: boolean;
}

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

export type Handler = (envelope: Envelope) => Outgoing | Promise<Outgoing>;

export interface StoredArticle {
  readonly id: string;
  readonly url: string;
  title: string;
  html: string;
  revision: string;
  image: string | null;
  jsonLd: string;
}

/** An answer with another status than 200. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function refuse(status: number, message: string): never {
  throw new Refusal(status, message);
}

/** The fields of an object. @throws Refusal with 400 if the value is not an object. */
export function fields(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  return refuse(400, 'an object');
}

function requireTexts(data: Fields, names: readonly string[]): void {
  for (const name of names) if (typeof data[name] !== 'string' || data[name] === '') refuse(400, name);
}

function requireVersion2({ contract_version: version }: Fields): void {
  if (version !== 2) refuse(400, 'contract_version');
}

const TEXTS = [
  ...['title', 'slug', 'content_html', 'content_markdown', 'meta_description', 'focus_keyword', 'author'],
  ...['published_at', 'json_ld'],
];

export function requireArticle(data: Fields): ArticleData {
  requireTexts(data, ['id']);
  for (const name of TEXTS) if (typeof data[name] !== 'string') refuse(400, name);
  if (!Array.isArray(data.tags)) refuse(400, 'tags');
  if (data.featured_image_url !== null && typeof data.featured_image_url !== 'string') refuse(400, 'image');
  return data as unknown as ArticleData;
}

export function requireUpdate(data: Fields): UpdateData {
  requireArticle(data);
  requireTexts(data, ['target_id', 'target_url', 'base_revision_id', 'revision_id']);
  if (data.id !== data.revision_id) refuse(400, 'data.id is not revision_id');
  return data as unknown as UpdateData;
}

/** The origin of the article URLs. */
export const GARDEN = 'https://garden.example';

/** The articles, in memory. All methods are synchronous, so each of them works like a transaction. */
export class Store {
  readonly articles = new Map<string, StoredArticle>();

  /** Stores an article unless there is one with this id. */
  publish(data: ArticleData): StoredArticle {
    return this.articles.get(data.id) ?? this.insert(data, this.freeUrl(data.slug));
  }

  /** Stores an article, even if there is one with this id. */
  insert(data: ArticleData, url: string): StoredArticle {
    const { id, featured_image_url: image } = data;
    const article = { id, url, image, revision: `first-${id}`, title: '', html: '', jsonLd: '' };
    this.articles.set(id, article);
    this.replace(article, data);
    return article;
  }

  /** The article at exactly this URL. */
  find(text: string): StoredArticle | undefined {
    const wanted = canonical(text);
    return wanted === undefined
      ? undefined
      : [...this.articles.values()].find(({ url }) => canonical(url) === wanted);
  }

  /** The article whose page is at this path. */
  at(path: string): StoredArticle | undefined {
    return [...this.articles.values()].find(({ url }) => new URL(url).pathname === path);
  }

  /** Steps 2 to 5 of the contract's `article.updated`. */
  update(data: UpdateData): void {
    const article = this.target(data);
    if (this.isRetry(article, data)) return;
    if (this.isStale(article, data)) refuse(409, 'Article revision conflict');
    this.apply(article, data);
  }

  target({ target_id, target_url }: UpdateData): StoredArticle {
    const article = this.articles.get(target_id);
    if (article === undefined || this.find(target_url) !== article) return refuse(404, 'no such article');
    return article;
  }

  isRetry(article: StoredArticle, { revision_id }: UpdateData): boolean {
    return article.revision === revision_id;
  }

  isStale(article: StoredArticle, { base_revision_id }: UpdateData): boolean {
    return article.revision !== base_revision_id;
  }

  apply(article: StoredArticle, data: UpdateData): void {
    this.replace(article, data);
    article.revision = data.revision_id;
    article.image = data.featured_image_url ?? article.image;
  }

  replace(article: StoredArticle, { title, content_html, json_ld }: ArticleData): void {
    article.title = title === '' ? 'Untitled' : title;
    article.html = content_html;
    article.jsonLd = json_ld;
  }

  freeUrl(slug: string): string {
    const safe = slug.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    const taken = new Set([...this.articles.values()].map(({ url }) => url));
    for (let n = 1; ; n++) {
      const url = `${GARDEN}/articles/${safe}${n === 1 ? '' : `-${n}`}/`;
      if (!taken.has(url)) return url;
    }
  }
}

/** Path and query as they are written: a parser would remove dot segments, for instance. */
function canonical(text: string): string | undefined {
  const [, start = '', path = '', query = ''] =
    /^(https?:\/\/[^/?#\s\u0080-\uffff]+)([^?#]*)(\?[^#]*)?/i.exec(text) ?? [];
  if (!URL.canParse(start)) return undefined;
  const { origin, username } = new URL(start);
  return username === '' ? `${origin}${path.replace(/\/$/, '')}${query}` : undefined;
}

/** The steps of the receiver. Each can be replaced, so that a fault breaks it in one place. */
export interface Steps {
  readonly store: Store;
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

const okay = (json: Fields): Outgoing => ({ status: 200, json: { received: true, ...json } });

export function referenceSteps(): Steps {
  const store = new Store();
  return {
    store,
    body: (chunks) => Buffer.concat(chunks),
    tooLarge: ({ body }) => body.length > 1_000_000,
    verify: ({ headers, body }) => headers['x-service-signature'] === signature(body),
    unsigned: () => ({ status: 401, json: { error: 'signature' } }),
    parse: (incoming) => {
      const json = fields(parsed(incoming.body));
      if (typeof json.event !== 'string') return refuse(400, 'event');
      return { event: json.event, json, data: fields(json.data), incoming };
    },
    events: {
      'webhook.test': ({ json }) => {
        requireVersion2(json);
        return okay({ contract_version: 3, capabilities: CAPABILITIES });
      },
      'article.published': ({ data }) => {
        const { id, url } = store.publish(requireArticle(data));
        return okay({ id, url });
      },
      'article.lookup': ({ json, data }) => {
        requireVersion2(json);
        requireTexts(data, ['target_url']);
        const found = store.find(String(data.target_url)) ?? refuse(404, 'no article at this URL');
        const { id, url, revision, title, html } = found;
        const target = { id, url, revision_id: revision, title, content_html: html };
        return okay({ contract_version: 3, target });
      },
      'article.updated': ({ json, data }) => {
        requireVersion2(json);
        store.update(requireUpdate(data));
        return okay({ contract_version: 3, revision_id: data.revision_id });
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

async function answerTo(steps: Steps, incoming: Incoming): Promise<Outgoing> {
  if (steps.tooLarge(incoming)) return { status: 413, json: { error: 'too large' } };
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

/** Serves the steps until it is closed. @param onHang is called where a request will not be answered. */
export async function serveSteps(steps: Steps, onHang: () => void = () => undefined): Promise<Listening> {
  const begun = new Set<http.IncomingMessage>();
  const waiting: (() => void)[] = [];

  async function wholeBody(request: http.IncomingMessage): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      begun.add(request);
      for (const resolve of waiting.splice(0)) resolve();
    }
    begun.delete(request);
    return steps.body(chunks);
  }

  async function serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = await wholeBody(request);
    const { headers: given, rawHeaders, url: path = '/' } = request;
    if (request.method === 'GET') {
      const article = steps.store.at(path);
      response.writeHead(article === undefined ? 404 : 200, { 'Content-Type': 'text/html; charset=utf-8' });
      response.end(article === undefined ? 'nothing here' : steps.page(article));
      return;
    }
    const names = rawHeaders.filter((_, n) => n % 2 === 0);
    const incoming = { headers: given, names, body, chunked: given['content-length'] === undefined, path };
    const out = steps.finish(await answerTo(steps, incoming), incoming);
    if (out.hang) return onHang();
    if (out.cut) return void response.destroy();
    response.writeHead(out.status, { 'Content-Type': 'application/json', ...out.headers });
    response.end(out.text ?? JSON.stringify(out.json));
  }

  const server = http.createServer((request, response) => void serve(request, response));
  server.keepAliveTimeout = 60_000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`),
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
