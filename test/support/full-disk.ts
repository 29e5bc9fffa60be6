import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import test from 'ava';

/** Every write to this device fails with ENOSPC, as on a full disk. Only Linux has it. */
export const FULL = '/dev/full';

/** Tests, one after the other, that need /dev/full or a limit of the kernel; on other systems they are reported as skipped. */
export const onLinux = fs.existsSync(FULL) ? test.serial : test.serial.skip;

/**
 * Runs a program, its threads and its children as on a full disk: each write to a file fails with EFBIG. As on most
 * full disks, empty files and folders can be made.
 */
export const ON_A_FULL_DISK: readonly string[] = ['prlimit', '--fsize=0:unlimited', '--'];

/** Gives a program that was started so, and the programs that it has started, all the room that they want. */
export function freeSpace({ pid }: { readonly pid: number | undefined }): void {
  execFileSync('prlimit', [`--pid=${pid}`, '--fsize=unlimited:unlimited']);
  for (const child of childrenOf(pid))
    try {
      freeSpace({ pid: child });
    } catch (error) {
      if (fs.existsSync(`/proc/${child}`)) throw error;
      // it has ended meanwhile
    }
}

function childrenOf(pid: number | undefined): number[] {
  const threads = fs.readdirSync(`/proc/${pid}/task`);
  const lists = threads.map((thread) => fs.readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'));
  return lists.flatMap((list) => list.split(' ')).flatMap((child) => (child === '' ? [] : [Number(child)]));
}
