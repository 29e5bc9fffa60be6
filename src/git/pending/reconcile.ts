import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { blobsInHistory } from '../cli/history.js';
import { commitAt, objectsNamed } from '../cli/objects.js';
import type { Repository } from '../cli/repository.js';
import { blobsAt } from '../cli/tree.js';
import { isTakenAway, possibleBlobs } from '../commit/blobs.js';
import { readHead } from '../commit/head.js';
import { stagedBlobs } from '../commit/index.js';
import { readIndexIntents } from '../commit/index-intents.js';
import { resolveFiles } from '../commit/placement.js';
import { FETCHED_REF } from '../push/remote.js';
import type { Found } from './commit-queue.js';
import type { ArticleFile, ScanCache } from './scan-cache.js';

/** How many files one search of the history is about. */
const CHUNK = 200;

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
}

/**
 * Compares the article files with the branch and, where the site pushes, with the fetched branch, and finds those that
 * git lacks, oldest first. The caller has put parked commits on the branch before. A file whose text the branch had earlier
 * gets no commit: the owner has restored that text, or has removed the file from git. Nor does one that the owner has
 * staged: it is theirs to commit.
 */
export async function reconcile(options: ReconcileOptions): Promise<Found> {
  const { repository, articles, openCache, signal } = options;
  const head = await readHead(repository);
  if (head.kind === 'not now') return { kind: 'not now', why: head };
  const { tip } = head;
  const cache = await openCache(tip);
  const committed: ArticleFile[] = [];
  const unknown: ArticleFile[] = [];
  for (const file of articles) (cache.has(file) ? committed : unknown).push(file);
  if (unknown.length === 0) return { kind: 'found', paths: [] };

  const places = await resolveFiles(
    repository,
    unknown.map(({ path }) => path),
  );
  const inside = unknown.flatMap((file): Placed[] => {
    const place = places.get(file.path);
    return place !== undefined && place.kind === 'inside' ? [{ file, inRepository: place.inRepository }] : [];
  });
  const atTip = await blobsAt(
    repository,
    tip,
    inside.map(({ inRepository }) => inRepository),
  );
  const candidates: Candidate[] = [];
  // Each of these is tried again by itself, and does not delay the others' commits.
  const unreadable: string[] = [];
  for (const { file, inRepository } of inside) {
    if (signal.aborted) return { kind: 'stopped' };
    const read = await readBlobs(repository, file);
    if (read === 'gone') continue;
    if (read === 'unreadable') {
      unreadable.push(file.path);
      continue;
    }
    if (!read.blobs.includes(atTip.get(inRepository) ?? ''))
      candidates.push({ file, inRepository, blobs: read.blobs });
    else if (read.isStill(file)) committed.push(file);
  }
  // A file that is as the remote's branch has it needs no commit: the branch was about to follow, and will.
  const fetched = await blobsAt(
    repository,
    await commitAt(repository, FETCHED_REF),
    candidates.map(({ inRepository }) => inRepository),
  );
  const unfetched = candidates.filter(
    ({ inRepository, blobs }) => !blobs.includes(fetched.get(inRepository) ?? ''),
  );
  const { missing, earlier } = await searchHistory(repository, tip, unfetched);
  await cache.save([...committed, ...earlier.map(({ file }) => file)]);
  const staged = await stagedByOwner(repository, tip, missing);
  const paths = missing
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

/** What the file's content may be called in git; `gone` where the owner has removed the file. */
async function readBlobs(repository: Repository, { path }: ArticleFile) {
  try {
    const file = await open(join(repository.top, repository.prefix, path));
    try {
      const content = await file.readFile();
      const blobs = possibleBlobs(repository, content);
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

/** The files whose texts the history lacks, and those whose texts the branch had earlier. */
async function searchHistory(repository: Repository, tip: string | null, candidates: readonly Candidate[]) {
  if (tip === null) return { missing: candidates, earlier: [] };
  // a text that git has nowhere is in no history; looking through a long one takes its time
  const stored = new Set<string>();
  for (let start = 0; start < candidates.length; start += CHUNK) {
    const blobs = candidates.slice(start, start + CHUNK).flatMap((one) => one.blobs);
    for (const object of await objectsNamed(repository, blobs)) if (object) stored.add(object.id);
  }
  const missing = candidates.filter((one) => !one.blobs.some((blob) => stored.has(blob)));
  const asked = candidates.filter((one) => one.blobs.some((blob) => stored.has(blob)));
  const earlier: Candidate[] = [];
  for (let start = 0; start < asked.length; start += CHUNK) {
    const chunk = asked.slice(start, start + CHUNK);
    const paths = chunk.map(({ inRepository }) => inRepository);
    const inHistory = await blobsInHistory(repository, tip, paths);
    for (const one of chunk) {
      const wasCommitted = one.blobs.some((blob) => inHistory.get(one.inRepository)?.has(blob));
      (wasCommitted ? earlier : missing).push(one);
    }
  }
  return { missing, earlier };
}
