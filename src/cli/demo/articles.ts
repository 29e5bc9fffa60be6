import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../own-package.js';
import { composeArticle } from '../../sender/article/compose.js';
import { readDraft } from '../../sender/article/draft.js';
import { DEFAULT_SERVICE } from '../../sender/delivery/send-event.js';

const FOLDER = join(PACKAGE_FOLDER, 'examples/demo-articles');
/** The slugs, in the order in which the articles are sent. */
const SLUGS = ['what-a-pressmark-is', 'why-the-answer-comes-last', 'two-people-one-paragraph'];
const SERVICE = { author: '', application: 'The Reading Room', tracking: null, service: DEFAULT_SERVICE };

/**
 * The articles of the demo's service: short, with the elements of real ones, such as headings, a list, a table and code.
 *
 * @param siteUrl the site with their pictures.
 * @param momentOf the sending moment of the article with an index; ISO 8601.
 */
export function demoArticles(siteUrl: string, momentOf: (index: number) => string) {
  return SLUGS.map((slug, index) => {
    const draft = readDraft(join(FOLDER, `${slug}.md`), siteUrl);
    return composeArticle(draft, SERVICE, draft.id ?? slug, momentOf(index));
  });
}
