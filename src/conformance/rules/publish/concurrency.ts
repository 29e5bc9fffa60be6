import { canonicalUrl } from '../../../contract/canonical-url.js';
import type { ArticleData } from '../../../contract/envelope.js';
import { describe, expectEqual, expectSameHtml, expectThat, fieldsOf, isSuccess } from '../../expect.js';
import { rules } from '../../rule.js';
import type { Session } from '../../session.js';
import type { Answer, Reply } from '../../transport/probe.js';

const UNIQUE =
  'Let the store decide, with a unique key on data.id or a lock: looking first and inserting then lets two through.';

const sent = (session: Session, articles: readonly ArticleData[]) =>
  session.together(articles.map((data) => ({ event: 'article.published', data })));

const good = (replies: readonly Reply[]): Answer[] =>
  replies.filter((reply): reply is Answer => reply.kind === 'answer' && isSuccess(reply));

const summary = (replies: readonly Reply[]) =>
  replies.map((reply) => describe(reply).slice(0, 40)).join('; ');

/** Deliveries at the same moment (contract: article.published, deduplicate on data.id). */
export const CONCURRENCY_RULES = rules({ section: 'article.published' }, ['publish-accepted'], {
  'publish-at-once-accepted': {
    level: 'should',
    says: 'The same article several times at the same moment is answered 2xx each time.',
    hint: 'Let those that come second wait for the first, and answer what it has stored.',
    check: async (session) => {
      const replies = await duplicates(session);
      expectThat(good(replies).length === replies.length, '2xx each time', summary(replies));
    },
  },
  'publish-at-once-one-article': {
    from: 3,
    says: 'The same article several times at the same moment is stored once: every 2xx has the same id and URL.',
    hint: UNIQUE,
    needs: ['publish-url'],
    check: async (session) => {
      const replies = await duplicates(session);
      expectThat(good(replies).length > 0, 'a 2xx', summary(replies));
      const stored = new Set(
        good(replies).map((answer) => {
          const { id, url } = fieldsOf(answer);
          return JSON.stringify([id, canonicalUrl(String(url))]);
        }),
      );
      expectThat(stored.size === 1, 'one id and one URL', [...stored].join('; '));
    },
  },
  'publish-at-once-others': {
    level: 'should',
    says: 'Several articles at the same moment are all taken.',
    hint: 'Answer a 5xx only where the write failed; the service tries again after a minute at the earliest.',
    check: async (session) => {
      const { replies } = await siblingsAtOnce(session);
      expectThat(good(replies).length === replies.length, '2xx each time', summary(replies));
    },
  },
  'publish-at-once-same-slug': {
    from: 3,
    says: 'Several articles with one slug at the same moment get a URL each.',
    hint: 'Choose the slug where the article is stored, with a unique key or under a lock.',
    needs: ['publish-same-slug'],
    check: async (session) => {
      const slug = session.id('slug');
      const replies = await sent(
        session,
        siblings(session).map((data) => ({ ...data, slug })),
      );
      const urls = good(replies).map((answer) => canonicalUrl(String(fieldsOf(answer).url)));
      expectEqual('different URLs', urls.length, new Set(urls).size);
    },
  },
  'publish-at-once-own-content': {
    from: 2,
    says: 'After several articles at the same moment, each has its own content at its own URL.',
    hint: 'Keep what belongs to one request out of variables that requests share.',
    needs: ['lookup-200'],
    check: async (session) => {
      const { articles, replies } = await siblingsAtOnce(session);
      for (const [n, data] of articles.entries()) {
        const reply = replies[n];
        if (reply?.kind !== 'answer' || !isSuccess(reply)) continue;
        const { content_html } = await session.lookup(session.urlOf(data, reply));
        expectSameHtml('content_html', data.content_html, content_html);
      }
    },
  },
});

function duplicates(session: Session): Promise<Reply[]> {
  const data = session.article(session.id('at-once'));
  const times = Array.from({ length: session.mostConcurrent }, () => data);
  return session.once('duplicates', () => sent(session, times));
}

function siblingsAtOnce(session: Session) {
  return session.once('siblings', async () => {
    const articles = siblings(session);
    return { articles, replies: await sent(session, articles) };
  });
}

/** Few: each stays behind. */
function siblings(session: Session): ArticleData[] {
  return Array.from({ length: Math.min(3, session.mostConcurrent) }, () => {
    const id = session.id('sibling');
    return session.article(id, { content_html: `<p>The sibling ${id}.</p>\n${session.comment(id)}` });
  });
}
