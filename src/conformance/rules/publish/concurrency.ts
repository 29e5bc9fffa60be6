import { canonicalUrl } from '../../../contract/canonical-url.js';
import type { ArticleData } from '../../../contract/envelope.js';
import { expectThat, fieldsOf, isSuccess } from '../../expect.js';
import { rules } from '../../rule.js';
import type { Session, Stored } from '../../session.js';
import { expectOwnContent } from './redelivery.js';

const LIST = `
# article.published; needs publish-accepted
206 publish-at-once-one-article (V3; needs publish-url): An article that is published several times at the same moment is stored once: every 2xx has the same id and URL.
251 publish-at-once-found (V2; needs lookup-200): An article that was published several times at the same moment is found at its URL.
  Use a unique key on data.id or a lock: two requests can both look before either of them inserts.
208 publish-at-once-same-slug (V3; needs publish-same-slug): Several articles that are published with one slug at the same moment get different URLs.
  Choose the slug as you store the article, with a unique key or under a lock.
209 publish-at-once-own-content (V2; needs lookup-200): Articles that were published at the same moment each have their own content at their own URL.
  Keep the data of one request out of variables that requests share.
`;

/** Concurrent deliveries (contract: article.published, deduplicate on data.id). */
export const CONCURRENCY_RULES = rules(LIST, {
  'publish-at-once-one-article': async (session) => {
    const stored = (await duplicates(session)).map(({ answer }) => {
      const { id, url } = fieldsOf(answer);
      return JSON.stringify([id, canonicalUrl(String(url))]);
    });
    expectThat(new Set(stored).size === 1, 'one id and one URL', [...new Set(stored)].join('; '));
  },
  'publish-at-once-found': async (session) => expectOwnContent(session, await duplicates(session)),
  'publish-at-once-same-slug': async (session) => {
    const urls = (await siblings(session, session.id('slug'))).map((one) => canonicalUrl(one.url()));
    expectThat(new Set(urls).size === urls.length, `${urls.length} different URLs`, urls.join('; '));
  },
  'publish-at-once-own-content': async (session) => expectOwnContent(session, await siblings(session)),
});

function duplicates(session: Session) {
  return session.once('duplicates', () => {
    const data = session.article(session.id('at-once'));
    return delivered(session, Array(session.mostConcurrent).fill(data));
  });
}

/** Articles for concurrent deliveries. There are few, as each remains at the receiver. */
function siblings(session: Session, slug?: string) {
  return session.once(`siblings ${slug}`, () => {
    const articles = Array.from({ length: Math.min(3, session.mostConcurrent) }, () => {
      const id = session.id('sibling');
      const content_html = `<p>The sibling ${id}.</p>\n${session.comment(id)}`;
      return session.article(id, { content_html, slug: slug ?? id });
    });
    return delivered(session, articles);
  });
}

/**
 * Sends articles at the same moment, and then those that were refused again, one after the other. @throws Unmet if one is
 * refused again.
 */
async function delivered(session: Session, articles: readonly ArticleData[]): Promise<Stored[]> {
  const replies = await session.together(articles.map((data) => ({ event: 'article.published', data })));
  const stored: Stored[] = [];
  for (const [n, data] of articles.entries()) {
    const reply = replies[n];
    const isTaken = reply?.kind === 'answer' && isSuccess(reply);
    stored.push(isTaken ? session.storedBy(data, reply) : await session.publish(data));
  }
  return stored;
}
