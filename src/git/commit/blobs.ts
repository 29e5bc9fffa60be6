import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { systemCode } from '../../errors.js';
import { filteredPaths } from '../cli/path-rules.js';
import { blobId, type Repository } from '../cli/repository.js';

/** A text as git stores it. */
export interface Blob {
  readonly id: string;
  /** What is still to be written into the repository; undefined where it has been. */
  readonly content: Buffer | undefined;
}

/**
 * The blobs of texts, after the clean filters that git would apply to files at these paths; so `git status`
 * finds nothing to complain about. Most files have no filter, and need no process each.
 */
export async function blobsOf(
  repository: Repository,
  files: readonly { path: string; content: string | { blob: string } }[],
): Promise<Blob[]> {
  const filtered = await filteredPaths(
    repository,
    files.filter(({ content }) => typeof content === 'string').map(({ path }) => path),
  );
  const blobs: Blob[] = [];
  for (const { path, content: text } of files) {
    if (typeof text !== 'string') {
      blobs.push({ id: text.blob, content: undefined });
      continue;
    }
    // only a text with CR can be changed by what git does to line ends
    if (filtered.has(path) || text.includes('\r')) {
      const { stdout } = await repository.git(
        ['-c', 'core.safecrlf=false', 'hash-object', '-w', '--stdin', `--path=${path}`],
        { input: text },
      );
      blobs.push({ id: stdout.trim(), content: undefined });
    } else {
      const content = Buffer.from(text);
      blobs.push({ id: blobId(repository, content), content });
      // deliveries are being answered on this thread
      if (blobs.length % 20 === 0) await setImmediate();
    }
  }
  return blobs;
}

/** The blob of a file that is no UTF-8 text, byte for byte, after the clean filters; it is written into the repository. */
export async function blobOfBytes({ git }: Repository, path: string, bytes: Buffer): Promise<string> {
  const options = ['-c', 'core.safecrlf=false', 'hash-object', '-w', '--stdin', `--path=${path}`];
  const { stdout } = await git(options, { input: Readable.from([bytes]) });
  return stdout.trim();
}

/** What reading a file says where its owner has removed it, put something else there, or has made it unreadable. */
const TAKEN_AWAY = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'EACCES', 'EPERM']);

/** Whether a file could not be read because of what its owner did; anything else is a failure, and is tried again. */
export function isTakenAway(error: unknown): boolean {
  return TAKEN_AWAY.has(systemCode(error) ?? '');
}

/**
 * What the file's content is called, as it stands and with its line ends as git may have them; nothing where its owner
 * has taken it away.
 *
 * @throws the system's errors, such as EIO and EMFILE, which say nothing of what the file holds.
 */
export async function blobsOnDisk(repository: Repository, path: string): Promise<ReadonlySet<string>> {
  try {
    const content = await readFile(join(repository.top, path));
    const withLf = Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
    return new Set([blobId(repository, content), blobId(repository, withLf)]);
  } catch (error) {
    if (!isTakenAway(error)) throw error;
    // it is not what was delivered
    return new Set();
  }
}
