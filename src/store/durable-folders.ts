import { dirname } from 'node:path';
import { makeDirectory, syncDirectory } from '../fs/atomic-write.js';

/** The folders that articles lie in; see `createDurableFolders`. */
export interface DurableFolders {
  /** Makes a folder that is missing. */
  make(folder: string): void;
  /**
   * Syncs folders, each once, and those above that this process has not synced yet.
   *
   * @returns the errors of those that could not be.
   */
  sync(folders: readonly string[]): Promise<Map<string, unknown>>;
}

/**
 * Sees to it that folders' entries are on the disk: without that a new file can be lost with the power.
 *
 * @param root the content folder; folders are synced up to and including its parent.
 */
export function createDurableFolders(root: string): DurableFolders {
  const durable = new Set<string>();

  function make(folder: string): void {
    // One that was synced before, removed by somebody and made again, has lost what was promised of it.
    const renewed = makeDirectory(folder);
    if (renewed.length > 0) for (const one of [folder, ...renewed]) durable.delete(one);
  }

  async function sync(folders: readonly string[]): Promise<Map<string, unknown>> {
    const failed = new Map<string, unknown>();
    await Promise.all(
      [...new Set(folders)].map(async (folder) => {
        try {
          await Promise.all([folder, ...newOnesAbove(folder)].map(syncDirectory));
          for (let at = folder; isNew(at); at = dirname(at)) durable.add(at);
        } catch (error) {
          failed.set(folder, error);
        }
      }),
    );
    return failed;
  }

  function* newOnesAbove(folder: string): Generator<string> {
    for (let at = folder; isNew(at); at = dirname(at)) yield dirname(at);
  }

  function isNew(folder: string): boolean {
    return !durable.has(folder) && folder.startsWith(root);
  }

  return { make, sync };
}
