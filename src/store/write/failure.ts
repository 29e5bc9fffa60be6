import { PressmarkError, quote, systemCode } from '../../errors.js';

/** What the commonest failures of a disk mean, and what the owner can do. */
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

/** The error a delivery is answered with when the disk failed it; nothing was written, the service tries again. */
export function storeFailure(error: unknown): PressmarkError {
  if (error instanceof PressmarkError) return error;
  return failed(`not stored: ${meaningOf(error)}; nothing was changed, send it again`, error);
}

/** The error for a file that was written and stays, but that the disk may lose; the service tries again. */
export function notDurable(error: unknown): PressmarkError {
  return failed(`not stored durably: ${meaningOf(error)}; send it again`, error);
}

/** The error for a file that has gone since the catalog was made. */
export function removed({ id }: { readonly id: string }): PressmarkError {
  return new PressmarkError('ARTICLE_NOT_FOUND', `the file of article ${quote(id)} was removed`);
}

/** The error for a file that is not an article at present. */
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
