import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import type { TreeChange } from '../cli/objects.js';
import type { Repository } from '../cli/repository.js';
import type { LeftAlone } from './worktree-checkout.js';

/**
 * Which version each file of the work tree was made from: what HEAD has, unless it is told here. Paths are from
 * the top of the work tree, a version is named by its content; the empty name stands for no file.
 */
export interface Origins {
  /** A file got this content, or was found to have it, before HEAD did. */
  note(path: string, name: string): void;
  /** What was noted of a file. Whoever looks at HEAD too asks this first: it is forgotten once HEAD has it. */
  noted(path: string): string | undefined;
  /** Files are no longer what was noted of them. */
  forget(paths: readonly string[]): void;
  /** What was noted until now is to be in HEAD when the returned function is called. */
  begin(): () => void;
  /**
   * Writes down what the files were made from that stay behind while HEAD moves on. The caller keeps everybody
   * else from the site's files.
   *
   * @returns those of `left` that do stay behind; the others were made from what HEAD will have.
   */
  leave(changes: readonly TreeChange[], left: readonly LeftAlone[]): Promise<readonly LeftAlone[]>;
  /**
   * Files that were left behind have the content of these names now. The caller keeps everybody else from the
   * site's files.
   */
  caughtUp(names: ReadonlyMap<string, string>): Promise<void>;
}

/** What is noted of a work tree, in memory; what stays behind is in a file, as forgetting it could cost a text. */
export function createOrigins({ gitDir }: Pick<Repository, 'gitDir'>): Origins {
  const notes = new Map<string, string>();

  function begin(): () => void {
    const until = [...notes];
    return () => {
      for (const [path, name] of until) if (notes.get(path) === name) notes.delete(path);
    };
  }

  async function leave(
    changes: readonly TreeChange[],
    left: readonly LeftAlone[],
  ): Promise<readonly LeftAlone[]> {
    const alone = new Map(left.map((one) => [one.path, one]));
    const behind = await leftBehind({ gitDir });
    const already = behind.size;
    for (const { path, before, after } of changes) {
      const isTheirs = alone.get(path)?.isTheirs;
      if (isTheirs === undefined && after !== null) notes.set(path, after.id);
      if (isTheirs !== true) continue;
      const origin = notes.get(path) ?? behind.get(path) ?? before?.id ?? '';
      if (origin === (after?.id ?? '')) alone.delete(path);
      else behind.set(path, origin);
    }
    if (behind.size > already) await save(gitDir, behind);
    return [...alone.values()];
  }

  async function caughtUp(names: ReadonlyMap<string, string>): Promise<void> {
    const behind = await leftBehind({ gitDir });
    for (const [path, name] of names) {
      behind.delete(path);
      notes.set(path, name);
    }
    await save(gitDir, behind);
  }

  return {
    note: (path, name) => void notes.set(path, name),
    noted: (path) => notes.get(path),
    forget: (paths) => {
      for (const path of paths) notes.delete(path);
    },
    begin,
    leave,
    caughtUp,
  };
}

/** The files that HEAD has moved on without, and what each was made from. */
export async function leftBehind({ gitDir }: Pick<Repository, 'gitDir'>): Promise<Map<string, string>> {
  try {
    return new Map(Object.entries<string>(JSON.parse(await readFile(fileIn(gitDir), 'utf8'))));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return new Map();
    throw error;
  }
}

async function save(gitDir: string, behind: ReadonlyMap<string, string>): Promise<void> {
  const file = fileIn(gitDir);
  if (behind.size === 0) return rm(file, { force: true });
  await mkdir(dirname(file), { recursive: true });
  await writeAtomically(file, `${JSON.stringify(Object.fromEntries(behind), null, 2)}\n`);
}

function fileIn(gitDir: string): string {
  return join(gitDir, 'pressmark', 'left-behind.json');
}
