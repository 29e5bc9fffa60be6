import { lstatSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../../errors.js';
import type { Log } from '../../log.js';
import type { ContentFolder } from '../content-folder.js';
import { CHECK_IGNORE } from '../git.js';
import type { TreeEntry } from '../objects.js';
import type { Repository } from '../repository.js';
import type { Outcome, Pending } from './pending.js';

/** So much content one batch may hold, in bytes; the files beyond it wait for the next batch. */
const MAX_BYTES = 32_000_000;

/** A file of a batch, read. */
export interface ReadFile extends Pending {
  /** From the top of the work tree. */
  readonly inRepository: string;
  readonly bytes: Buffer;
}

export interface BatchFilesOptions {
  readonly repository: Repository;
  /** The content folder, relative to the site's folder, and where it is. */
  readonly content: string;
  readonly place: Extract<ContentFolder, { kind: 'inside' }>;
  readonly log: Log;
}

/** Reads the files of batches; see `createBatchFiles`. */
export type BatchFiles = ReturnType<typeof createBatchFiles>;

/** Reads the files of batches. One that cannot be committed gets its outcome. */
export function createBatchFiles({ repository, content, place, log }: BatchFilesOptions) {
  const reported = new Set<string>();

  /** Reads files up to a bound; those beyond it get no outcome. */
  async function read(batch: readonly Pending[], outcomes: Map<string, Outcome>): Promise<ReadFile[]> {
    const files: ReadFile[] = [];
    let size = 0;
    for (const { path, why } of batch) {
      if (size > MAX_BYTES) break;
      try {
        if (isBehindLink(path)) outcomes.set(path, failed('it is, or is behind, a symbolic link', path));
        else {
          const bytes = await readFile(fileOf(path));
          size += bytes.length;
          files.push({ path, why, inRepository: inRepositoryOf(path), bytes });
        }
      } catch (error) {
        const code = systemCode(error) ?? '';
        if (['ENOENT', 'ENOTDIR'].includes(code))
          outcomes.set(path, { kind: 'failed', because: 'the file is gone' });
        else if (['EACCES', 'EPERM', 'EISDIR', 'ELOOP'].includes(code))
          outcomes.set(path, failed(`the file cannot be read (${code})`, path));
        else throw error;
      }
    }
    return files;
  }

  /** @param before what the branch has: that is not ignored. */
  async function withoutIgnored(
    files: readonly ReadFile[],
    before: ReadonlyMap<string, TreeEntry>,
    outcomes: Map<string, Outcome>,
  ): Promise<readonly ReadFile[]> {
    const asked = files.filter(({ inRepository }) => !before.has(inRepository));
    if (asked.length === 0) return files;
    // After `./`, no character of a path means anything else.
    const input = asked.map(({ inRepository }) => `./${inRepository}\0`).join('');
    const { stdout } = await repository.git([...CHECK_IGNORE, '-z', '--stdin'], { input, accept: [1] });
    const ignored = new Set(stdout.split('\0'));
    return files.filter(({ path, inRepository }) => {
      const isIgnored = ignored.has(`./${inRepository}`);
      if (isIgnored) outcomes.set(path, failed('it is ignored by git', path));
      return !isIgnored;
    });
  }

  /** Whether a file still has what was read of it. */
  async function isUnchanged({ path, bytes }: ReadFile): Promise<boolean> {
    return bytes.equals(await readFile(fileOf(path)).catch(() => Buffer.alloc(0)));
  }

  /** All articles of a folder may have the same reason, which is worth one warning. */
  function failed(because: string, path: string): Outcome {
    if (!reported.has(because)) log.warn({ path }, `an article is not committed: ${because}`);
    reported.add(because);
    return { kind: 'failed', because };
  }

  function inRepositoryOf(path: string): string {
    return `${place.folder}${path.slice(content.length)}`;
  }

  function fileOf(path: string): string {
    return join(place.root, path.slice(content.length));
  }

  function isBehindLink(path: string): boolean {
    const file = fileOf(path);
    return lstatSync(file).isSymbolicLink() || realpathSync(dirname(file)) !== dirname(file);
  }

  return { read, withoutIgnored, isUnchanged };
}
