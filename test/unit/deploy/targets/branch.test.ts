import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openTargets } from '../../../../src/app/deploy.js';
import { loadSettings } from '../../../../src/config/load.js';
import { branchTarget } from '../../../../src/deploy/targets/branch.js';
import { openRepository } from '../../../../src/git/repository.js';
import { gitEnvironment, gitIn } from '../../../support/clones.js';
import { readFiles, tempDir, writeFiles } from '../../../support/temp-dir.js';

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
  const target = branchTarget({ branch: 'pages', remote: 'origin', keep, repository, env, notesDir: dir });
  const build = (files: Record<string, string | undefined>): void => {
    for (const [name, text] of Object.entries(files))
      if (text === undefined) fs.rmSync(join(output, name));
      else writeFiles(output, { [name]: text });
  };
  let clones = 0;
  const cloned = async () => {
    const clone = join(dir, `clone-${clones++}`);
    gitIn(dir, 'clone', '-q', '--branch', 'pages', bare, clone);
    fs.rmSync(join(clone, '.git'), { recursive: true });
    return readFiles(clone);
  };
  return {
    dir,
    site,
    bare,
    build,
    cloned,
    deploy: () => target.deploy({ folder: fs.realpathSync(output) }, signal),
    /** The lines of the branch's files. */
    lines: () => gitIn(bare, 'grep', '', 'pages').replaceAll('pages:', '').trim().split('\n'),
    log: () => gitIn(bare, 'log', '--format=%s', 'pages').trim().split('\n'),
  };
}

test('a clone of the branch has the files of the output as they are, and each deploy is a commit of what has changed', async (t) => {
  const { dir, site, bare, build, deploy, cloned, log } = await setUp(t);
  // What the owner's settings say of texts and of a sparse checkout, and hooks that would refuse everything.
  gitIn(site, 'config', 'core.autocrlf', 'input');
  gitIn(site, 'config', 'core.sparseCheckout', 'true');
  fs.mkdirSync(join(site, '.git/info'), { recursive: true });
  fs.writeFileSync(join(site, '.git/info/sparse-checkout'), '/*\n!/*/\n/content/\n');
  gitIn(site, 'config', 'core.hooksPath', join(dir, 'hooks'));
  for (const folder of [join(dir, 'hooks'), join(site, '.git/hooks')])
    for (const name of ['pre-push', 'reference-transaction', 'post-commit']) {
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(join(folder, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    }
  fs.writeFileSync(join(dir, 'secret.pem'), 'secret');
  fs.symlinkSync('../secret.pem', join(dir, 'public/planted.txt'));
  fs.symlinkSync('.', join(dir, 'public/x'));
  const first = {
    '.gitignore': '*\n',
    'a/index.html': 'a\r\nb\r\n',
    'b/c/d.css': 'd',
    'index.html': 'one',
    'ü "q"\n.html': 'q',
  };
  build(first);
  await deploy();
  t.deepEqual(await cloned(), first);
  t.notRegex(gitIn(bare, 'grep', '-a', '', 'pages'), /:secret$/m);
  build({ 'index.html': 'two', 'b/c/d.css': undefined });
  await deploy();
  const { 'b/c/d.css': _, ...rest } = first;
  t.deepEqual(await cloned(), { ...rest, 'index.html': 'two' });
  await deploy();
  t.is(log().length, 2, 'an output that is the same makes no commit');
  t.is(gitIn(bare, 'diff', '--name-only', 'pages~1', 'pages'), 'b/c/d.css\nindex.html\n');
  t.is(gitIn(site, 'status', '--porcelain'), '?? README\n', 'the site’s work tree and index are not touched');
  t.is(gitIn(site, 'branch', '--list'), '');
  const [ref = ''] = gitIn(site, 'for-each-ref', '--format=%(refname)', 'refs/pressmark').trim().split('\n');
  t.is(gitIn(site, 'rev-parse', ref), gitIn(bare, 'rev-parse', 'pages'));
});

test('files that are configured to stay are never changed or removed, and commits of others stay', async (t) => {
  const { dir, bare, build, deploy, lines, log } = await setUp(t, ['CNAME', 'docs']);
  const work = join(dir, 'work');
  gitIn(dir, 'clone', '-q', bare, work);
  gitIn(work, 'checkout', '-q', '-b', 'pages');
  fs.mkdirSync(join(work, 'docs'));
  const commit = (subject: string, ...names: string[]) => {
    for (const name of names) fs.writeFileSync(join(work, name), name);
    gitIn(work, 'add', '.');
    gitIn(work, 'commit', '-q', '-m', subject);
    gitIn(work, 'push', '-q', 'origin', 'pages');
  };
  commit('By hand', 'CNAME', 'docs/keep.txt', 'old.html');
  build({ 'index.html': 'one', CNAME: 'other.example' });
  await deploy();
  const kept = ['CNAME:CNAME', 'docs/keep.txt:docs/keep.txt'];
  t.deepEqual(lines(), [...kept, 'index.html:one']);
  gitIn(work, 'pull', '-q', '--ff-only', 'origin', 'pages');
  commit('Theirs', 'theirs.html');
  build({ 'index.html': 'two', CNAME: undefined });
  await deploy();
  t.deepEqual(lines(), [...kept, 'index.html:two']);
  t.deepEqual(log(), ['Deploy', 'Theirs', 'Deploy', 'By hand']);
});

test('a remote that is away is a failure, and the next deploy has everything; one that refuses says why', async (t) => {
  const { dir, bare, build, deploy, lines } = await setUp(t);
  build({ 'index.html': 'one' });
  await deploy();
  fs.renameSync(bare, join(dir, 'away'));
  build({ 'index.html': 'two' });
  await t.throwsAsync(deploy(), { code: 'DEPLOY_FAILED' });
  fs.renameSync(join(dir, 'away'), bare);
  await deploy();
  t.deepEqual(lines(), ['index.html:two']);

  const said = 'error: GH013: Repository rule violations found.\n\nChanges must be made by pull request.';
  const hook = `#!/bin/sh\necho '${said}' >&2\nexit 1\n`;
  fs.writeFileSync(join(bare, 'hooks/pre-receive'), hook, { mode: 0o755 });
  build({ 'index.html': 'three' });
  await t.throwsAsync(deploy(), {
    code: 'REMOTE_DECLINED',
    message:
      /declined the push to pages: pre-receive hook declined; GH013: Repository rule violations found\.;/,
  });
});

test('a branch of the site’s own sources is refused: the built site would replace them', async (t) => {
  const { dir, site, bare } = await setUp(t);
  gitIn(site, 'commit', '-q', '--allow-empty', '-m', 'First');
  const open = async (deploy: object, push: object | boolean = true) => {
    const config = { siteUrl: 'https://garden.example', git: { push }, deploy };
    writeFiles(site, { 'pressmark.config.json': JSON.stringify(config) });
    return openTargets(await loadSettings(site, {}, gitEnvironment(dir)), true);
  };
  const refused = {
    code: 'CONFIG_INVALID',
    message: /deploy has the branch \S+, which holds the site’s sources/,
  };
  await t.throwsAsync(open({ branch: 'main' }), refused);
  await t.throwsAsync(open({ branch: 'main' }, false), refused);
  await t.throwsAsync(open({ branch: 'main', remote: bare }), refused);
  await t.throwsAsync(open({ branch: 'drafts' }, { branch: 'drafts' }), refused);
  t.is((await open({ branch: 'main', remote: join(dir, 'other.git') })).length, 1);
  gitIn(site, 'checkout', '-q', '-b', 'sources');
  t.is((await open([{ branch: 'main' }, { branch: 'pages' }])).length, 2);
});
