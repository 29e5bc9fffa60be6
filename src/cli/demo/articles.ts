import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../own-package.js';
import { composeArticle } from '../../sender/article/compose.js';
import { readDraft } from '../../sender/article/draft.js';
import { DEFAULT_SERVICE } from '../../sender/delivery/send-event.js';

const FOLDER = join(PACKAGE_FOLDER, 'examples/demo-articles');
/** In the order in which they are sent. */
const SLUGS = ['what-a-pressmark-is', 'why-the-answer-comes-last', 'two-people-one-paragraph'];
const SERVICE = { author: '', application: 'The Reading Room', tracking: null, service: DEFAULT_SERVICE };

/**
 * What the demo's service sends: short articles with what real ones have, such as headings, a list, a table and code.
 *
 * @param siteUrl the site that has their pictures.
 * @param momentOf when the article with this index is sent; ISO 8601.
 */
export function demoArticles(siteUrl: string, momentOf: (index: number) => string) {
  return SLUGS.map((slug, index) => {
    const draft = readDraft(join(FOLDER, `${slug}.md`), siteUrl);
    return composeArticle(draft, SERVICE, draft.id ?? slug, momentOf(index));
  });
}
