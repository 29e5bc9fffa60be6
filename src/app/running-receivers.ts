import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { Settings } from '../config/load.js';
import { systemCode } from '../errors.js';
import { discard } from '../fs/atomic-write.js';
import { takeKernelLock } from '../fs/lock.js';
import { findLockHelper, type LockHelper } from '../fs/lock-helper.js';
import { foldersOf } from './content/folders.js';

/** What a receiver says of itself while it runs. */
export interface RunningReceiver {
  readonly pid: number;
  readonly port: number;
  /** The address that it listens on; undefined for all. */
  readonly host?: string | undefined;
  /** When it began to listen, ISO 8601. */
  readonly since: string;
  /** Whether it has a repository to commit articles to. */
  readonly commits: boolean;
  /** The address that articles get. */
  readonly siteUrl: string;
  /** Whether that is only the one of this machine. */
  readonly preview: boolean;
}

/** Where each receiver has a file, below the state folder. */
const FOLDER = 'receivers';

/** How long a receiver waits for the lock on its own file, which another one may be looking at. */
const LOCK_MS = 1_000;

/** How long a lock is waited for: longer than another reader of these files holds it, in seconds. */
const PROBE_SECONDS = 0.1;

/**
 * Leaves a file in the state folder that says where this receiver listens, and removes those of receivers that were
 * killed. A kernel lock on it shows that the receiver runs: it ends with the process, however that ends.
 *
 * @returns a function that takes the file away.
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
 * The receivers of a site that run on this machine, the newest first.
 *
 * @throws PressmarkError LOCK_HELPER_MISSING if it cannot be found out.
 */
export async function runningReceivers(settings: Settings): Promise<RunningReceiver[]> {
  // A receiver that was started before the site was put into a repository may have its state in the other folder.
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
  try {
    return fs
      .readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The text of a file on which a process has a lock; empty while that process is about to write it. */
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

/** The URL at which a receiver is reached from this machine, without a slash at its end. */
export function originOf({ host, port }: Pick<RunningReceiver, 'host' | 'port'>): string {
  const isEverywhere = host === undefined || host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? 'localhost' : isIPv6(host) ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
