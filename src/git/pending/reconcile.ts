import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { blobId, type Repository } from '../cli/repository.js';
import { blobsAt, blobsBelow, blobsInHistory, storedBlobs } from '../cli/trees.js';
import { isTakenAway } from '../commit/blobs.js';
import { type NotNow, readHead } from '../commit/head.js';
import { blobsFetched } from '../push/fetched-blobs.js';
import type { ArticleFile, Checked } from './scan-cache.js';
import type { Waiting } from './waiting.js';

/** How many files one look into the history is about. */
const CHUNK = 200;

/** Up to so many files, git is asked for each rather than for all that it has. */
const FEW = 2_000;

interface Candidate {
  readonly file: ArticleFile;
  readonly inRepository: string;
  readonly blobs: readonly string[];
}

/**
 * The start-up check: the articles whose file differs from the branch, oldest first, as changes that wait for
 * their commit. Whether the file is as Pressmark wrote it is looked at when it is committed. What the branch
 * once had and has no longer is left alone: the owner has gone back to it, or has taken it out.
 *
 * @param remember opens the memory of earlier checks for a commit; what is in good order is written there.
 */
export async function findUncommitted(
  repository: Repository,
  articles: Iterable<ArticleFile>,
  remember: (tip: string | null) => Promise<Checked>,
  signal: AbortSignal,
): Promise<readonly Waiting[] | NotNow> {
  const head = await readHead(repository);
  if ('waitingFor' in head) return head;
  const { tip } = head;
  const checked = await remember(tip);
  const fine: ArticleFile[] = [];
  const unknown: ArticleFile[] = [];
  for (const file of articles) (checked.has(file) ? fine : unknown).push(file);
  if (unknown.length === 0) return [];

  const atTip = await blobsOfFiles(repository, tip, unknown);
  const candidates: Candidate[] = [];
  for (const file of unknown) {
    if (signal.aborted) return [];
    const inRepository = `${repository.prefix}${file.path}`;
    const read = await blobsOf(repository, inRepository);
    if (read === undefined) continue;
    const committed = atTip.get(inRepository);
    if (committed === undefined || !read.blobs.includes(committed))
      candidates.push({ file, inRepository, blobs: read.blobs });
    else if (read.isStill(file)) fine.push(file);
  }
  const fetched = await blobsFetched(
    repository,
    candidates.map(({ inRepository }) => inRepository),
  );
  const unfetched = candidates.filter(
    ({ inRepository, blobs }) => !blobs.includes(fetched.get(inRepository) ?? ''),
  );
  const { left, had } = await lookIntoHistory(repository, tip, unfetched);
  await checked.save([...fine, ...had.map(({ file }) => file)]);
  return left
    .sort((a, b) => a.file.stamp.mtimeMs - b.file.stamp.mtimeMs)
    .map(({ file: { path }, inRepository, blobs }) => ({
      path,
      kind: atTip.has(inRepository) ? 'Update' : 'Publish',
      seen: blobs,
      text: undefined,
      revision: undefined,
      message: undefined,
      before: tip,
    }));
}

async function blobsOfFiles(
  repository: Repository,
  tip: string | null,
  files: readonly ArticleFile[],
): Promise<Map<string, string>> {
  if (files.length > FEW) return blobsBelow(repository, tip, repository.prefix);
  const found = new Map<string, string>();
  for (let start = 0; start < files.length; start += CHUNK) {
    const paths = files.slice(start, start + CHUNK).map(({ path }) => `${repository.prefix}${path}`);
    for (const [path, blob] of await blobsAt(repository, tip, paths)) found.set(path, blob);
  }
  return found;
}

/**
 * What git may call the file's content, with its line ends as they are or as LF; undefined where its owner has taken it
 * away.
 *
 * @throws the system's errors, such as EIO and EMFILE: the check is made again later.
 */
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
      const { ino, size, mtimeMs } = await file.stat();
      const isStill = ({ stamp }: ArticleFile) =>
        stamp.ino === ino && stamp.size === size && stamp.mtimeMs === mtimeMs;
      return { blobs, isStill };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!isTakenAway(error)) throw error;
    // nothing to commit, and no reason to keep the others
    return undefined;
  }
}

async function lookIntoHistory(repository: Repository, tip: string | null, candidates: readonly Candidate[]) {
  if (tip === null || candidates.length === 0) return { left: [...candidates], had: [] };
  // a text that git has nowhere is in no history; looking through a long one takes its time
  const stored = await storedBlobs(
    repository,
    candidates.flatMap(({ blobs }) => blobs),
  );
  const left = candidates.filter(({ blobs }) => !blobs.some((blob) => stored.has(blob)));
  const asked = candidates.filter(({ blobs }) => blobs.some((blob) => stored.has(blob)));
  const had: Candidate[] = [];
  for (let start = 0; start < asked.length; start += CHUNK) {
    const chunk = asked.slice(start, start + CHUNK);
    const once = await blobsInHistory(
      repository,
      tip,
      chunk.map(({ inRepository }) => inRepository),
    );
    for (const candidate of chunk) {
      const { inRepository, blobs } = candidate;
      (blobs.some((blob) => once.has(`${blob} ${inRepository}`)) ? had : left).push(candidate);
    }
  }
  return { left, had };
}
