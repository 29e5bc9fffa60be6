import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../errors.js';
import { writeAtomically } from '../fs/atomic-write.js';
import type { Repository } from './repository.js';

/** An edit's text at its path, from the top of the work tree. */
export interface NotedEdit {
  readonly path: string;
  readonly blob: string;
}

/** Which edits Pressmark is putting into the index; see `createEditNotes`. */
export interface EditNotes {
  /** Whether an entry of the index was put there by Pressmark, for a commit that it did not come to. */
  isNoted(edit: NotedEdit): boolean;
  /** Writes down what goes into the index next. */
  note(edits: readonly NotedEdit[]): Promise<void>;
  /** Their commits are made. */
  forget(edits: readonly NotedEdit[]): Promise<void>;
}

/**
 * An edit that stands in the index was staged by its owner, who is about to commit it, or by a Pressmark that
 * was killed or overtaken before its branch moved. This file tells one from the other. Whoever uses it holds
 * the index.
 */
export async function readEditNotes({ gitDir }: Pick<Repository, 'gitDir'>): Promise<EditNotes> {
  const file = join(gitDir, 'pressmark', 'edits');
  const noted = new Set((await contentOf(file)).split('\0').slice(0, -1));

  async function note(edits: readonly NotedEdit[]): Promise<void> {
    for (const edit of edits) noted.add(lineOf(edit));
    if (edits.length > 0) await save();
  }

  async function forget(edits: readonly NotedEdit[]): Promise<void> {
    for (const edit of edits) noted.delete(lineOf(edit));
    // what another Pressmark has left is still to be told apart
    await (noted.size === 0 ? rm(file, { force: true }) : save());
  }

  async function save(): Promise<void> {
    await writeAtomically(file, [...noted].map((line) => `${line}\0`).join(''));
  }

  return { isNoted: (edit) => noted.has(lineOf(edit)), note, forget };
}

function lineOf({ path, blob }: NotedEdit): string {
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
