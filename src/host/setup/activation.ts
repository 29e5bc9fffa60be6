import fs from 'node:fs';
import { join } from 'node:path';
import { makeDurableDirectory } from '../../fs/atomic-write.js';
import { takeKernelLock } from '../../fs/lock.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import { stateFile } from '../state-file.js';

/** The file that records a plugin's activation. */
interface Activated {
  /** Null for a plugin without one. */
  readonly version: string | null;
}

/** Longer than `activate` may take, as other receivers on the folder wait for it. */
const LOCK_WAIT_MS = 90_000;

/**
 * Runs `activate` if this version was not activated yet, in one of the receivers. Only success is recorded, so an interrupted
 * activation runs again.
 *
 * @param folder the plugin's folder in the state folder.
 */
export async function activateOnce(
  folder: string,
  version: string | undefined,
  activate: (context: { readonly previous: string | undefined }) => Promise<unknown>,
): Promise<void> {
  await makeDurableDirectory(folder);
  const path = join(folder, 'activated.json');
  const file = stateFile<Activated | undefined>(path, undefined, 'the plugin is activated again');
  const lock = await takeKernelLock(join(folder, 'activation.lock'), findLockHelper(), LOCK_WAIT_MS);
  try {
    const last = file.read();
    const now: Activated = { version: version ?? null };
    if (last?.version === now.version) return;
    await activate({ previous: last?.version ?? undefined });
    await file.write(now);
  } finally {
    fs.closeSync(lock);
  }
}
