import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { ArticleQuery, ListedArticle } from '../../../src/host/articles/articles.js';
import { articlesOf, withCaller } from '../../support/articles-of.js';
import { fileOf, readStored } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { filesWith } from '../../support/files-with.js';
import { sharedHere } from '../../support/receiver-here.js';
import { until } from '../../support/until.js';
import { exampleCode, withPackages, withPlugins } from '../../support/with-plugins.js';

/** Holds and refuses by titles, and knows which changes its job has run for. */
const PLUGIN = `export default { name: 'editor', receiver(host) {
  host.addFilter('article.draft', (draft) => {
    if (draft.title.startsWith('Refused')) return host.refuse(451, 'not for this site');
    if (draft.title.startsWith('Odd')) return host.refuse(200, 'no refusal');
    return draft.title.startsWith('Held') ? host.hold('its title') : draft;
  });
  const ran = [];
  host.job('changes', { on: 'article.updated', run: ({ article }) => void ran.push(article.revision) });
  host.routes((router) => {
    router.get('/ran', (context) => { context.body = ran; });
    router.get('/drop/:revision', async (context) => {
      context.body = await host.articles.patch('patched-1', context.params.revision, { frontMatter: { series: undefined } });
    });
  });
} };`;

const plugins = [['./moderation.mjs', { words: ['Jackpot', 'Casino'], origin: 'https://receiver.example' }]];
const options = {
  config: { site: { search: false }, plugins },
  env: { MODERATION_SECRET: 'a secret of the owner' },
};
const receiver = sharedHere(test, options, (dir) => {
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', dir]);
  withPlugins(withCaller(dir), { editor: PLUGIN });
  withPackages(dir);
  fs.writeFileSync(join(dir, 'moderation.mjs'), exampleCode('moderation'));
});
const { dir } = receiver;

const articles = () => articlesOf(receiver());
const ran = async () => (await (await fetch(`${receiver().origin}/-/editor/ran`)).json()) as string[];
const publish = (over: Parameters<typeof article>[0]) => receiver().post('article.published', article(over));
const page = async (path: string) => (await fetch(`${receiver().origin}${path}`)).status;
const isShown = (slug: string) => page(`/articles/${slug}/`).then((status) => status === 200);
const commits = () =>
  execFileSync('git', ['-C', dir, 'log', '--format=%s', '--branches'], { encoding: 'utf8' });

const output = join(dir, 'public');
const jsonLdOf = (word: string) => `<script type="application/ld+json">{"headline":"${word}"}</script>`;

const hasWord = (name: string, word: string) =>
  fs.existsSync(join(output, name)) && fs.readFileSync(join(output, name), 'utf8').includes(word);

/** Waits until a word is in a page and in all that lists pages. */
const isSeen = (word: string) =>
  until(`${word} is in the sitemap, the feeds and the home page`, () =>
    ['sitemap.xml', 'feed.xml', 'feed.json', 'index.html'].every((name) => hasWord(name, word)),
  );
const isGone = (word: string) =>
  until(`${word} is in no file`, () => !hasWord('index.html', word) && filesWith(output, word).length === 0);

test('200-held: an article that is held is nowhere to be seen, and answered as any other', async (t) => {
  const word = { title: 'Held quetzal', slug: 'held-quetzal', tags: ['quetzals'] };
  const data = article({ id: 'held-1', ...word, json_ld: jsonLdOf('quetzal') });
  const { status, json } = await receiver().post('article.published', data);
  t.is(status, 200);
  const held = () => readStored(fileOf(dir, 'held-1')).article.held;
  t.is(held(), 'its title');
  // An article after it, so that the builds have seen both.
  await publish({ title: 'Another one', slug: 'another' });
  await until('another article is shown', () => isShown('another'));
  await until('the held article is a commit', () => commits().includes('Publish: Held quetzal'));
  t.deepEqual(filesWith(output, 'quetzal'), []);

  t.is((await receiver().post('article.published', data)).json.url, json.url);
  const { id: target_id, revision_id: base_revision_id } = await receiver().find(json.url);
  t.is(target_id, 'held-1');
  const target = { target_id, target_url: json.url, base_revision_id };
  const next = update(target, { title: 'Now without the word, quetzal' });
  t.is((await receiver().post('article.updated', next)).status, 200);
  t.is(held(), 'its title', 'an update does not release it');

  t.is((await articles().setState('held-1', 'live')).held, undefined);
  await isSeen('quetzal');
  await until('the release is a commit', () => commits().includes('Change: Now without the word, quetzal'));
  t.not((await receiver().find(json.url)).revision_id, next.revision_id);
  await articles().setState('held-1', 'held');
  await isGone('quetzal');
});

test('451-refused: a plugin refuses an article with its own status and words, and nothing is stored', async (t) => {
  const refused = await publish({ id: 'refused-1', title: 'Refused' });
  t.is(refused.status, 451);
  t.is(refused.json.error, 'plugin editor: not for this site');
  const odd = await publish({ id: 'odd-1', title: 'Odd' });
  t.is(odd.status, 500);
  t.regex(odd.json.error, /plugin editor returned a refusal with the status 200/);
  t.is(await articles().get('refused-1'), undefined);
});

test('an article that is scheduled or has expired is nowhere to be seen, and comes back at its URL', async (t) => {
  const marked = (word: string) => ({ title: `A ${word}`, tags: [word], json_ld: jsonLdOf(word) });
  const later = '2099-01-01T00:00:00Z';
  const set = (...to: ['live' | 'held' | 'scheduled' | 'expired', at?: string]) =>
    articles().setState('dated-1', ...to);
  t.is((await publish({ slug: 'axolotl', ...marked('axolotl'), published_at: later })).status, 200);
  const data = article({ id: 'dated-1', slug: 'okapi', ...marked('okapi') });
  const { url } = (await receiver().post('article.published', data)).json;
  await isSeen('okapi');
  t.deepEqual(filesWith(output, 'axolotl'), []);
  t.is((await set('scheduled', later)).date, later);
  await isGone('okapi');
  t.is((await receiver().find(url)).id, 'dated-1');
  t.is((await receiver().post('article.published', data)).json.url, url);
  await set('expired');
  t.is((await receiver().post('article.lookup', { target_url: url })).status, 404);
  t.is((await receiver().post('article.published', data)).json.url, url);
  t.is((await set('live')).url, url);
  await set('held');
  await t.throwsAsync(set('expired', later), { message: /is held, and would be shown until it expires/ });
  await set('live');
  await set('expired', later);
  t.is((await articles().get('dated-1'))?.state, 'live');
  await isSeen('okapi');
  await t.throwsAsync(set('scheduled'), { message: /needs its date/ });
  await t.throwsAsync(set('scheduled', '2001-01-01'), { message: /its file makes it live/ });
  await t.throwsAsync(articles().setState('nobody', 'held'), { code: 'ARTICLE_NOT_FOUND' });
});

test('a state, a condition or a key of a change that does not exist is an error that names it', async (t) => {
  const { list, patch, receive, setState } = articles();
  for (const [call, message] of [
    [() => receive({} as never, { once: true } as never), /^articles\.receive: once must be a text /],
    [() => list({ state: 'helt' } as never), /no state "helt", only draft, .*; did you mean held\?/],
    [() => list({ tags: 'soil' } as never), /list: it has the unknown key "tags"; did you mean tag\?;/],
    [() => setState('held-1', 'draft' as never), /no state "draft", only live, held, scheduled, expired/],
    [
      () => patch('held-1', 'x', { frontmatter: {} } as never),
      /it has the unknown key "frontmatter".* mean frontMatter\?/,
    ],
  ] as const)
    await t.throwsAsync(call, { code: 'USAGE', message });
});

test('a patch is a new revision and a commit, and never replaces a person’s edit', async (t) => {
  const { url } = (await publish({ id: 'patched-1', title: 'Patched', slug: 'patched' })).json;
  // What replaces a text waits two seconds for its commit, which a busy machine may exceed: then both are one commit.
  await until('the article is committed', () => commits().includes('Publish: Patched'));
  const base = (await receiver().find(url)).revision_id;
  const patch = (revision: string, change: Parameters<ReturnType<typeof articles>['patch']>[2]) =>
    articles().patch('patched-1', revision, change);
  const patched = await patch(base, { frontMatter: { series: 'one', part: 2 } });
  t.like(patched.extra, { series: 'one', part: 2 });
  await until('a job has seen the patch', async () => (await ran()).includes(patched.revision));
  await until('the patch is a commit', () => commits().includes('Change: Patched'));
  await t.throwsAsync(patch(base, { frontMatter: { part: 3 } }), { code: 'REVISION_CONFLICT' });
  await t.throwsAsync(patch(patched.revision, { frontMatter: { id: 'x' } }), { code: 'USAGE' });
  const dropped = await fetch(`${receiver().origin}/-/editor/drop/${patched.revision}`);
  const { revision: next, extra } = (await dropped.json()) as ListedArticle;
  t.deepEqual(extra, { part: 2 }, 'undefined removes a key');
  const { revision } = await patch(next, { body: 'A **new** text.' });
  const target = await receiver().find(url);
  t.regex(target.content_html, /<strong>new<\/strong>[\s\S]*<!-- svc:item:patched-1 -->/);
  t.is(target.revision_id, revision);

  // The service's next update, from a lookup of after the patch; one from before it is stale.
  for (const [base_revision_id, status] of [
    [base, 409],
    [revision, 200],
  ] as const) {
    const request = update({ target_id: 'patched-1', target_url: url, base_revision_id });
    t.is((await receiver().post('article.updated', request)).status, status);
  }
  t.deepEqual(readStored(fileOf(dir, 'patched-1')).article.extra, { part: 2 });

  const path = fileOf(dir, 'patched-1');
  fs.appendFileSync(path, '\nMine.\n');
  const { revision_id: edited } = await receiver().find(url);
  await t.throwsAsync(patch(edited, { frontMatter: { part: 4 } }), { code: 'REVISION_CONFLICT' });
  t.true(fs.readFileSync(path, 'utf8').endsWith('\nMine.\n'));
});

test('articles are listed page by page, by tag, author and hand', async (t) => {
  for (const id of ['listed-b', 'listed-c', 'listed-a', 'listed-z'])
    await publish({ id, slug: id, title: id, tags: ['Ferns'], author: 'Lister' });
  const byHand = '---\ntitle: By hand\nauthor: Lister\n---\nText.\n';
  fs.writeFileSync(join(dir, 'content/articles/by-hand.md'), byHand);
  await until('the file is known', async () => (await articles().get('articles/by-hand.md')) !== undefined);
  const list = (query: ArticleQuery) => articles().list({ tag: 'ferns', ...query });
  const ids = async (query: ArticleQuery) => (await list(query)).map(({ id }) => id);
  const [first, ...others] = await list({ author: 'Lister', handWritten: false });
  t.like(first, { state: 'live', handWritten: false });
  t.true(fs.existsSync(join(dir, first?.path ?? '')), 'its path is relative to the site, as in actions');
  t.is(others.length, 3);
  t.deepEqual(await ids({ after: first?.path ?? '', limit: 1 }), [others[0]?.id]);
  t.deepEqual(
    (await articles().list({ handWritten: true })).map(({ id }) => id),
    ['articles/by-hand.md'],
  );
});

test('the plugin moderation holds an article with a listed word; its signed link releases it', async (t) => {
  const { url } = (await publish({ id: 'bad-1', title: 'A jackpot for you', slug: 'jackpot' })).json;
  const stored = () => readStored(fileOf(dir, 'bad-1')).article;
  const held = () => receiver().log.find(({ link }) => String(link).includes('id=bad-1'));
  await until('the link is in the log', () => held() !== undefined);
  const { pathname, search } = new URL(String(held()?.link));
  const link = `${receiver().origin}${pathname}${search}`;
  t.is((await fetch(link.replace('bad-1', 'held-1'), { method: 'POST' })).status, 403);
  t.regex(await (await fetch(link)).text(), /<button>/);
  t.is(stored().held, 'it has the word jackpot', 'looking releases nothing');
  t.deepEqual(await (await fetch(link, { method: 'POST' })).json(), { released: url });
  t.is(stored().held, undefined);
  const { revision_id: base_revision_id } = await receiver().find(url);
  const target = { target_id: 'bad-1', target_url: url, base_revision_id };
  const again = update(target, { title: 'The jackpot again' });
  t.is((await receiver().post('article.updated', again)).status, 200);
  t.is(stored().held, undefined, 'what a person has released stays released');
  t.is((await fetch(link, { method: 'POST' })).status, 409, 'the link is for the text that it was made for');
  const now = await receiver().find(url);
  const worse = update(
    { ...target, base_revision_id: now.revision_id },
    { title: 'The jackpot in a casino' },
  );
  t.is((await receiver().post('article.updated', worse)).status, 200);
  t.is(stored().held, 'it has the word casino', 'another word was not released');
});
