import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename, sep } from 'node:path';

/**
 * The processes that may hold a lock file in a repository: every git that runs in one of `folders`, and whoever has
 * one of `locks` open. Those that this process has started are not among them: it knows what they do.
 *
 * @returns their process ids, each with its start time; undefined where the system does not tell (not Linux).
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
    const isGitHere = process.isGit && !(await isConversation(pid)) && (await isIn(pid, folders));
    if (isGitHere || (await hasOpen(pid, locks))) found.add(process.id);
  }
  return seen === 0 ? undefined : found;
}

/**
 * The processes of `possibleHolders` in words, such as `git commit (process 4711)`.
 *
 * @returns undefined where the system does not tell (not Linux).
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
  try {
    const [program = '', ...words] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
    const subcommand = words.find((word) => /^[a-z][a-z-]*$/.test(word));
    const name = basename(program);
    return name === 'git' && subcommand !== undefined ? `git ${subcommand}` : name;
  } catch {
    return 'a program that has ended';
  }
}

async function processOf(pid: string) {
  try {
    // pid (comm) state ppid …; the comm may hold spaces and brackets itself
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const end = stat.lastIndexOf(')');
    const name = stat.slice(stat.indexOf('(') + 1, end);
    const [state, parent, group = '', ...rest] = stat.slice(end + 2).split(' ');
    if (state === 'Z') return undefined;
    return {
      id: `${pid} ${rest[16]}`,
      isGit: /^git\b/.test(name),
      // Its child, or one of a shell that it has started; each of these leads a process group.
      isOwn: Number(parent) === process.pid || (group !== pid && (await parentOf(group)) === process.pid),
    };
  } catch {
    // it has ended
    return undefined;
  }
}

async function parentOf(pid: string): Promise<number | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // it has ended
    return undefined;
  }
}

/** Whether it is a git that other programs, such as another receiver, talk to for long, and that locks no branch. */
async function isConversation(pid: string): Promise<boolean> {
  try {
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
    return ['cat-file', 'check-attr', 'check-ignore', 'index-pack'].some((word) => words.includes(word));
  } catch {
    // it has ended, or it cannot be seen what it does
    return false;
  }
}

async function isIn(pid: string, folders: readonly string[]): Promise<boolean> {
  try {
    const cwd = await readlink(`/proc/${pid}/cwd`);
    return folders.some((folder) => cwd === folder || cwd.startsWith(`${folder}${sep}`));
  } catch {
    // another user’s: nobody knows where it runs, so it may be here
    return true;
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

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    // no such system, a process that has ended, or another user’s
    return [];
  }
}
