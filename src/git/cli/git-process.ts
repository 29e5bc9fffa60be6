import { type ChildProcess, spawn } from 'node:child_process';
import { childEnvironment } from '../../child-environment.js';

/** Where git commands run, and under which settings. */
export interface GitPlace {
  readonly cwd: string;
  /** The work tree that may belong to somebody else (git's `safe.directory`). */
  readonly safeDirectory: string;
  /** Another repository's configuration, whose remotes and credentials hold here as well; absolute. */
  readonly configFile?: string;
  /** The environment; its GIT_* variables are dropped, since they could point elsewhere. */
  readonly env: NodeJS.ProcessEnv;
}

/** What stands for the words of a git that failed without any. */
export const SILENCE = 'git said nothing';

// The owner's hooks, daemons and housekeeping are not started from here; what is written is on the disk.
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'core.fsync=all',
  'core.fsyncMethod=fsync',
  // What is read of a log does not depend on how the owner likes to read it.
  'log.showSignature=false',
  'log.follow=false',
  'i18n.logOutputEncoding=UTF-8',
  // For deploys to a branch: each loose object is synced by itself, so that thirty are written faster as a pack.
  'fastimport.unpackLimit=30',
].flatMap((setting) => ['-c', setting]);

/** What stands before the arguments of each git command. The fixed settings come last: of two, git takes the later one. */
export function settingsOf({
  safeDirectory,
  configFile,
}: Pick<GitPlace, 'safeDirectory' | 'configFile'>): readonly string[] {
  const included = configFile === undefined ? [] : ['-c', `include.path=${configFile}`];
  return [...included, ...SETTINGS, '-c', `safe.directory=${safeDirectory}`];
}

/** The environment of each git command. */
export function environmentOf({ env }: Pick<GitPlace, 'env'>): NodeJS.ProcessEnv {
  const kept = Object.entries(childEnvironment(env)).filter(
    ([name]) => !name.toUpperCase().startsWith('GIT_'),
  );
  return {
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    LC_ALL: 'C',
  };
}

/**
 * Starts a program, with pipes, in a process group of its own: Ctrl-C on a terminal must not kill the commits that the
 * shutdown waits for.
 */
export function startGroup(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): ChildProcess {
  return spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
}

/** Ends a program that was started so, with its children (filters, unpack-objects), and stops listening to them. */
export function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // it had ended already
  }
  for (const stream of child.stdio) stream?.destroy();
}

/** What git has written to standard error, for a log. */
export function outputForPeople(said: string): string {
  return redacted(withoutProgress(said).trim()).slice(0, 2_000) || SILENCE;
}

/** Takes user names and passwords out of URLs: what git says ends up in logs. */
export function redacted(text: string): string {
  return text.replace(/(\w:\/\/)[^\s/?#]*@/g, '$1***@');
}

/** Takes out the lines of a progress meter, each of which overwrites the one before. */
function withoutProgress(text: string): string {
  return text.replace(/[^\n]*\r/g, '');
}
