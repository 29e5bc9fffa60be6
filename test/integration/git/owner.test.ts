import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { makeSite } from './site.js';

test("the owner's staged and unstaged changes stay as they are", async (t) => {
  const site = await makeSite(t);
  await site.write('both.md', 'one\n');
  await site.write('gone.md', 'one\n');
  await site.git('add', '.');
  await site.git('commit', '-qm', 'Second');
  await site.write('both.md', 'staged\n');
  await site.write('new.md', 'staged\n');
  await site.git('add', '.');
  await site.git('rm', '-q', '--cached', 'gone.md');
  await site.write('both.md', 'unstaged\n');
  await site.write('untracked.md', '?\n');
  const before = await site.git('status', '--porcelain');
  t.is(before, 'MM both.md\nD  gone.md\nA  new.md\n?? gone.md\n?? untracked.md\n');

  await site.start();
  await site.publish('one');
  await site.untilCommitted(1);
  await site.update('one', { revision: 'r2' });
  await site.untilCommitted(2);
  t.is(await site.git('status', '--porcelain'), before);
  t.is(await site.git('show', ':both.md'), 'staged\n');
  t.is(await site.git('diff', '--name-only', 'HEAD~2', 'HEAD', '--', ':!content'), '');
});

test('what the owner has staged at the very path stays staged', async (t) => {
  const site = await makeSite(t);
  await site.start();
  const path = await site.publish('one');
  await site.untilCommitted(1);
  await site.write(path, 'my own words\n');
  await site.git('add', '.');
  await site.update('one', { revision: 'r2' });
  await site.untilCommitted(2);
  t.is(await site.git('show', `:${path}`), 'my own words\n');
  t.true((await site.git('show', `HEAD:${path}`)).includes('r2'));
  t.true(site.log.some(({ level, msg }) => level === 40 && msg.includes('staged')));
});

test('an article that the owner has staged as it is becomes a commit of its own', async (t) => {
  const site = await makeSite(t);
  const lock = join(site.top, '.git', 'index.lock');
  await site.start();
  await writeFile(lock, '');
  const path = await site.publish('one');
  await rm(lock);
  await site.git('add', path);
  await site.untilCommitted(1);
  t.is(await site.git('status', '--porcelain'), '');
});

test('a busy index is waited for, and its lock is never removed', async (t) => {
  const site = await makeSite(t);
  const lock = join(site.top, '.git', 'index.lock');
  await writeFile(lock, 'the owner');
  await site.start();
  await site.publish('one');
  await setTimeout(1_500);
  t.is(site.committed.length, 0);
  t.is(await readFile(lock, 'utf8'), 'the owner');
  await rm(lock);
  await site.untilCommitted(1);
  t.is(await site.git('status', '--porcelain'), '');
});

test("a killed Pressmark's lock is removed; a living one's is not", async (t) => {
  const site = await makeSite(t);
  const lock = join(site.top, '.git', 'index.lock');
  const folder = join(site.top, '.git', 'pressmark');
  await site.start();
  await site.publish('one');
  await site.untilCommitted(1);
  // a token without a living process
  await writeFile(join(folder, 'token-dead'), '');
  await writeFile(join(folder, 'index-dead'), 'half an index');
  await link(join(folder, 'token-dead'), lock);
  await site.publish('two');
  await site.untilCommitted(2);
  t.deepEqual(await site.git('status', '--porcelain'), '');
  t.true(site.log.some(({ msg }) => msg.includes('killed Pressmark')));
  // another receiver beside this one
  await site.start();
  await site.publish('three');
  await site.until('three is committed', async () =>
    (await site.subjects()).includes('Publish: Title of three'),
  );
  t.is((await site.subjects()).length, 4);
});

test("a person's edit is never committed", async (t) => {
  const site = await makeSite(t);
  await site.start();
  const path = await site.publish('one');
  const stored = await site.read(path);
  await site.write(path, `${stored}\nand my words\n`);
  await site.untilCommitted(1);
  t.is(await site.git('show', `HEAD:${path}`), stored);
  t.is(await site.git('status', '--porcelain'), ` M ${path}\n`);
});

test('an edit that the owner has committed since the delivery is not undone', async (t) => {
  const site = await makeSite(t);
  await site.start();
  const path = await site.publish('one');
  await site.untilCommitted(1);
  await site.git('checkout', '-q', '--detach');
  await site.update('one', { revision: 'r2' });
  await site.until('it waits', () => site.log.some(({ msg }) => msg.includes('on a branch again')));
  await site.write(path, `${await site.read(path)}\nand my words\n`);
  await site.git('commit', '-qam', 'My words');
  await site.git('checkout', '-q', '-B', 'main');
  await site.publish('two');
  await site.until('two', async () => (await site.subjects()).at(-1) === 'Publish: Title of two');
  t.true((await site.git('show', `HEAD:${path}`)).includes('and my words'));
  t.is(await site.git('status', '--porcelain'), '');
});

test('an owner who commits all the time: everything is in HEAD, nothing of theirs is swept in', async (t) => {
  const site = await makeSite(t);
  await site.start();
  let storming = true;
  let owners = 0;
  const storm = (async () => {
    while (storming) {
      await site.write('notes.txt', `${owners}\n`);
      await site.write('draft.txt', `${owners} not to be committed\n`);
      try {
        await site.git('add', 'notes.txt');
        await site.git('commit', '-qm', `Note ${owners}`);
        owners++;
      } catch {
        // git does not wait for a lock; the owner tries again
      }
    }
  })();
  for (let index = 0; index < 40; index++) {
    await site.publish(`article-${index}`);
    if (index % 2 === 1) await site.update(`article-${index}`, { revision: `r-${index}` });
    await setTimeout(25);
  }
  await site.untilCommitted(60);
  storming = false;
  await storm;
  t.true(owners > 0);
  const log = await site.git('log', '--format=%x01%s', '--name-only');
  for (const entry of log.split('\x01').slice(1)) {
    const [subject = '', ...files] = entry.split('\n').filter((line) => line !== '');
    t.is(files.length, 1, entry);
    if (subject !== 'First') t.is(files[0] === 'notes.txt', subject.startsWith('Note'), entry);
  }
  t.is(
    await site.git('log', '--format=%s', '--grep=^Publish').then((text) => text.trim().split('\n').length),
    40,
  );
  await site.git('reset', '-q');
  t.is(await site.git('status', '--porcelain', '-uno'), '');
  t.is(await site.git('fsck', '--full', '--no-dangling'), '');
});
