import test from 'ava';
import { articlesOf, withCaller } from '../../support/articles-of.js';
import { article, update } from '../../support/events.js';
import { generatorSite } from '../../support/generator-site.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';

const ADA = { name: 'Ada' };
const POST = '---\ntitle: By hand\ndate: 2026-11-01\ncustom: mine\n---\nMy words.\n';

for (const generator of ['hugo', 'astro'] as const)
  test(`200-edits-of-generator-sites: a person’s edit in the admin of an article of ${generator} is all there, and an update from it succeeds`, async (t) => {
    const config =
      generator === 'astro' ? { articles: { file: ':slug.md', permalink: '/posts/:slug/' } } : {};
    const dir = withCaller(generatorSite(tempDir(t), generator, { config }));
    const receiver = await startHere(t, { dir });
    const articles = articlesOf(receiver);
    const data = article();
    const { url } = (await receiver.post('article.published', data)).json;
    const before = await articles.open(data.id);
    const { revision } = await articles.edit(
      data.id,
      before?.revision ?? '',
      { title: 'Housing bees', description: 'In short.', tags: ['roofs'], author: 'Ada', image: null },
      ADA,
    );
    const after = await articles.open(data.id);
    t.like(after, {
      title: 'Housing bees',
      description: 'In short.',
      tags: ['roofs'],
      author: 'Ada',
      image: null,
    });
    t.is(after?.editable, before?.editable, 'the text stays as it is');
    t.false(after?.edited);
    const isHtml = after?.bodyKind === 'html';
    const words = 'Words with {{ braces }}, {{< codes >}} and {% tags %}.';
    await articles.edit(data.id, revision, { body: isHtml ? `<p>${words}</p>` : words }, ADA);
    const found = await receiver.find(url);
    t.true(
      found.content_html.includes(isHtml ? words : words.replace('< codes >', '&lt; codes &gt;')),
      found.content_html,
    );
    t.true(found.content_html.includes(`<!-- svc:item:${data.id} -->`));
    // What is shown of it in the form, saved once more, is the same text.
    const again = await articles.open(data.id);
    await articles.edit(data.id, found.revision_id, { body: `${again?.editable}\n` }, ADA);
    const { content_html, revision_id: base_revision_id } = await receiver.find(url);
    t.is(content_html.trim(), found.content_html.trim());
    const request = update({ target_id: data.id, target_url: url, base_revision_id });
    t.is((await receiver.post('article.updated', request)).status, 200);
  });

test('200-edits-of-generator-sites: a post that a person wrote can be edited, and keeps its keys; a text with template code is not for the admin, the rest is', async (t) => {
  const posts = { 'posts/own.md': POST, 'posts/code.md': `${POST}{{< figure src="/a.jpg" >}}\n` };
  const dir = withCaller(generatorSite(tempDir(t), 'hugo', { posts }));
  const articles = articlesOf(await startHere(t, { dir }));
  const own = await articles.open('posts/own.md');
  t.like(own, { title: 'By hand', handWritten: true, edited: false });
  await articles.edit('posts/own.md', own?.revision ?? '', { title: 'By me' }, ADA);
  const changed = { title: 'By me', editable: 'My words.\n', extra: { custom: 'mine' } };
  t.like(await articles.open('posts/own.md'), changed);
  const code = await articles.open('posts/code.md');
  t.true(code?.locked);
  const base = code?.revision ?? '';
  await t.throwsAsync(articles.edit('posts/code.md', base, { body: 'Others.' }, ADA), {
    message: /template code/,
  });
  await articles.edit('posts/code.md', base, { title: 'By me' }, ADA);
  t.like(await articles.open('posts/code.md'), { title: 'By me', editable: code?.editable });
});
