import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type NotNow, readHead } from './head.js';
import type { Waiting } from './queue.js';
import { blobId, type Repository } from './repository.js';
import { blobsBelow, blobsInHistory } from './tree.js';

/** How many files one look into the history is about. */
const CHUNK = 200;

interface Candidate {
  readonly path: string;
  readonly inRepository: string;
  readonly blobs: readonly string[];
  readonly modified: number;
}

/**
 * The start-up check: the articles whose file differs from the branch, oldest first, as changes that wait for
 * their commit. Whether the file is as Pressmark wrote it is looked at when it is committed. What the branch
 * once had and has no longer is left alone: the owner has gone back to it, or has taken it out.
 */
export async function findUncommitted(
  repository: Repository,
  paths: Iterable<string>,
  signal: AbortSignal,
): Promise<readonly Waiting[] | NotNow> {
  const head = await readHead(repository);
  if ('waitingFor' in head) return head;
  const { tip } = head;
  const atTip = await blobsBelow(repository, tip, repository.prefix);
  const candidates: Candidate[] = [];
  for (const path of paths) {
    if (signal.aborted) return [];
    const inRepository = `${repository.prefix}${path}`;
    const file = await blobsOf(repository, inRepository);
    const committed = atTip.get(inRepository);
    if (file === undefined || (committed !== undefined && file.blobs.includes(committed))) continue;
    candidates.push({ path, inRepository, ...file });
  }
  const left = tip === null ? candidates : await notInHistory(repository, tip, candidates);
  return left
    .sort((a, b) => a.modified - b.modified)
    .map(({ path, inRepository }) => ({
      path,
      kind: atTip.has(inRepository) ? 'Update' : 'Publish',
      text: undefined,
      revision: undefined,
      message: undefined,
      before: tip,
    }));
}

/** What git may call the file's content, with its line ends as they are or as LF; undefined where it cannot be read. */
async function blobsOf(repository: Repository, inRepository: string) {
  try {
    const file = await open(join(repository.top, inRepository));
    try {
      const content = await file.readFile();
      const blobs = [blobId(repository, content)];
      if (content.includes('\r\n')) {
        const withLf = content.toString('latin1').replaceAll('\r\n', '\n');
        blobs.push(blobId(repository, Buffer.from(withLf, 'latin1')));
      }
      return { blobs, modified: (await file.stat()).mtimeMs };
    } finally {
      await file.close();
    }
  } catch {
    // removed or unreadable: nothing to commit, and no reason to keep the others
    return undefined;
  }
}

async function notInHistory(
  repository: Repository,
  tip: string,
  candidates: readonly Candidate[],
): Promise<Candidate[]> {
  const left: Candidate[] = [];
  for (let start = 0; start < candidates.length; start += CHUNK) {
    const chunk = candidates.slice(start, start + CHUNK);
    const had = await blobsInHistory(
      repository,
      tip,
      chunk.map(({ inRepository }) => inRepository),
    );
    left.push(
      ...chunk.filter(({ inRepository, blobs }) => !blobs.some((blob) => had.has(`${blob} ${inRepository}`))),
    );
  }
  return left;
}
