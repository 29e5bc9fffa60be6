import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../cli/repository.js';

/** A file of a commit. */
export interface CommittedFile {
  /** From the top of the work tree. */
  readonly path: string;
  readonly mode: string;
  readonly id: string;
}

/** Writes files of a commit below `folder`, as a checkout would make them: filters and line ends applied. */
export async function checkOut(
  { git }: Repository,
  files: readonly CommittedFile[],
  folder: string,
): Promise<void> {
  if (files.length === 0) return;
  await mkdir(folder, { recursive: true });
  const indexFile = join(folder, '.pressmark-index');
  await git(['update-index', '-z', '--index-info'], {
    input: files.map(({ mode, id, path }) => `${mode} ${id} 0\t${path}\0`).join(''),
    indexFile,
  });
  await git(['checkout-index', '--all', '--quiet', `--prefix=${folder}/`], { indexFile });
  await rm(indexFile);
}
