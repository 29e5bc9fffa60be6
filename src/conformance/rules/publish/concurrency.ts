import { canonicalUrl } from '../../../contract/canonical-url.js';
import type { ArticleData } from '../../../contract/envelope.js';
import { describe, expectThat, fieldsOf, isSuccess } from '../../expect.js';
import { rules } from '../../rule.js';
import type { Session, Stored } from '../../session.js';
import type { Answer, Reply } from '../../transport/probe.js';
import { expectOwnContent } from './redelivery.js';

const UNIQUE =
  'Let the store decide, with a unique key on data.id or a lock: looking first and inserting then lets two through.';

const isTaken = (reply: Reply | undefined): reply is Answer => reply?.kind === 'answer' && isSuccess(reply);

function expectAllTaken(replies: readonly Reply[]): void {
  const got = replies.map((reply) => describe(reply).slice(0, 40)).join('; ');
  expectThat(replies.every(isTaken), '2xx each time', got);
}

/** Deliveries at the same moment (contract: article.published, deduplicate on data.id). */
export const CONCURRENCY_RULES = rules({ section: 'article.published' }, ['publish-accepted'], {
  'publish-at-once-accepted': {
    level: 'should',
    says: 'The same article several times at the same moment is answered 2xx each time.',
    hint: 'Let those that come second wait for the first, and answer what it has stored.',
    check: async (session) => expectAllTaken((await duplicates(session)).replies),
  },
  'publish-at-once-one-article': {
    from: 3,
    says: 'The same article several times at the same moment is stored once: every 2xx has the same id and URL.',
    hint: UNIQUE,
    needs: ['publish-url'],
    check: async (session) => {
      const stored = (await duplicates(session)).stored.map(({ answer }) => {
        const { id, url } = fieldsOf(answer);
        return JSON.stringify([id, canonicalUrl(String(url))]);
      });
      expectThat(new Set(stored).size === 1, 'one id and one URL', [...new Set(stored)].join('; '));
    },
  },
  'publish-at-once-found': {
    from: 2,
    says: 'After the same article several times at the same moment a lookup finds one article at its URL.',
    hint: UNIQUE,
    needs: ['lookup-200'],
    check: async (session) => expectOwnContent(session, (await duplicates(session)).stored),
  },
  'publish-at-once-others': {
    level: 'should',
    says: 'Several articles at the same moment are all taken.',
    hint: 'Answer a 5xx only where the write failed; the service tries again after a minute at the earliest.',
    check: async (session) => expectAllTaken((await siblings(session)).replies),
  },
  'publish-at-once-same-slug': {
    from: 3,
    says: 'Several articles with one slug at the same moment get a URL each.',
    hint: 'Choose the slug where the article is stored, with a unique key or under a lock.',
    needs: ['publish-same-slug'],
    check: async (session) => {
      const { stored } = await siblings(session, session.id('slug'));
      const urls = stored.map((one) => canonicalUrl(one.url()));
      expectThat(new Set(urls).size === urls.length, `${urls.length} different URLs`, urls.join('; '));
    },
  },
  'publish-at-once-own-content': {
    from: 2,
    says: 'After several articles at the same moment, each has its own content at its own URL.',
    hint: 'Keep what belongs to one request out of variables that requests share.',
    needs: ['lookup-200'],
    check: async (session) => expectOwnContent(session, (await siblings(session)).stored),
  },
});

function duplicates(session: Session) {
  return session.once('duplicates', () => {
    const data = session.article(session.id('at-once'));
    return delivered(session, Array(session.mostConcurrent).fill(data));
  });
}

/** Few: each stays behind. */
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

/** Sends articles at one moment, and again, one after the other, what was not taken. @throws Unmet where it then is not. */
async function delivered(session: Session, articles: readonly ArticleData[]) {
  const replies = await session.together(articles.map((data) => ({ event: 'article.published', data })));
  const stored: Stored[] = [];
  for (const [n, data] of articles.entries()) {
    const reply = replies[n];
    stored.push(isTaken(reply) ? session.storedBy(data, reply) : await session.publish(data));
  }
  return { replies, stored };
}
