import { type ErrorCode, PressmarkError, systemCode } from '../../errors.js';

/**
 * Thrown if files have changed since the decision, which is then made again. The cause is the error of an earlier attempt whose
 * outcome is unknown: the change may be this write, or be based on it.
 */
export class Outdated extends Error {}

/** Thrown if the name of a new file has been taken by another file. */
export class NameTaken extends Outdated {}

/** The errors after which a file may be stored, or a push with an unknown outcome may still store it. */
const MAY_HAVE_STORED: readonly ErrorCode[] = ['STORE_FAILED', 'REMOTE_UNAVAILABLE', 'COMMIT_FAILED'];

/** Whether a failed write may have stored its file. */
export function mayHaveStored(error: unknown): boolean {
  const cause = error instanceof Outdated ? error.cause : error;
  return cause instanceof PressmarkError && MAY_HAVE_STORED.includes(cause.code);
}

/** Whether the store failed because of this machine; then a file may be stored. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof PressmarkError && error.code === 'STORE_FAILED';
}

/** The meaning of the most common disk errors, and what the owner can do. */
const MEANING: Record<string, string> = {
  ENOSPC: 'no space or no inode is left on the device; free some',
  EDQUOT: 'the disk quota is used up; raise it or free some space',
  EIO: 'the disk reports an input/output error; check the device',
  EROFS: 'the file system is read-only; mount it writable',
  EACCES: 'permission is denied; let the service write to the content folder',
  EPERM: 'the operation is not permitted; let the service write to the content folder',
  ENOTDIR: 'a file has the name of the article’s folder, or of one above it; move the file away',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
  ENFILE: 'the system has too many files open',
  EFBIG: 'the file would be larger than allowed (ulimit -f)',
};

/**
 * Makes the error for a delivery that failed because of the disk before its file was written; the service tries again. Its code
 * is that of `notDurable`, so callers expect a file after both.
 */
export function storeFailure(error: unknown): PressmarkError {
  if (error instanceof PressmarkError) return error;
  return failed(`not stored: ${meaningOf(error)}; nothing was changed, send it again`, error);
}

/** Makes the error for a delivery whose article's file could not be read. */
export function readFailure(path: string, error: unknown): PressmarkError {
  if (error instanceof PressmarkError) return error;
  const code = systemCode(error) ?? 'unknown error';
  return failed(`the file ${path} cannot be read (${code}); nothing was changed, send it again`, error);
}

/** Makes the error for a file that was written but may not be on the disk. It stays, and the service tries again. */
export function notDurable(error: unknown): PressmarkError {
  return failed(`not stored durably: ${meaningOf(error)}; send it again`, error);
}

function meaningOf(error: unknown): string {
  const code = systemCode(error) ?? 'unknown error';
  return `${MEANING[code] ?? 'the article could not be written'} (${code})`;
}

function failed(message: string, cause: unknown): PressmarkError {
  return new PressmarkError('STORE_FAILED', message, { cause });
}
