import { lookupAnswer } from '../../contract/answers.js';
import { MAX_BODY_BYTES } from '../../contract/limits.js';
import { PressmarkError, quote } from '../../errors.js';
import type { Handled, HandlerContext } from './published.js';

/**
 * `article.lookup`: the one article at exactly this URL, read from its file as it is now
 * (contract: article.lookup). Writes nothing.
 */
export async function lookup(targetUrl: string, { store }: HandlerContext): Promise<Handled> {
  const found = await store.find(targetUrl);
  const { id, url, revision, title } = found.article;
  const html = await store.htmlOf(found);
  const target = { id, url, revision_id: revision, title, content_html: html };
  for (const [field, value] of Object.entries(target)) {
    // The service rejects a target with an empty field, so name the field.
    if (value === '')
      throw new PressmarkError(
        'ARTICLE_UNREADABLE',
        `target.${field} is empty in ${found.path}; fill it in to make the article refreshable`,
      );
  }
  const body = JSON.stringify(lookupAnswer(target));
  if (Buffer.byteLength(body) >= MAX_BODY_BYTES) {
    throw new PressmarkError(
      'ARTICLE_TOO_LARGE',
      `the answer for ${quote(url, 80)} would reach ${MAX_BODY_BYTES} bytes; the article is too large to be refreshed`,
    );
  }
  return { id, outcome: 'found', body };
}
