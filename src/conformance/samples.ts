import type { LookupTarget } from '../contract/answers.js';
import type { ArticleData, UpdateData } from '../contract/envelope.js';
import { itemComment } from '../contract/item-comment.js';
import type { Service } from '../contract/service.js';
import { sampleArticle } from '../sender/article/sample-event.js';

/** The prefix of all article ids of a run, by which the articles can be found and removed. */
export function idPrefix(run: string): string {
  return `pressmark-check-${run}-`;
}

/** An article as the service would send it, with every key (contract: Article). */
export function articleSample(service: Service, id: string, over: Partial<ArticleData> = {}): ArticleData {
  const comment = itemComment(id, service);
  const published = over.published_at ?? new Date().toISOString();
  const given = {
    id,
    title: 'Pressmark check: a trial article',
    slug: id,
    content_html: `<h2>A trial</h2>\n<p>This article tried out a receiver. Its id is <code>${id}</code>.</p>\n${comment}`,
    content_markdown: `## A trial\n\nThis article tried out a receiver. Its id is \`${id}\`.\n\n${comment}`,
    featured_image_url: 'https://images.example/trial.jpg',
    ...over,
  };
  return sampleArticle(given, published, service);
}

/** An update of `target`; `id` is the id of the refresh draft, and so of the new revision (contract: article.updated data). */
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
