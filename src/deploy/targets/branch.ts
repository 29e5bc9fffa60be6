import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError, quote } from '../../errors.js';
import { redacted } from '../../git/git.js';
import { identityOf, type Person, signature } from '../../git/identity.js';
import { createRemote, type Remote } from '../../git/push/remote.js';
import type { Repository } from '../../git/repository.js';
import { isGone } from '../../store/catalog/entry.js';
import { fileIn } from '../folder-files.js';
import type { OutputChanges } from '../output-process.js';
import { goThroughOutput } from '../output-task.js';
import type { DeployOutput, DeployTarget } from './target.js';

export interface BranchOptions {
  /** Such as `gh-pages`. */
  readonly branch: string;
  /** A remote of the site's repository, or a URL. */
  readonly remote: string;
  /** Files of the branch that stay as they are there, such as `CNAME`. */
  readonly keep: readonly string[];
  /** The site's repository, in which the commits are made. */
  readonly repository: Pick<Repository, 'git'>;
  readonly env: NodeJS.Dict<string>;
  /** Author and committer. @default what git is configured with */
  readonly author?: Person;
  /** Where the target notes which files it has deployed; a folder that is there, absolute. */
  readonly notesDir: string;
}

/** How long git may take to make the commit of a large site, in milliseconds. */
const LIMIT_MS = 15 * 60_000;

/** Somebody else may push to the branch at the same time, again and again. */
const ATTEMPTS = 5;

/** The commit that is pushed next; it is only a name within fast-import. */
const BATCH = 'refs/pressmark/deploy-next';

/**
 * A branch of a git remote, such as `gh-pages`: each deploy is a commit of the changed files on top of it. Commits are made
 * in the site's repository, without its work tree, its index and its branches; a ref below `refs/pressmark/` keeps the last
 * one. Nothing is ever forced: where somebody else has pushed to the branch, the commit goes on top.
 */
export function branchTarget(options: BranchOptions): DeployTarget {
  const { branch, remote: remoteName, keep, repository, env } = options;
  const { git } = repository;
  const key = `deploy-${hash('sha256', `${remoteName}\n${branch}`).slice(0, 16)}`;
  const ref = `refs/pressmark/${key}`;
  const listing = join(options.notesDir, `${key}.json`);
  /** Those of `keep` that the branch has, each with the line that keeps it. One that it lacks comes from the output. */
  let staying: ReadonlyMap<string, string> = new Map();
  let remote: Remote | undefined;
  /**
   * The commit that the branch had after the last deploy of this process; the listing says how the output was then. If another
   * receiver has written that since, it has pushed, too, so that a push upon this commit is refused.
   */
  let last: string | undefined;

  async function deploy({ folder, onSkipped }: DeployOutput, signal: AbortSignal): Promise<void> {
    try {
      remote ??= await createRemote(repository, { remote: remoteName, branch, into: ref }, env);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const isKnown = last !== undefined;
        const task = { kind: 'changes', output: folder, listing, isKnown } as const;
        const changes = await goThroughOutput<OutputChanges>(task, onSkipped, signal);
        const parent = last ?? (await remote.fetch(null));
        const commit = await commitOf(folder, changes, parent, isKnown);
        const isSame = parent !== null && (await treeOf(commit)) === (await treeOf(parent));
        const pushed = isSame ? ({ outcome: 'accepted' } as const) : await remote.push(commit);
        if (pushed.outcome === 'accepted') {
          if (!isSame) await git(['update-ref', ref, commit]);
          fs.renameSync(`${listing}.next`, listing);
          last = isSame ? parent : commit;
          return;
        }
        if (pushed.outcome === 'declined')
          throw new PressmarkError(
            'REMOTE_DECLINED',
            `${remote.name} declined the push to ${branch}: ${pushed.why}; allow Pressmark to push there`,
          );
        last = undefined; // somebody else has pushed
      }
      throw failed(`${branch} was pushed to by somebody else ${ATTEMPTS} times in a row; it is tried again`);
    } catch (error) {
      signal.throwIfAborted();
      last = undefined;
      throw asDeployError(error, branch);
    }
  }

  /** A commit on top of another. @param isKnown whether the changes are upon it; otherwise they are all files. */
  async function commitOf(
    folder: string,
    { written, removed }: OutputChanges,
    parent: string | null,
    isKnown: boolean,
  ): Promise<string> {
    if (!isKnown) staying = parent === null ? new Map() : await stayingFiles(parent);
    const { author, committer } = await identityOf(git, options.author);
    const seconds = Math.floor(Date.now() / 1_000);
    async function* stream(): AsyncGenerator<Buffer> {
      yield Buffer.from(
        `commit ${BATCH}\nmark :1\nauthor ${signature(author, seconds)}\ncommitter ${signature(committer, seconds)}\n`,
      );
      yield data(Buffer.from('Deploy\n'));
      if (parent !== null) yield Buffer.from(`from ${parent}\n`);
      if (!isKnown) yield Buffer.from(['deleteall\n', ...staying.values()].join(''));
      for (const file of [...written, ...removed]) if (!staying.has(file)) yield await changeOf(folder, file);
      yield Buffer.from(`\nget-mark :1\nreset ${BATCH}\n\ndone\n`);
    }
    const { stdout } = await git(['fast-import', '--quiet', '--done', '--date-format=raw'], {
      input: stream(),
      timeoutMs: LIMIT_MS,
      background: true,
    });
    return stdout.trim();
  }

  /** The lines that keep the files that stay, by their paths. */
  async function stayingFiles(parent: string): Promise<Map<string, string>> {
    const lines = new Map<string, string>();
    if (keep.length === 0) return lines;
    const { stdout } = await git(['ls-tree', '-z', parent, '--', ...keep]);
    for (const entry of stdout.split('\0')) {
      const [, mode, id, path] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
      if (path !== undefined) lines.set(path, `M ${mode} ${id} ${quotedPath(path)}\n`);
    }
    return lines;
  }

  async function treeOf(commit: string): Promise<string> {
    return (await git(['rev-parse', `${commit}^{tree}`])).stdout.trim();
  }

  const name = remoteName === 'origin' ? `branch ${branch}` : `branch ${branch} of ${redacted(remoteName)}`;
  return { name, deploy };
}

/** The change of one file: its content, or that it is gone. */
async function changeOf(folder: string, file: string): Promise<Buffer> {
  // Git has no such files, and a commit with them would be refused.
  if (file.split('/').includes('.git')) return Buffer.alloc(0);
  try {
    const path = fileIn(folder, file);
    if (path === undefined) return Buffer.from(`D ${quotedPath(file)}\n`);
    const content = await fs.promises.readFile(path);
    return Buffer.concat([Buffer.from(`M 100644 inline ${quotedPath(file)}\n`), data(content)]);
  } catch (error) {
    if (isGone(error)) return Buffer.from(`D ${quotedPath(file)}\n`);
    throw error;
  }
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

/** Bytes as fast-import reads them. */
function data(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`data ${content.length}\n`), content, Buffer.from('\n')]);
}

/** A path as fast-import reads it: in C-style quotes, so that any byte but NUL may stand in it. */
function quotedPath(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}
