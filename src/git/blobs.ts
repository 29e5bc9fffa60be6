import { setImmediate } from 'node:timers/promises';
import { blobId, type Repository } from './repository.js';

/** A text as git stores it. */
export interface Blob {
  readonly id: string;
  /** What is still to be written into the repository; undefined where it has been. */
  readonly content: Buffer | undefined;
}

/**
 * The blobs of texts, after the clean filters that git would apply to files at these paths; so `git status`
 * finds nothing to complain about. Most files have no filter, and need no process each.
 */
export async function blobsOf(
  repository: Repository,
  files: readonly { path: string; content: string | { blob: string } }[],
): Promise<Blob[]> {
  const filtered = await filteredPaths(
    repository,
    files.filter(({ content }) => typeof content === 'string').map(({ path }) => path),
  );
  const blobs: Blob[] = [];
  for (const { path, content: text } of files) {
    if (typeof text !== 'string') {
      blobs.push({ id: text.blob, content: undefined });
      continue;
    }
    // only a text with CR can be changed by what git does to line ends
    if (filtered.has(path) || text.includes('\r')) {
      const { stdout } = await repository.git(
        ['-c', 'core.safecrlf=false', 'hash-object', '-w', '--stdin', `--path=${path}`],
        { input: text },
      );
      blobs.push({ id: stdout.trim(), content: undefined });
    } else {
      const content = Buffer.from(text);
      blobs.push({ id: blobId(repository, content), content });
      // deliveries are being answered on this thread
      if (blobs.length % 20 === 0) await setImmediate();
    }
  }
  return blobs;
}

async function filteredPaths({ git }: Repository, paths: readonly string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  const input = [...new Set(paths)].map((path) => `${path}\0`).join('');
  const { stdout } = await git(['check-attr', '-z', '--stdin', 'filter', 'ident', 'working-tree-encoding'], {
    input,
  });
  const filtered = new Set<string>();
  const fields = stdout.split('\0');
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const [path = '', , value = ''] = fields.slice(index, index + 3);
    if (value !== 'unspecified' && value !== 'unset') filtered.add(path);
  }
  return filtered;
}
