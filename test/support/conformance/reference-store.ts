import { refuse } from './refusal.js';
import type { ArticleFields, UpdateFields } from './validation.js';

/** The origin of the article URLs of the reference receiver. */
export const GARDEN = 'https://garden.example';

/** A stored article. */
export interface StoredArticle {
  readonly id: string;
  readonly url: string;
  title: string;
  html: string;
  revision: string;
  image: string | null;
  jsonLd: string;
}

/** The articles, in memory. All methods are synchronous, so each of them works like a transaction. */
export class ReferenceStore {
  readonly articles = new Map<string, StoredArticle>();

  /** Stores an article unless there is one with this id. */
  publish(data: ArticleFields): StoredArticle {
    return this.articles.get(data.id) ?? this.insert(data, this.freeUrl(data.slug));
  }

  /** Stores an article, even if there is one with this id. */
  insert(data: ArticleFields, url: string): StoredArticle {
    const { id, featured_image_url: image } = data;
    const article = { id, url, image, revision: `first-${id}`, title: '', html: '', jsonLd: '' };
    this.articles.set(id, article);
    this.replace(article, data);
    return article;
  }

  /** The article at exactly this URL. */
  find(text: string): StoredArticle | undefined {
    const wanted = this.canonical(text);
    return wanted === undefined
      ? undefined
      : [...this.articles.values()].find(({ url }) => this.canonical(url) === wanted);
  }

  /** The article whose page is at this path. */
  at(path: string): StoredArticle | undefined {
    return [...this.articles.values()].find(({ url }) => new URL(url).pathname === path);
  }

  /** Steps 2 to 5 of the contract's `article.updated`. */
  update(data: UpdateFields): void {
    const article = this.target(data);
    if (this.isRetry(article, data)) return;
    if (this.isStale(article, data)) refuse(409, 'Article revision conflict');
    this.apply(article, data);
  }

  target({ target_id, target_url }: UpdateFields): StoredArticle {
    const article = this.articles.get(target_id);
    if (article === undefined || this.find(target_url) !== article) return refuse(404, 'no such article');
    return article;
  }

  isRetry(article: StoredArticle, { revision_id }: UpdateFields): boolean {
    return article.revision === revision_id;
  }

  isStale(article: StoredArticle, { base_revision_id }: UpdateFields): boolean {
    return article.revision !== base_revision_id;
  }

  apply(article: StoredArticle, data: UpdateFields): void {
    this.replace(article, data);
    article.revision = data.revision_id;
    article.image = data.featured_image_url ?? article.image;
  }

  replace(article: StoredArticle, { title, content_html, json_ld }: ArticleFields): void {
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

  /** Path and query as they are written: a parser would remove dot segments, for instance. */
  canonical(text: string): string | undefined {
    const [, start = '', path = '', query = ''] =
      /^(https?:\/\/[^/?#\s\u0080-\uffff]+)([^?#]*)(\?[^#]*)?/i.exec(text) ?? [];
    if (!URL.canParse(start)) return undefined;
    const { origin, username } = new URL(start);
    return username === '' ? `${origin}${path.replace(/\/$/, '')}${query}` : undefined;
  }
}
