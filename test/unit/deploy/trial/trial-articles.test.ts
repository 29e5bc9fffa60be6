import test from 'ava';
import {
  hostileArticles,
  hostileTags,
  hostileTexts,
  hostileUpdates,
  ordinaryArticles,
} from '../../../../src/deploy/trial/trial-articles.js';

const PROBE = { canary: '/tmp/canary', factors: [20_011, 30_011] } as const;

test('each hostile text is in every field of an article with Markdown and of one without, and of an update to each', (t) => {
  const published = hostileArticles(PROBE);
  const updates = hostileUpdates(PROBE).map(({ next }) => next);
  const isIn = (text: string, part: string) =>
    part.includes(text) || part.includes(text.replace(/[\n/\\]/g, ' '));
  for (const text of hostileTexts(PROBE))
    for (const articles of [published, updates]) {
      const own = articles.filter(({ fragment }) => fragment === text);
      t.deepEqual(own.map(({ form }) => form).sort(), ['html', 'markdown']);
      for (const { data, form } of own) {
        t.is(data.content_markdown === '', form === 'html');
        const body = form === 'html' ? data.content_html : data.content_markdown;
        const { title, meta_description, focus_keyword, author, tags } = data;
        for (const field of [
          title,
          meta_description,
          focus_keyword,
          author,
          data.featured_image_url ?? '',
          body,
        ])
          t.true(field.includes(text), `${field} has ${text}`);
        t.true(isIn(text, tags.join()), text);
        t.true(data.content_html.includes(`<!-- svc:item:${data.id} -->`));
      }
    }
});

test('all trial articles have ids of their own', (t) => {
  const all = [...ordinaryArticles(), ...hostileArticles(PROBE), hostileTags(PROBE)].map(
    ({ data }) => data.id,
  );
  const ids = [...all, ...hostileUpdates(PROBE).map(({ first }) => first.data.id)];
  t.is(new Set(ids).size, ids.length);
});
