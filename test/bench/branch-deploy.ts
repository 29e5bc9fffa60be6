import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { branchTarget } from '../../src/deploy/targets/branch.js';
import { openRepository } from '../../src/git/repository.js';
import { count, medianOf, milliseconds, type Row } from './figures.js';
import type { Workspace } from './workspace.js';

const FILES = 10_000;
const DEPLOYS = 15;

/** What one publish costs a deploy to a branch: its page, the home page, the archive, the feed and the sitemap. */
export async function branchDeploy(workspace: Workspace): Promise<Row> {
  const root = workspace.fresh('branch');
  const [site, remote, output] = [join(root, 'site'), join(root, 'remote.git'), join(root, 'public')];
  execFileSync('git', ['init', '--quiet', site]);
  execFileSync('git', ['init', '--quiet', '--bare', remote]);
  const write = (file: string, text: string) => {
    fs.mkdirSync(dirname(join(output, file)), { recursive: true });
    fs.writeFileSync(join(output, file), text);
  };
  const page = '<p>A page of the benchmark.</p>\n'.repeat(250);
  for (let n = 0; n < FILES; n++) write(`articles/${n % 100}/page-${n}/index.html`, `${n}\n${page}`);
  const env = { PATH: process.env.PATH, HOME: root };
  const repository = await openRepository(site, env);
  if (repository.kind === 'none') throw new Error(repository.because);
  const options = { branch: 'gh-pages', remote, keep: ['CNAME'], repository, env, notesDir: root };
  const target = branchTarget(options);
  const { signal } = new AbortController();
  await target.deploy({ folder: output }, signal);
  const times: { readonly ms: number }[] = [];
  for (let n = 0; n < DEPLOYS; n++) {
    const changed = [
      `articles/new/page-${n}/index.html`,
      'index.html',
      'archive/index.html',
      'feed.xml',
      'sitemap.xml',
    ];
    for (const file of changed) write(file, `deploy ${n}\n${page}`);
    const began = performance.now();
    await target.deploy({ folder: output }, signal);
    times.push({ ms: performance.now() - began });
    const committed = execFileSync('git', ['diff-tree', '-r', '--name-only', 'gh-pages~', 'gh-pages'], {
      cwd: remote,
      encoding: 'utf8',
    });
    if (committed.trim().split('\n').length !== changed.length)
      throw new Error(`the commit has ${committed}`);
  }
  const ms = medianOf(times, (time) => time.ms);
  return {
    what: `one publish to a branch of ${count(FILES)} files, the push to a repository on this disk included`,
    ours: milliseconds(ms),
    against: '',
  };
}
