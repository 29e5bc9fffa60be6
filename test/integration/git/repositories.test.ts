import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import { environment, makeSite, type Site, siteAt } from './site.js';

/** A publication and an update, each with its commit. */
async function commitsTwo(t: ExecutionContext, site: Site, id = 'one'): Promise<string> {
  const before = site.committed.length;
  const path = await site.publish(id);
  await site.untilCommitted(before + 1);
  await site.update(id, { revision: 'r2' });
  await site.untilCommitted(before + 2);
  t.is(await site.git('show', `HEAD:./${path}`), await site.read(path));
  t.is(await site.git('status', '--porcelain'), '');
  t.is(await site.git('fsck', '--full', '--no-dangling'), '');
  return path;
}

/** A clone or work tree of a site's repository. */
function siteAtFolder(t: ExecutionContext, { top }: Site, dir: string): Site {
  return siteAt(t.log, dir, dir, environment(join(top, '..', 'home')));
}

/** A site in a repository of some kind, and what must hold besides. */
interface Repository {
  readonly site: Site;
  /** The subjects of the commits before. */
  readonly before: readonly string[];
  check?(): Promise<void>;
}

// Git has it from 2.45 on; an older one that comes first in PATH is asked whether it really has not.
const hasReftable = isReftableKnown();

const REPOSITORIES: Record<string, (t: ExecutionContext) => Promise<Repository>> = {
  'with SHA-256, hooks that fail and a signing key that is missing': async (t) => {
    const site = await makeSite(t, { repository: 'none' });
    await site.git('init', '-q', '-b', 'main', '--object-format=sha256');
    for (const hook of ['pre-commit', 'commit-msg', 'post-commit', 'reference-transaction'])
      await writeFile(join(site.top, '.git', 'hooks', hook), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    await site.git('config', 'commit.gpgsign', 'true');
    await site.git('config', 'user.signingkey', 'nobody');
    return { site, before: [] };
  },
  'with reftable, where git has it': async (t) => {
    const site = await makeSite(t, { repository: 'none' });
    const init = site.git('init', '-q', '-b', 'main', '--ref-format=reftable');
    if (!hasReftable) {
      await t.throwsAsync(init);
      return { site: await makeSite(t), before: ['First'] };
    }
    await init;
    t.is(await site.git('rev-parse', '--show-ref-format'), 'reftable\n');
    return { site, before: [] };
  },
  'that a group shares': async (t) => {
    const site = await makeSite(t);
    // as `git init --shared=group` makes it
    await site.git('config', 'core.sharedRepository', 'group');
    const dotGit = join(site.top, '.git');
    execFileSync('chmod', ['-R', 'g+rwX', dotGit]);
    execFileSync('find', [dotGit, '-type', 'd', '-exec', 'chmod', 'g+s', '{}', '+']);
    const find = (...args: string[]) =>
      execFileSync('find', [dotGit, '-path', '*/pressmark', '-prune', '-o', ...args, '-print'], {
        encoding: 'utf8',
      });
    const check = async () => {
      t.is(find('-type', 'd', '!', '-perm', '-2070'), '');
      t.is(find('-type', 'f', '!', '-perm', '-0040'), '');
      t.is(find('-type', 'f', '!', '-path', '*/objects/*', '!', '-perm', '-0060'), '');
    };
    return { site, before: ['First'], check };
  },
  'that is a submodule': async (t) => {
    const [outer, inner] = [await makeSite(t), await makeSite(t)];
    await outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.top, 'web');
    await outer.git('commit', '-qm', 'Submodule');
    const site = siteAtFolder(t, outer, join(outer.top, 'web'));
    const check = async () => {
      t.deepEqual(await outer.subjects(), ['First', 'Submodule']);
    };
    return { site, before: ['First'], check };
  },
  'that is a shallow clone': async (t) => {
    const origin = await makeSite(t);
    await origin.write('notes.md', 'x\n');
    await origin.git('add', '.');
    await origin.git('commit', '-qm', 'Second');
    await origin.git('clone', '-q', '--depth=1', `file://${origin.top}`, '../clone');
    return { site: siteAtFolder(t, origin, join(origin.top, '..', 'clone')), before: ['Second'] };
  },
  'with a linked work tree': async (t) => {
    const main = await makeSite(t);
    const linked = join(main.top, '..', 'linked');
    await main.git('worktree', 'add', '-q', '-b', 'drafts', linked);
    const check = async () => {
      t.deepEqual(await main.subjects(), ['First']);
      t.is(await main.git('status', '--porcelain'), '');
    };
    return { site: siteAtFolder(t, main, linked), before: ['First'], check };
  },
};

for (const [kind, make] of Object.entries(REPOSITORIES))
  test(`in a repository ${kind}, a publication and an update have a commit each`, async (t) => {
    const { site, before, check } = await make(t);
    await site.start();
    await commitsTwo(t, site);
    await site.stop();
    t.deepEqual(await site.subjects(), [...before, 'Publish: Title of one', 'Update: Title of one']);
    t.is(await site.git('for-each-ref', 'refs/worktree'), '');
    await check?.();
  });

test('the owner switches branches while it runs: commits go to the one that is checked out', async (t) => {
  const site = await makeSite(t);
  await site.start();
  await site.publish('one');
  await site.untilCommitted(1);
  await site.git('checkout', '-qb', 'drafts');
  await site.publish('two');
  await site.untilCommitted(2);
  await site.git('checkout', '-q', 'main');
  await site.publish('three');
  await site.untilCommitted(3);
  t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one', 'Publish: Title of three']);
  t.is(await site.git('log', '-1', '--format=%s', 'drafts'), 'Publish: Title of two\n');
  t.is(await site.git('status', '--porcelain'), '');
});

test('in a sparse checkout, articles inside and outside of it are committed', async (t) => {
  const site = await makeSite(t);
  await site.write('docs/a.md', 'x\n');
  await site.write('content/b.md', 'x\n');
  await site.git('add', '.');
  await site.git('commit', '-qm', 'Second');
  await site.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'content');
  await site.start();
  await commitsTwo(t, site, 'inside');
  await site.stop();
  await site.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'docs');
  await site.start();
  const path = await site.publish('outside');
  await site.untilCommitted(3);
  t.is(await site.git('show', `HEAD:${path}`), await site.read(path));
  t.is(await site.git('status', '--porcelain', '--', path), '');
  t.is(await site.git('diff', '--name-only', 'HEAD~3', 'HEAD', '--', ':!content'), '');
});

function isReftableKnown(): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(execFileSync('git', ['version'], { encoding: 'utf8' })) ?? [];
  return Number(major) > 2 || Number(minor) >= 45;
}

test('names with spaces, quotes, backslashes, line ends, patterns and leading dashes are committed as they are', async (t) => {
  const site = await makeSite(t);
  const paths = [
    'content/a b.md',
    'content/"quoted" \'both\'.md',
    'content/back\\slash.md',
    'content/line\nend\ttab.md',
    'content/-rf.md',
    '--all/-x.md',
    'content/*?[a]!.md',
    ':(top)x/:y.md',
    'content/日本 ü.md',
    'content/e\u0301 and \u00e9.md',
  ];
  await site.start();
  for (const [index, path] of paths.entries()) await site.publish(`id-${index}`, {}, { path });
  await site.untilCommitted(paths.length);
  for (const index of paths.keys()) await site.update(`id-${index}`, { revision: 'r2' });
  await site.untilCommitted(2 * paths.length);
  const listed = await site.git('ls-tree', '-r', '-z', '--name-only', 'HEAD');
  t.deepEqual(listed.split('\0').sort(), [...paths, 'README.md', ''].sort());
  t.is(await site.git('status', '--porcelain'), '');
});

const isRoot = process.getuid?.() === 0;
test(
  isRoot
    ? 'in a repository of another user nothing runs and nothing is committed until the person has said that it is safe'
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
    await site.start({ isPushed: true });
    await site.publish('one');
    await site.stop();
    t.false(existsSync(ran));
    const [{ level, msg } = { level: 0, msg: '' }, ...others] = site.log;
    t.is(level, 40);
    const command = `git config --global --add safe.directory '${site.top}'`;
    t.true(msg.includes(`belongs to another user; if you trust what its config runs: ${command}`), msg);
    t.deepEqual(others, []);

    await site.git('config', '--global', '--add', 'safe.directory', site.top);
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
