import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import type { Stamp } from '../../fs/stamp.js';
import type { Log } from '../../log.js';
import { objectsNamed } from '../cli/objects.js';
import type { Repository } from '../cli/repository.js';

/** An article's file, and the stamp that shows whether it has changed. */
export interface ArticleFile {
  /** Relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly stamp: Stamp;
}

/** The files in which an earlier comparison found nothing to commit; see `openScanCache`. */
export interface ScanCache {
  /** Whether a file, and the branch's version of it, are as they were then. */
  has(file: ArticleFile): boolean;
  /** Replaces the cache by these files. */
  save(files: Iterable<ArticleFile>): Promise<void>;
}

/** Changes with every change of the lines' shape. */
const VERSION = 1;

const LINES_PER_TURN = 5_000;

/**
 * Opens the cache of the files that needed no commit, so that the cost of a comparison grows with what has changed since
 * and not with the number of articles. The cache may be deleted at any time.
 *
 * @param path the cache's file, absolute.
 * @param tip the commit that the files are compared with.
 * @param key the settings on which the result depends, besides the files and the commit.
 */
export async function openScanCache(
  path: string,
  repository: Repository,
  tip: string | null,
  key: string,
  log: Log,
): Promise<ScanCache> {
  // the site's folder in that commit
  const name = `${tip}:${repository.prefix.replace(/\/$/, '')}`;
  const [found] = tip === null ? [] : await objectsNamed(repository, [name]);
  const tree = found?.id;
  // at the first start there is none
  const [head = '', ...lines] = (await readFile(path, 'utf8').catch(() => '')).split('\n');
  const then = parseHeader(head);
  const changed =
    then === undefined || tree === undefined || then.key !== key || then.prefix !== repository.prefix
      ? undefined
      : await changedBetween(repository, then.tree, tree);
  const known = new Set(changed === undefined ? [] : lines);

  async function save(files: Iterable<ArticleFile>): Promise<void> {
    if (tree === undefined) return;
    const chunks = [
      JSON.stringify({ pressmark: 'git-checked', version: VERSION, key, tree, prefix: repository.prefix }),
    ];
    let count = 0;
    for (const file of files) {
      chunks.push(lineOf(file));
      if (++count % LINES_PER_TURN === 0) await nextTurn();
    }
    try {
      await writeAtomically(path, chunks.join('\n'));
    } catch (error) {
      log.warn(
        { reason: messageOf(error) },
        'the cache of committed files could not be written; the next start takes longer',
      );
    }
  }

  return { has: (file) => changed?.has(file.path) === false && known.has(lineOf(file)), save };
}

function lineOf({ path, stamp: { ino, size, mtimeMs } }: ArticleFile): string {
  return JSON.stringify([path, ino, size, mtimeMs]);
}

function parseHeader(line: string): { key: string; tree: string; prefix: string } | undefined {
  try {
    const header: Record<string, unknown> = JSON.parse(line) ?? {};
    const { pressmark, version, key, tree, prefix } = header;
    if (pressmark !== 'git-checked' || version !== VERSION) return undefined;
    if (typeof key !== 'string' || typeof tree !== 'string' || typeof prefix !== 'string') return undefined;
    return { key, tree, prefix };
  } catch {
    // made by another program, or cut off: all files are compared
    return undefined;
  }
}

/** The paths that differ between two trees; undefined where one of them is gone. */
async function changedBetween(
  { git }: Repository,
  from: string,
  to: string,
): Promise<Set<string> | undefined> {
  if (from === to) return new Set();
  const { code, stdout } = await git(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to], {
    accept: [128],
  });
  return code === 0 ? new Set(stdout.split('\0')) : undefined;
}
