import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { gitIn, inClone } from '../../support/clones.js';
import { fileOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { type ReceiverHere, startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { makeSite, startAndCheck } from './site.js';

const subjects = (dir: string) => gitIn(dir, 'log', '--reverse', '--format=%s').trim().split('\n');
const status = (dir: string) => gitIn(dir, 'status', '--porcelain', '-uall').trimEnd().split('\n').sort();

const start = (t: ExecutionContext, dir: string, config: object = {}): Promise<ReceiverHere> =>
  startHere(t, { ...inClone(dir), config: { site: false, ...config } });

const NEVER_READ = ['content/page.mdx', 'content/script.md'];

/** Publishes one article and waits for its commit. */
async function publish(receiver: ReceiverHere, id: string) {
  const data = article({ id, slug: id, title: id });
  const { url } = (await receiver.post('article.published', data)).json;
  await until('it is committed', () => subjects(receiver.dir).includes(`Publish: ${id}`));
  const path = relative(receiver.dir, fileOf(receiver.dir, id));
  return { data, url, path, renamed: join(dirname(path), `${id}-renamed.md`) };
}

test('files that their owner has renamed or copied, what is staged, and what is never read are left to them: while a receiver runs, at a stop, and at the next start; the update of a renamed one waits for their commit', async (t) => {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  fs.writeFileSync(join(dir, '.gitignore'), 'pressmark.config.json\n');
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'First');
  fs.mkdirSync(join(dir, 'content'));
  for (const path of NEVER_READ) fs.writeFileSync(join(dir, path), '---js\n({})\n---\n');
  const git = { commitEdits: true };
  const first = await start(t, dir, { git });
  const [one, two, three, four] = await Promise.all([
    publish(first, 'one'),
    publish(first, 'two'),
    publish(first, 'three'),
    publish(first, 'four'),
  ]);
  const before = subjects(dir);
  fs.renameSync(join(dir, one.path), join(dir, one.renamed));
  gitIn(dir, 'mv', two.path, two.renamed);
  fs.renameSync(join(dir, three.path), join(dir, three.renamed));
  fs.appendFileSync(join(dir, three.renamed), 'and my words\n');
  fs.copyFileSync(join(dir, four.path), join(dir, four.renamed));
  const five = await publish(first, 'five');
  // Until then what is in the index may be Pressmark's, and is committed by the next receiver.
  await until('the ref of the last commit is gone', () => !gitIn(dir, 'for-each-ref').includes('pressmark'));
  await first.close();
  // As if Pressmark had not come to the last one before its owner has staged it.
  gitIn(dir, 'reset', '--quiet', '--soft', 'HEAD~1');
  const renames = [
    `A  ${five.path}`,
    ` D ${one.path}`,
    `?? ${one.renamed}`,
    `R  ${two.path} -> ${two.renamed}`,
    ` D ${three.path}`,
    `?? ${three.renamed}`,
    `?? ${four.renamed}`,
    ...NEVER_READ.map((path) => `?? ${path}`),
  ].sort();
  t.deepEqual(status(dir), renames);
  const second = await start(t, dir, { git });
  // Redeliveries change nothing either.
  for (const { data, url } of [one, five]) {
    const again = await second.post('article.published', data);
    t.deepEqual([again.status, again.json.url], [200, url]);
  }
  await publish(second, 'last');
  t.deepEqual(subjects(dir), [...before, 'Publish: last']);
  t.deepEqual(status(dir), renames);

  await until('the article is found under its new name', async () => {
    const { revision_id: base_revision_id } = await second.find(two.url);
    const change = update({ target_id: 'two', target_url: two.url, base_revision_id });
    return (await second.post('article.updated', change)).status === 200;
  });
  await publish(second, 'other');
  t.deepEqual(status(dir), renames.map((line) => line.replace('R ', 'RM')).sort());
  gitIn(dir, 'commit', '--quiet', '-m', 'Renamed');
  await until('the update is committed', () => subjects(dir).at(-1)?.startsWith('Update: ') === true);
  await second.close();
  t.deepEqual(
    status(dir),
    renames.filter((line) => /^ D|\?\?/.test(line)),
  );
  const subject = 'Update: Keeping bees on a windy balcony';
  t.deepEqual(subjects(dir).slice(before.length), ['Publish: last', 'Publish: other', 'Renamed', subject]);
  t.deepEqual(
    [...first.log, ...second.log].filter(({ path }) => NEVER_READ.includes(String(path))),
    [],
    NEVER_READ.join(),
  );
});

test('a file that is gone from outside of the content folder is no earlier place of an article', async (t) => {
  const site = await makeSite(t);
  const path = await site.publish('one');
  await site.write('archive/one.md', await site.read(path));
  await site.git('add', 'archive');
  await site.git('commit', '-qm', 'Archive');
  fs.rmSync(join(site.dir, 'archive/one.md'));
  await startAndCheck(site, { content: 'content/' });
  t.deepEqual(await site.subjects(), ['First', 'Archive', 'Publish: Title of one']);
  t.is(await site.git('status', '--porcelain'), ' D archive/one.md\n');
});
