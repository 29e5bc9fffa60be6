import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import { type GitAnswer, type GitRun, redacted, saidIn } from '../git.js';
import type { Repository } from '../repository.js';

/** Where commits are pushed to. */
export interface RemoteSettings {
  /** A remote's name or a URL. @default 'origin' */
  readonly remote?: string | undefined;
  /** The branch on the remote, without `refs/heads/`, made where it does not exist. @default the one that HEAD is on */
  readonly branch?: string | undefined;
  /** The local ref that gets what was fetched. @default FETCHED_REF */
  readonly into?: string;
}

/**
 * The result of a push: `accepted`; `refused`, as the branch has moved on; or `declined` by the remote's own rules (a
 * hook, a protected branch). Where it was not accepted, nothing was changed.
 */
export type Pushed =
  | { readonly outcome: 'accepted' | 'refused' }
  | { readonly outcome: 'declined'; readonly why: string };

/** One branch on one remote; see `createRemote`. */
export type Remote = Awaited<ReturnType<typeof createRemote>>;

/** The ref of the commit that was fetched last, so that housekeeping keeps its objects. */
export const FETCHED_REF = 'refs/pressmark/remote';

/** A connection over HTTP that carries nothing for 30 s is given up. */
const HTTP_OPTIONS = ['-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=30'];

const FETCH = [
  ...HTTP_OPTIONS,
  'fetch',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--no-auto-gc',
];

/** Without questions, and without waiting for a connection that is dead. */
const SSH_OPTIONS = '-o BatchMode=yes -o ConnectTimeout=8 -o ServerAliveInterval=5 -o ServerAliveCountMax=4';

/** How long a fetch or a push may take, in milliseconds; it may be of a large site, through a slow line. */
const TRANSFER_MS = 15 * 60_000;

/** How long the remote may take to name the branch's last commit, in milliseconds, where no delivery waits. */
const LIST_MS = 60_000;

/**
 * A branch of a remote, reached by the git CLI, which never asks for a password.
 *
 * @param repository without its folder where nothing that Git LFS has is pushed.
 * @param listMs how long the remote may take to name the branch's last commit, in milliseconds.
 */
export async function createRemote(
  { git, commonDir }: Pick<Repository, 'git'> & Partial<Pick<Repository, 'commonDir'>>,
  { remote = 'origin', branch, into = FETCHED_REF }: RemoteSettings,
  environment: NodeJS.Dict<string>,
  listMs = LIST_MS,
) {
  // An answer goes to strangers, who must not learn a URL or a path.
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

  /** There is no person to type a password: a credential that is not configured fails at once. */
  async function withoutPrompts(): Promise<NodeJS.Dict<string>> {
    const base = environment.GIT_SSH_COMMAND ?? (await setting('core.sshCommand')) ?? 'ssh';
    const variant = environment.GIT_SSH_VARIANT ?? (await setting('ssh.variant')) ?? 'ssh';
    return {
      GIT_ASKPASS: '',
      SSH_ASKPASS_REQUIRE: 'never',
      GCM_INTERACTIVE: 'never',
      // other programs than OpenSSH know no such options
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
    // It lists the refs whose names end so.
    const line = listed.stdout.split('\n').find((one) => one.endsWith(`\t${ref}`));
    if (line === undefined) return null;
    const last = line.slice(0, line.indexOf('\t'));
    // Most often nothing is new: this question takes a tenth of the time of a fetch.
    if (last === known) return last;
    const run = { timeoutMs: TRANSFER_MS };
    const refspec = `+${ref}:${into}`;
    const { code } = await askRemote([...FETCH, remote, refspec], { ...run, accept: [1] });
    // A forgotten lock of the remote-tracking branch is for the owner to remove; nothing here needs that branch.
    if (code !== 0) await askRemote([...FETCH, '--refmap=', remote, refspec], run);
    return last;
  }

  /**
   * Moves the branch to `commit` where that is a fast-forward; never by force.
   *
   * @throws PressmarkError REMOTE_UNAVAILABLE; whether the remote has taken the commit is unknown then.
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

  /** Has Git LFS upload its files: its own hook, which would do so, does not run here. */
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

/** The URL that a remote is pushed to, with git's own rewriting of URLs. @param remote a remote's name or a URL. */
export async function remoteUrlOf({ git }: Pick<Repository, 'git'>, remote = 'origin'): Promise<string> {
  const { code, stdout } = await git(['remote', 'get-url', '--push', '--', remote], { accept: [2, 128] });
  return code === 0 ? stdout.trim() : remote;
}

/** Reads `git push --porcelain`: `<flag> TAB <from>:<to> TAB <what happened>`; the remote's own lines are on standard error. */
export function pushedBy({ code, stdout, stderr }: GitAnswer, ref: string, name: string): Pushed {
  const line = stdout.split('\n').find((one) => one.split('\t')[1]?.endsWith(`:${ref}`));
  if (code === 0) return { outcome: 'accepted' };
  if (line === undefined || !line.startsWith('!'))
    throw new PressmarkError('REMOTE_UNAVAILABLE', `${name} gave no clear answer to a push`);
  const what = line.split('\t')[2] ?? '';
  // Another push was first: found by our git before the push, or by the remote when it locked the ref.
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

/** What a remote says while it works, such as `Resolving deltas:   5% (8/146)`. */
const PROGRESS = /^[A-Z][a-z ]+: +\d+% \(\d+\/\d+\)/;

/** How many lines of the remote are passed on. */
const MOST_LINES = 6;
