import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { makeSite, withGit, withHeldGit } from './site.js';

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
  await site.until('the log says so', () =>
    site.log.some(({ level, msg }) => level === 40 && msg.includes('staged')),
  );
});

test('an article that the owner has staged as it is becomes a commit of its own', async (t) => {
  const site = await makeSite(t);
  const { env, hold, untilHeld, release } = await withHeldGit(site, 'update-index');
  await hold();
  await site.start({ env });
  const path = await site.publish('one');
  await untilHeld();
  await site.git('add', path);
  await release();
  await site.untilCommitted(1);
  t.is(await site.git('status', '--porcelain'), '');
  t.deepEqual(site.logged('staged'), []);
});

test('an edit that the owner has committed since the delivery is not undone', async (t) => {
  const site = await makeSite(t);
  await site.start();
  const path = await site.publish('one');
  await site.untilCommitted(1);
  await site.git('checkout', '-q', '--detach');
  await site.update('one', { revision: 'r2' });
  await site.untilLogged('on a branch again');
  await site.write(path, `${await site.read(path)}\nand my words\n`);
  await site.git('commit', '-qam', 'My words');
  await site.git('checkout', '-q', '-B', 'main');
  await site.publish('two');
  await site.until(
    'the other article is committed',
    async () => (await site.subjects()).at(-1) === 'Publish: Title of two',
  );
  t.true((await site.git('show', `HEAD:${path}`)).includes('and my words'));
  t.is(await site.git('status', '--porcelain'), '');
});

test('an owner who commits whenever Pressmark is about to: everything is in HEAD, and nothing of theirs is swept in', async (t) => {
  const site = await makeSite(t);
  const count = join(site.top, '..', 'count');
  await writeFile(count, '');
  // the owner is first at some attempts of Pressmark; an attempt that fails sets the index back by the same command
  const env = await withGit(
    site,
    `case "$*" in *update-index*)
      echo >> '${count}'; n=$(wc -l < '${count}')
      if [ $((n % 4)) = 1 ]; then
        echo "$n" >> notes.txt
        { "$GIT" add notes.txt; "$GIT" commit -q -m "Note $n" -- notes.txt; } < /dev/null > /dev/null 2>> '${count}.failed'
      fi;;
    esac`,
  );
  await site.write('staged.txt', 'not to be committed\n');
  await site.git('add', 'staged.txt');
  await site.write('draft.txt', 'not to be committed\n');
  const status = await site.git('status', '--porcelain');
  t.is(status, 'A  staged.txt\n?? draft.txt\n');
  await site.start({ env });
  for (let round = 1; round <= 4; round++) {
    const id = `article-${round}`;
    await site.publish(id);
    if (round % 2 === 0) await site.update(id, { revision: `r-${round}` });
    await site.untilCommitted(round + Math.floor(round / 2));
  }
  await site.stop();
  t.is(await readFile(`${count}.failed`, 'utf8'), '');
  const log = await site.git('log', '--reverse', '--format=%x01%s', '--name-only');
  const commits = log
    .split('\x01')
    .slice(1)
    .map((entry) => entry.split('\n').filter((line) => line !== ''));
  const own = commits.filter(([subject]) => subject?.startsWith('Note '));
  t.true(own.length >= 2, `${own.length}`);
  t.deepEqual([...new Set(own.map(([, ...files]) => files.join()))], ['notes.txt']);
  const path = (round: number) => `content/articles/2026/11/article-${round}.md`;
  t.deepEqual(
    commits.filter((commit) => !own.includes(commit)),
    [
      ['First', 'README.md'],
      ['Publish: Title of article-1', path(1)],
      ['Publish: Title of article-2', path(2)],
      ['Update: Title of article-2', path(2)],
      ['Publish: Title of article-3', path(3)],
      ['Publish: Title of article-4', path(4)],
      ['Update: Title of article-4', path(4)],
    ],
  );
  t.is(await site.git('status', '--porcelain'), status);
  t.is(await site.git('fsck', '--full', '--no-dangling'), '');
});
