import { createRandom, type Random } from './random.js';

/** `data` of `article.published`, as in the contract. */
export interface PublishedData {
  id: string;
  title: string;
  slug: string;
  content_html: string;
  content_markdown: string;
  meta_description: string;
  focus_keyword: string;
  featured_image_url: string | null;
  tags: string[];
  author: string;
  published_at: string;
  json_ld: string;
}

/** `data` of `article.updated`. */
export interface UpdatedData extends PublishedData {
  target_id: string;
  target_url: string;
  base_revision_id: string;
  revision_id: string;
}

/** The timestamp of the tests' deliveries. */
export const SENT = '2026-11-19T08:00:00Z';

/** Created with the first id, because `npm run torture` sets the seed only after this module was loaded. */
let random: Random | undefined;
let made = 0;

/** An id that no other article or draft of this process has. */
function newId(kind: 'art' | 'draft'): string {
  random ??= createRandom('ids of articles and drafts');
  return `${kind}-${++made}-${random.integer(0, 2 ** 32).toString(16)}`;
}

/** A complete article; `over` replaces fields. */
export function article(over: Partial<PublishedData> = {}): PublishedData {
  const id = over.id ?? newId('art');
  return {
    id,
    title: 'Keeping bees on a balcony',
    slug: `bees-${id}`,
    content_html: `<h2>Where to put the hive</h2>\n<p>Out of the wind.</p>\n<!-- svc:item:${id} -->`,
    content_markdown: `## Where to put the hive\n\nOut of the wind.\n\n<!-- svc:item:${id} -->`,
    meta_description: 'What a hive needs when there is no garden.',
    focus_keyword: 'balcony bees',
    featured_image_url: 'https://images.example/hive.jpg',
    tags: ['bees', 'city'],
    author: 'Marta Oak',
    published_at: SENT,
    json_ld: '<script type="application/ld+json">{"@type":"Article"}</script>',
    ...over,
  };
}

/** An update of the article at `target_url`. */
export function update(
  target: Pick<UpdatedData, 'target_id' | 'target_url' | 'base_revision_id'>,
  over: Partial<UpdatedData> = {},
): UpdatedData {
  const id = over.id ?? newId('draft');
  return {
    ...article({ id, title: 'Keeping bees on a windy balcony', published_at: '2026-12-24T10:30:00Z' }),
    content_html: `<p>Rewritten as ${id}.</p>\n<!-- svc:item:${target.target_id} -->`,
    content_markdown: `Rewritten as ${id}.\n\n<!-- svc:item:${target.target_id} -->`,
    ...target,
    revision_id: id,
    ...over,
  };
}

/** `data` of `webhook.test`. */
export function testData() {
  return {
    id: 'test-1',
    message: 'Is anybody there?',
    capabilities: ['article.published', 'article.lookup', 'article.updated'],
  };
}

/** The envelope around `data`; `contract_version` on the events that carry it. */
export function envelope(event: string, data: unknown): Record<string, unknown> {
  return {
    event,
    timestamp: SENT,
    ...(event !== 'article.published' && { contract_version: 2 }),
    data,
  };
}
