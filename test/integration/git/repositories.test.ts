import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import { readHead, unfinishedCommand } from '../../../src/git/commit/head.js';
import { openRepository } from '../../../src/git/repository.js';
import { environment, makeSite, type Site, siteAt, startAndCheck, withGit } from './site.js';

/** A clone or work tree of a site's repository. */
function siteAtFolder(t: ExecutionContext, { top }: Site, dir: string): Site {
  return siteAt(t.log, dir, dir, environment(join(top, '..', 'home')));
}

/** A site in a repository of some kind, and what must hold besides. */
interface Repository {
  readonly site: Site;
  check?(): Promise<void>;
}

// Git has it from 2.45 on; an older one that comes first in PATH is asked whether it really has not.
const hasReftable = isReftableKnown();

/** Each makes a repository; undefined where git knows no such one. */
const REPOSITORIES: Record<string, (t: ExecutionContext) => Promise<Repository | undefined>> = {
  'without a commit, for a person without a name, with SHA-256, hooks that fail and a signing key that is missing':
    async (t) => {
      const site = await makeSite(t, { repository: 'none' });
      await site.git('init', '-q', '-b', 'main', '--object-format=sha256');
      for (const hook of ['pre-commit', 'commit-msg', 'post-commit', 'reference-transaction'])
        await writeFile(join(site.top, '.git', 'hooks', hook), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
      await site.git('config', 'commit.gpgsign', 'true');
      await site.git('config', 'user.signingkey', 'nobody');
      await rm(join(site.top, '..', 'home', '.gitconfig'));
      const check = async () => {
        t.is(await site.git('log', '-1', '--format=%an <%ae>'), 'Pressmark <pressmark@localhost>\n');
      };
      return { site, check };
    },
  'with reftable, where git has it': async (t) => {
    const site = await makeSite(t, { repository: 'none' });
    const init = site.git('init', '-q', '-b', 'main', '--ref-format=reftable');
    if (!hasReftable) {
      await t.throwsAsync(init);
      return undefined;
    }
    await init;
    t.is(await site.git('rev-parse', '--show-ref-format'), 'reftable\n');
    return { site };
  },
  'that is a submodule': async (t) => {
    const [outer, inner] = [await makeSite(t), await makeSite(t)];
    await outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.top, 'web');
    await outer.git('commit', '-qm', 'Submodule');
    const site = siteAtFolder(t, outer, join(outer.top, 'web'));
    const check = async () => {
      t.deepEqual(await outer.subjects(), ['First', 'Submodule']);
    };
    return { site, check };
  },
  'that is a shallow clone, in a linked work tree of it': async (t) => {
    const origin = await makeSite(t);
    await origin.write('notes.md', 'x\n');
    await origin.git('add', '.');
    await origin.git('commit', '-qm', 'Second');
    const [clone, linked] = ['clone', 'linked'].map((name) => join(origin.top, '..', name)) as [
      string,
      string,
    ];
    await origin.git('clone', '-q', '--depth=1', `file://${origin.top}`, clone);
    const main = siteAtFolder(t, origin, clone);
    await main.git('worktree', 'add', '-q', '-b', 'drafts', linked);
    const check = async () => {
      t.deepEqual(await main.subjects(), ['Second']);
      t.is(await main.git('status', '--porcelain'), '');
    };
    return { site: siteAtFolder(t, main, linked), check };
  },
  'with a sparse checkout, an article inside of it and one outside': async (t) => {
    const site = await makeSite(t);
    await site.write('docs/a.md', 'x\n');
    await site.write('content/b.md', 'x\n');
    await site.git('add', '.');
    await site.git('commit', '-qm', 'Second');
    await site.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'content');
    const check = async () => {
      await site.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'docs');
      await site.start();
      const path = await site.publish('outside');
      await site.untilCommitted(3);
      t.is(await site.git('show', `HEAD:${path}`), await site.read(path));
      t.is(await site.git('status', '--porcelain', '--', path), '');
      t.is(await site.git('diff', '--name-only', 'HEAD~3', 'HEAD', '--', ':!content'), '');
    };
    return { site, check };
  },
};

for (const [kind, make] of Object.entries(REPOSITORIES))
  test(`in a repository ${kind}, a publication and an update have a commit each`, async (t) => {
    const made = await make(t);
    if (made === undefined) return;
    const { site, check } = made;
    await site.start();
    const path = await site.publish('one');
    await site.untilCommitted(1);
    await site.update('one', { revision: 'r2' });
    await site.untilCommitted(2);
    await site.stop();
    t.deepEqual((await site.subjects()).slice(-2), ['Publish: Title of one', 'Update: Title of one']);
    t.is(await site.git('show', `HEAD:./${path}`), await site.read(path));
    t.is(await site.git('status', '--porcelain'), '');
    await check?.();
  });

test('each command of the owner’s that stops at a conflict is known until it is aborted, and a bisect until it is reset', async (t) => {
  const { top, git, write } = await makeSite(t);
  const commit = async (text: string) => {
    await write('notes.txt', `${text}\n`);
    await git('add', '.');
    await git('commit', '-qm', text);
  };
  await commit('base');
  await git('tag', 'base');
  await git('checkout', '-qb', 'other');
  await commit('other');
  await git('format-patch', '-1', '-q', '--output', join(top, '.git', 'other.patch'));
  await git('checkout', '-q', 'main');
  await commit('mine');
  for (const [name, begin, abort] of [
    ['a rebase', ['rebase', 'other'], 'rebase'],
    ['a rebase or git am', ['am', '--3way', '.git/other.patch'], 'am'],
    ['a merge', ['merge', 'other'], 'merge'],
    ['a cherry-pick', ['cherry-pick', 'other'], 'cherry-pick'],
    ['a revert', ['revert', '--no-edit', 'base'], 'revert'],
  ] as const) {
    await t.throwsAsync(git(...begin), undefined, name);
    t.is(unfinishedCommand({ gitDir: join(top, '.git') }), name);
    await git(abort, '--abort');
    t.is(unfinishedCommand({ gitDir: join(top, '.git') }), undefined);
  }
  const repository = await openRepository(top, { PATH: process.env.PATH });
  if (repository.kind === 'none') return t.fail(repository.because);
  await git('bisect', 'start');
  t.deepEqual(await readHead(repository), { kind: 'not now', waitingFor: 'a bisect to end' });
  await git('bisect', 'reset');
  t.like(await readHead(repository), {
    ref: 'refs/heads/main',
    tip: (await git('rev-parse', 'main')).trim(),
  });
});

function isReftableKnown(): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(execFileSync('git', ['version'], { encoding: 'utf8' })) ?? [];
  return Number(major) > 2 || Number(minor) >= 45;
}

test('the owner switches branches: commits go to the one that is checked out, and wait while HEAD is detached, also beyond a stop', async (t) => {
  const site = await makeSite(t);
  await site.start();
  await site.publish('one');
  await site.untilCommitted(1);
  await site.git('checkout', '-qb', 'drafts');
  await site.publish('two');
  await site.untilCommitted(2);
  await site.stop();
  await site.git('checkout', '-q', '--detach', 'main');
  const host = await site.start();
  await site.publish('three');
  await host.close();
  await site.stop();
  t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one']);
  await site.git('checkout', '-q', 'main');
  await startAndCheck(site);
  t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one', 'Publish: Title of three']);
  t.is(await site.git('log', '-1', '--format=%s', 'drafts'), 'Publish: Title of two\n');
  t.is(await site.git('status', '--porcelain'), '');
});

test('a content folder in a repository of its own, outside, ignored, or in a submodule that is not initialised, is not committed here', async (t) => {
  const site = await makeSite(t);
  await site.write('own/x', '');
  await site.write('.git/info/exclude', 'ignored/\n');
  await site.git('init', '-q', 'own');
  await symlink(join(site.top, '..', 'home'), join(site.top, 'linked'));
  const head = (await site.git('rev-parse', 'HEAD')).trim();
  await site.git('update-index', '--add', '--cacheinfo', `160000,${head},module`);
  await site.git('commit', '-qm', 'Submodule');
  for (const [content, why] of [
    ['own/', 'it is in a repository of its own'],
    ['linked/', 'it is outside of the work tree'],
    ['ignored/', 'it is ignored by git'],
    ['module/', 'module is a submodule that is not initialised'],
  ] as const) {
    site.log.length = 0;
    await site.start({ content });
    await site.publish('one');
    await site.stop();
    const [warning, ...more] = site.log.filter(({ level }) => level >= 40);
    t.true(warning?.msg.startsWith(`articles are not committed: the content folder: ${why}; `));
    t.deepEqual(more, []);
  }
  t.deepEqual(await site.subjects(), ['First', 'Submodule']);
});

test('where nothing can be committed, no article is, which is said once', async (t) => {
  const site = await makeSite(t);
  const outside = await makeSite(t, { repository: 'none' });
  const old = await withGit(site, 'case "$*" in *version*) echo git version 1.8.3.1; exit;; esac');
  for (const [where, options, level, msg] of [
    [site, { env: { PATH: '/nowhere' } }, 30, 'git is not installed'],
    [site, { env: old }, 40, 'git 1.8 is too old; 2.31 is needed'],
    [outside, {}, 30, 'the site is not in a git work tree'],
  ] as const) {
    where.log.length = 0;
    await where.start(options);
    await where.publish('one');
    await where.stop();
    t.deepEqual(
      where.log.map((line) => [line.level, line.msg]),
      [[level, `articles are not committed: ${msg}`]],
    );
  }
  await writeFile(join(site.dir, '.git/index'), 'torn by a power loss');
  site.log.length = 0;
  await site.start();
  await site.publish('two');
  await site.stop();
  t.is(site.log.length, 1);
  t.regex(
    String(site.log[0]?.msg),
    /^articles are not committed: git check-ignore .*: fatal: .*index.*restart/,
  );
});

const isRoot = process.getuid?.() === 0;
test(
  isRoot
    ? 'in a repository of another user nothing runs and nothing is committed until the person has said that it is safe; with a git that does not refuse it, never'
    : 'a repository of another user: only root can make one',
  async (t) => {
    const site = await makeSite(t);
    if (!isRoot) {
      await t.throwsAsync(chown(site.top, 12_345, 12_345), { code: 'EPERM' });
      return;
    }
    const ran = join(site.top, '..', 'ran');
    await site.write('.gitattributes', '*.md filter=theirs\n');
    for (const key of ['filter.theirs.clean', 'core.fsmonitor', 'core.sshCommand', 'credential.helper'])
      await site.git('config', key, `sh -c ': >> ${ran}; cat'`);
    await giveAway(site.top);
    const refused = async (options: object, why: string) => {
      site.log.length = 0;
      await site.start({ upstream: 'refs/worktree/pressmark-remote', ...options });
      await site.publish('one');
      await site.stop();
      t.false(existsSync(ran));
      const [{ level, msg } = { level: 0, msg: '' }, ...others] = site.log;
      t.is(level, 40);
      t.true(msg.includes(why), msg);
      t.deepEqual(others, []);
    };
    const command = `git config --global --add safe.directory '${site.top}'`;
    await refused(
      {},
      `belongs to another user; run Pressmark as that user, or, if you trust the commands in its git config, run ${command}`,
    );

    await site.git('config', '--global', '--add', 'safe.directory', site.top);
    // As a git before 2.36, which works in anybody's repository.
    const old = await withGit(site, 'case "$*" in *version*) echo git version 2.35.1; exit;; esac');
    await refused({ env: old }, 'belongs to another user; run Pressmark as that user, or update git');

    const host = await site.start();
    await host.hooks.doAction('host.ready', { url: '' });
    await site.untilCommitted(1);
    t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one']);
  },
);

async function giveAway(folder: string): Promise<void> {
  await chown(folder, 12_345, 12_345);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await giveAway(path);
    else await chown(path, 12_345, 12_345);
  }
}
