import { PressmarkError, quote, systemCode } from '../../errors.js';

/** The meaning of the most common disk errors, and what the owner can do. */
const MEANING: Record<string, string> = {
  ENOSPC: 'no space is left on the device; free some',
  EDQUOT: 'the disk quota is used up; raise it or free some space',
  EIO: 'the disk reports an input/output error; check the device',
  EROFS: 'the file system is read-only; mount it writable',
  EACCES: 'permission is denied; let the service write to the content folder',
  EPERM: 'the operation is not permitted; let the service write to the content folder',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
  ENFILE: 'the system has too many files open',
  EFBIG: 'the file would be larger than allowed (ulimit -f)',
};

/** Makes the error for a delivery that failed because of the disk. Nothing was written, and the service tries again. */
export function storeFailure(error: unknown): PressmarkError {
  if (error instanceof PressmarkError) return error;
  return failed(`not stored: ${meaningOf(error)}; nothing was changed, send it again`, error);
}

/** Makes the error for a file that was written but may not be on the disk. It stays, and the service tries again. */
export function notDurable(error: unknown): PressmarkError {
  return failed(`not stored durably: ${meaningOf(error)}; send it again`, error);
}

/** Makes the error for a file that is gone since the catalog was read. */
export function removed({ id }: { readonly id: string }): PressmarkError {
  return new PressmarkError('ARTICLE_NOT_FOUND', `the file of article ${quote(id)} was removed`);
}

/** Makes the error for a file that cannot be read as an article now. */
export function unreadable(path: string, error: PressmarkError): PressmarkError {
  const message = `the file ${path} is malformed, ${error.message}`;
  return new PressmarkError('ARTICLE_UNREADABLE', message, { cause: error });
}

function meaningOf(error: unknown): string {
  const code = systemCode(error) ?? 'unknown error';
  return `${MEANING[code] ?? 'the article could not be written'} (${code})`;
}

function failed(message: string, cause: unknown): PressmarkError {
  return new PressmarkError('STORE_FAILED', message, { cause });
}
