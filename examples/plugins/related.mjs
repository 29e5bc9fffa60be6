// Related articles by their texts, in place of those that share tags: articles with the same rare words come first.
import { definePlugin } from 'pressmark';

const MOST_WORDS = 40;
const MOST_RELATED = 4;

/** A word that so many articles have says nothing. */
const COMMON = 500;

/** The words that a text has most often. */
function wordsOf(html) {
  const counts = new Map();
  for (const word of html
    .replace(/<[^<>]*>|&\w+;/g, ' ')
    .toLowerCase()
    .match(/\p{L}{4,}/gu) ?? [])
    counts.set(word, (counts.get(word) ?? 0) + 1);
  const sorted = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return sorted.slice(0, MOST_WORDS).map(([word]) => word);
}

export default definePlugin({
  name: 'related',
  version: '1.0.0',
  pages(host) {
    host.data('related', {
      inputs: ({ title, html }) => wordsOf(`${title} ${html}`),

      compute(articles) {
        const having = new Map();
        for (const one of articles)
          for (const word of one.input) having.set(word, [...(having.get(word) ?? []), one].slice(0, COMMON));
        return { having, words: new Map(articles.map(({ article, input }) => [article.url, input])) };
      },

      of({ url }, { having, words }) {
        const scores = new Map();
        for (const word of words.get(url) ?? []) {
          const others = having.get(word);
          if (others.length === COMMON) continue;
          for (const { article } of others)
            if (article.url !== url) scores.set(article, (scores.get(article) ?? 0) + 1 / others.length);
        }
        const best = [...scores]
          .sort(([a, n], [b, m]) => m - n || (a.url < b.url ? -1 : 1))
          .slice(0, MOST_RELATED);
        return best.map(([{ title, description, date, published, image, url: address }]) => {
          return { title, description, date, published, image, url: address };
        });
      },
    });

    host.addFilter('page.context', (context) => {
      const { article, extra } = context;
      if (article === null || !extra.related?.length) return context;
      return { ...context, article: { ...article, related: extra.related } };
    });
  },
});
