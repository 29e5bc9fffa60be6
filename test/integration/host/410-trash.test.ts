import fs from 'node:fs';
import { join, relative } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { articlesOf, withCaller } from '../../support/articles-of.js';
import { ask } from '../../support/ask.js';
import { gitIn, inClone } from '../../support/clones.js';
import { fileOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { SITE_URL } from '../../support/receiver.js';
import { type ReceiverHere, startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const ADA = { name: 'Ada', email: 'ada@example.org' };
const BO = { name: 'Bo' };

const page = async (origin: string, url: string) => {
  const { status, headers } = await fetch(`${origin}${new URL(url).pathname}`, { redirect: 'manual' });
  return [status, headers.get('location')];
};

/** A repository with a commit, in which the tests can call what plugins are handed. */
function repository(t: ExecutionContext): string {
  const dir = withCaller(tempDir(t));
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', 'First');
  return dir;
}

/** Has an article published. */
async function publish(receiver: ReceiverHere) {
  const data = article();
  const { url } = (await receiver.post('article.published', data)).json;
  const base = (await articlesOf(receiver).get(data.id))?.revision ?? '';
  return { data, id: data.id, url, base };
}

/** Who has committed what to a file, the oldest first. */
const commitsOf = (dir: string, path: string) =>
  gitIn(dir, 'log', '--reverse', '--format=%an %s', 'main', '--', path).trim().split('\n');

/** A plain site without git. */
async function plainSite(t: ExecutionContext, site: object | false, url?: string) {
  const dir = withCaller(tempDir(t));
  const env = url === undefined ? {} : { PRESSMARK_SITE_URL: url };
  const receiver = await startHere(t, { dir, config: { git: false, site }, env });
  return { dir, receiver, articles: articlesOf(receiver) };
}

test('410-trash: an article in the trash is gone from the site and from git, no redelivery brings it back, and it can be restored to the byte', async (t) => {
  const dir = repository(t);
  const config = { durability: 'commit', site: { search: false } };
  const receiver = await startHere(t, { ...inClone(dir), config });
  const articles = articlesOf(receiver);
  const { data, url, base } = await publish(receiver);
  const file = fileOf(dir, data.id);
  const path = relative(dir, file);
  const answered = () => page(receiver.origin, url).then(([status]) => status);
  await until('its page', async () => (await answered()) === 200);
  const text = fs.readFileSync(file, 'utf8');

  await t.throwsAsync(articles.trash(data.id, 'another', {}, ADA), { code: 'REVISION_CONFLICT' });
  await t.throwsAsync(articles.trash(data.id, base, { redirect: 'javascript:x' }, ADA), {
    message: /neither a path/,
  });
  await articles.trash(data.id, base, {}, ADA);
  t.false(fs.existsSync(file));
  t.like(await articles.trashed(), [
    { id: data.id, url, title: data.title, path, by: 'Ada', redirect: null },
  ]);
  await until('its page is gone', async () => (await answered()) === 410);
  await until('the commit', () => commitsOf(dir, path).length === 2);
  t.is(commitsOf(dir, path).at(-1), 'Ada Remove: Keeping bees on a balcony');
  t.is(gitIn(dir, 'status', '--porcelain', '--', 'content'), '');
  t.like((await receiver.post('article.published', data)).json, { received: true, id: data.id, url });
  t.false(fs.existsSync(file));
  t.is((await receiver.post('article.lookup', { target_url: url })).status, 404);

  await articles.restore(data.id, BO);
  t.is(fs.readFileSync(file, 'utf8'), text);
  t.is((await receiver.find(url)).revision_id, base);
  t.deepEqual(commitsOf(dir, path).slice(2), ['Bo Restore: Keeping bees on a balcony']);
  await until('its page is there again', async () => (await answered()) === 200);
  t.deepEqual(await articles.trashed(), []);
  await t.throwsAsync(articles.restore('nobody', ADA), { message: /in the trash/ });
});

test('410-trash: a removal whose commit was not made is committed by the next start', async (t) => {
  const dir = repository(t);
  const options = { ...inClone(dir), config: { site: false } };
  const first = await startHere(t, options);
  const { data, base } = await publish(first);
  const path = relative(dir, fileOf(dir, data.id));
  const log = () => commitsOf(dir, path);
  await until('its commit', () => log()[0] !== '');
  const articles = articlesOf(first);
  // A commit cannot be made now: as after a kill, only what is on the disk says that it is due.
  fs.writeFileSync(join(dir, '.git/BISECT_LOG'), '');
  await articles.trash(data.id, base, {}, ADA);
  await first.close();
  t.is(log().length, 1);
  fs.rmSync(join(dir, '.git/BISECT_LOG'));
  await startHere(t, options);
  await until('the commit', () => log().length === 2);
  t.is(log().at(-1), 'Ada Remove: Keeping bees on a balcony');
});

test('410-trash: a redirect is as browsers show it or without the path of the site, never to another host, and never to itself', async (t) => {
  const { receiver, articles } = await plainSite(t, false, 'https://garden.example/blog');
  const lead = ({ id, base }: { id: string; base: string }, redirect: string) =>
    articles.trash(id, base, { redirect }, ADA);
  for (const [redirect, location] of [
    ['/blog/other/', '/blog/other/'],
    ['/other/', '/blog/other/'],
    ['https://garden.example//evil', 'https://garden.example//evil'],
  ] as const) {
    const one = await publish(receiver);
    await lead(one, redirect);
    t.deepEqual(await page(receiver.origin, one.url), [301, location]);
  }
  const one = await publish(receiver);
  for (const redirect of [one.url.replace(/\/$/, ''), `${one.url}#top`, one.url.replace('https:', 'http:')])
    await t.throwsAsync(lead(one, redirect), { message: /to itself/ }, redirect);
});

test('410-trash: a URL stays with its article in the trash; only a person’s own file can take it; what is deleted for good leads nowhere, and no redelivery brings it back', async (t) => {
  const { dir, receiver, articles } = await plainSite(t, { search: false });
  const { origin } = receiver;
  for (const path of ['//', '//[', '//a:b/c', '/%'])
    t.is((await ask(origin, path)).status, 404, `${path}, which no URL parser takes`);
  t.deepEqual(
    receiver.log.filter(({ level }) => Number(level) >= 50),
    [],
  );
  const { data, url, base } = await publish(receiver);
  const file = fileOf(dir, data.id);
  const text = fs.readFileSync(file, 'utf8');
  const remove = () => articles.trash(data.id, base, { redirect: 'https://elsewhere.example/' }, ADA);
  await remove();
  const html = join(dir, 'public', new URL(url).pathname, 'index.html');
  const leadsElsewhere = () => fs.readFileSync(html, 'utf8').includes('url=https://elsewhere.example/');
  await until('its page leads elsewhere', () => fs.existsSync(html) && leadsElsewhere());
  const next = article({ slug: data.slug });
  t.is((await receiver.post('article.published', next)).json.url, url.replace(/\/$/, '-2/'));
  await articles.restore(data.id, ADA);
  t.is((await receiver.find(url)).id, data.id);

  await remove();
  const own = file.replace(/[^/]+$/, 'own-$&');
  fs.writeFileSync(own, text.replace(`id: "${data.id}"`, 'id: "own"'));
  await until('it is an article again', async () => (await page(origin, url))[0] === 200);
  await until('its page leads nowhere', () => !leadsElsewhere()); // which is built after the address is known
  await t.throwsAsync(articles.restore(data.id, ADA), { message: /has another article by now/ });
  t.is((await receiver.find(url)).id, 'own');
  fs.rmSync(own);

  await articles.deleteTrashed(data.id);
  t.deepEqual(await articles.trashed(), []);
  t.deepEqual(fs.readdirSync(join(dir, '.pressmark/trash')), ['articles.jsonl']);
  await until('its URL is unknown', async () => (await page(origin, url))[0] === 404);
  t.like((await receiver.post('article.published', data)).json, { received: true, id: data.id, url });
  t.is(await articles.get(data.id), undefined);
  await t.throwsAsync(articles.restore(data.id, ADA), { message: /in the trash/ });
});

test('410-trash: an article that is forgotten in the trash comes back at its own URL', async (t) => {
  const { dir, receiver, articles } = await plainSite(t, false);
  const { data, url, base } = await publish(receiver);
  await articles.trash(data.id, base, {}, ADA);
  const { code, stderr } = await runHere(['forget', data.id, '--dir', dir], { PRESSMARK_SITE_URL: SITE_URL });
  t.is(code, 0, stderr);
  t.like((await receiver.post('article.published', data)).json, { id: data.id, url });
  t.is((await receiver.find(url)).id, data.id);
});
