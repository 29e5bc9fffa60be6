import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { Article } from '../../../src/article/article.js';
import type { ArticleCommits } from '../../../src/git/commit/article-commits.js';
import { replacedFiles } from '../../../src/git/commit/replaced-texts.js';
import { decode, encode } from '../../support/plain-files.js';
import { makeSite, NO_DISK, startAndCheck } from './site.js';

test('what the owner has staged and not staged stays as it is, also at the path of an article that is updated or removed in the admin, and of a file that it shows', async (t) => {
  const site = await makeSite(t);
  const asset = 'static/picture.svg';
  await site.write('both.md', 'one\n');
  await site.write('gone.md', 'one\n');
  await site.git('add', '.');
  await site.git('commit', '-qm', 'Second');
  for (const path of ['both.md', 'new.md', asset]) await site.write(path, 'staged\n');
  await site.git('add', '.');
  await site.git('rm', '-q', '--cached', 'gone.md');
  for (const path of ['both.md', asset]) await site.write(path, 'unstaged\n');
  await site.write('untracked.md', '?\n');
  const before = await site.git('status', '--porcelain');
  t.is(before, `MM both.md\nD  gone.md\nA  new.md\nAM ${asset}\n?? gone.md\n?? untracked.md\n`);

  let commitTrash: ((path: string) => void) | undefined;
  await site.start({ assetsOf: async () => [asset], onOpened: (commits) => ({ commitTrash } = commits) });
  const path = await site.publish('one');
  await site.untilCommitted(1);
  t.is(await site.git('status', '--porcelain'), before);
  for (const staged of ['both.md', asset]) t.is(await site.git('show', `:${staged}`), 'staged\n');
  t.is(await site.git('diff', '--name-only', 'HEAD^', 'HEAD'), `${path}\n`);

  // at the very path, too
  await site.write(path, 'my own words\n');
  await site.git('add', path);
  await site.update('one', { revision: 'r2' });
  await site.untilCommitted(2);
  t.is(await site.git('show', `:${path}`), 'my own words\n');
  t.true((await site.git('show', `HEAD:${path}`)).includes('r2'));
  await site.until('the log says so', () =>
    site.log.some(({ level, msg }) => level === 40 && msg.includes('staged')),
  );
  await rm(join(site.dir, path));
  commitTrash?.(path);
  await site.untilCommitted(3);
  t.is(await site.git('ls-tree', '--name-only', 'HEAD', path), '');
  t.is(await site.git('show', `:${path}`), 'my own words\n');
});

test('a delivered text whose commit has waited gets it before an update replaces it, also where the owner has staged something else at its path', async (t) => {
  const site = await makeSite(t);
  await site.start();
  await site.git('checkout', '-q', '--detach');
  const path = await site.publish('one');
  await site.untilLogged('on a branch again');
  const delivered = await site.read(path);
  await site.write(path, 'my own words\n');
  await site.git('add', path);
  await site.write(path, delivered);
  await site.git('checkout', '-q', 'main');
  await site.update('one', { revision: 'r2' });
  await site.untilCommitted(2);
  t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one', 'Update: Title of one']);
  t.is(await site.git('show', `HEAD^:${path}`), delivered);
  t.is(await site.git('show', `:${path}`), 'my own words\n');
  t.deepEqual(replacedFiles(join(site.top, '..', 'state')), []);
});

test('an update that a person saves over or removes before its commit has its own commit, also before an answer; one that git has undone, as a failed merge does, is kept and not acknowledged', async (t) => {
  const site = await makeSite(t);
  let commits: ArticleCommits | undefined;
  await site.start({ isBeforeAnswer: true, onOpened: (opened) => (commits = opened) });
  const path = await site.publish('one');
  const text = await site.read(path);
  const { article } = decode(text, path);
  const acknowledge = async (text: string) =>
    commits?.writerOver(NO_DISK).afterWrite?.({ path, text, article }, 'stored');
  await acknowledge(text);
  await acknowledge(text);
  const next = encode({ ...article, revision: 'r2', updated: '2026-11-20T08:00:00Z' }).text;
  await t.throwsAsync(acknowledge(next), {
    code: 'COMMIT_FAILED',
    message: /has replaced the article’s file/,
  });
  const state = join(site.top, '..', 'state');
  const [kept = ''] = replacedFiles(state);
  t.is(await readFile(join(state, kept), 'utf8'), next);
  t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one']);

  await site.write(path, `${text}My own words.\n`);
  await acknowledge(next);
  t.is(await site.git('show', `HEAD:${path}`), next);
  t.is(await site.git('status', '--porcelain'), ` M ${path}\n`);
  await rm(join(site.dir, path));
  const last = encode({ ...article, revision: 'r3', updated: '2026-11-21T08:00:00Z' }).text;
  await acknowledge(last);
  t.is(await site.git('show', `HEAD:${path}`), last);
  t.is(await site.git('status', '--porcelain'), ` D ${path}\n`);
  t.deepEqual((await site.subjects()).slice(2), ['Update: Title of one', 'Update: Title of one']);
});

test('an update whose event comes after that of the next update does not keep that one from its commit', async (t) => {
  const site = await makeSite(t);
  const host = await site.start();
  const path = await site.publish('one');
  await site.untilCommitted(1);
  const { article } = decode(await site.read(path), path);
  const versions = [1, 2].map((day) => ({
    ...article,
    revision: `r${day}`,
    updated: `2026-11-2${day}T08:00:00Z`,
  }));
  const updated = (version: Article) => {
    const { text } = encode(version);
    const event = 'article.updated' as const;
    return host.hooks.doAction(event, { event, article: version, path, timestamp: version.date, text });
  };
  const [first = article, next = article] = versions;
  await site.write(path, encode(first).text);
  await updated(first);
  await site.untilCommitted(2);
  await site.write(path, encode(next).text);
  await updated(next);
  await updated(first);
  await site.untilCommitted(3);
  await updated(first);
  await host.close();
  t.is(await site.git('show', `HEAD:${path}`), encode(next).text);
  t.deepEqual(replacedFiles(join(site.top, '..', 'state')), []);
});

test('an article that its owner has renamed and committed while its commit waited has no second file in git', async (t) => {
  const site = await makeSite(t);
  const renamed = 'content/renamed.md';
  const host = await site.start({ pathsOf: () => [renamed] });
  await site.git('bisect', 'start');
  const path = await site.publish('one');
  await site.untilLogged('a bisect to end');
  await rename(join(site.dir, path), join(site.dir, renamed));
  await site.git('add', '.');
  await site.git('commit', '-qm', 'Mine');
  await site.git('bisect', 'reset');
  await host.close();
  t.deepEqual(await site.subjects(), ['First', 'Mine']);
  t.is(await site.git('status', '--porcelain'), '');
});

test('line ends that a person has changed are theirs to commit', async (t) => {
  const site = await makeSite(t);
  await site.start();
  const path = await site.publish('one');
  await site.untilCommitted(1);
  await site.write(path, (await site.read(path)).replaceAll('\n', '\r\n'));
  await startAndCheck(site);
  t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one']);
});

test('an edit that the owner has committed since the delivery is not undone', async (t) => {
  const site = await makeSite(t);
  await site.start();
  const path = await site.publish('one');
  await site.untilCommitted(1);
  await site.git('checkout', '-q', '--detach');
  await site.update('one', { revision: 'r2' });
  await site.untilLogged('on a branch again');
  const edited = `${await site.read(path)}\nand my words\n`;
  await site.write(path, edited);
  await site.git('commit', '-qam', 'My words');
  await site.git('checkout', '-q', '-B', 'main');
  await site.publish('two');
  await site.untilCommitted(2);
  const subjects = ['First', 'Publish: Title of one', 'My words', 'Publish: Title of two'];
  t.deepEqual(await site.subjects(), subjects);
  t.is(await site.git('show', `HEAD:${path}`), edited);
  t.is(await site.git('status', '--porcelain'), '');
  t.deepEqual(replacedFiles(join(site.top, '..', 'state')), []);
});
