import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { findLockHelper } from '../../../src/fs/lock-helper.js';
import { openRepository } from '../../../src/git/cli/repository.js';
import { createIndexLocker } from '../../../src/git/commit/index-lock.js';
import { openRemoteTree } from '../../../src/git/remote-store/remote-tree.js';
import { gitEnvironment, gitIn, makeRemote } from '../../support/clones.js';
import { tempDir } from '../../support/temp-dir.js';
import { blank, makeSite, withGit } from './site.js';

/** More commits than are written as files of their own. */
const MANY = 6;

function keepFiles(top: string): string[] {
  const folder = join(top, '.git/objects/pack');
  return fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => name.endsWith('.keep')) : [];
}

for (const state of ['put on the branch', 'parked'] as const)
  test(`a pack of commits that are ${state} outlives a repack before the ref has moved`, async (t) => {
    const site = await makeSite(t);
    if (state === 'parked') await site.git('checkout', '-q', '--detach');
    const seen = join(site.top, '..', 'seen');
    fs.writeFileSync(seen, '');
    const repack = `cat .git/objects/pack/*.keep >> '${seen}'; "$GIT" repack -a -d -q`;
    await site.start({ env: await withGit(site, `case "$*" in *update-ref*) ${repack};; esac`) });
    // Where the machine is slow, the articles may come to git in batches that are not many.
    for (let count = 0; count < 20 * MANY && fs.readFileSync(seen, 'utf8') === ''; count += MANY) {
      const ids = Array.from({ length: MANY }, (_, index) => `article-${count + index}`);
      await Promise.all(ids.map((id) => site.publish(id)));
      const isDone = () =>
        state === 'parked' ? site.logged('parked').length > 0 : site.committed.length > count;
      await site.until('git has articles', isDone);
    }
    if (state === 'parked') await site.git('checkout', '-q', 'main');
    await site.untilCommitted(site.articles.size);
    t.regex(fs.readFileSync(seen, 'utf8'), /^(?:pressmark pressmark\/token-[0-9a-f]+\n)+$/);
    t.is(await site.git('fsck', '--full', '--no-dangling'), '');
    t.is(await site.git('status', '--porcelain'), '');
    await site.stop();
    t.deepEqual(keepFiles(site.top), []);
  });

test('the .keep files that a killed receiver has left are removed at the next start, and no others', async (t) => {
  const site = await makeSite(t);
  const folder = join(site.top, '.git/objects/pack');
  fs.mkdirSync(join(site.top, '.git/pressmark'));
  for (const token of ['dead', 'living'])
    fs.writeFileSync(join(site.top, '.git/pressmark', `token-${token}`), '');
  const living = await fs.promises.open(join(site.top, '.git/pressmark/token-living'));
  t.teardown(() => living.close());
  t.true(await findLockHelper().take(living.fd, 0));
  for (const [name, text] of [
    ['one', 'pressmark pressmark/token-dead\n'],
    ['two', 'pressmark pressmark/token-gone\n'],
    ['three', 'pressmark pressmark/token-living\n'],
    ['four', ''],
    ['five', 'fetch-pack 1 on example\n'],
  ] as const)
    fs.writeFileSync(join(folder, `pack-${name}.keep`), text);
  const host = await site.start();
  await host.hooks.doAction('host.ready', { url: '' });
  await site.untilLogged('articles compared with the branch');
  t.deepEqual(keepFiles(site.top).sort(), ['pack-five.keep', 'pack-four.keep', 'pack-three.keep']);
});

test('commits that are pushed outlive a repack before a ref of the clone leads to them', async (t) => {
  const clones = makeRemote(tempDir(t));
  const dir = clones.clone('a');
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  const log = pino({ level: 'silent' });
  const locker = createIndexLocker(repository, findLockHelper(), log);
  t.teardown(() => locker.close());
  const repack = () => gitIn(dir, 'repack', '-a', '-d', '-q');
  const person = { name: 'Ada', email: 'ada@example.org' };
  const tree = await openRemoteTree({
    repository,
    remote: {
      name: 'the git remote',
      ref: 'refs/heads/main',
      fetch: async (known) => known,
      push: async (commit) => {
        repack();
        t.notThrows(() => gitIn(dir, 'rev-list', '--objects', commit));
        return { outcome: 'accepted' };
      },
    },
    identity: { author: person, committer: person },
    folder: 'content/',
    tip: gitIn(dir, 'rev-parse', 'HEAD').trim(),
    log,
    keepPacks: locker.keepPacks,
    onFetched: async () => undefined,
    onTip: () => undefined,
  });
  const push = (name: string) =>
    tree.queue.push({
      path: `${name}.md`,
      text: name,
      replaces: null,
      article: blank(name),
      message: Promise.resolve(`Publish ${name}\n`),
      deadline: Number.POSITIVE_INFINITY,
      isCurrent: () => true,
      accepted: () => undefined,
      committed: () => undefined,
    });
  const round = (count: number) =>
    Promise.all(Array.from({ length: MANY }, (_, index) => push(`${count}-${index}`)));
  await round(1);
  repack();
  const release = tree.releaseLater();
  await round(2);
  gitIn(dir, 'update-ref', 'refs/pressmark/remote', tree.tip ?? '');
  await release();
  t.is(gitIn(dir, 'fsck', '--full', '--no-dangling'), '');
  t.true(keepFiles(dir).length > 0, 'of the second round');
  await tree.releaseLater()();
  t.deepEqual(keepFiles(dir), []);
  await tree.queue.close();
});
