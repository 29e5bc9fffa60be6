import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { messageOf, PressmarkError, systemCode } from '../../errors.js';
import { createDirectorySync, type DirectorySync } from './fsync-directories.js';
import { createGit, type Git, SILENCE } from './git.js';
import { createLaunchedGit } from './launcher.js';
import { type Ask, createLongRunningGit } from './long-running-git.js';
import { createTreeCache, type TreeCache } from './tree-cache.js';

/** The repository that a site stands in. */
export interface Repository extends DirectorySync {
  readonly kind: 'repository';
  /** Runs git at the top of the work tree. */
  readonly git: Git;
  /** Asks a git that stays for the next question. */
  readonly ask: Ask;
  /** The top of the work tree, absolute. */
  readonly top: string;
  /** From the top to the site's folder: empty, or with a slash at its end. */
  readonly prefix: string;
  /** This work tree's own git directory, absolute; where HEAD and the index are. */
  readonly gitDir: string;
  /** The git directory that all linked work trees share, absolute; where objects and branches are. */
  readonly commonDir: string;
  /** Where commits are kept that cannot go to the branch now; a linked work tree has one of its own. */
  readonly parkedRef: string;
  /** Git's own version, such as `[2, 39]`. */
  readonly version: readonly [major: number, minor: number];
  /** How objects are named. */
  readonly objectFormat: 'sha1' | 'sha256';
  /** Whether this process is root in somebody else's repository. */
  readonly foreign: boolean;
  readonly trees: TreeCache;
}

/** Why nothing can be committed here, in words for the log. */
export interface NoRepository {
  readonly kind: 'none';
  readonly because: string;
  /** Whether the owner probably wanted commits and has to do something for them. */
  readonly unexpected: boolean;
}

/** The oldest git that all of this is known to work with. */
const OLDEST: readonly [number, number] = [2, 31];

/** What `git rev-parse` answers with a line each. */
const QUESTIONS = [
  '--is-inside-work-tree',
  '--show-toplevel',
  '--show-prefix',
  '--absolute-git-dir',
  '--path-format=absolute',
  '--git-common-dir',
  '--show-object-format',
];

/** How long one of the first questions to git may take, in milliseconds. */
const START_MS = 30_000;

const OUTSIDE = none('the site is not in a git work tree', false);

/**
 * Finds the work tree that `siteDir` is in, or says why there is none.
 *
 * @param run.startMs how long each of the first two questions may take. @default 30,000, or `timeoutMs` if that is less
 * @throws PressmarkError GIT_FAILED where git fails for another reason.
 */
export async function openRepository(
  siteDir: string,
  env: NodeJS.ProcessEnv,
  { startMs, ...run }: { signal?: AbortSignal; timeoutMs?: number; startMs?: number } = {},
): Promise<Repository | NoRepository> {
  // Only rev-parse, which starts nothing a repository's config names, runs before the owner is known.
  // A busy machine or a cold disk may need some seconds; a git that hangs must not keep the receiver from its deliveries.
  const timeoutMs = startMs ?? Math.min(run.timeoutMs ?? START_MS, START_MS);
  const ask = createGit({ cwd: siteDir, safeDirectory: '*', env, ...run, timeoutMs });
  let version: readonly [number, number];
  let answers: readonly string[];
  try {
    version = versionIn((await ask(['version'])).stdout);
    if (isOlder(version, OLDEST))
      return none(`git ${version.join('.')} is too old; ${OLDEST.join('.')} is needed`, true);
    answers = (await ask(['rev-parse', ...QUESTIONS])).stdout.split('\n').slice(0, -1);
  } catch (error) {
    const cause = error instanceof PressmarkError ? error.cause : error;
    if (systemCode(cause) === 'ENOENT') return none('git is not installed', false);
    const said = messageOf(cause);
    const words = said === SILENCE ? messageOf(error) : said;
    return /not a git repository|must be run in a work tree/.test(words)
      ? OUTSIDE
      : none(`git does not work here: ${words}`, true);
  }
  const [isInside, top = '', prefix = '', gitDir = '', commonDir = '', format, ...more] = answers;
  if (isInside !== 'true') return OUTSIDE;
  if (more.length > 0) return none('the path of the repository has a line end', true);
  // A repository that somebody else put around the site could name programs (clean filters) that we would run.
  const [site, ...owners] = await ownersOf([await realpath(siteDir), top, gitDir]);
  const uid = process.getuid?.();
  if (!owners.every((owner) => owner === uid || owner === site))
    return none('the work tree around it belongs to another user', true);
  const options = { cwd: top, safeDirectory: top, env, ...run };
  return {
    kind: 'repository',
    git: createLaunchedGit(options),
    ask: createLongRunningGit(options),
    top,
    prefix,
    gitDir,
    commonDir,
    parkedRef: gitDir === commonDir ? 'refs/pressmark/parked' : 'refs/worktree/pressmark/parked',
    version,
    objectFormat: format === 'sha256' ? 'sha256' : 'sha1',
    foreign: uid === 0 && owners.some((owner) => owner !== uid),
    trees: createTreeCache(),
    ...createDirectorySync({ gitDir, commonDir }),
  };
}

function none(because: string, unexpected: boolean): NoRepository {
  return { kind: 'none', because, unexpected };
}

function versionIn(text: string): readonly [number, number] {
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(text) ?? [];
  return [Number(major), Number(minor)];
}

/** Whether a version of git comes before another one. */
export function isOlder([major, minor]: readonly [number, number], than: readonly [number, number]): boolean {
  return major < than[0] || (major === than[0] && minor < than[1]);
}

async function ownersOf(paths: readonly string[]): Promise<number[]> {
  return Promise.all(paths.map(async (path) => (await stat(path)).uid));
}

/** The types of the objects that are written here. */
export type ObjectType = 'commit' | 'tree' | 'blob';

/** The name that git gives to an object with this content. */
export function objectId(
  { objectFormat }: Pick<Repository, 'objectFormat'>,
  type: ObjectType,
  content: Buffer,
): string {
  return createHash(objectFormat).update(`${type} ${content.length}\0`).update(content).digest('hex');
}

/** The name that git gives to a file's content. */
export function blobId(repository: Pick<Repository, 'objectFormat'>, content: Buffer): string {
  return objectId(repository, 'blob', content);
}

/** The name of the tree without entries, which stands for "before the first commit". */
export function emptyTree(repository: Repository): string {
  return objectId(repository, 'tree', Buffer.alloc(0));
}
