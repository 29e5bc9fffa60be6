/**
 * A webhook receiver as a route handler of Next.js, which needs a server with a disk.
 *
 *     SIGNING_SECRET=… SITE_URL=https://example.com npm start
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Content, findById, findByUrl, freeSlug, locked, save, urlOf } from '../../../lib/articles';

const MAX_BYTES = 1_000_000;

type Fields = Record<string, unknown>;

class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export async function POST(request: Request): Promise<Response> {
  try {
    const raw = await bodyOf(request);
    verify(raw, request.headers.get('X-Service-Signature') ?? '');
    return Response.json({ received: true, ...(await handle(raw)) });
  } catch (error) {
    if (error instanceof Refused) return Response.json({ error: error.message }, { status: error.status });
    console.error(error);
    return Response.json({ error: 'internal error' }, { status: 500 });
  }
}

/** The body as it came; no more of it than is allowed. */
async function bodyOf(request: Request): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const reader = request.body?.getReader();
  for (let size = 0; ; ) {
    const { value: piece } = (await reader?.read()) ?? {};
    if (piece === undefined) return Buffer.concat(pieces);
    size += piece.length;
    if (size > MAX_BYTES) throw new Refused(413, 'the body is over 1,000,000 bytes');
    pieces.push(piece);
  }
}

function verify(raw: Buffer, signature: string): void {
  const secret = process.env.SIGNING_SECRET;
  if (!secret) throw new Error('SIGNING_SECRET is not set');
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`);
  const given = Buffer.from(signature);
  // timingSafeEqual throws where the lengths differ.
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new Refused(401, 'the signature does not match');
}

async function handle(raw: Buffer): Promise<Fields> {
  const { event, contract_version: version, data } = parsed(raw);
  if (!isObject(data)) throw new Refused(400, 'data must be an object');
  // A publish is the same in all versions.
  if (event !== 'article.published' && version !== 2) throw new Refused(400, 'contract_version must be 2');
  switch (event) {
    case 'webhook.test':
      return {
        contract_version: 3,
        capabilities: ['article.published', 'article.lookup', 'article.updated'],
      };
    case 'article.published':
      return published(nonempty(data, 'id'), contentOf(data));
    case 'article.lookup':
      return lookedUp(nonempty(data, 'target_url'));
    case 'article.updated':
      return updated(data, contentOf(data));
    default:
      throw new Refused(400, 'unsupported event');
  }
}

function published(id: string, { slug, ...content }: Content): Promise<Fields> {
  return locked(async () => {
    let article = await findById(id);
    if (article === undefined) {
      article = { ...content, id, slug: await freeSlug(slug), revision: id };
      await save(article);
    }
    return { id, url: urlOf(article) };
  });
}

async function lookedUp(url: string): Promise<Fields> {
  const article = await findByUrl(url);
  if (article === undefined) throw new Refused(404, 'no article at this URL');
  const { id, revision, title, content_html } = article;
  const target = { id, url: urlOf(article), revision_id: revision, title, content_html };
  return { contract_version: 3, target };
}

function updated(data: Fields, content: Content): Promise<Fields> {
  const [id, revision, base] = ['target_id', 'revision_id', 'base_revision_id'].map((name) =>
    nonempty(data, name),
  );
  const url = nonempty(data, 'target_url');
  if (data.id !== revision) throw new Refused(400, 'id must be revision_id');
  return locked(async () => {
    const article = await findByUrl(url);
    if (article?.id !== id) throw new Refused(404, 'no such article');
    // Else it is a retry.
    if (article.revision !== revision) {
      if (article.revision !== base) throw new Refused(409, 'Article revision conflict');
      const { slug, published_at } = article;
      const featured_image_url = content.featured_image_url ?? article.featured_image_url;
      await save({ ...content, id, slug, published_at, featured_image_url, revision });
    }
    return { contract_version: 3, revision_id: revision };
  });
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(raw: Buffer): Fields {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(raw);
    const value: unknown = JSON.parse(text, (_, one) => {
      if (typeof one === 'string' && !one.isWellFormed()) throw new Error('half a surrogate pair');
      return one;
    });
    if (isObject(value)) return value;
  } catch (error) {
    throw new Refused(400, `the body is not JSON in UTF-8: ${error}`);
  }
  throw new Refused(400, 'the body must be an object');
}

function nonempty(data: Fields, name: string): string {
  const value = data[name];
  if (typeof value !== 'string' || value === '') throw new Refused(400, `${name} must be a nonempty text`);
  return value;
}

function contentOf(data: Fields): Content {
  const text = (name: string): string => {
    const value = data[name];
    if (typeof value !== 'string') throw new Refused(400, `${name} must be a text`);
    return value;
  };
  const { tags, featured_image_url: image = '' } = data;
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string'))
    throw new Refused(400, 'tags must be texts');
  return {
    title: text('title') || 'Untitled',
    slug: text('slug'),
    content_html: text('content_html'),
    content_markdown: text('content_markdown'),
    meta_description: text('meta_description'),
    focus_keyword: text('focus_keyword'),
    featured_image_url: image === null ? null : text('featured_image_url'),
    tags,
    author: text('author'),
    published_at: text('published_at'),
    json_ld: text('json_ld'),
  };
}
