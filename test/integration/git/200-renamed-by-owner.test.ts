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

function repository(t: ExecutionContext): string {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  fs.writeFileSync(join(dir, '.gitignore'), 'pressmark.config.json\n');
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'First');
  return dir;
}

/** Publishes one article and waits for its commit. */
async function publish(receiver: ReceiverHere, id: string) {
  const data = article({ id, slug: id, title: id });
  const { url } = (await receiver.post('article.published', data)).json;
  await until('it is committed', () => subjects(receiver.dir).includes(`Publish: ${id}`));
  const path = relative(receiver.dir, fileOf(receiver.dir, id));
  return { data, url, path, renamed: join(dirname(path), `${id}-renamed.md`) };
}

test('files that their owner has renamed or copied, and what is staged, are left to them: while a receiver runs, at a stop, and at the next start', async (t) => {
  const dir = repository(t);
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
  ].sort();
  t.deepEqual(status(dir), renames);
  const second = await start(t, dir, { git });
  // Redeliveries change nothing either.
  for (const { data, url } of [one, five]) {
    const again = await second.post('article.published', data);
    t.deepEqual([again.status, again.json.url], [200, url]);
  }
  await publish(second, 'last');
  await second.close();
  t.deepEqual(subjects(dir), [...before, 'Publish: last']);
  t.deepEqual(status(dir), renames);
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

test('an update of an article that was renamed waits for the commit of its owner, and nothing is lost by it', async (t) => {
  const dir = repository(t);
  const receiver = await start(t, dir);
  const { url, path, renamed } = await publish(receiver, 'one');
  gitIn(dir, 'mv', path, renamed);
  await until('it is found under its new name', async () => {
    const { revision_id: base_revision_id } = await receiver.find(url);
    const change = update({ target_id: 'one', target_url: url, base_revision_id });
    return (await receiver.post('article.updated', change)).status === 200;
  });
  await publish(receiver, 'other');
  t.deepEqual(subjects(dir), ['First', 'Publish: one', 'Publish: other']);
  t.deepEqual(status(dir), [`RM ${path} -> ${renamed}`]);
  gitIn(dir, 'commit', '--quiet', '-m', 'Renamed');
  await until('the update is committed', () => subjects(dir).at(-1)?.startsWith('Update: ') === true);
  await until('nothing is left', () => status(dir).join() === '');
});

test('an article that was renamed by its owner, at level commit: a redelivery is 200, as git has its text; an update is 503, with the reason', async (t) => {
  const dir = repository(t);
  const receiver = await start(t, dir, { durability: 'commit' });
  const { data, url, path, renamed } = await publish(receiver, 'one');
  await receiver.close();
  gitIn(dir, 'mv', path, renamed);
  const second = await start(t, dir, { durability: 'commit' });
  const again = await second.post('article.published', data);
  t.deepEqual([again.status, again.json.url], [200, url]);
  const { revision_id: base_revision_id } = await second.find(url);
  const change = update({ target_id: 'one', target_url: url, base_revision_id });
  const refused = await second.post('article.updated', change);
  t.is(refused.status, 503);
  t.true(refused.json.error?.includes(`git has it as ${path}: the rename is yours to commit`));
  t.deepEqual(status(dir), [`RM ${path} -> ${renamed}`]);
  gitIn(dir, 'commit', '--quiet', '-am', 'Renamed');
  t.is((await second.post('article.updated', change)).status, 200);
  t.deepEqual(subjects(dir), ['First', 'Publish: one', 'Renamed']);
});
