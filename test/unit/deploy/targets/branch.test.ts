import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { filesIn } from '../../../../src/deploy/folder-files.js';
import { branchTarget } from '../../../../src/deploy/targets/branch.js';
import { openRepository } from '../../../../src/git/repository.js';
import { gitEnvironment, gitIn } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';

const { signal } = new AbortController();

/** A site with a bare remote, and its output, which is deployed to the branch `pages` of that remote. */
async function setUp(t: ExecutionContext, keep: string[] = []) {
  const dir = tempDir(t);
  const bare = join(dir, 'remote.git');
  const site = join(dir, 'site');
  const output = join(dir, 'public');
  execFileSync('git', ['init', '-q', '--bare', bare]);
  for (const folder of [site, output]) fs.mkdirSync(folder);
  gitIn(site, 'init', '-q', '--initial-branch=main');
  gitIn(site, 'remote', 'add', 'origin', bare);
  fs.writeFileSync(join(site, 'README'), 'site');
  const env = gitEnvironment(dir);
  const repository = await openRepository(site, env);
  if (repository.kind === 'none') throw new Error(repository.because);
  const create = () =>
    branchTarget({ branch: 'pages', remote: 'origin', keep, repository, env, notesDir: dir });
  const target = create();
  const build = (files: Record<string, string | undefined>): void => {
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(dirname(join(output, name)), { recursive: true });
      if (text === undefined) fs.rmSync(join(output, name));
      else fs.writeFileSync(join(output, name), text);
    }
  };
  let clones = 0;
  const cloned = async () => {
    const clone = join(dir, `clone-${clones++}`);
    gitIn(dir, 'clone', '-q', '--branch', 'pages', bare, clone);
    fs.rmSync(join(clone, '.git'), { recursive: true });
    const names = filesIn(clone).toSorted();
    return Object.fromEntries(names.map((name) => [name, fs.readFileSync(join(clone, name), 'utf8')]));
  };
  return {
    dir,
    site,
    bare,
    build,
    cloned,
    create,
    deploy: (to = target) => to.deploy({ folder: output }, signal),
    log: (...args: string[]) =>
      gitIn(bare, 'log', '--format=%s', ...args, 'pages')
        .trim()
        .split('\n'),
  };
}

/** The refs that Pressmark keeps in a site's repository. */
function refsOf(site: string): string[] {
  return gitIn(site, 'for-each-ref', '--format=%(refname)', 'refs/pressmark').trim().split('\n');
}

test('a clone of the branch has the files of the output, and each deploy is a commit of what has changed', async (t) => {
  const { site, bare, build, deploy, cloned, log } = await setUp(t);
  const first = { 'index.html': 'one', 'a/index.html': 'a', 'ü "q"\n.html': 'q', 'b/c/d.css': 'd' };
  build(first);
  await deploy();
  t.deepEqual(await cloned(), Object.fromEntries(Object.entries(first).toSorted()));
  build({ 'index.html': 'two', 'b/c/d.css': undefined });
  await deploy();
  const { 'b/c/d.css': _, ...rest } = first;
  t.deepEqual(
    await cloned(),
    Object.fromEntries(Object.entries({ ...rest, 'index.html': 'two' }).toSorted()),
  );
  t.is(log().length, 2);
  t.is(gitIn(bare, 'diff', '--name-only', 'pages~1', 'pages'), 'b/c/d.css\nindex.html\n');
  t.is(gitIn(site, 'status', '--porcelain'), '?? README\n', 'the site’s work tree is not touched');
  t.is(gitIn(site, 'diff', '--cached', '--name-only'), '', 'nor is its index');
  t.is(gitIn(site, 'branch', '--list'), '');
  t.is(gitIn(site, 'rev-parse', ...refsOf(site)), gitIn(bare, 'rev-parse', 'pages'));
});

test('files that are configured to stay are never changed or removed', async (t) => {
  const { dir, bare, build, deploy, cloned } = await setUp(t, ['CNAME', 'docs/keep.txt']);
  const work = join(dir, 'work');
  gitIn(dir, 'clone', '-q', bare, work);
  gitIn(work, 'checkout', '-q', '-b', 'pages');
  fs.mkdirSync(join(work, 'docs'));
  for (const name of ['CNAME', 'docs/keep.txt', 'old.html']) fs.writeFileSync(join(work, name), name);
  gitIn(work, 'add', '.');
  gitIn(work, 'commit', '-q', '-m', 'By hand');
  gitIn(work, 'push', '-q', 'origin', 'pages');
  build({ 'index.html': 'one', CNAME: 'other.example' });
  await deploy();
  t.deepEqual(await cloned(), { CNAME: 'CNAME', 'docs/keep.txt': 'docs/keep.txt', 'index.html': 'one' });
  build({ 'index.html': 'two', CNAME: undefined });
  await deploy();
  t.deepEqual(await cloned(), { CNAME: 'CNAME', 'docs/keep.txt': 'docs/keep.txt', 'index.html': 'two' });
});

test('a commit that somebody else has pushed to the branch stays in its history', async (t) => {
  const { dir, bare, build, deploy, cloned, log } = await setUp(t);
  build({ 'index.html': 'one' });
  await deploy();
  const work = join(dir, 'work');
  gitIn(dir, 'clone', '-q', '--branch', 'pages', bare, work);
  fs.writeFileSync(join(work, 'theirs.html'), 'theirs');
  gitIn(work, 'add', '.');
  gitIn(work, 'commit', '-q', '-m', 'Theirs');
  gitIn(work, 'push', '-q', 'origin', 'pages');
  build({ 'index.html': 'two' });
  await deploy();
  t.deepEqual(log(), ['Deploy', 'Theirs', 'Deploy']);
  t.deepEqual(await cloned(), { 'index.html': 'two' });
});

test('no hook of the site’s repository runs, however its configuration names them', async (t) => {
  const { dir, site, build, deploy, cloned } = await setUp(t);
  const hooks = join(dir, 'hooks');
  fs.mkdirSync(hooks);
  for (const folder of [hooks, join(site, '.git/hooks')])
    for (const name of ['pre-push', 'reference-transaction', 'post-commit'])
      fs.writeFileSync(join(folder, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  gitIn(site, 'config', 'core.hooksPath', hooks);
  build({ 'index.html': 'one' });
  await deploy();
  t.deepEqual(await cloned(), { 'index.html': 'one' });
});

test('what the owner’s git settings and attributes say of texts does not change a file', async (t) => {
  const { site, build, deploy, cloned } = await setUp(t);
  gitIn(site, 'config', 'core.autocrlf', 'input');
  const files = { '.gitattributes': '* text eol=lf\n', '.gitignore': '*\n', 'a.html': 'a\r\nb\r\n' };
  build(files);
  await deploy();
  t.deepEqual(await cloned(), files);
});

test('a remote that is away is a failure, and the next deploy has everything', async (t) => {
  const { dir, bare, build, deploy, cloned } = await setUp(t);
  build({ 'index.html': 'one' });
  await deploy();
  fs.renameSync(bare, join(dir, 'away'));
  build({ 'index.html': 'two' });
  await t.throwsAsync(deploy(), { code: 'DEPLOY_FAILED' });
  fs.renameSync(join(dir, 'away'), bare);
  await deploy();
  t.deepEqual(await cloned(), { 'index.html': 'two' });
});

test('a deploy pushes no file behind a link out of the output, and no link stops it', async (t) => {
  const { dir, build, create, cloned } = await setUp(t);
  const outside = join(dir, 'secret.pem');
  fs.writeFileSync(outside, 'secret');
  build({ 'index.html': 'one' });
  const folder = fs.realpathSync(join(dir, 'public'));
  fs.symlinkSync(outside, join(folder, 'planted.txt'));
  fs.symlinkSync('.', join(folder, 'x'));
  const skipped: string[] = [];
  const onSkipped = (link: string) => skipped.push(link);
  const target = create();
  await target.deploy({ folder, onSkipped }, signal);
  t.deepEqual(skipped.toSorted(), ['planted.txt', 'x']);
  build({ 'index.html': 'two' });
  await target.deploy({ folder, onSkipped }, signal);
  t.deepEqual(await cloned(), { 'index.html': 'two' });
});

test('where the remote refuses a push, its own lines say why', async (t) => {
  const { bare, build, deploy } = await setUp(t);
  const hook = join(bare, 'hooks/pre-receive');
  const lines = [
    'error: GH013: Repository rule violations found.',
    '',
    'Changes must be made through a pull request.',
  ];
  fs.writeFileSync(hook, `#!/bin/sh\n${lines.map((line) => `echo '${line}' >&2\n`).join('')}exit 1\n`, {
    mode: 0o755,
  });
  build({ 'index.html': 'one' });
  await t.throwsAsync(deploy(), {
    code: 'REMOTE_DECLINED',
    message:
      /declined the push to pages: pre-receive hook declined; GH013: Repository rule violations found\.; Changes must be made through a pull request\./,
  });
});
