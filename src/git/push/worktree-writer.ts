import type { Repository } from '../cli/repository.js';
import type { Exclusive } from './store-lock.js';
import { type OwnFile, putOwnFiles } from './worktree-checkout.js';

interface Waiting {
  readonly file: OwnFile;
  resolve(isThere: boolean): void;
  reject(error: unknown): void;
}

/**
 * Returns what writes an article's file into the work tree; all that come while it is another's turn go together.
 *
 * @param staging where files are made ready; on the file system of the work tree.
 */
export function createOwnFiles(
  repository: Repository,
  exclusive: Exclusive,
  staging: string,
): (file: OwnFile) => Promise<boolean> {
  let ready: Waiting[] = [];
  let isRunning = false;

  function start(): void {
    if (isRunning || ready.length === 0) return;
    isRunning = true;
    exclusive
      .run(() => put(takeBatch()))
      .catch((error: unknown) => {
        for (const waiting of ready.splice(0)) waiting.reject(error);
      })
      .finally(() => {
        isRunning = false;
        start();
      });
  }

  /** Of each file the first that waits: the next one replaces it. */
  function takeBatch(): Waiting[] {
    const batch = new Map<string, Waiting>();
    for (const waiting of ready) if (!batch.has(waiting.file.path)) batch.set(waiting.file.path, waiting);
    const taken = new Set(batch.values());
    ready = ready.filter((waiting) => !taken.has(waiting));
    return [...taken];
  }

  async function put(batch: readonly Waiting[]): Promise<void> {
    try {
      const there = await putOwnFiles(
        repository,
        batch.map(({ file }) => file),
        staging,
      );
      for (const [index, { resolve }] of batch.entries()) resolve(there[index] ?? false);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (file) =>
    new Promise((resolve, reject) => {
      ready.push({ file, resolve, reject });
      start();
    });
}
