import { type Fields, refuse } from './refusal.js';

/** `data` of `article.published`, checked. */
export interface ArticleFields {
  readonly id: string;
  readonly title: string;
  readonly slug: string;
  readonly content_html: string;
  readonly featured_image_url: string | null;
  readonly json_ld: string;
}

/** `data` of `article.updated`, checked. */
export interface UpdateFields extends ArticleFields {
  readonly target_id: string;
  readonly target_url: string;
  readonly base_revision_id: string;
  readonly revision_id: string;
}

const TEXTS = [
  ...['title', 'slug', 'content_html', 'content_markdown', 'meta_description', 'focus_keyword', 'author'],
  ...['published_at', 'json_ld'],
];

/** Requires nonempty strings. @throws Refusal with 400. */
export function requireTexts(data: Fields, names: readonly string[]): void {
  for (const name of names) if (typeof data[name] !== 'string' || data[name] === '') refuse(400, name);
}

export function requireVersion2({ contract_version: version }: Fields): void {
  if (version !== 2) refuse(400, 'contract_version');
}

export function requireArticle(data: Fields): ArticleFields {
  requireTexts(data, ['id']);
  for (const name of TEXTS) if (typeof data[name] !== 'string') refuse(400, name);
  if (!Array.isArray(data.tags)) refuse(400, 'tags');
  if (data.featured_image_url !== null && typeof data.featured_image_url !== 'string') refuse(400, 'image');
  return data as unknown as ArticleFields;
}

export function requireUpdate(data: Fields): UpdateFields {
  requireArticle(data);
  requireTexts(data, ['target_id', 'target_url', 'base_revision_id', 'revision_id']);
  if (data.id !== data.revision_id) refuse(400, 'data.id is not revision_id');
  return data as unknown as UpdateFields;
}
