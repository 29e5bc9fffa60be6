import { realpath, stat } from 'node:fs/promises';
import { messageOf, PressmarkError, systemCode } from '../errors.js';
import { createGit, type Git, SILENCE } from './git.js';

/** The repository that a site is in. */
export interface Repository {
  readonly kind: 'repository';
  /** Runs git at the top of the work tree. */
  readonly git: Git;
  /** The top of the work tree, absolute. */
  readonly top: string;
  /** The path from the top to the site's folder: empty, or with a slash at its end. */
  readonly prefix: string;
  /** The git directory of this work tree, with HEAD and the index; absolute. */
  readonly gitDir: string;
  /** The git directory that all linked work trees share, with objects and branches; absolute. */
  readonly commonDir: string;
  /** Git's own version, such as `[2, 39]`. */
  readonly version: Version;
  /** The hash function for objects' names. */
  readonly objectFormat: 'sha1' | 'sha256';
}

/** The reason why nothing can be committed here, for the log. */
export interface NoRepository {
  readonly kind: 'none';
  readonly because: string;
  /** Whether the owner probably wants commits, and has to do something first. */
  readonly unexpected: boolean;
}

type Version = readonly [major: number, minor: number];

/** The oldest supported version of git. */
const OLDEST: Version = [2, 31];

/** From this version on, git refuses repositories of other users; see `safe.directory`. */
const REFUSES_FOREIGN: Version = [2, 36];

/** The options of `git rev-parse` that print one line each. */
const QUESTIONS = [
  '--is-inside-work-tree',
  '--show-toplevel',
  '--show-prefix',
  '--absolute-git-dir',
  '--path-format=absolute',
  '--git-common-dir',
  '--show-object-format',
];

const OUTSIDE = none('the site is not in a git work tree', false);

/**
 * Finds the work tree that `siteDir` is in, or the reason why there is none. Git refuses another user's repository before it
 * runs commands from its config; only a person may set `safe.directory`.
 *
 * @throws PressmarkError GIT_FAILED if git fails for another reason.
 */
export async function openRepository(
  siteDir: string,
  env: NodeJS.Dict<string>,
  run: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<Repository | NoRepository> {
  const ask = createGit({ cwd: siteDir, env, ...run });
  let version: Version;
  let answers: readonly string[];
  try {
    version = versionIn((await ask(['version'])).stdout);
    if (isOlder(version, OLDEST))
      return none(`git ${version.join('.')} is too old; ${OLDEST.join('.')} is needed`, true);
    answers = (await ask(['rev-parse', ...QUESTIONS])).stdout.split('\n').slice(0, -1);
  } catch (error) {
    return reasonIn(error);
  }
  const [isInside, top = '', prefix = '', gitDir = '', commonDir = '', format, ...more] = answers;
  if (isInside !== 'true') return OUTSIDE;
  if (more.length > 0) return none('the path of the repository has a line end', true);
  if (isOlder(version, REFUSES_FOREIGN) && (await isForeign([top, gitDir])))
    return none('the repository belongs to another user; run Pressmark as that user, or update git', true);
  return {
    kind: 'repository',
    git: createGit({ cwd: await realpath(top), env, ...run }),
    top,
    prefix,
    gitDir,
    commonDir,
    version,
    objectFormat: format === 'sha256' ? 'sha256' : 'sha1',
  };
}

function reasonIn(error: unknown): NoRepository {
  const cause = error instanceof PressmarkError ? error.cause : error;
  if (systemCode(cause) === 'ENOENT') return none('git is not installed', false);
  const said = messageOf(cause);
  const words = said === SILENCE ? messageOf(error) : said;
  if (/not a git repository|must be run in a work tree/.test(words)) return OUTSIDE;
  const [command] = /git config --global --add safe\.directory .+/.exec(words) ?? [];
  if (command !== undefined)
    return none(
      `the repository belongs to another user; run Pressmark as that user, or, if you trust the commands in its git config, run ${command}`,
      true,
    );
  return none(`git does not work here: ${words}`, true);
}

function none(because: string, unexpected: boolean): NoRepository {
  return { kind: 'none', because, unexpected };
}

function versionIn(text: string): Version {
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(text) ?? [];
  return [Number(major), Number(minor)];
}

/** Whether a version of git is older than another one. */
export function isOlder([major, minor]: Version, than: Version): boolean {
  return major < than[0] || (major === than[0] && minor < than[1]);
}

async function isForeign(paths: readonly string[]): Promise<boolean> {
  const owners = await Promise.all(paths.map(async (path) => (await stat(path)).uid));
  return owners.some((owner) => owner !== process.getuid?.());
}
