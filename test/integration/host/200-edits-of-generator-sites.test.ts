import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { articlesOf, withCaller } from '../../support/articles-of.js';
import { article, update } from '../../support/events.js';
import { generatorSite } from '../../support/generator-site.js';
import { sharedHere } from '../../support/receiver-here.js';
import { withPlugins } from '../../support/with-plugins.js';

const ADA = { name: 'Ada' };
const POST = '---\ntitle: By hand\ndate: 2026-11-01\ncustom: mine\n---\nMy words.\n';
const post = (lines: string) => `---\ntitle: Own\n${lines}\n---\nText.\n`;

const posts = {
  'posts/own.md': POST,
  'posts/code.md': `${POST}{{< figure src="/a.jpg" >}}\n`,
  'states/a.md': post('date: 2024-05-01'),
  'states/b.md': post('date: 2024-05-01'),
  'states/c.md': post('date: 2099-05-01'),
  'states/d.md': post('date: 2024-05-01\nexpiryDate: 2024-05-02'),
  'states/e.md': post('date: 2024-05-01\ndraft: true'),
};
/** Changes the tags of an article, as an adapter does; `articlesOf` cannot pass a function. */
const TAGGER = `export default { name: 'tagger', receiver(host) {
  host.routes((router) => router.post('/tag', async (context) => {
    context.body = await host.articles.change('handed', (before) => ({ ...before, tags: ['bees'] }));
  }));
} };`;

const receiver = sharedHere(test, {}, (dir) =>
  withPlugins(withCaller(generatorSite(dir, 'hugo', { posts })), { tagger: TAGGER }),
);
const articles = () => articlesOf(receiver());

for (const kind of ['Markdown', 'HTML'])
  test(`200-edits-of-generator-sites: a person’s edit in the admin of an article in ${kind} is all there, and an update from it succeeds`, async (t) => {
    const { open, edit } = articles();
    const isHtml = kind === 'HTML';
    const data = article(isHtml ? { content_markdown: '' } : {});
    const { url } = (await receiver().post('article.published', data)).json;
    const before = await open(data.id);
    const fields = { title: 'Housing bees', description: 'In short.', tags: ['roofs'], author: 'Ada' };
    const { revision } = await edit(data.id, before?.revision ?? '', { ...fields, image: null }, ADA);
    const after = await open(data.id);
    t.like(after, { ...fields, image: null, bodyKind: isHtml ? 'html' : 'markdown', edited: false });
    t.is(after?.editable, before?.editable, 'the text stays as it is');
    const words = 'Words with {{ braces }}, {{< codes >}} and {% tags %}.';
    await edit(data.id, revision, { body: isHtml ? `<p>${words}</p>` : words }, ADA);
    const found = await receiver().find(url);
    t.true(
      found.content_html.includes(isHtml ? words : words.replace('< codes >', '&lt; codes &gt;')),
      found.content_html,
    );
    t.true(found.content_html.includes(`<!-- svc:item:${data.id} -->`));
    // What is shown of it in the form, saved once more, is the same text.
    const again = await open(data.id);
    await edit(data.id, found.revision_id, { body: `${again?.editable}\n` }, ADA);
    const { content_html, revision_id: base_revision_id } = await receiver().find(url);
    t.is(content_html.trim(), found.content_html.trim());
    const request = update({ target_id: data.id, target_url: url, base_revision_id });
    t.is((await receiver().post('article.updated', request)).status, 200);
  });

test('200-edits-of-generator-sites: an adapter that changes the tags of an article leaves its text, also its template code', async (t) => {
  const markdown = 'Shortcodes look like {{< figure >}}.\n';
  const { url } = await articles().receive({ id: 'handed', title: 'Handed over', markdown, contentHtml: '' });
  const { content_html: before } = await receiver().find(url);
  const tagged = await fetch(`${receiver().origin}/-/tagger/tag`, { method: 'POST' });
  t.like(await tagged.json(), { outcome: 'updated' });
  t.like(await articles().open('handed'), { tags: ['bees'], editable: markdown });
  t.is((await receiver().find(url)).content_html, before);
});

test('200-edits-of-generator-sites: a post that a person wrote can be edited, and keeps its keys; a text with template code is not for the admin, the rest is', async (t) => {
  const { open, edit } = articles();
  const own = await open('posts/own.md');
  t.like(own, { title: 'By hand', handWritten: true, edited: false });
  await edit('posts/own.md', own?.revision ?? '', { title: 'By me' }, ADA);
  const changed = { title: 'By me', editable: 'My words.\n', extra: { custom: 'mine' } };
  t.like(await open('posts/own.md'), changed);
  const code = await open('posts/code.md');
  t.true(code?.locked);
  const base = code?.revision ?? '';
  await t.throwsAsync(edit('posts/code.md', base, { body: 'Others.' }, ADA), { message: /template code/ });
  await edit('posts/code.md', base, { title: 'By me' }, ADA);
  t.like(await open('posts/code.md'), { title: 'By me', editable: code?.editable });
});

test('articles are listed by state: of each that their files can say', async (t) => {
  const { list, setState } = articles();
  const listed = async (state: 'live' | 'held' | 'scheduled' | 'expired' | 'draft') =>
    (await list({ state })).flatMap((one) => (one.id.startsWith('states/') ? [[one.id, one.state]] : []));
  await setState('states/b.md', 'held');
  for (const [state, id] of [
    ['live', 'states/a.md'],
    ['held', 'states/b.md'],
    ['scheduled', 'states/c.md'],
    ['expired', 'states/d.md'],
    ['draft', 'states/e.md'],
  ] as const)
    t.deepEqual(await listed(state), [[id, state]]);
  fs.writeFileSync(join(receiver.dir, 'content/states/a.md'), post('date: 2024-05-01\ndraft: true'));
  t.deepEqual(await listed('live'), [], 'right after an edit');
});
