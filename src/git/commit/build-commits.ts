import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { messageOf, PressmarkError } from '../../errors.js';
import { saidIn } from '../git.js';
import { clean, type Identity, identityVariables, type Person, signature } from '../identity.js';
import { FILE, isFile, noObject, type TreeEntry } from '../objects.js';
import type { Repository } from '../repository.js';

/** A file to commit. */
export interface NewVersion {
  /** From the top of the work tree. */
  readonly path: string;
  /** The content, or the name of a stored blob; null if the file is removed. */
  readonly content: Buffer | string | null;
  /** See `modeOf`. */
  readonly mode: string;
  /** The article's assets that git lacks: their blobs, by path. @default none */
  readonly assets?: ReadonlyMap<string, string>;
  /** The whole commit message. */
  readonly message: string;
  /** The person who made this version. @default the author of all commits */
  readonly author?: Person | undefined;
}

/** The identity for commits, and whether they are signed. */
export interface CommitStyle {
  readonly identity: Identity;
  /** Whether the commits are signed with the owner's key and settings. */
  readonly sign: boolean;
}

/** The name of the new commits inside `fast-import`; no such ref remains. */
const CHAIN = 'refs/worktree/pressmark-chain';

/** How long git may take for one batch, in milliseconds. */
const LIMIT_MS = 30_000;

/** Stores files of the work tree as blobs, filtered like by `git add`. @returns their names, in order. */
export function writeBlobs(repository: Repository, paths: readonly string[]): Promise<string[]> {
  return hashFiles(repository, paths, ['-w']);
}

/** Returns the names that the blobs of files would have, in order; stores nothing by default. */
export async function hashFiles(
  { git }: Repository,
  paths: readonly string[],
  options: readonly string[] = [],
): Promise<string[]> {
  if (paths.length === 0) return [];
  const input = paths.map((path) => `${quoted(path)}\n`).join('');
  const { stdout } = await git(['hash-object', ...options, '--stdin-paths'], { input });
  return stdout.split('\n').slice(0, -1);
}

/** Stores a text as the blob that `git add` would make of a file with it. @returns the blob's name. */
export async function writeText({ git }: Repository, path: string, input: Buffer): Promise<string> {
  return (await git(['hash-object', '-w', '--stdin', `--path=${path}`], { input })).stdout.trim();
}

/**
 * Makes a chain of commits on top of `parent`: one for each article's file, in order, with its assets. No branch moves, the
 * index does not change, and no hook runs.
 *
 * @returns the names of the commits.
 * @throws PressmarkError GIT_FAILED.
 */
export async function buildCommits(
  repository: Repository,
  parent: string | null,
  files: readonly NewVersion[],
  { identity, sign }: CommitStyle,
): Promise<string[]> {
  const seconds = Math.floor(Date.now() / 1_000);
  const lines: (string | Buffer)[] = ['feature done\n'];
  for (const [index, file] of files.entries()) {
    const { path, content, mode, assets = new Map(), message } = file;
    lines.push(
      `commit ${CHAIN}\nmark :${index + 1}\n`,
      `author ${signature(authorOf(file, identity), seconds)}\ncommitter ${signature(identity.committer, seconds)}\n`,
      ...data(Buffer.from(message)),
      ...(index === 0 && parent !== null ? [`from ${parent}\n`] : []),
      ...[...assets].map(([asset, blob]) => `M ${FILE} ${blob} ${quoted(asset)}\n`),
      ...(content === null
        ? [`D ${quoted(path)}\n\n`]
        : typeof content === 'string'
          ? [`M ${mode} ${content} ${quoted(path)}\n\n`]
          : [`M ${mode} inline ${quoted(path)}\n`, ...data(content), '\n']),
    );
  }
  for (const index of files.keys()) lines.push(`get-mark :${index + 1}\n`);
  // Delete the ref inside fast-import: no ref may point to commits that are not on the disk yet.
  lines.push(`reset ${CHAIN}\nfrom ${noObject(repository)}\n\n`, 'done\n');
  const input = Buffer.concat(lines.map((line) => (typeof line === 'string' ? Buffer.from(line) : line)));
  const command = ['fast-import', '--quiet', '--force', '--date-format=raw'];
  const { stdout } = await repository
    .git(command, { input, timeoutMs: LIMIT_MS })
    .catch(async (error: unknown) => {
      await removeCrashReport(repository, messageOf(saidIn(error)));
      throw error;
    });
  const commits = stdout.split('\n').slice(0, -1);
  if (commits.length !== files.length)
    throw new PressmarkError('GIT_FAILED', 'git fast-import has not named each commit');
  return sign ? signed(repository, parent, commits, files, { identity, seconds }) : commits;
}

function authorOf(file: NewVersion | undefined, { author }: Identity): Person {
  return file?.author === undefined ? author : clean(file.author);
}

/** Makes the same commits again, signed by the owner's program. */
async function signed(
  { git }: Repository,
  parent: string | null,
  commits: readonly string[],
  files: readonly NewVersion[],
  { identity, seconds }: { identity: Identity; seconds: number },
): Promise<string[]> {
  const made: string[] = [];
  for (const [index, commit] of commits.entries()) {
    const above = made.at(-1) ?? parent;
    const on = above === null ? [] : ['-p', above];
    const file = files[index];
    const input = file?.message ?? '';
    const env = identityVariables({ ...identity, author: authorOf(file, identity) }, seconds);
    try {
      const { stdout } = await git(['commit-tree', '-S', ...on, '-F', '-', `${commit}^{tree}`], {
        input,
        env,
      });
      made.push(stdout.trim());
    } catch (error) {
      throw new PressmarkError('GIT_FAILED', 'a commit could not be signed (git.sign)', {
        cause: saidIn(error),
      });
    }
  }
  return made;
}

/** Removes the crash report that each failed fast-import leaves in the git directory. */
async function removeCrashReport({ gitDir }: Repository, words: string): Promise<void> {
  const [, path] = /dumping crash report to (\S*fast_import_crash_\d+)/.exec(words) ?? [];
  if (path !== undefined) await rm(join(gitDir, basename(path)), { force: true });
}

/** Returns the mode for a file's next version: the mode of its last version, or else of an ordinary file. */
export function modeOf(entry: TreeEntry | undefined): string {
  return entry !== undefined && isFile(entry.mode) ? entry.mode : FILE;
}

/** Formats bytes for fast-import. */
function data(content: Buffer): (string | Buffer)[] {
  return [`data ${content.length}\n`, content, '\n'];
}

/** Formats a path for fast-import and hash-object: in C-style quotes, which allow any byte but NUL. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}
