import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename, sep } from 'node:path';
import { systemCode } from '../../errors.js';

/**
 * The processes that may hold a lock file in a repository: every git that runs in one of `folders`, and whoever has
 * one of `locks` open. Those that this process has started are not among them: it knows what they do.
 *
 * @returns their process ids, each with its start time; undefined where the system does not say (not Linux).
 */
export async function possibleHolders(
  folders: readonly string[],
  locks: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const found = new Set<string>();
  let seen = 0;
  for (const pid of await namesIn('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const process = await processOf(pid);
    if (process === undefined) continue;
    seen++;
    if (process.isOwn) continue;
    const isGitHere = process.isGit && !(await isLongRunningGit(pid)) && (await isIn(pid, folders));
    if (isGitHere || (await hasOpen(pid, locks))) found.add(process.id);
  }
  return seen === 0 ? undefined : found;
}

/**
 * The processes of `possibleHolders` in words, such as `git commit (process 4711)`.
 *
 * @returns undefined where the system does not say (not Linux).
 */
export async function namesOfHolders(
  folders: readonly string[],
  locks: readonly string[],
): Promise<readonly string[] | undefined> {
  const holders = await possibleHolders(folders, locks);
  if (holders === undefined) return undefined;
  const pids = [...holders].map((id) => id.slice(0, id.indexOf(' ')));
  return Promise.all(pids.map(async (pid) => `${await commandOf(pid)} (process ${pid})`));
}

/** The program of a process and its subcommand; its other arguments may be long or secret. */
async function commandOf(pid: string): Promise<string> {
  const [program = '', ...words] = await wordsOf(pid);
  if (program === '') return 'a program that has ended';
  const subcommand = subcommandIn(words);
  const name = basename(program);
  return name === 'git' && subcommand !== undefined ? `git ${subcommand}` : name;
}

/** The subcommand among the arguments of a git: before it there are options and settings. */
function subcommandIn(words: readonly string[]): string | undefined {
  return words.find((word) => /^[a-z][a-z-]*$/.test(word));
}

/** The command line of a process; empty where it has ended, or where it cannot be seen. */
async function wordsOf(pid: string): Promise<string[]> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
}

async function processOf(pid: string) {
  const status = await statusOf(pid);
  if (status === undefined || status.state === 'Z') return undefined;
  const { name, parent, group, start } = status;
  // Its child, or one of a shell that it has started; each of these leads a process group.
  const leader = parent === process.pid || group === pid ? undefined : await statusOf(group);
  const isOwn = parent === process.pid || leader?.parent === process.pid;
  return { id: `${pid} ${start}`, isGit: /^git\b/.test(name), isOwn };
}

/** What the system says of a process; undefined where it has ended. */
async function statusOf(pid: string) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  // pid (comm) state ppid …; the comm may hold spaces and brackets itself
  const end = stat.lastIndexOf(')');
  const [state, parent, group = '', ...rest] = stat.slice(end + 2).split(' ');
  return {
    name: stat.slice(stat.indexOf('(') + 1, end),
    state,
    parent: Number(parent),
    group,
    start: rest[16],
  };
}

/** Whether it is a git that answers questions of a program, such as another receiver, for long, and that locks no branch. */
async function isLongRunningGit(pid: string): Promise<boolean> {
  const [, ...words] = await wordsOf(pid);
  return ['cat-file', 'check-attr', 'check-ignore', 'index-pack'].includes(subcommandIn(words) ?? '');
}

async function isIn(pid: string, folders: readonly string[]): Promise<boolean> {
  try {
    const cwd = await readlink(`/proc/${pid}/cwd`);
    return folders.some((folder) => cwd === folder || cwd.startsWith(`${folder}${sep}`));
  } catch (error) {
    // It has ended; else it is another user’s: nobody knows where it runs, so it may be here.
    return !['ENOENT', 'ESRCH'].includes(systemCode(error) ?? '');
  }
}

async function hasOpen(pid: string, paths: readonly string[]): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const open = await Promise.all(
    // a file that was closed meanwhile is not open
    (await namesIn(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')),
  );
  return open.some((path) => paths.includes(path));
}

/** The names in a folder below `/proc`; none if the system has no `/proc`, or the process has ended or is another user’s. */
function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
