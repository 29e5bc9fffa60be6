import fs from 'node:fs';
import { get } from 'node:http';
import { join, relative } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { articlesOf, withCaller } from '../../support/articles-of.js';
import { gitIn, inClone } from '../../support/clones.js';
import { fileOf } from '../../support/content.js';
import { article } from '../../support/events.js';
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

test('410-trash: an article in the trash is gone from the site and from git, no redelivery brings it back, and it can be restored to the byte', async (t) => {
  const dir = repository(t);
  const receiver = await startHere(t, { ...inClone(dir), config: { site: { search: false } } });
  const articles = articlesOf(receiver);
  const { origin } = receiver;
  const { data, url, base } = await publish(receiver);
  const { url: other } = await publish(receiver);
  const file = fileOf(dir, data.id);
  const path = relative(dir, file);
  const log = () => commitsOf(dir, path);
  await until('its commit', () => log().length === 1 && log()[0] !== '');
  await until('its page', async () => (await page(origin, url))[0] === 200);
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
  await until('its page is gone', async () => (await page(origin, url))[0] === 410);
  await until('the commit', () => log().length === 2);
  t.is(log().at(-1), 'Ada Remove: Keeping bees on a balcony');
  t.is(gitIn(dir, 'status', '--porcelain', '--', 'content'), '');
  t.is(gitIn(dir, 'ls-tree', 'HEAD', path), '');
  const again = await receiver.post('article.published', data);
  t.like(again.json, { received: true, id: data.id, url });
  t.false(fs.existsSync(file));
  t.is((await receiver.post('article.lookup', { target_url: url })).status, 404);

  await articles.restore(data.id, BO);
  t.is(fs.readFileSync(file, 'utf8'), text);
  t.is((await receiver.find(url)).revision_id, base);
  await until('its page is there again', async () => (await page(origin, url))[0] === 200);
  await until('the third commit', () => log().length === 3);
  t.is(log().at(-1), 'Bo Restore: Keeping bees on a balcony');
  t.deepEqual(await articles.trashed(), []);

  await articles.trash(data.id, base, { redirect: new URL(other).pathname }, ADA);
  await until('its URL leads on', async () =>
    (await fetch(`${origin}${new URL(url).pathname}`).then((answer) => answer.text())).includes(
      `url=${other}`,
    ),
  );
  await until('four commits', () => log().length === 4);
  await t.throwsAsync(articles.restore('nobody', ADA), { message: /in the trash/ });
});

test('410-trash: without git, and with hosts that read _redirects, an article is removed and leads on', async (t) => {
  const dir = withCaller(tempDir(t));
  const receiver = await startHere(t, {
    dir,
    config: { git: false, site: { search: false, hosting: 'netlify' } },
  });
  const articles = articlesOf(receiver);
  const { data, url, base } = await publish(receiver);
  await articles.trash(data.id, base, { redirect: 'https://elsewhere.example/bees' }, ADA);
  const redirects = join(dir, 'public/_redirects');
  await until('the file for the host', () => fs.existsSync(redirects));
  t.is(
    fs.readFileSync(redirects, 'utf8'),
    `# Pressmark\n${new URL(url).pathname} https://elsewhere.example/bees 301\n`,
  );
  await articles.restore(data.id, ADA);
  await until('the file has gone', () => !fs.existsSync(redirects));
  t.is((await receiver.find(url)).revision_id, base);
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

test('410-trash: a path that no URL parser takes is a 404, as any other', async (t) => {
  const receiver = await startHere(t, { config: { git: false, site: { search: false } } });
  const { port } = receiver;
  const statusOf = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      get({ port, path, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).on('error', reject);
    });
  for (const path of ['//', '/\\', '//[', '//a:b', '//a:b/c', '/%', '/a?b//['])
    t.is(await statusOf(path), 404, path);
  t.deepEqual(
    receiver.log.filter(({ level }) => Number(level) >= 50),
    [],
  );
});

test('410-trash: no redirect leads to itself, also over others', async (t) => {
  const receiver = await startHere(t, { dir: withCaller(tempDir(t)), config: { git: false, site: false } });
  const articles = articlesOf(receiver);
  const [one, two, three] = [await publish(receiver), await publish(receiver), await publish(receiver)];
  const { pathname, host } = new URL(one.url);
  for (const redirect of [
    one.url,
    one.url.replace(/\/$/, ''),
    `${one.url}#top`,
    pathname,
    `/x/..${pathname}`,
    `http://${host}${pathname}`,
  ])
    await t.throwsAsync(
      articles.trash(one.id, one.base, { redirect }, ADA),
      { message: /to itself/ },
      redirect,
    );
  await articles.trash(one.id, one.base, { redirect: two.url }, ADA);
  await t.throwsAsync(articles.trash(two.id, two.base, { redirect: one.url }, ADA), { message: /to itself/ });
  await articles.trash(two.id, two.base, { redirect: three.url }, ADA);
  await t.throwsAsync(articles.trash(three.id, three.base, { redirect: one.url }, ADA), {
    message: /to itself/,
  });
  await articles.trash(three.id, three.base, { redirect: 'https://elsewhere.example/' }, ADA);
});

test('410-trash: on a site below a path, a redirect is as browsers show it or without that path, and never to another host', async (t) => {
  const receiver = await startHere(t, {
    dir: withCaller(tempDir(t)),
    config: { git: false, site: false },
    env: { PRESSMARK_SITE_URL: 'https://garden.example/blog' },
  });
  const articles = articlesOf(receiver);
  for (const [redirect, location] of [
    ['/blog/other/', '/blog/other/'],
    ['/other/', '/blog/other/'],
    ['/blogger/', '/blog/blogger/'],
    ['https://garden.example//evil', 'https://garden.example//evil'],
  ] as const) {
    const { id, url, base } = await publish(receiver);
    await articles.trash(id, base, { redirect }, ADA);
    t.deepEqual(await page(receiver.origin, url), [301, location]);
  }
});

test('410-trash: a URL stays with its article in the trash; only a person’s own file can take it', async (t) => {
  const dir = withCaller(tempDir(t));
  const config = { git: false, site: { search: false, hosting: 'netlify' } };
  const receiver = await startHere(t, { dir, config });
  const articles = articlesOf(receiver);
  const { origin } = receiver;
  const { data, url, base } = await publish(receiver);
  const file = fileOf(dir, data.id);
  const text = fs.readFileSync(file, 'utf8');
  const remove = (id: string, revision: string) =>
    articles.trash(id, revision, { redirect: 'https://elsewhere.example/' }, ADA);
  await remove(data.id, base);
  const redirects = join(dir, 'public/_redirects');
  await until('it leads on', () => fs.existsSync(redirects));
  const next = article({ slug: data.slug });
  t.is((await receiver.post('article.published', next)).json.url, url.replace(/\/$/, '-2/'));
  await articles.restore(data.id, ADA);
  t.is((await receiver.find(url)).id, data.id);

  await remove(data.id, base);
  fs.writeFileSync(file.replace(/[^/]+$/, 'own-$&'), text.replace(`id: "${data.id}"`, 'id: "own"'));
  await until('it is an article again', async () => (await page(origin, url))[0] === 200);
  await until('the host is not told', () => !fs.existsSync(redirects));
  await t.throwsAsync(articles.restore(data.id, ADA), { message: /has another article by now/ });
  t.is((await receiver.find(url)).id, 'own');
  t.like(await articles.trashed(), [{ id: data.id }]);
  await articles.deleteTrashed(data.id);
  fs.rmSync(file.replace(/[^/]+$/, 'own-$&'));
  await until('nothing is there', async () => (await page(origin, url))[0] === 404);
});

test('410-trash: what is deleted for good leads nowhere, and no redelivery brings it back', async (t) => {
  const dir = withCaller(tempDir(t));
  const receiver = await startHere(t, { dir, config: { git: false, site: { search: false } } });
  const articles = articlesOf(receiver);
  const { data, url, base } = await publish(receiver);
  await t.throwsAsync(articles.deleteTrashed(data.id), { message: /in the trash/ });
  await articles.trash(data.id, base, { redirect: 'https://elsewhere.example/' }, ADA);
  await until('it leads on', async () =>
    /elsewhere/.test(
      await fetch(`${receiver.origin}${new URL(url).pathname}`, { redirect: 'manual' }).then(
        async (answer) => `${answer.headers.get('location')}${await answer.text()}`,
      ),
    ),
  );
  await articles.deleteTrashed(data.id);
  t.deepEqual(await articles.trashed(), []);
  t.deepEqual(fs.readdirSync(join(dir, '.pressmark/trash')), ['articles.jsonl']);
  await until('its URL is unknown', async () => (await page(receiver.origin, url))[0] === 404);
  t.like((await receiver.post('article.published', data)).json, { received: true, id: data.id, url });
  t.is(await articles.get(data.id), undefined);
  await t.throwsAsync(articles.restore(data.id, ADA), { message: /in the trash/ });
});

test('410-trash: at level commit a restoration is committed as one, by the person who restores', async (t) => {
  const dir = repository(t);
  const options = inClone(dir);
  const receiver = await startHere(t, { ...options, config: { site: false, durability: 'commit' } });
  const articles = articlesOf(receiver);
  const { data, base } = await publish(receiver);
  const path = relative(dir, fileOf(dir, data.id));
  const log = () => commitsOf(dir, path);
  await articles.trash(data.id, base, {}, ADA);
  await until('the removal is committed', () => log().length === 2);
  await articles.restore(data.id, BO);
  t.is(log().at(-1), 'Bo Restore: Keeping bees on a balcony');
  t.is(log().length, 3);
});
