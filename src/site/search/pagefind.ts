import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';

/** Longest that a program may take to tell its version; the first start reads 60 MB from the disk. */
const PATIENCE_MS = 20_000;

/**
 * The version of Pagefind, an optional dependency whose program exists for some platforms only.
 *
 * @returns undefined where it is not installed or does not run: there is no search then, which is no fault.
 */
export async function pagefindVersion(log?: Log): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program(), ['--version'], { timeout: PATIENCE_MS });
    return stdout.trim();
  } catch (error) {
    log?.debug({ reason: messageOf(error).split('\n', 1)[0] }, 'no search: Pagefind does not run here');
    return undefined;
  }
}

/** The program that the package itself would run. */
function program(): string {
  const require = createRequire(import.meta.resolve('pagefind'));
  const name = process.platform === 'win32' ? 'pagefind_extended.exe' : 'pagefind_extended';
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return require.resolve(`@pagefind/${platform}-${process.arch}/bin/${name}`);
}
