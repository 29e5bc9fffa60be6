import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { commitAndPush, gitIn, launchIn, makeRemote } from '../../support/clones.js';
import { article, update } from '../../support/events.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

/** A site with one article, whose receiver runs. */
async function siteWithArticle(t: ExecutionContext, config: Record<string, unknown>) {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  fs.writeFileSync(join(dir, '.gitignore'), 'public/\n.gitconfig\n');
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ site: false, ...config }));
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'First');
  const start = async () => {
    const receiver = await launchIn(dir, { storeOnly: false });
    t.teardown(() => receiver.kill('SIGKILL'));
    return receiver;
  };
  const receiver = await start();
  const data = article();
  const { json } = await receiver.post('article.published', data);
  await until('it is committed', () => gitIn(dir, 'ls-tree', '-r', 'main', 'content').trim() !== '');
  const path = gitIn(dir, 'ls-files', 'content').trim();
  const subjects = () => gitIn(dir, 'log', '--reverse', '--format=%s', 'main').trim().split('\n');
  const modeOf = (path: string) => gitIn(dir, 'ls-tree', 'main', path).split(' ', 1)[0];
  const updateOn = async (target: Awaited<ReturnType<typeof start>>) => {
    const { revision_id: base_revision_id } = await target.find(json.url);
    const change = update({ target_id: data.id, target_url: json.url, base_revision_id });
    return (await target.post('article.updated', change)).status;
  };
  /** A git command of the owner's, which needs the index: the receiver holds it for a moment longer than it takes to commit. */
  const ownGit = async (...args: string[]) => {
    await until('the index is free', () => !fs.existsSync(join(dir, '.git/index.lock')));
    return gitIn(dir, ...args);
  };
  return { dir, receiver, start, path, file: join(dir, path), subjects, modeOf, updateOn, ownGit };
}

for (const durability of ['disk', 'commit'])
  test(`200: with durability ${durability}, an executable file stays executable in git`, async (t) => {
    const git = { commitEdits: true };
    const { dir, receiver, path, file, subjects, modeOf, updateOn, ownGit } = await siteWithArticle(t, {
      durability,
      git,
    });
    fs.chmodSync(file, 0o755);
    await ownGit('commit', '--quiet', '-am', 'Executable');
    t.is(await updateOn(receiver), 200);
    await until('the update is committed', () => subjects().at(-1)?.startsWith('Update: ') === true);
    t.is(modeOf(path), '100755');
    t.is(gitIn(dir, 'status', '--porcelain'), '');

    fs.appendFileSync(file, 'my words\n');
    await until('the edit is committed', () => subjects().at(-1)?.startsWith('Edit: ') === true);
    t.is(modeOf(path), '100755');
    t.is(gitIn(dir, 'status', '--porcelain'), '');
  });

test('200: with durability push, a file that a person has made executable stays so on the remote and in the work tree', async (t) => {
  const clones = makeRemote(tempDir(t));
  const [dir, other] = [clones.clone('a'), clones.clone('b')];
  const receiver = await launchIn(dir, { storeOnly: false });
  t.teardown(() => receiver.kill('SIGKILL'));
  const data = article();
  const { json } = await receiver.post('article.published', data);
  gitIn(other, 'pull', '--quiet');
  const path = gitIn(other, 'ls-files', 'content').trim();
  fs.chmodSync(join(other, path), 0o755);
  gitIn(other, 'add', path);
  commitAndPush(other, 'notes.txt', 'notes\n');
  const isExecutable = () => (fs.statSync(join(dir, path)).mode & 0o100) !== 0;
  await until('the clone has followed', isExecutable);
  const { revision_id: base_revision_id } = await receiver.find(json.url);
  const change = update({ target_id: data.id, target_url: json.url, base_revision_id });
  t.is((await receiver.post('article.updated', change)).status, 200);
  t.is(clones.git('log', '-1', '--format=%(trailers:key=Revision-Id,valueonly)', 'main').trim(), change.id);
  t.is(clones.git('ls-tree', 'main', path).split(' ', 1)[0], '100755');
  const tip = clones.git('rev-parse', 'main').trim();
  await until('the clone has followed again', () => gitIn(dir, 'rev-parse', 'HEAD').trim() === tip);
  t.true(isExecutable());
  t.is(gitIn(dir, 'status', '--porcelain', 'content'), '');
});
