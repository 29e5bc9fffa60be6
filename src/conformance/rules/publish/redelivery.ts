import { canonicalUrl } from '../../../contract/canonical-url.js';
import type { ArticleData } from '../../../contract/envelope.js';
import { shown } from '../../../sender/delivery/answer-checks.js';
import {
  describe,
  expectEqual,
  expectSameHtml,
  expectStatus,
  expectSuccess,
  expectThat,
  fieldsOf,
  NotChecked,
  Unmet,
} from '../../expect.js';
import { rules } from '../../rule.js';
import type { Session, Stored } from '../../session.js';
import { unusual } from './publish.js';

const LIST = `
# article.published; V2; needs lookup-200
90 publish-then-lookup: An article can be looked up as soon as its publish is answered.
  Answer after the write has committed: an earlier 200 can lose an article.

# article.published; needs publish-accepted
86 publish-again-accepted: A redelivery, byte for byte the same, is answered 2xx.
  If data.id is known, answer 200 as if the article had just been stored.
250 publish-again-200 (V3): A redelivery is answered 200 with received: true.
  Answer a redelivery like the first delivery: 200 and {"received": true, "id": …, "url": …}.
87 publish-again-same-id (V3; needs publish-id): A redelivery is answered with the same id.
  Look data.id up before you store anything, and answer the stored id.
88 publish-again-same-url (V3; needs publish-url): A redelivery is answered with the same URL.
  Look data.id up before you choose a slug; never change a chosen slug.
89 publish-same-slug (V3; needs publish-url): Two articles with the same slug and title but different ids get different URLs.
  Deduplicate by data.id only; if a slug is taken, choose another.

# article.published; V2; needs lookup-200
91 publish-id-is-lookup-id (V3; needs publish-id lookup-target): The id in the answer to a publish is the id in the answer to a lookup.
  Answer the id under which the article is stored.
92 publish-again-writes-nothing: A redelivery changes neither the content nor the revision.
  If data.id is known, write nothing.
95 publish-again-after-update (needs update-content): A redelivery after an update is accepted, and does not bring the old content back.
  If data.id is known, write nothing, even if the article has changed since.
96 publish-same-slug-own-content (needs publish-same-slug): Two articles with the same slug and title each have their own content at their own URL.
  Deduplicate by data.id only; if a slug is taken, choose another.
254 publish-id-exact: Two articles whose ids differ only in the case of a letter each have their own content at their own URL.
  Compare ids byte by byte (in MySQL: a column with the collation utf8mb4_bin): the second article would be taken for a redelivery, and be lost.
97 publish-unusual-id-stored (Body additions; needs publish-unusual-id content-item-comment): A lookup returns an article with an unusual id, with its item comment unchanged.
  An id is any nonempty text: escape it when you store it, but not in the body.
`;

const LATE =
  'The article was stored after the answer. Answer after the write has committed: an earlier 200 can lose an article.';

/** Expects that a redelivery is answered with the same value in this field. */
const sameAgain = (field: 'id' | 'url') => async (session: Session) => {
  const { data, answer } = await session.main();
  const again = await session.send('article.published', data);
  expectEqual(field, fieldsOf(answer)[field], fieldsOf(again)[field]);
};

/** Articles are stored once, and stay (contract: article.published: deduplicate on data.id, persist, only then answer). */
export const REDELIVERY_RULES = rules(LIST, {
  'publish-then-lookup': async (session) => {
    const { answer, late } = await session.publishAndFind(session.article(session.id('at-once')));
    expectThat(answer.status === 200, 'the article', describe(answer));
    if (late)
      throw new Unmet(
        'the article as soon as its publish was answered',
        'nothing, and the article a second later',
        LATE,
      );
  },
  'publish-again-accepted': async (session) =>
    expectSuccess(await session.send('article.published', (await session.main()).data)),
  'publish-again-200': async (session) => {
    const again = await session.send('article.published', (await session.main()).data);
    expectStatus(again, 200);
    expectEqual('received', true, fieldsOf(again).received);
  },
  'publish-again-same-id': sameAgain('id'),
  'publish-again-same-url': sameAgain('url'),
  'publish-same-slug': async (session) => {
    const urls = (await twins(session)).map((stored) => canonicalUrl(stored.url()));
    expectThat(urls[0] !== urls[1], 'two URLs', `${urls[0]} for both`);
  },
  'publish-id-is-lookup-id': async (session) => {
    const { answer, url } = await session.main();
    expectEqual('id', fieldsOf(answer).id, (await session.lookup(url())).id);
  },
  'publish-again-writes-nothing': async (session) => {
    const { data, url } = await session.main();
    await session.unchangedBy(url(), () => session.send('article.published', data));
  },
  'publish-again-after-update': async (session) => {
    const { data, url } = await session.stored('updated-then-redelivered');
    expectStatus(await session.send('article.updated', await session.draft(url())), 200);
    await session.unchangedBy(url(), async () =>
      expectSuccess(await session.send('article.published', data)),
    );
  },
  'publish-same-slug-own-content': async (session) => {
    if (session.options.articleUrl?.includes('{slug}') && session.version < 3)
      throw new NotChecked(
        'the pattern of --article-url does not tell the URLs of two articles with one slug',
      );
    await expectOwnContent(session, await twins(session));
  },
  'publish-id-exact': async (session) => {
    const id = session.id('case');
    const lower = await publishOwn(session, id, { slug: session.id('case') });
    const upper = await publishOwn(session, id.replace('case', 'CASE'), { slug: session.id('case') });
    await expectOwnContent(session, [lower, upper]);
  },
  'publish-unusual-id-stored': async (session) => {
    const { data, url } = await unusual(session);
    const { content_html: html } = await session.lookup(url());
    expectThat(html.includes(session.comment(data.id)), session.comment(data.id), shown(html.slice(-80)));
  },
});

/** Two articles with the same slug and title. */
function twins(session: Session): Promise<Stored[]> {
  return session.once('twins', async () => {
    const over = { slug: session.id('same-slug'), title: 'Pressmark check: twins' };
    const [a, b] = [session.id('twin-a'), session.id('twin-b')];
    return [await publishOwn(session, a, over), await publishOwn(session, b, over)];
  });
}

/** Publishes an article whose content names its id. */
function publishOwn(session: Session, id: string, over: Partial<ArticleData>): Promise<Stored> {
  const content_html = `<p>The article ${id}.</p>\n${session.comment(id)}`;
  return session.publish(session.article(id, { ...over, content_html }));
}

/** Looks each article up. @throws Unmet if one does not have its own content. */
export async function expectOwnContent(session: Session, stored: readonly Stored[]): Promise<void> {
  for (const { data, url } of stored)
    expectSameHtml('content_html', data.content_html, (await session.lookup(url())).content_html);
}
