import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import { environment, makeSite, type Site, type StartOptions, siteAt, startAndCheck } from './site.js';

const PARKED = 'refs/pressmark/parked';

const isParked = async (site: Site, ref = PARKED) =>
  (await site.git('for-each-ref', '--format=%(refname)', ref)) !== '';

/** The subjects of what is parked, oldest first. */
const parkedSubjects = async (site: Site, ref = PARKED) =>
  (await isParked(site, ref)) ? lines(await site.git('log', '--reverse', '--format=%s', ref)) : [];

const lines = (text: string) => text.split('\n').filter((line) => line !== '');

/** Waits until so many commits are parked by these receivers together; git is asked whenever one has parked something. */
function untilParked(count: number, site: Site, other?: Site) {
  let known = 0;
  return site.until(`${count} commits are parked`, async () => {
    const now = [site, other].flatMap((one) => one?.logged('parked') ?? []).length;
    if (now === known) return false;
    known = now;
    return (await parkedSubjects(site)).length >= count;
  });
}

const untilReplayed = (site: Site) => site.untilLogged('what was parked is on the branch');

/** Two branches whose README and notes clash. */
async function clashing(t: ExecutionContext): Promise<Site> {
  const site = await makeSite(t);
  await site.git('checkout', '-qb', 'other');
  await site.write('README.md', 'theirs\n');
  await site.git('commit', '-qam', 'Theirs');
  await site.git('checkout', '-q', 'main');
  await site.write('README.md', 'ours\n');
  await site.git('commit', '-qam', 'Ours');
  return site;
}

/** Parks one article in a state, ends the state, and checks that the article is on the branch, once. */
async function throughState(
  t: ExecutionContext,
  site: Site,
  waitingFor: string,
  begin: () => Promise<unknown>,
  end: () => Promise<unknown>,
  options: StartOptions = {},
): Promise<void> {
  await site.start(options);
  await begin();
  const path = await site.publish('one');
  await site.update('one', { title: 'Later', revision: 'r2' });
  await untilParked(2, site);
  t.deepEqual(await parkedSubjects(site), ['Publish: Title of one', 'Update: Later']);
  const warnings = site.log.filter(({ level }) => level >= 40);
  t.is(warnings.length, 1, 'what it waits for is said once');
  t.true(warnings[0]?.msg.includes(waitingFor), warnings[0]?.msg);
  t.is((await site.git('log', '--all', '--format=%s', '--', ':!content')).includes('Publish'), false);
  await end();
  await site.untilCommitted(2);
  t.deepEqual((await site.subjects()).slice(-2), ['Publish: Title of one', 'Update: Later']);
  t.is(await site.git('show', `HEAD:${path}`), await site.read(path));
  t.is(await site.git('status', '--porcelain', '--', 'content'), '');
  await untilReplayed(site);
  t.false(await isParked(site));
  t.is(await site.git('fsck', '--full', '--no-dangling'), '');
}

test('the message of a parked commit stays as it is, whatever encoding its owner likes for logs', async (t) => {
  const site = await makeSite(t);
  await site.start();
  await site.git('config', 'i18n.logOutputEncoding', 'ISO-8859-1');
  await site.git('checkout', '-q', '--detach');
  await site.publish('one');
  await site.update('one', { title: 'Später', revision: 'r2' });
  await untilParked(2, site);
  await site.git('checkout', '-q', 'main');
  await site.untilCommitted(2);
  t.true((await site.git('cat-file', 'commit', 'HEAD')).includes('Update: Später\n'));
});

test('what is stored during a merge is parked, and on the branch when the merge was aborted', async (t) => {
  const site = await clashing(t);
  await throughState(
    t,
    site,
    'a merge to end',
    () => t.throwsAsync(site.git('merge', 'other')),
    () => site.git('merge', '--abort'),
  );
});

test('what is stored during a rebase is parked, and on top of the rebased branch when it has ended', async (t) => {
  const site = await clashing(t);
  await throughState(
    t,
    site,
    'a rebase to end',
    () => t.throwsAsync(site.git('rebase', 'other')),
    async () => {
      await site.write('README.md', 'both\n');
      await site.git('add', 'README.md');
      await site.git('-c', 'core.editor=true', 'rebase', '--continue');
    },
  );
  t.deepEqual((await site.subjects()).slice(0, 3), ['First', 'Theirs', 'Ours']);
});

test('what is stored during a cherry-pick is parked, and on the branch when it was aborted', async (t) => {
  const site = await clashing(t);
  await throughState(
    t,
    site,
    'a cherry-pick to end',
    () => t.throwsAsync(site.git('cherry-pick', 'other')),
    () => site.git('cherry-pick', '--abort'),
  );
});

test('what is stored between two cherry-picks of a row is parked, and on the branch after the last', async (t) => {
  const site = await clashing(t);
  await throughState(
    t,
    site,
    'a cherry-pick or revert to end',
    async () => {
      await site.git('checkout', '-q', 'other');
      await site.write('second.md', 'x\n');
      await site.git('add', 'second.md');
      await site.git('commit', '-qm', 'Second of theirs');
      await site.git('checkout', '-q', 'main');
      await t.throwsAsync(site.git('cherry-pick', 'main..other'));
      await site.write('README.md', 'both\n');
      await site.git('commit', '-qam', 'Theirs, resolved');
    },
    () => site.git('cherry-pick', '--continue'),
  );
});

test('what is stored during a revert is parked, and on the branch when it was aborted', async (t) => {
  const site = await clashing(t);
  await site.write('README.md', 'ours again\n');
  await site.git('commit', '-qam', 'Again');
  await throughState(
    t,
    site,
    'a revert to end',
    () => t.throwsAsync(site.git('revert', '--no-edit', 'HEAD^')),
    () => site.git('revert', '--abort'),
  );
});

test('what is stored during a bisect is parked, and on the branch when it was reset', async (t) => {
  const site = await clashing(t);
  await site.write('third.md', 'x\n');
  await site.git('add', '.');
  await site.git('commit', '-qm', 'Third');
  await throughState(
    t,
    site,
    'a bisect to end',
    () => site.git('bisect', 'start', 'HEAD', 'HEAD~2'),
    () => site.git('bisect', 'reset'),
  );
});

test('what is stored while the index has conflicts of a stash is parked, and on the branch when they are resolved', async (t) => {
  const site = await clashing(t);
  await site.write('README.md', 'stashed\n');
  await throughState(
    t,
    site,
    'the conflicts in the index',
    async () => {
      await site.git('stash', '-q');
      await site.write('README.md', 'and now\n');
      await site.git('commit', '-qam', 'And now');
      await t.throwsAsync(site.git('stash', 'pop'));
    },
    () => site.git('checkout', '-q', 'HEAD', '--', 'README.md'),
  );
  t.is(await site.git('stash', 'list', '--format=%s').then((text) => text.split('\n').length), 2);
});

test('a commit that was parked goes to the branch that is checked out when the state ends', async (t) => {
  const site = await clashing(t);
  await throughState(
    t,
    site,
    'on a branch again',
    () => site.git('checkout', '-q', '--detach'),
    () => site.git('checkout', '-q', '-B', 'third', 'other'),
  );
  t.is(await site.git('log', '--format=%s', 'main'), 'Ours\nFirst\n');
});

test('what is stored while another program holds the index for long is parked, and on the branch when it lets go', async (t) => {
  const site = await makeSite(t);
  const lock = join(site.top, '.git', 'index.lock');
  await throughState(
    t,
    site,
    'another program to let go of .git/index.lock',
    () => writeFile(lock, 'somebody'),
    async () => {
      t.is(await readFile(lock, 'utf8'), 'somebody');
      await rm(lock);
    },
    { indexWaitMs: 100 },
  );
});

test('parked commits outlive a kill and git’s housekeeping, and keep their authors and moments', async (t) => {
  const site = await makeSite(t);
  await site.git('checkout', '-q', '--detach');
  await site.start();
  const path = await site.publish('one');
  await site.update('one', { revision: 'r2' });
  await untilParked(2, site);
  await site.stop();
  await rm(join(site.dir, path));
  await site.git('config', 'user.name', 'Somebody Else');
  await site.git('gc', '-q', '--prune=now');
  await site.git('checkout', '-q', 'main');
  const host = await site.start();
  await host.hooks.doAction('host.ready', { url: '' });
  await site.untilCommitted(2);
  t.is(
    await site.git(
      'log',
      '-2',
      '--format=%an, %cn: %s, %(trailers:key=Revision-Id,valueonly,separator=%x2C)',
    ),
    'Olga Owner, Somebody Else: Update: Title of one, r2\n' +
      'Olga Owner, Somebody Else: Publish: Title of one, rev-one-1\n',
  );
  t.false((await site.git('log', '--format=%B')).includes('Parked'));
});

test('after a crash between the branch and the ref, nothing is committed twice, and what the owner has done since stays', async (t) => {
  const site = await makeSite(t);
  await site.git('checkout', '-q', '--detach');
  await site.start();
  const path = await site.publish('one');
  await site.update('one', { revision: 'r2' });
  await untilParked(2, site);
  const tip = (await site.git('rev-parse', PARKED)).trim();
  await site.git('checkout', '-q', 'main');
  await site.untilCommitted(2);
  await untilReplayed(site);
  await site.stop();
  t.false(await isParked(site));
  await site.git('update-ref', PARKED, tip);
  // the owner goes back to the first text, which is what stood there when the second was stored
  await site.git('checkout', '-q', 'HEAD^', '--', path);
  await site.git('commit', '-qm', 'The first was better');
  await startAndCheck(site);
  t.false(await isParked(site));
  t.is((await site.subjects()).at(-1), 'The first was better');
  t.is((await site.subjects()).length, 4);
  t.is(await site.git('status', '--porcelain'), '');
});

test('where somebody has removed the ref of what was parked, the articles are found by their files', async (t) => {
  const site = await makeSite(t);
  await site.git('checkout', '-q', '--detach');
  await site.start();
  await site.publish('one');
  await site.publish('two');
  await untilParked(2, site);
  await site.git('update-ref', '-d', PARKED);
  await site.git('checkout', '-q', 'main');
  await site.untilCommitted(2);
  t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one', 'Publish: Title of two']);
});

test('a parked article that was edited since is committed without the edit; an edit that the owner has committed is not undone', async (t) => {
  const site = await makeSite(t);
  await site.git('checkout', '-q', '--detach');
  await site.start();
  const edited = await site.publish('edited');
  const committed = await site.publish('committed');
  await untilParked(2, site);
  const stored = await site.read(edited);
  await appendFile(join(site.dir, edited), 'my words\n');
  await appendFile(join(site.dir, committed), 'my words\n');
  await site.git('checkout', '-q', '-b', 'mine');
  // git refuses both while the receiver has the index or moves the branch
  const succeeds = (...args: string[]) =>
    site.git(...args).then(
      () => true,
      () => false,
    );
  await site.until('the owner can stage the edit', () => succeeds('add', committed));
  await site.until('the owner can commit the edit', () => succeeds('commit', '-qm', 'Mine'));
  await untilReplayed(site);
  t.false(await isParked(site));
  t.true((await site.subjects()).includes('Publish: Title of edited'));
  t.is(await site.git('show', `HEAD:${edited}`), stored);
  t.is(await site.git('status', '--porcelain', edited), ` M ${edited}\n`);
  t.true((await site.git('show', `HEAD:${committed}`)).endsWith('my words\n'));
  t.is(await site.git('status', '--porcelain', committed), '');
});

test('two receivers on one folder park, and put each article on the branch once', async (t) => {
  const site = await makeSite(t);
  await site.git('checkout', '-q', '--detach');
  await site.start();
  const other = siteAt(t.log, site.top, site.dir, environment(join(site.top, '..', 'home')));
  await other.start();
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => (index % 2 ? site : other).publish(`article-${index}`)),
  );
  await untilParked(20, site, other);
  await site.git('checkout', '-q', 'main');
  await site.until('all are committed', () => site.committed.length + other.committed.length >= 20);
  await other.stop();
  await site.stop();
  t.false(await isParked(site));
  t.is((await site.subjects()).length, 21);
  t.is(new Set(await site.subjects()).size, 21);
  t.is(await site.git('status', '--porcelain'), '');
});

test('a linked work tree parks for itself', async (t) => {
  const main = await makeSite(t);
  const linked = join(main.top, '..', 'linked');
  await main.git('worktree', 'add', '-q', '-b', 'drafts', linked);
  const site = siteAt(t.log, linked, linked, environment(join(main.top, '..', 'home')));
  await site.git('checkout', '-q', '--detach');
  await site.start();
  await main.start();
  await site.publish('one');
  await site.untilLogged('parked');
  t.deepEqual(await parkedSubjects(site, 'refs/worktree/pressmark/parked'), ['Publish: Title of one']);
  await main.publish('two');
  await main.untilCommitted(1);
  t.deepEqual(await main.subjects(), ['First', 'Publish: Title of two']);
  await site.git('checkout', '-q', 'drafts');
  await site.untilCommitted(1);
  await site.stop();
  t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one']);
});
