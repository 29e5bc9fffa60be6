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
 * The blobs of files, after the clean filters that git would apply at these paths; so `git status` finds nothing to
 * complain about. Most files have no filter, and need no process each.
 */
export async function blobsOf(
  repository: Repository,
  files: readonly { path: string; bytes: Buffer }[],
): Promise<Blob[]> {
  const filtered = await filteredPaths(
    repository,
    files.map(({ path }) => path),
  );
  const blobs: Blob[] = [];
  for (const { path, bytes } of files) {
    // only a text with CR can be changed by what git does to line ends
    if (filtered.has(path) || bytes.includes('\r')) {
      const { stdout } = await repository.git(
        ['-c', 'core.safecrlf=false', 'hash-object', '-w', '--stdin', `--path=${path}`],
        { input: bytes },
      );
      blobs.push({ id: stdout.trim(), content: undefined });
    } else {
      blobs.push({ id: blobId(repository, bytes), content: bytes });
      // deliveries are being answered on this thread
      if (blobs.length % 20 === 0) await setImmediate();
    }
  }
  return blobs;
}

/**
 * The blob of a text in a content folder to which no filter applies (`committableTree`), so that git can change only a
 * text with CR.
 */
export async function articleBlob(repository: Repository, path: string, text: string): Promise<Blob> {
  const content = Buffer.from(text);
  const [blob] = text.includes('\r') ? await blobsOf(repository, [{ path, bytes: content }]) : [];
  return blob ?? { id: blobId(repository, content), content };
}

/** What reading a file says where its owner has removed it, put something else there, or has made it unreadable. */
const TAKEN_AWAY = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'EACCES', 'EPERM']);

/** Whether a file could not be read because of what its owner did; anything else is a failure, and is tried again. */
export function isTakenAway(error: unknown): boolean {
  return TAKEN_AWAY.has(systemCode(error) ?? '');
}

/** The names that a file's content may have in git: with its line ends as they are, or as LF. */
export function possibleBlobs(repository: Repository, content: Buffer): string[] {
  const blobs = [blobId(repository, content)];
  if (!content.includes('\r\n')) return blobs;
  const withLf = content.toString('latin1').replaceAll('\r\n', '\n');
  return [...blobs, blobId(repository, Buffer.from(withLf, 'latin1'))];
}
