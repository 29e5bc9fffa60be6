import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { contentOf } from '../../../src/app/content/content.js';
import { createLongArticles } from '../../../src/app/content/long-articles.js';
import { loadSettings } from '../../../src/config/load.js';
import { article, update } from '../../support/events.js';
import { bareEnvironment, SITE_URL, STORE_ONLY } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const HUGO = new URL('../../../src/generators/hugo/hugo.js', import.meta.url).href;

/**
 * A site whose own generator takes its time for a body: until the file `go` is there, or for ever where the text is
 * `endless`.
 */
function slowSite(t: ExecutionContext): string {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'content'));
  fs.writeFileSync(
    join(dir, 'pressmark.config.mjs'),
    `import fs from 'node:fs';
import { hugo } from '${HUGO}';
const slow = (incoming) => {
  while (incoming.html.includes('endless'));
  if (incoming.html.includes('slow')) {
    fs.writeFileSync('${join(dir, 'begun')}', '');
    while (!fs.existsSync('${join(dir, 'go')}'));
  }
  return { text: incoming.html, frontMatter: {} };
};
const mapping = (options) => ({ ...hugo.mapping(options), body: slow });
export default { build: 'true', generator: { ...hugo, name: 'slow', mapping }, articles: { file: ':slug.md' } };
`,
  );
  return dir;
}

const long = (word: string) => `<p>${`${word} `.repeat(6_000)}</p>`;

test('200: while a long article is encoded, decoded or amended, others are answered', async (t) => {
  const dir = slowSite(t);
  const { post, find, origin } = await startHere(t, { dir, ...STORE_ONLY });
  const answersMeanwhile = async (delivery: Promise<{ status: number }>) => {
    await until('the article is worked on', () => fs.existsSync(join(dir, 'begun')));
    t.is((await fetch(`${origin}/healthz`)).status, 200);
    t.is((await post('article.published', article())).status, 200);
    fs.writeFileSync(join(dir, 'go'), '');
    t.is((await delivery).status, 200);
    for (const name of ['go', 'begun']) fs.rmSync(join(dir, name));
  };
  const data = article({ content_html: long('slow'), content_markdown: '' });
  const published = post('article.published', data);
  await answersMeanwhile(published);
  const { url } = (await published).json;

  const found = await find(url);
  t.is(found.content_html, long('slow'));
  const target = { target_id: data.id, target_url: url, base_revision_id: found.revision_id };
  await answersMeanwhile(
    post('article.updated', update(target, { content_html: long('still slow'), content_markdown: '' })),
  );
  t.is((await find(url)).content_html, long('still slow'));

  fs.appendFileSync(join(dir, 'content', `${data.slug}.html`), '\n<p>By hand.</p>\n');
  const edited = await find(url);
  t.regex(edited.revision_id, /^edit-/);
  t.regex(edited.content_html, /By hand/);
});

test('500: an article that is encoded for too long is refused, and the next one is stored', async (t) => {
  const dir = slowSite(t);
  const settings = await loadSettings(dir, {}, { ...bareEnvironment(), PRESSMARK_SITE_URL: SITE_URL });
  const content = contentOf(settings);
  const articles = createLongArticles(content, settings, pino({ level: 'silent' }), 2_000);
  t.teardown(() => articles?.close());
  const { id, title } = article();
  const draft = { ...EMPTY, id, title };
  const encode = async (html: string) =>
    (await articles?.encode({ ...draft, body: html, contentHtml: html }, 'a.md'))?.text ??
    'not in the thread';
  const ordinary = long('ordinary');
  const [endless, behind] = await Promise.allSettled([encode(long('endless')), encode(ordinary)]);
  t.like(endless, { reason: { message: 'a long article could not be written: that took longer than 2 s' } });
  t.like(behind, { reason: { code: 'RECEIVER_BUSY' } });
  await until('a long article is written', async () =>
    (await encode(ordinary).catch(String)).endsWith(ordinary),
  );
  t.is(await encode('<p>Short.</p>'), 'not in the thread');
});

const EMPTY = {
  description: '',
  author: '',
  tags: [],
  keyword: '',
  image: null,
  jsonLd: '',
  slug: 'a',
  date: '2026-03-01T00:00:00Z',
  updated: null,
  url: `${SITE_URL}/a/`,
  extra: {},
};
