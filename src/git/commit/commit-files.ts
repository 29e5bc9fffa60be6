import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { messageOf, PressmarkError } from '../../errors.js';
import { syncFoldersOf, syncIfThere } from '../../fs/sync-files.js';
import { saidIn } from '../git.js';
import { blobId, commitAt, FILE, isFile, type TreeEntry } from '../objects.js';
import type { Repository } from '../repository.js';
import { statusOf } from '../status.js';
import { type Branch, readBranch } from './head.js';
import { clean, type Identity, identityVariables, type Person, signature } from './identity.js';
import { nextRef } from './next-commits.js';

/** A file that is to become a commit. */
export interface NewVersion {
  /** From the top of the work tree. */
  readonly path: string;
  /** The content, or the name of a blob that git has; null if the file is removed. */
  readonly content: Buffer | string | null;
  /** See `modeOf`. */
  readonly mode: string;
  /** The files that the article shows and git lacks: their blobs by their paths. @default none */
  readonly assets?: ReadonlyMap<string, string>;
  /** The whole commit message. */
  readonly message: string;
  /** The person who has made it. @default the author of all commits */
  readonly author?: Person | undefined;
}

/** Who makes the commits, and how. */
export interface CommitStyle {
  readonly identity: Identity;
  /** Whether the commits are signed with the owner's key and settings. */
  readonly sign: boolean;
}

/** What `fast-import` calls the chain of commits that it makes; it leaves no such ref. */
const CHAIN = 'refs/worktree/pressmark-chain';

/** How long git may take for one batch, in milliseconds. */
const LIMIT_MS = 30_000;

/** How often the index is put back while HEAD moves. */
const TAKE_BACK_ATTEMPTS = 5;

/** The pauses before further attempts to write the index, in milliseconds: another program has it for a moment. */
const PAUSES_MS = [50, 100, 200, 400];

/** Has git store files of the work tree as blobs, filtered as `git add` would. @returns their names, in order. */
export function writeBlobs(repository: Repository, paths: readonly string[]): Promise<string[]> {
  return hashFiles(repository, paths, ['-w']);
}

/** The names that the blobs of files would have, in order; nothing is stored. */
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

/**
 * Makes a chain of commits upon `parent`, one for each article's file, in order, with its assets. No branch moves, and the index stays as it is; hooks
 * do not run.
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
  // A ref may lead only to objects that are on the disk.
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
  return sign ? signed(repository, parent, commits, files, { identity, seconds }) : commits;
}

function authorOf(file: NewVersion | undefined, { author }: Identity): Person {
  return file?.author === undefined ? author : clean(file.author);
}

/** The same commits, signed by the owner's program. */
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

/** Commits that are about to go to the branch. */
export interface NewCommits {
  readonly files: readonly NewVersion[];
  /** Those of `buildCommits`. */
  readonly commits: readonly string[];
  /** The paths that the owner has staged. */
  readonly staged: ReadonlySet<string>;
  /** When the first of their objects was written, or earlier; in milliseconds since 1970. */
  readonly since: number;
}

/**
 * Moves the branch to new commits, and puts their files into the index, except where the owner has staged something.
 *
 * @returns undefined if HEAD has moved since `head` was read: then the commits must be made again. `tidied` resolves when
 *   nothing is left of the batch but its commits; no answer waits for that.
 * @throws PressmarkError GIT_FAILED, as where another program has locked the index or the branch for long.
 */
export async function moveBranch(
  repository: Repository,
  head: Branch,
  { files, commits, staged, since }: NewCommits,
): Promise<{ readonly tidied: Promise<unknown> } | undefined> {
  const last = commits.at(-1) ?? '';
  const { git, gitDir, commonDir } = repository;
  const entries = new Map<string, TreeEntry>();
  for (const { path, mode, content, assets = new Map() } of files) {
    for (const [asset, id] of assets) entries.set(asset, { mode: FILE, id });
    if (!staged.has(path) && content !== null)
      entries.set(path, { mode, id: typeof content === 'string' ? content : blobId(repository, content) });
    if (content === null) entries.set(path, { mode: '0', id: noObject(repository) });
  }
  const ref = nextRef();
  await syncObjectFolders(commonDir, since);
  const marked = git(['update-ref', ref, last]).then(() => syncRefs(gitDir, ref));
  // The index first: a branch whose files the index lacks would look as if the owner had removed them. It is locked by now,
  // so that a rebase that begins later finds the entries, and one that has begun does not get them into its commits.
  const indexed = writeIndex(
    repository,
    entries,
    marked.then(() => isOn(repository, head)),
  ).then(async (isWritten) => {
    await syncIfThere(gitDir);
    return isWritten && (await isOn(repository, head));
  });
  try {
    const command = ['update-ref', '-m', 'pressmark: articles', '--stdin'];
    const update = `update ${head.ref} ${last} ${head.tip ?? noObject(repository)}\n`;
    if (!(await startedEarly(repository, command, update, indexed))) {
      await takeBack(repository, entries, ref);
      return undefined;
    }
    await syncRefs(commonDir, head.ref);
    // Only now: after a power loss the branch might be where it was, with the files in the index.
    return { tidied: git(['update-ref', '-d', ref]).catch(() => undefined) }; // else the next comparison removes it
  } catch (error) {
    // The branch's command may have failed while the index was still written.
    await indexed.catch(() => undefined);
    await takeBack(repository, entries, ref);
    if (/ but expected |reference already exists|unable to resolve reference/.test(messageOf(saidIn(error))))
      return undefined;
    throw error;
  }
}

/** Whether HEAD is on that branch, and the owner has not begun a rebase or the like. */
async function isOn(repository: Repository, { ref }: Branch): Promise<boolean> {
  const branch = await readBranch(repository);
  return branch.kind === 'branch' && branch.ref === ref;
}

function writeIndex(
  repository: Repository,
  entries: ReadonlyMap<string, TreeEntry>,
  ready?: Promise<boolean>,
): Promise<boolean> {
  const input = [...entries].map(([path, { mode, id }]) => `${mode} ${id} 0\t${path}\0`).join('');
  return startedEarly(repository, ['update-index', '-z', '--index-info'], input, ready);
}

/**
 * Runs a command that starts while the one before it still works: half of its time is its start. It gets its input when
 * `ready` resolves.
 *
 * @param ready whether it is to do anything.
 * @returns that.
 */
async function startedEarly(
  { git }: Repository,
  command: readonly string[],
  input: string,
  ready = Promise.resolve(true),
): Promise<boolean> {
  ready.catch(() => undefined); // where the command itself has failed, that is the error
  const inputWhenReady = async function* () {
    if (await ready) yield Buffer.from(input);
  };
  await patiently(() => git(command, { input: inputWhenReady() }));
  return ready;
}

/** Syncs the folders of a ref. Git syncs its file. */
async function syncRefs(gitDir: string, ref: string): Promise<void> {
  await syncFoldersOf(gitDir, [join(gitDir, ref), join(gitDir, 'reftable', 'tables.list')]);
}

/**
 * Gives the index what HEAD has by now, where the index has what was written: else the files would look as if the owner had
 * staged them. Where that fails, the ref stays, and goes on telling them from the owner's. Where the owner commits at the
 * same time, HEAD has another commit afterwards, and it is done again.
 */
async function takeBack(
  repository: Repository,
  entries: ReadonlyMap<string, TreeEntry>,
  ref: string,
): Promise<void> {
  const absent = { mode: '0', id: noObject(repository) };
  let written = entries;
  for (let attempt = 0; attempt < TAKE_BACK_ATTEMPTS; attempt++) {
    const { tip, files } = await statusOf(repository, [...written.keys()]);
    const ours = [...written].flatMap(([path, { id }]) => {
      const { head = absent, index = absent } = files.get(path) ?? {};
      return files.has(path) && index.id === id ? [[path, head] as const] : [];
    });
    if (ours.length === 0) break;
    written = new Map(ours);
    await writeIndex(repository, written);
    if ((await commitAt(repository, 'HEAD')) === tip) break;
  }
  await syncIfThere(repository.gitDir);
  await repository.git(['update-ref', '-d', ref]);
}

/** The name that stands for no object. */
function noObject({ objectFormat }: Pick<Repository, 'objectFormat'>): string {
  return '0'.repeat(objectFormat === 'sha256' ? 64 : 40);
}

/** Repeats a command that finds a lock. */
async function patiently<T>(command: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await command();
    } catch (error) {
      if (!/File exists/.test(messageOf(saidIn(error)))) throw error;
      await setTimeout(pause);
    }
  }
  return command();
}

/** Removes the report that a failed fast-import leaves in the git directory; each attempt would leave another one. */
async function removeCrashReport({ gitDir }: Repository, words: string): Promise<void> {
  const [, path] = /dumping crash report to (\S*fast_import_crash_\d+)/.exec(words) ?? [];
  if (path !== undefined) await rm(join(gitDir, basename(path)), { force: true });
}

/** A clock of a file system ticks this often at the least, in milliseconds. */
const TICK_MS = 2_000;

/** Syncs the folders of objects that have got files since. Git syncs the files themselves. */
async function syncObjectFolders(commonDir: string, since: number): Promise<void> {
  const objects = join(commonDir, 'objects');
  const syncIfNew = async (name: string): Promise<void> => {
    const folder = join(objects, name);
    if ((await stat(folder)).mtimeMs > since - TICK_MS) await syncIfThere(folder);
  };
  await Promise.all([syncIfThere(objects), ...(await readdir(objects)).map(syncIfNew)]);
}

/** The mode of a file's next version: that of the version before, else an ordinary file's. */
export function modeOf(entry: TreeEntry | undefined): string {
  return entry !== undefined && isFile(entry.mode) ? entry.mode : FILE;
}

/** Bytes as fast-import reads them. */
function data(content: Buffer): (string | Buffer)[] {
  return [`data ${content.length}\n`, content, '\n'];
}

/** A path as fast-import and hash-object read it: in C-style quotes, so that any byte but NUL may stand in it. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}
