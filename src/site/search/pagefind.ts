import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import os from 'node:os';
import { promisify } from 'node:util';
import { childEnvironment } from '../../child-environment.js';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import type { Post } from '../index/article-list.js';
import type { WrittenFile } from '../write/manifest.js';

/** The longest that a program may take to print its version; the first start reads 60 MB from the disk. */
const VERSION_TIMEOUT_MS = 20_000;

/**
 * The version of Pagefind, an optional dependency whose program exists for some platforms only.
 *
 * @returns undefined where it is not installed or does not run: there is no search then, which is no fault.
 */
export async function pagefindVersion(log?: Log): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program(), ['--version'], {
      env: childEnvironment(),
      timeout: VERSION_TIMEOUT_MS,
    });
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

/** A page that can be found, as it was built last. */
export interface SearchPage {
  /** Below the output folder. */
  readonly file: string;
  /** Below the site's base path. */
  readonly url: string;
  readonly crc: number;
}

/** Pages that are indexed where the config names no number. */
const MOST_PAGES = 5_000;
/** Memory that Pagefind takes for a byte of a page (measured: 0.85 MB for a page of 15 KB). */
const MEMORY_PER_BYTE = 60;
/** How much of the machine's memory the indexing may take. */
const MEMORY_SHARE = 1 / 4;

/**
 * The pages that can be found: those of the newest articles, oldest first.
 *
 * @param posts the articles in their order.
 * @param files what stands in the output folder.
 * @param maxPages undefined for as many as can be indexed in a share of this machine's memory.
 */
export function newestPages(
  posts: readonly Post[],
  files: ReadonlyMap<string, WrittenFile>,
  siteUrl: string,
  maxPages: number | undefined,
): readonly SearchPage[] {
  const machine = Math.min(os.totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  let room = maxPages === undefined ? (machine * MEMORY_SHARE) / MEMORY_PER_BYTE : Number.POSITIVE_INFINITY;
  const base = new URL(siteUrl).pathname.replace(/\/$/, '');
  const pages: SearchPage[] = [];
  for (const { file, entry } of [...posts].reverse()) {
    const written = files.get(file);
    if (written === undefined) continue;
    room -= written.size;
    if (room < 0 || pages.length === (maxPages ?? MOST_PAGES)) break;
    pages.push({ file, url: new URL(entry.url).pathname.slice(base.length), crc: written.crc });
  }
  return pages.reverse();
}
