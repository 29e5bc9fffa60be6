import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import type { Log } from '../../log.js';
import type { Repository } from '../cli/repository.js';

/** An article's file, and what tells that it is still the one that was looked at. */
export interface ArticleFile {
  /** Relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly stamp: Stamp;
}

/** A file's inode, size in bytes and time of its last change in milliseconds. */
export interface Stamp {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

/** What an earlier start-up check found in good order; see `readChecked`. */
export interface Checked {
  /** Whether a file, and what the branch has at its path, is as it was then. */
  has(file: ArticleFile): boolean;
  /** Writes down what is in good order now. */
  save(files: Iterable<ArticleFile>): Promise<void>;
}

/** Changes with every change of the lines' shape. */
const VERSION = 1;

const LINES_PER_TURN = 5_000;

/**
 * Remembers from start to start which files needed no commit, so that a check costs what has changed since and
 * not what there is. The memory may be deleted at any time.
 *
 * @param path the memory's file, absolute.
 * @param tip the commit that the check is about.
 * @param key what the findings depend on beside the files and the commit.
 */
export async function readChecked(
  path: string,
  repository: Repository,
  tip: string | null,
  key: string,
  log: Log,
): Promise<Checked> {
  const tree = tip === null ? undefined : await siteTree(repository, tip);
  const [head = '', ...lines] = (await contentOf(path)).split('\n');
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
        'what git has could not be remembered; the next start takes longer',
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
    // another hand's, or cut off: everything is looked at again
    return undefined;
  }
}

async function contentOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    // the first start
    return '';
  }
}

/** The tree of the site's folder in a commit; undefined where it has none. */
async function siteTree({ git, prefix }: Repository, commit: string): Promise<string | undefined> {
  const name = `${commit}:${prefix.replace(/\/$/, '')}`;
  const { code, stdout } = await git(['rev-parse', '-q', '--verify', name], { accept: [1, 128] });
  return code === 0 ? stdout.trim() : undefined;
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
