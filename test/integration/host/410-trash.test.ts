import fs from 'node:fs';
import { join, relative } from 'node:path';
import test from 'ava';
import { articlesOf, withCaller } from '../../support/articles-of.js';
import { gitIn, inClone } from '../../support/clones.js';
import { fileOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const ADA = { name: 'Ada', email: 'ada@example.org' };
const BO = { name: 'Bo' };

const page = async (origin: string, url: string) => {
  const { status, headers } = await fetch(`${origin}${new URL(url).pathname}`, { redirect: 'manual' });
  return [status, headers.get('location')];
};

test('410-trash: an article in the trash is gone from the site and from git, no redelivery brings it back, and it can be restored to the byte', async (t) => {
  const dir = withCaller(tempDir(t));
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', 'First');
  const receiver = await startHere(t, { ...inClone(dir), config: { site: { search: false } } });
  const articles = articlesOf(receiver);
  const { origin } = receiver;
  const data = article();
  const { url } = (await receiver.post('article.published', data)).json;
  const other = (await receiver.post('article.published', article())).json.url;
  const file = fileOf(dir, data.id);
  const path = relative(dir, file);
  const log = () => gitIn(dir, 'log', '--reverse', '--format=%an %s', 'main', '--', path).trim().split('\n');
  await until('its commit', () => log().length === 1 && log()[0] !== '');
  await until('its page', async () => (await page(origin, url))[0] === 200);
  const text = fs.readFileSync(file, 'utf8');
  const base = (await articles.get(data.id))?.revision ?? '';

  await t.throwsAsync(articles.trash(data.id, 'another', {}, ADA), { message: /has changed since/ });
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
  const data = article();
  const { url } = (await receiver.post('article.published', data)).json;
  const base = (await articles.get(data.id))?.revision ?? '';
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
  const dir = withCaller(tempDir(t));
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', 'First');
  const options = { ...inClone(dir), config: { site: false } };
  const first = await startHere(t, options);
  const data = article();
  await first.post('article.published', data);
  const path = relative(dir, fileOf(dir, data.id));
  const log = () => gitIn(dir, 'log', '--reverse', '--format=%an %s', 'main', '--', path).trim().split('\n');
  await until('its commit', () => log()[0] !== '');
  const articles = articlesOf(first);
  // A commit cannot be made now: as after a kill, only what is on the disk says that it is due.
  fs.writeFileSync(join(dir, '.git/BISECT_LOG'), '');
  await articles.trash(data.id, (await articles.get(data.id))?.revision ?? '', {}, ADA);
  await first.close();
  t.is(log().length, 1);
  fs.rmSync(join(dir, '.git/BISECT_LOG'));
  await startHere(t, options);
  await until('the commit', () => log().length === 2);
  t.is(log().at(-1), 'Ada Remove: Keeping bees on a balcony');
});
