import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError, quote } from '../../errors.js';
import { redacted } from '../../git/git.js';
import { identityOf, identityVariables, type Person } from '../../git/identity.js';
import { createRemote, type Remote } from '../../git/push/remote.js';
import type { Repository } from '../../git/repository.js';
import type { DeployOutput, DeployTarget } from './target.js';

export interface BranchOptions {
  /** Such as `gh-pages`. */
  readonly branch: string;
  /** A remote of the site's repository, or a URL. */
  readonly remote: string;
  /** Files and folders to keep on the branch, such as `CNAME`. */
  readonly keep: readonly string[];
  /** The site's repository, in which the commits are made. */
  readonly repository: Pick<Repository, 'git' | 'gitDir'>;
  readonly env: NodeJS.Dict<string>;
  /** Author and committer. @default from git's configuration */
  readonly author?: Person;
  /** The existing folder of the target's index, absolute. */
  readonly notesDir: string;
}

/** How long git may take to read a large site, in milliseconds. */
const LIMIT_MS = 15 * 60_000;

/** How often a push is tried, as others may push to the branch at the same time. */
const ATTEMPTS = 5;

/**
 * Commits the whole output byte for byte, whatever the owner's settings for line endings and sparse checkouts. A change of the
 * link count does not count as a change.
 */
const AS_IT_IS = [
  'core.autocrlf=false',
  'core.attributesFile=/dev/null',
  'core.sparseCheckout=false',
  'core.trustctime=false',
  'core.fsyncMethod=batch',
].flatMap((setting) => ['-c', setting]);

/**
 * Deploys to a branch of a git remote, such as `gh-pages`: each deploy commits the output on top of it. Commits are made in the
 * site's repository with a separate index, without touching its work tree, index or branches; a ref below `refs/pressmark/`
 * keeps the last one. Pushes are never forced: if somebody else has pushed to the branch, the commit is made on top.
 */
export function branchTarget(options: BranchOptions): DeployTarget {
  const { branch, remote: remoteName, keep, repository, env } = options;
  const { git, gitDir } = repository;
  const key = `deploy-${hash('sha256', `${remoteName}\n${branch}`).slice(0, 16)}`;
  const ref = `refs/pressmark/${key}`;
  /** The index tells git which files are unchanged, so that each deploy only reads changed files. */
  const index = join(options.notesDir, `${key}.index`);
  let remote: Remote | undefined;
  /** The last seen commit of the branch. */
  let last: string | null = null;

  async function deploy({ folder }: DeployOutput, signal: AbortSignal): Promise<void> {
    try {
      remote ??= await createRemote(repository, { remote: remoteName, branch, into: ref }, env);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const parent = await remote.fetch(last);
        const tree = await treeOf(folder, parent);
        signal.throwIfAborted();
        if (parent !== null && tree === (await git(['rev-parse', `${parent}^{tree}`])).stdout.trim()) return;
        const commit = await commitOf(tree, parent);
        const pushed = await remote.push(commit);
        if (pushed.outcome === 'declined')
          throw new PressmarkError(
            'REMOTE_DECLINED',
            `${remote.name} declined the push to ${branch}: ${pushed.why}; allow Pressmark to push there`,
          );
        if (pushed.outcome === 'accepted') {
          await git(['update-ref', ref, commit]);
          last = commit;
          return;
        }
      }
      throw failed(`somebody else pushed to ${branch} ${ATTEMPTS} times in a row; Pressmark tries again`);
    } catch (error) {
      signal.throwIfAborted();
      throw asDeployError(error, branch);
    }
  }

  /** The tree of an output, with the kept files of a commit. */
  async function treeOf(folder: string, parent: string | null): Promise<string> {
    const run = { env: { GIT_INDEX_FILE: index }, timeoutMs: LIMIT_MS, background: true };
    const inOutput = ['--git-dir', gitDir, '--work-tree', folder, ...AS_IT_IS];
    fs.rmSync(`${index}.lock`, { force: true }); // a killed deploy has left it
    try {
      await git([...inOutput, 'add', '--all', '--force'], run);
      if (keep.length > 0 && parent !== null) {
        const { bytes } = await git(['ls-tree', '-r', '-z', parent, '--', ...keep]);
        await git([...inOutput, 'update-index', '-z', '--index-info'], { ...run, input: bytes });
      }
      return (await git([...inOutput, 'write-tree'], run)).stdout.trim();
    } catch (error) {
      fs.rmSync(index, { force: true }); // it may be damaged; the next attempt reads all files
      throw error;
    }
  }

  async function commitOf(tree: string, parent: string | null): Promise<string> {
    const on = parent === null ? [] : ['-p', parent];
    const who = identityVariables(await identityOf(git, options.author));
    return (await git(['commit-tree', tree, ...on, '-m', 'Deploy'], { env: who })).stdout.trim();
  }

  const name = remoteName === 'origin' ? `branch ${branch}` : `branch ${branch} of ${redacted(remoteName)}`;
  return { name, deploy };
}

function asDeployError(error: unknown, branch: string): unknown {
  if (!(error instanceof PressmarkError)) return error;
  if (error.code === 'DEPLOY_FAILED' || error.code === 'REMOTE_DECLINED') return error;
  const { cause } = error;
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new PressmarkError('DEPLOY_FAILED', `${quote(branch)} could not be pushed: ${error.message}${why}`, {
    cause: error,
  });
}

function failed(message: string): PressmarkError {
  return new PressmarkError('DEPLOY_FAILED', message);
}
