import fs from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { filesBelow } from '../../fs/files-below.js';
import type { Repository } from '../repository.js';

/** The age in milliseconds from which a lock file is named to the owner, and from which it may be removed. */
const STILL_MS = { named: 5_000, removed: 60_000 };

/** Returns the lock files of the index, of HEAD and of the refs that are too old for a short git command; absolute. */
export function lastingLocks({ gitDir, commonDir }: Pick<Repository, 'gitDir' | 'commonDir'>): string[] {
  const stillSince = Date.now() - STILL_MS.named;
  return lockFiles(gitDir, commonDir).filter((path) => (changedAt(path) ?? Infinity) < stillSince);
}

/**
 * Removes lock files that no process can hold, because they are older than the start of the machine or container.
 *
 * @returns the removed files.
 */
export function removeStaleLocks(
  { gitDir, commonDir }: Pick<Repository, 'gitDir' | 'commonDir'>,
  startedAt = startOfMachine(),
): string[] {
  const oldest = Math.min(startedAt, Date.now() - STILL_MS.removed);
  const stale = lockFiles(gitDir, commonDir).filter((path) => (changedAt(path) ?? Infinity) < oldest);
  for (const path of stale) fs.rmSync(path, { force: true });
  return stale;
}

function lockFiles(gitDir: string, commonDir: string): string[] {
  const folders = [...new Set([gitDir, commonDir])];
  const names = ['index.lock', 'HEAD.lock', 'packed-refs.lock', join('reftable', 'tables.list.lock')];
  const files = folders.flatMap((folder) => [
    ...names.map((name) => join(folder, name)),
    ...locksBelow(join(folder, 'refs')),
  ]);
  return files.filter((path) => changedAt(path) !== undefined);
}

function locksBelow(folder: string): string[] {
  return filesBelow(folder)
    .filter((name) => name.endsWith('.lock'))
    .map((name) => join(folder, name));
}

function changedAt(path: string): number | undefined {
  return fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** Returns the start of process 1, in milliseconds since 1970: the start of the machine, or of the container. */
function startOfMachine(): number {
  const boot = Date.now() - uptime() * 1_000;
  try {
    const fields = fs
      .readFileSync('/proc/1/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [, seconds = ''] = /^btime (\d+)$/m.exec(fs.readFileSync('/proc/stat', 'utf8')) ?? [];
    const startedAt = Number(seconds) * 1_000 + Number(fields[19]) * 10;
    return Number.isFinite(startedAt) ? startedAt : boot;
  } catch {
    return boot; // not on Linux
  }
}
