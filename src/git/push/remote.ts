import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import { type GitAnswer, type GitRun, redacted, saidIn } from '../git.js';
import type { Repository } from '../repository.js';

/** Settings for the remote. */
export interface RemoteSettings {
  /** A remote's name or a URL. @default 'origin' */
  readonly remote?: string | undefined;
  /** The branch on the remote, without `refs/heads/`; a push creates it. @default HEAD's branch */
  readonly branch?: string | undefined;
  /** The local ref for the fetched commit. @default FETCHED_REF */
  readonly into?: string;
}

/**
 * The result of a push: `accepted`; `refused`, as the branch has moved on; or `declined` by the remote's own rules (a hook, a
 * protected branch). If it was not accepted, nothing has changed.
 */
export type Pushed =
  | { readonly outcome: 'accepted' | 'refused' }
  | { readonly outcome: 'declined'; readonly why: string };

/** One branch on one remote; see `createRemote`. */
export type Remote = Awaited<ReturnType<typeof createRemote>>;

/** The ref of the last fetched commit, so that git's housekeeping keeps its objects. Each linked work tree has its own. */
export const FETCHED_REF = 'refs/worktree/pressmark-remote';

/** Ends HTTP connections that transfer nothing for 30 s. */
const HTTP_OPTIONS = ['-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=30'];

const FETCH = [
  ...HTTP_OPTIONS,
  'fetch',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--no-auto-gc',
];

/** No prompts, and no waiting on dead connections. */
const SSH_OPTIONS = '-o BatchMode=yes -o ConnectTimeout=8 -o ServerAliveInterval=5 -o ServerAliveCountMax=4';

/** How long a fetch or a push may take, in milliseconds; it may be a large site over a slow connection. */
const TRANSFER_MS = 15 * 60_000;

/** How long the remote may take to name the branch's last commit, in milliseconds, if no delivery waits. */
const LIST_MS = 60_000;

/**
 * Opens a branch of a remote. Git never asks for a password.
 *
 * @param repository `commonDir` is needed only to push Git LFS files.
 * @param listMs how long the remote may take to name the branch's last commit, in milliseconds.
 */
export async function createRemote(
  { git, commonDir }: Pick<Repository, 'git'> & Partial<Pick<Repository, 'commonDir'>>,
  { remote = 'origin', branch, into = FETCHED_REF }: RemoteSettings,
  environment: NodeJS.Dict<string>,
  listMs = LIST_MS,
) {
  // Answers go to strangers, who must not learn a URL or a path.
  const name = /^[\w.-]+$/.test(remote) ? `the git remote ${remote}` : 'the git remote';
  const ref = `refs/heads/${branch ?? (await headBranch())}`;
  const env = await withoutPrompts();

  async function headBranch(): Promise<string> {
    const { code, stdout } = await git(['symbolic-ref', '-q', 'HEAD'], { accept: [1] });
    if (code === 0) return stdout.trim().replace('refs/heads/', '');
    throw new PressmarkError(
      'CONFIG_INVALID',
      'git.push.branch must be set: HEAD is on no branch whose name could be taken',
    );
  }

  /** Returns variables that make git fail at once, instead of prompting, if a credential is missing. */
  async function withoutPrompts(): Promise<NodeJS.Dict<string>> {
    const base = environment.GIT_SSH_COMMAND ?? (await setting('core.sshCommand')) ?? 'ssh';
    const variant = environment.GIT_SSH_VARIANT ?? (await setting('ssh.variant')) ?? 'ssh';
    return {
      GIT_ASKPASS: '',
      SSH_ASKPASS_REQUIRE: 'never',
      GCM_INTERACTIVE: 'never',
      // Only OpenSSH has these options.
      GIT_SSH_COMMAND: variant === 'ssh' ? `${base} ${SSH_OPTIONS}` : base,
    };
  }

  async function setting(key: string): Promise<string | undefined> {
    const { code, stdout } = await git(['config', '--get', key], { accept: [1] });
    return code === 0 ? stdout.trim() : undefined;
  }

  async function askRemote(args: readonly string[], run: GitRun): Promise<GitAnswer> {
    try {
      return await git(args, { ...run, env });
    } catch (error) {
      throw new PressmarkError('REMOTE_UNAVAILABLE', `${name} did not answer`, { cause: saidIn(error) });
    }
  }

  /**
   * Fetches the branch.
   *
   * @param known the last commit that was fetched or pushed before; null for none.
   * @returns the branch's last commit, or null if the remote has no such branch yet.
   * @throws PressmarkError REMOTE_UNAVAILABLE.
   */
  async function fetch(known: string | null): Promise<string | null> {
    const listed = await askRemote(['ls-remote', '--quiet', remote, ref], { timeoutMs: listMs });
    // Git lists all refs whose names end with this one.
    const line = listed.stdout.split('\n').find((one) => one.endsWith(`\t${ref}`));
    if (line === undefined) return null;
    const last = line.slice(0, line.indexOf('\t'));
    // Usually nothing is new, and listing takes a tenth of the time of a fetch.
    if (last === known) return last;
    const run = { timeoutMs: TRANSFER_MS };
    const refspec = `+${ref}:${into}`;
    const { code } = await askRemote([...FETCH, remote, refspec], { ...run, accept: [1] });
    // The remote-tracking branch may have a stale lock, which the owner has to remove; try again without that branch.
    if (code !== 0) await askRemote([...FETCH, '--refmap=', remote, refspec], run);
    return last;
  }

  /**
   * Pushes `commit` to the branch if that is a fast-forward; never forced.
   *
   * @throws PressmarkError REMOTE_UNAVAILABLE; then it is unknown whether the remote has the commit.
   */
  async function push(commit: string): Promise<Pushed> {
    await pushLargeFiles(commit);
    const args = [
      ...HTTP_OPTIONS,
      'push',
      '--porcelain',
      '--no-verify',
      '--no-signed',
      '--no-follow-tags',
      '--recurse-submodules=no',
      remote,
      `${commit}:${ref}`,
    ];
    return pushedBy(await askRemote(args, { timeoutMs: TRANSFER_MS, accept: [1] }), ref, name);
  }

  /** Uploads the files of Git LFS, because its hook does not run here. */
  async function pushLargeFiles(commit: string): Promise<void> {
    if (commonDir === undefined || !existsSync(join(commonDir, 'lfs', 'objects'))) return;
    await askRemote(['lfs', 'push', remote, commit], { timeoutMs: TRANSFER_MS });
  }

  return {
    /** For messages, `the git remote origin`; never a URL or a path. */
    name,
    /** The branch's full name on the remote, `refs/heads/…`. */
    ref,
    fetch,
    push,
  };
}

/** Returns a remote's push URL, after git's rewriting of URLs. @param remote a remote's name or a URL. */
export async function remoteUrlOf({ git }: Pick<Repository, 'git'>, remote = 'origin'): Promise<string> {
  const { code, stdout } = await git(['remote', 'get-url', '--push', '--', remote], { accept: [2, 128] });
  return code === 0 ? stdout.trim() : remote;
}

/** Reads `git push --porcelain`: `<flag> TAB <from>:<to> TAB <what happened>`; the remote's own lines are on standard error. */
export function pushedBy({ code, stdout, stderr }: GitAnswer, ref: string, name: string): Pushed {
  const line = stdout.split('\n').find((one) => one.split('\t')[1]?.endsWith(`:${ref}`));
  if (code === 0) return { outcome: 'accepted' };
  const [flag, , what = ''] = line?.split('\t') ?? [];
  if (flag !== '!' || what.startsWith('[remote failure]'))
    throw new PressmarkError('REMOTE_UNAVAILABLE', `${name} gave no clear answer to a push`);
  // Another push came first: our git found out before the push, or the remote when it locked the ref.
  const movedOn =
    /^\[rejected\]|cannot lock ref|failed to update ref|incorrect old value|reference already exists|fetch first|failed to lock/;
  if (movedOn.test(what)) return { outcome: 'refused' };
  const why = what.replace('[remote rejected] ', '').replace(/^\((.*)\)$/, '$1');
  const lines = stderr.split(/[\n\r]+/).flatMap((one) => {
    const [, words = ''] = /^remote: (?:error: )?(.*?)\s*$/.exec(one) ?? [];
    return words === '' || PROGRESS.test(words) ? [] : [redacted(words)];
  });
  return { outcome: 'declined', why: [why, ...lines.slice(0, MOST_LINES)].join('; ') };
}

/** A remote's progress line, such as `Resolving deltas:   5% (8/146)`. */
const PROGRESS = /^[A-Z][a-z ]+: +\d+% \(\d+\/\d+\)/;

/** How many of the remote's lines are reported. */
const MOST_LINES = 6;
