import type { Exclusive } from './exclusive.js';
import type { Repository } from './repository.js';
import { type OwnFile, putOwnFiles } from './work-files.js';

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

  async function putAll(): Promise<void> {
    const batch = ready;
    ready = [];
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
      if (ready.length > 1) return;
      exclusive.run(putAll).catch((error: unknown) => {
        for (const waiting of ready.splice(0)) waiting.reject(error);
      });
    });
}
