import { PressmarkError } from '../errors.js';
import type { Log } from '../log.js';
import type { GitAnswer } from './git.js';
import { type MoveNotes, moveRef } from './ref-move.js';
import type { Repository } from './repository.js';

/** Where commits are pushed to. */
export interface RemoteSettings {
  /** A remote's name or a URL. @default 'origin' */
  readonly remote?: string | undefined;
  /** The branch on the remote, without `refs/heads/`. @default the one that HEAD is on */
  readonly branch?: string | undefined;
}

/**
 * What became of a push: `accepted`; `refused` by a branch that has moved on, nothing was changed; `declined` by
 * the remote's own rules (a hook, a protected branch), nothing was changed either.
 */
export type Pushed =
  | { readonly outcome: 'accepted' | 'refused' }
  | { readonly outcome: 'declined'; readonly why: string };

/** One branch on one remote; see `createRemote`. */
export interface Remote {
  /** For messages, `the git remote origin`; never a URL or a path. */
  readonly name: string;
  /** The branch's full name, `refs/heads/…`, the same on the remote and here. */
  readonly ref: string;
  /**
   * Asks the remote for its branch and gets the commits that are not here yet.
   *
   * @param known the commit that it had when it was asked last.
   * @returns the branch's last commit, or null where the remote has no such branch yet.
   * @throws PressmarkError REMOTE_UNAVAILABLE.
   */
  fetch(known: string | null): Promise<string | null>;
  /**
   * Has the branch moved to `commit` where that takes nothing away from it; never by force.
   *
   * @throws PressmarkError REMOTE_UNAVAILABLE; whether the remote has taken the commit is unknown then.
   */
  push(commit: string): Promise<Pushed>;
}

/** The tip that was fetched last stands here, so that housekeeping keeps its objects. */
export const FETCHED_REF = 'refs/pressmark/remote';

/** Has `FETCHED_REF` stand at a commit. */
export function remembering(repository: Repository, notes: MoveNotes, log: Log) {
  return (tip: string): Promise<boolean> => moveRef(repository, notes, log, { ref: FETCHED_REF, to: tip });
}

const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--no-auto-gc',
];

/**
 * How long the steps may take, in milliseconds. A delivery has 30 s: the store begins nothing for it after 8, and in
 * the worst case a push, a look and a fetch follow.
 */
const MOST_MS: RemoteLimits = { push: 10_000, list: 4_000, fetch: 7_000 };

/** How long each step may take, in milliseconds. */
export interface RemoteLimits {
  readonly push: number;
  readonly list: number;
  readonly fetch: number;
}

/**
 * A branch of a remote, spoken to by the git CLI, which never asks anybody for a password.
 *
 * @param remember has `FETCHED_REF` stand at what was fetched; who fetches only to look needs none.
 * @param limits how long the steps may take. @default what a delivery can wait for
 */
export async function createRemote(
  { git }: Repository,
  { remote = 'origin', branch }: RemoteSettings,
  environment: NodeJS.Dict<string>,
  remember?: (tip: string) => Promise<unknown>,
  limits: RemoteLimits = MOST_MS,
): Promise<Remote> {
  // a URL or path is nobody's business who only sees an answer
  const name = /^[\w.-]+$/.test(remote) ? `the git remote ${remote}` : 'the git remote';
  const ref = `refs/heads/${branch ?? (await headBranch())}`;
  const env = await quiet();

  async function headBranch(): Promise<string> {
    const { code, stdout } = await git(['symbolic-ref', '-q', 'HEAD'], { accept: [1] });
    if (code === 0) return stdout.trim().replace('refs/heads/', '');
    throw new PressmarkError(
      'CONFIG_INVALID',
      'git.push.branch must be set: HEAD is on no branch whose name could be taken',
    );
  }

  /** Nobody is there to be asked for a password: what is not configured fails at once. */
  async function quiet(): Promise<NodeJS.Dict<string>> {
    const base = environment.GIT_SSH_COMMAND ?? (await setting('core.sshCommand')) ?? 'ssh';
    const variant = environment.GIT_SSH_VARIANT ?? (await setting('ssh.variant')) ?? 'ssh';
    return {
      GIT_ASKPASS: '',
      SSH_ASKPASS_REQUIRE: 'never',
      GCM_INTERACTIVE: 'never',
      // other programs than OpenSSH know no such options
      GIT_SSH_COMMAND: variant === 'ssh' ? `${base} -o BatchMode=yes -o ConnectTimeout=8` : base,
    };
  }

  async function setting(key: string): Promise<string | undefined> {
    const { code, stdout } = await git(['config', '--get', key], { accept: [1] });
    return code === 0 ? stdout.trim() : undefined;
  }

  async function ask(args: readonly string[], timeoutMs: number, accept: readonly number[] = []) {
    try {
      return await git(args, { env, timeoutMs, accept });
    } catch (error) {
      throw new PressmarkError('REMOTE_UNAVAILABLE', `${name} did not answer`, {
        cause: error instanceof PressmarkError && error.cause instanceof Error ? error.cause : error,
      });
    }
  }

  async function fetch(known: string | null): Promise<string | null> {
    const listed = await ask(['ls-remote', '--quiet', remote, ref], limits.list);
    const tip = listed.stdout.split('\t', 1)[0] ?? '';
    if (tip === '') return null;
    if (tip === known) return tip;
    // Without a ref of ours, whose lock a killed fetch would leave behind: the next one could never fetch again.
    const { code } = await ask([...FETCH, remote, ref], limits.fetch, [1]);
    // Such a lock of the remote-tracking branch is for the owner to remove, and nothing to us.
    if (code !== 0) await ask([...FETCH, '--refmap=', remote, ref], limits.fetch);
    await remember?.(tip);
    return tip;
  }

  async function push(commit: string): Promise<Pushed> {
    const answer = await ask(
      [
        'push',
        '--porcelain',
        '--no-verify',
        '--no-signed',
        '--no-follow-tags',
        '--recurse-submodules=no',
        remote,
        `${commit}:${ref}`,
      ],
      limits.push,
      [1],
    );
    return pushedBy(answer, ref, name);
  }

  return { name, ref, fetch, push };
}

/** Reads `git push --porcelain`: `<flag> TAB <from>:<to> TAB <what happened>`. */
export function pushedBy({ code, stdout }: GitAnswer, ref: string, name: string): Pushed {
  const line = stdout.split('\n').find((one) => one.split('\t')[1]?.endsWith(`:${ref}`));
  if (code === 0) return { outcome: 'accepted' };
  if (line === undefined || !line.startsWith('!'))
    throw new PressmarkError('REMOTE_UNAVAILABLE', `${name} gave no clear answer to a push`);
  const what = line.split('\t')[2] ?? '';
  // Somebody else was first: seen by our side before the push, or by the remote while it took its own lock.
  const overtaken =
    /^\[rejected\]|cannot lock ref|failed to update ref|incorrect old value|reference already exists|fetch first|failed to lock/;
  if (overtaken.test(what)) return { outcome: 'refused' };
  return { outcome: 'declined', why: what.replace('[remote rejected] ', '').replace(/^\((.*)\)$/, '$1') };
}
