import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';

/** On Linux: an id that the kernel makes at random each time that it is started. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** The file in the state folder that holds the id of the boot in which the output was last checked for damage. */
const CHECKED = 'site-boot';

/**
 * Whether the output was checked for damage since the system was started. A process that is killed damages no file that
 * was renamed into its place; only a power loss does, and the next boot has another id. Always false where the system
 * has no such id: there each start is taken for one after a power loss.
 */
export function isCheckedSinceBoot({ stateDir }: { readonly stateDir: string }): boolean {
  const id = textOf(BOOT_ID);
  return id !== undefined && id === textOf(join(stateDir, CHECKED));
}

/** Notes that the output is undamaged. The note is not synced: after a power loss, the next boot has another id anyway. */
export function noteChecked({ stateDir, log }: { readonly stateDir: string; readonly log: Log }): void {
  try {
    const id = textOf(BOOT_ID);
    if (id === undefined || isCheckedSinceBoot({ stateDir })) return;
    fs.mkdirSync(stateDir, { recursive: true });
    fs.writeFileSync(join(stateDir, CHECKED), id);
  } catch (error) {
    // On a full disk, say.
    log.debug({ reason: messageOf(error) }, 'the next start checks the output for damage again');
  }
}

function textOf(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    // What cannot be read says nothing: the output is checked, as after a power loss.
    return undefined;
  }
}
