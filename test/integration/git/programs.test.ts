import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { makeSite, withGit } from './site.js';

test('a git that is too old', async (t) => {
  const site = await makeSite(t);
  const env = await withGit(site, 'case "$*" in *version*) echo git version 1.8.3.1; exit;; esac');
  await site.start({ env });
  await site.publish('one');
  await site.stop();
  t.deepEqual(
    site.log.map(({ level, msg }) => [level, msg]),
    [[40, 'articles are not committed: git 1.8 is too old; 2.31 is needed']],
  );
});

test('a git that hangs at the start', async (t) => {
  const site = await makeSite(t);
  const env = await withGit(site, 'sleep 600');
  await site.start({ env, timeoutMs: 300 });
  await site.stop();
  t.deepEqual(
    site.log.map(({ level, msg }) => [level, msg]),
    [[40, 'articles are not committed: git does not work here: git version took longer than 0.3 s']],
  );
});

test('a git that hangs later is ended, its children too, and tried again', async (t) => {
  const site = await makeSite(t);
  const mark = join(site.top, '..', 'hang');
  const env = await withGit(
    site,
    `case "$*" in *fast-import*) if [ -e '${mark}' ]; then sleep 600 & wait; fi;; esac`,
  );
  await writeFile(mark, '');
  await site.start({ env, timeoutMs: 3_000 });
  await site.publish('one');
  await site.until('it has hung', () => site.log.some(({ level }) => level === 50));
  await rm(mark);
  await site.untilCommitted(1);
  t.true(site.log.some(({ msg }) => msg === 'commits work again'));
  t.is(await site.git('status', '--porcelain'), '');
});

for (const command of ['fast-import', 'update-index', 'update-ref']) {
  test(`a full disk at ${command}`, async (t) => {
    const site = await makeSite(t);
    const mark = join(site.top, '..', 'full');
    // a file may have no byte any more: what the kernel says then is as good as that the disk is full
    const env = await withGit(
      site,
      `case "$*" in *${command}*) [ -e '${mark}' ] && trap '' XFSZ && ulimit -f 0;; esac`,
    );
    await site.start({ env });
    const path = await site.publish('one');
    await site.untilCommitted(1);
    await writeFile(mark, '');
    await site.update('one', { revision: 'r2' });
    await site.publish('two');
    await site.until('it has failed', () => site.log.some(({ level }) => level === 50));
    t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one']);
    t.is(await site.git('fsck', '--full', '--no-dangling'), '');
    await rm(mark);
    await site.untilCommitted(3);
    t.is(await site.git('show', `HEAD:${path}`), await site.read(path));
    t.is(await site.git('status', '--porcelain'), '');
    t.is(await site.git('fsck', '--full', '--no-dangling'), '');
  });
}
