import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import type { Repository } from '../cli/repository.js';

/** A text at its path, from the top of the work tree. */
export interface NotedEntry {
  readonly path: string;
  readonly blob: string;
}

/** What Pressmark is putting into the index; see `readIndexNotes`. */
export interface IndexNotes {
  /** Whether an entry of the index was put there by Pressmark, for a commit that it did not come to. */
  isNoted(entry: NotedEntry): boolean;
  /** Writes down what goes into the index next. */
  note(entries: readonly NotedEntry[]): Promise<void>;
  readonly isEmpty: boolean;
  /** Nothing of ours stands in the index that is not committed. */
  clear(): Promise<void>;
  /** Their commits are made. */
  forget(entries: readonly NotedEntry[]): Promise<void>;
}

/**
 * A text that stands in the index was staged by its owner, who is about to commit it, or by a Pressmark that
 * was killed or overtaken before its branch moved. This file tells one from the other. Whoever uses it holds
 * the index.
 */
export async function readIndexNotes({ gitDir }: Pick<Repository, 'gitDir'>): Promise<IndexNotes> {
  const file = join(gitDir, 'pressmark', 'index-notes');
  const noted = new Set((await contentOf(file)).split('\0').slice(0, -1));

  async function note(entries: readonly NotedEntry[]): Promise<void> {
    for (const entry of entries) noted.add(lineOf(entry));
    if (entries.length > 0) await save();
  }

  async function forget(entries: readonly NotedEntry[]): Promise<void> {
    for (const entry of entries) noted.delete(lineOf(entry));
    // what another Pressmark has left is still to be told apart
    await (noted.size === 0 ? rm(file, { force: true }) : save());
  }

  async function save(): Promise<void> {
    await writeAtomically(file, [...noted].map((line) => `${line}\0`).join(''));
  }

  const clear = () => rm(file, { force: true });
  return { isEmpty: noted.size === 0, clear, isNoted: (entry) => noted.has(lineOf(entry)), note, forget };
}

function lineOf({ path, blob }: NotedEntry): string {
  return `${blob} ${path}`;
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  }
}
