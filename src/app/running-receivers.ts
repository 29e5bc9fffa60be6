import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { Settings } from '../config/load.js';
import { systemCode } from '../errors.js';
import { discard } from '../fs/atomic-write.js';
import { namesIn } from '../fs/files-below.js';
import { takeKernelLock } from '../fs/lock.js';
import { findLockHelper, type LockHelper } from '../fs/lock-helper.js';
import { foldersOf } from './content/folders.js';

/** The announcement of a running receiver. */
export interface RunningReceiver {
  readonly pid: number;
  readonly port: number;
  /** The address that it listens on; undefined for all. */
  readonly host?: string | undefined;
  /** When it began to listen, ISO 8601. */
  readonly since: string;
  /** Whether it commits articles. */
  readonly commits: boolean;
  /** The site's address for articles. */
  readonly siteUrl: string;
  /** Whether that address is only this machine's. */
  readonly preview: boolean;
}

/** The folder of announcements, below the state folder. */
const FOLDER = 'receivers';

/** How long a receiver waits for the lock on its own file, which another one may be probing, in milliseconds. */
const LOCK_MS = 1_000;

/** How long to wait for a lock, in seconds: longer than another reader holds it. */
const PROBE_SECONDS = 0.1;

/**
 * Announces this receiver by a file in the state folder, and removes the files of killed receivers. A kernel lock on the file
 * shows that the receiver is running, as the lock ends with the process.
 *
 * @returns a function that removes the file.
 */
export async function announceReceiver(stateDir: string, receiver: RunningReceiver): Promise<() => void> {
  const folder = join(stateDir, FOLDER);
  const helper = findLockHelper();
  fs.mkdirSync(folder, { recursive: true });
  for (const path of filesIn(folder)) if ((await lockedText(path, helper, 0)) === undefined) discard(path);
  const path = join(folder, `${randomUUID()}.json`);
  const fd = await takeKernelLock(path, helper, LOCK_MS);
  const end = () => {
    discard(path);
    fs.closeSync(fd);
  };
  try {
    fs.writeSync(fd, JSON.stringify(receiver));
    return end;
  } catch (error) {
    end();
    throw error;
  }
}

/**
 * The receivers of a site that are running on this machine, newest first.
 *
 * @throws PressmarkError LOCK_HELPER_MISSING if locks cannot be probed.
 */
export async function runningReceivers(settings: Settings): Promise<RunningReceiver[]> {
  // A receiver that was started before the site became a repository may have its state in the other folder.
  const folders = new Set([foldersOf(settings).stateDir, join(settings.dir, '.pressmark')]);
  const paths = [...folders].flatMap((stateDir) => filesIn(join(stateDir, FOLDER)));
  if (paths.length === 0) return [];
  const helper = findLockHelper();
  const texts = await Promise.all(paths.map((path) => lockedText(path, helper, PROBE_SECONDS)));
  return texts
    .flatMap((text) => (text ? [JSON.parse(text) as RunningReceiver] : []))
    .toSorted((a, b) => Date.parse(b.since) - Date.parse(a.since));
}

function filesIn(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name));
}

/** The text of a file that a process has locked; empty if it is about to be written. */
async function lockedText(path: string, helper: LockHelper, seconds: number): Promise<string | undefined> {
  let fd: number;
  try {
    fd = fs.openSync(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined; // its receiver has just ended
    throw error;
  }
  try {
    return (await helper.take(fd, seconds)) ? undefined : fs.readFileSync(fd, 'utf8');
  } finally {
    fs.closeSync(fd);
  }
}

/** The URL of a receiver from this machine, without a trailing slash. */
export function originOf({ host, port }: Pick<RunningReceiver, 'host' | 'port'>): string {
  const isEverywhere = host === undefined || host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? 'localhost' : isIPv6(host) ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
