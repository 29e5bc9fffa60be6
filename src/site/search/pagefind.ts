import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { isGone } from '../../store/catalog/entry.js';

/** The longest that a program may take to print its version; the first start reads 60 MB from the disk. */
const VERSION_TIMEOUT_MS = 20_000;

/** A page that can be found. */
export interface SearchPage {
  /** Below the output folder. */
  readonly file: string;
  /** Below the site's base path. */
  readonly url: string;
}

/** A file of an index, by its path below the index's folder. */
export interface IndexFile {
  readonly path: string;
  readonly content: Uint8Array;
}

/**
 * The version of Pagefind, an optional dependency whose program exists for some platforms only.
 *
 * @returns undefined where it is not installed or does not run: there is no search then, which is no fault.
 */
export async function pagefindVersion(log?: Log): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program(), ['--version'], { timeout: VERSION_TIMEOUT_MS });
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

/** The index that Pagefind makes of these pages. */
export async function indexOf(
  outputDir: string,
  pages: readonly SearchPage[],
): Promise<readonly IndexFile[]> {
  const { createIndex } = await import('pagefind');
  const { index } = unwrap(await createIndex({}));
  if (index === undefined) throw new Error('Pagefind made no index');
  for (const { file, url } of pages) {
    const content = textOf(join(outputDir, file));
    if (content !== undefined) unwrap(await index.addHTMLFile({ url, content }));
  }
  return unwrap(await index.getFiles()).files;
}

function unwrap<T extends { errors: string[] }>(answer: T): T {
  const [error] = answer.errors;
  if (error !== undefined) throw new Error(`Pagefind: ${error}`);
  return answer;
}

/** The text of a page; undefined where it was removed meanwhile, of which the next job hears. */
function textOf(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
