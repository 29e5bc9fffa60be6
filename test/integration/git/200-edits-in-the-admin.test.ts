import fs from 'node:fs';
import { join, relative } from 'node:path';
import test from 'ava';
import { articlesOf, withCaller } from '../../support/articles-of.js';
import { gitIn, inClone } from '../../support/clones.js';
import { edit, fileOf, fileOfSoon } from '../../support/content.js';
import { article } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const ADA = { name: 'Ada <Lovelace>', email: 'ada@example.org' };
const BO = { name: 'Bo' };

/** The commits of a file, oldest first. */
const commitsOf = (dir: string, path: string, format = '%an %s', at = 'main') =>
  gitIn(dir, 'log', '--reverse', `--format=${format}`, at, '--', path)
    .split('\n')
    .filter((line) => line !== '');

/** A site in a git repository, and its receiver. */
async function committed(t: Parameters<typeof startHere>[0], durability: 'disk' | 'commit') {
  const dir = withCaller(tempDir(t as never));
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', 'First');
  const receiver = await startHere(t, { ...inClone(dir), config: { site: false, durability } });
  return { dir, receiver, articles: articlesOf(receiver) };
}

test('200-edits-in-the-admin: each is a commit by its person', async (t) => {
  const { dir, receiver, articles } = await committed(t, 'disk');
  const data = article();
  await receiver.post('article.published', data);
  const path = relative(dir, fileOf(dir, data.id));
  const isCommitted = (file: string, n: number) =>
    until(`${n} commits`, () => commitsOf(dir, file).length === n);
  await isCommitted(path, 1);
  const base = (await articles.get(data.id))?.revision ?? '';
  await articles.edit(data.id, base, { title: 'Housing bees' }, ADA);
  await isCommitted(path, 2);
  t.deepEqual(commitsOf(dir, path).at(-1), 'Ada Lovelace Edit: Housing bees');
  t.deepEqual(commitsOf(dir, path, '%ae %cn').at(-1), 'ada@example.org Pressmark');
  const [now, first] = await articles.history(data.id);
  t.like(now, { current: true, author: ADA, subject: 'Edit: Housing bees', keptIn: null });
  t.is((await articles.at(data.id, first?.commit ?? '')).body, data.content_markdown);

  const created = await articles.create(
    { title: 'Wax', description: '', tags: ['Bees'], author: 'Bo', image: null, body: 'Of *wax*.' },
    BO,
  );
  const written = relative(dir, await fileOfSoon(dir, created.id));
  await isCommitted(written, 1);
  t.deepEqual(commitsOf(dir, written), ['Bo Publish: Wax']);
  t.like(await receiver.find(created.url), { title: 'Wax', content_html: '<p>Of <em>wax</em>.</p>\n' });
  const { revision_id: stored } = await receiver.find(created.url);
  await articles.setStateBy(created.id, stored, 'held', undefined, ADA);
  await isCommitted(written, 2);
  t.is(commitsOf(dir, written).at(-1), 'Ada Lovelace Change: Wax');
});

test('200-edits-in-the-admin: at level commit, what could not be committed is committed when the same person sends it again; an edit by hand is committed before one in the admin', async (t) => {
  const { dir, receiver, articles } = await committed(t, 'commit');
  const data = article();
  await receiver.post('article.published', data);
  const file = fileOf(dir, data.id);
  const path = relative(dir, file);
  const base = (await articles.get(data.id))?.revision ?? '';
  const lock = join(dir, '.git/refs/heads/main.lock');
  const edited = () => articles.edit(data.id, base, { title: 'Housing bees' }, ADA);
  const once = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error) => {
      if (!String(error).includes('git took longer than')) throw error;
      return once(work); // the machine is busy
    });
  const key = '00112233445566aa';
  const written = { title: 'Wax', description: '', tags: [], author: '', image: null, body: 'Of wax.', key };
  fs.writeFileSync(lock, '');
  await Promise.all([
    t.throwsAsync(edited(), { message: /commit/ }),
    t.throwsAsync(articles.create(written, ADA), { message: /commit/ }),
  ]);
  fs.rmSync(lock);
  const { revision } = await once(edited);
  t.is(commitsOf(dir, path).at(-1), 'Ada Lovelace Edit: Housing bees');
  const { id } = await once(() => articles.create(written, ADA));
  t.deepEqual(commitsOf(dir, relative(dir, fileOf(dir, id))), ['Ada Lovelace Publish: Wax']);

  edit(file, 'Out of the wind.\n\n<!--', 'By hand.\n\n<!--');
  const byHand = await articles.open(data.id);
  t.regex(byHand?.revision ?? '', /^edit-/);
  t.true(byHand?.edited);
  await t.throwsAsync(articles.edit(data.id, revision, { title: 'Stale' }, BO), { message: /made from/ });
  await once(() => articles.edit(data.id, byHand?.revision ?? '', { description: 'In short.' }, BO));
  t.deepEqual(commitsOf(dir, path).slice(2), ['Pressmark Edit: Housing bees', 'Bo Edit: Housing bees']);
  t.like(await articles.get(data.id), { title: 'Housing bees', description: 'In short.' });
  t.regex(fs.readFileSync(file, 'utf8'), /By hand\.\n\n<!--/);
  t.is(gitIn(dir, 'status', '--porcelain', '--', path), '');
});
