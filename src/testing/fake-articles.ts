import { randomBytes } from 'node:crypto';
import { itemComment, itemComments } from '../contract/item-comment.js';
import type { ListedArticle } from '../host/articles/articles.js';

/** An article in the form that a service sends; the fields of the contract. */
export interface SentArticle {
  readonly id: string;
  readonly title: string;
  readonly slug: string;
  readonly content_html: string;
  readonly content_markdown: string;
  readonly meta_description: string;
  readonly focus_keyword: string;
  readonly featured_image_url: string | null;
  readonly tags: readonly string[];
  readonly author: string;
  readonly published_at: string;
  readonly json_ld: string;
  /** Further fields. */
  readonly [further: string]: unknown;
}

/** Makes an article as a service sends it. @param over replaces fields. */
export function sentArticle(over: Partial<SentArticle> = {}): SentArticle {
  const { id = `article-${randomBytes(6).toString('hex')}`, title = 'Keeping bees on a balcony' } = over;
  const html = over.content_html ?? '<h2>Where to put the hive</h2>\n<p>Out of the wind.</p>';
  const markdown =
    over.content_markdown ??
    (over.content_html === undefined ? '## Where to put the hive\n\nOut of the wind.' : '');
  const withComment = (text: string, gap: string) =>
    itemComments(text).length > 0 ? text : `${text}${gap}${itemComment(id)}`;
  return {
    slug: title.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
    meta_description: 'What a hive needs when there is no garden.',
    focus_keyword: 'balcony bees',
    featured_image_url: null,
    tags: ['bees'],
    author: 'Marta Oak',
    published_at: new Date().toISOString(),
    json_ld: '',
    ...over,
    id,
    title,
    content_html: withComment(html, '\n'),
    content_markdown: markdown === '' ? '' : withComment(markdown, '\n\n'),
  };
}

/** Makes a stored article for a test host. @param over replaces fields. */
export function fakeArticle(over: Partial<ListedArticle> = {}): ListedArticle {
  const { id = 'article-1', title = 'Keeping bees on a balcony', slug = id } = over;
  return {
    id,
    slug,
    title,
    description: 'What a hive needs when there is no garden.',
    author: 'Marta Oak',
    tags: ['bees'],
    keyword: 'balcony bees',
    image: null,
    jsonLd: '',
    contentHtml: '<p>Out of the wind.</p>',
    body: 'Out of the wind.',
    date: '2026-11-19T08:00:00Z',
    extra: {},
    revision: `${id}-1`,
    url: `https://garden.example/articles/${slug}/`,
    updated: null,
    path: `content/articles/${slug}.md`,
    state: 'live',
    handWritten: false,
    isOfPerson: false,
    ...over,
  };
}
