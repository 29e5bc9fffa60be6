import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { blobId, type Repository } from '../cli/repository.js';
import { blobsAt, blobsBelow, blobsInHistory, storedBlobs } from '../cli/trees.js';
import { isTakenAway } from '../commit/blobs.js';
import { readHead } from '../commit/head.js';
import { stagedBlobs } from '../commit/index.js';
import { readIndexIntents } from '../commit/index-intents.js';
import { resolveFiles } from '../commit/placement.js';
import { blobsFetched } from '../push/fetched-blobs.js';
import type { Found } from './commit-queue.js';
import type { ArticleFile, ScanCache } from './scan-cache.js';

/** How many files one search of the history is about. */
const CHUNK = 200;

/** Up to so many files, git is asked for each rather than for all that it has. */
const FEW = 2_000;

/** An article's file and its path from the top of the work tree. */
interface Placed {
  readonly file: ArticleFile;
  readonly inRepository: string;
}

interface Candidate extends Placed {
  /** The names that its content may have in git. */
  readonly blobs: readonly string[];
}

/** What `reconcile` compares with. */
export interface ReconcileOptions {
  readonly repository: Repository;
  /** The files of all articles. */
  readonly articles: Iterable<ArticleFile>;
  /** Opens the cache of earlier comparisons for a commit; what git has is written there. */
  readonly openCache: (tip: string | null) => Promise<ScanCache>;
  /** Ends the comparison. */
  readonly signal: AbortSignal;
  /** Whether what the owner has staged is theirs to commit, as they have just moved the branch. */
  readonly sparesStaged: boolean;
}

/**
 * Compares the article files with the branch and, where the site pushes, with the fetched branch, and finds those that
 * git lacks, oldest first. The caller has put parked commits on the branch before. A file whose text the branch had earlier
 * gets no commit: the owner has restored that text, or has removed the file from git.
 */
export async function reconcile(options: ReconcileOptions): Promise<Found> {
  const { repository, articles, openCache, signal, sparesStaged } = options;
  const head = await readHead(repository);
  if (head.kind === 'not now') return { kind: 'not now', why: head };
  const { tip } = head;
  const cache = await openCache(tip);
  const fine: ArticleFile[] = [];
  const unknown: ArticleFile[] = [];
  for (const file of articles) (cache.has(file) ? fine : unknown).push(file);
  if (unknown.length === 0) return { kind: 'found', paths: [] };

  const places = await resolveFiles(
    repository,
    unknown.map(({ path }) => path),
  );
  const inside = unknown.flatMap((file): Placed[] => {
    const place = places.get(file.path);
    return place !== undefined && place.kind === 'inside' ? [{ file, inRepository: place.inRepository }] : [];
  });
  const atTip = await blobsOfFiles(
    repository,
    tip,
    inside.map(({ inRepository }) => inRepository),
  );
  const candidates: Candidate[] = [];
  // Each of these is tried again by itself, and does not delay the others' commits.
  const unreadable: string[] = [];
  for (const { file, inRepository } of inside) {
    if (signal.aborted) return { kind: 'stopped' };
    const read = await blobsOf(repository, file);
    if (read === 'gone') continue;
    if (read === 'unreadable') {
      unreadable.push(file.path);
      continue;
    }
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
  const { left, had } = await searchHistory(repository, tip, unfetched);
  await cache.save([...fine, ...had.map(({ file }) => file)]);
  const staged = sparesStaged ? await stagedByOwner(repository, tip, left) : new Set<string>();
  const paths = left
    .filter(({ inRepository }) => !staged.has(inRepository))
    .sort((a, b) => a.file.stamp.mtimeMs - b.file.stamp.mtimeMs)
    .map(({ file }) => file.path);
  return { kind: 'found', paths: [...paths, ...unreadable] };
}

/** The paths at which the index differs from the branch, and not because of a Pressmark that was killed. */
async function stagedByOwner(
  repository: Repository,
  tip: string | null,
  candidates: readonly Candidate[],
): Promise<Set<string>> {
  const paths = new Set(candidates.map(({ inRepository }) => inRepository));
  if (paths.size === 0) return paths;
  const intents = await readIndexIntents(repository);
  const staged = [...(await stagedBlobs(repository, tip, paths))];
  return new Set(staged.filter(([path, blob]) => !intents.isIntended({ path, blob })).map(([path]) => path));
}

async function blobsOfFiles(
  repository: Repository,
  tip: string | null,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const { prefix } = repository;
  // A linked content folder may be anywhere in the repository.
  const below = paths.every((path) => path.startsWith(prefix)) ? prefix : '';
  if (paths.length > FEW) return blobsBelow(repository, tip, below);
  const found = new Map<string, string>();
  for (let start = 0; start < paths.length; start += CHUNK)
    for (const [path, blob] of await blobsAt(repository, tip, paths.slice(start, start + CHUNK)))
      found.set(path, blob);
  return found;
}

/**
 * The names that the file's content may have in git, with its line ends as they are or as LF; `gone` where the owner has
 * removed the file.
 */
async function blobsOf(repository: Repository, { path }: ArticleFile) {
  try {
    const file = await open(join(repository.top, repository.prefix, path));
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
    return isTakenAway(error) ? 'gone' : 'unreadable';
  }
}

async function searchHistory(repository: Repository, tip: string | null, candidates: readonly Candidate[]) {
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
