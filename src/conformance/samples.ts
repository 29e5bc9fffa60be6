import type { LookupTarget } from '../contract/answers.js';
import type { ArticleData, UpdateData } from '../contract/envelope.js';
import { itemComment } from '../contract/item-comment.js';
import type { Service } from '../contract/service.js';

/** How the ids of all articles of one run begin, so that they can be found and removed. */
export function idPrefix(run: string): string {
  return `pressmark-check-${run}-`;
}

/** An article as the service would send it; every key is there (contract: Article). */
export function articleSample(service: Service, id: string, over: Partial<ArticleData> = {}): ArticleData {
  const comment = itemComment(id, service);
  const published = over.published_at ?? new Date().toISOString();
  const title = over.title ?? 'Pressmark check: a trial article';
  return {
    id,
    title,
    slug: id,
    content_html: `<h2>A trial</h2>\n<p>This article tried out a receiver. Its id is <code>${id}</code>.</p>\n${comment}`,
    content_markdown: `## A trial\n\nThis article tried out a receiver. Its id is \`${id}\`.\n\n${comment}`,
    meta_description: 'An article that tried out a receiver; it can be removed.',
    focus_keyword: 'trial',
    featured_image_url: 'https://images.example/trial.jpg',
    tags: ['trial'],
    author: 'Pressmark check',
    published_at: published,
    json_ld: jsonLd(title, published),
    ...over,
  };
}

/** An update of `target`; `id` is the refresh draft's, and so the new revision's (contract: article.updated data). */
export function updateSample(
  service: Service,
  id: string,
  target: LookupTarget,
  over: Partial<UpdateData> = {},
): UpdateData {
  const comment = itemComment(target.id, service);
  const article = articleSample(service, id, {
    title: 'Pressmark check: a trial article, rewritten',
    slug: `${id}-rewritten`,
    content_html: `<h2>A trial, rewritten</h2>\n<p>Rewritten as <code>${id}</code>.</p>\n${comment}`,
    content_markdown: `## A trial, rewritten\n\nRewritten as \`${id}\`.\n\n${comment}`,
  });
  return {
    ...article,
    target_id: target.id,
    target_url: target.url,
    base_revision_id: target.revision_id,
    revision_id: id,
    ...over,
  };
}

/** Two blocks, an Article and an Organization, separated by a line end (contract: Article, json_ld). */
function jsonLd(headline: string, datePublished: string): string {
  const blocks = [
    { '@context': 'https://schema.org', '@type': 'Article', headline, datePublished },
    { '@context': 'https://schema.org', '@type': 'Organization', name: 'Pressmark check' },
  ];
  return blocks
    .map(
      (block) =>
        `<script type="application/ld+json">${JSON.stringify(block).replaceAll('<', '\\u003c')}</script>`,
    )
    .join('\n');
}
