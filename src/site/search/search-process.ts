// The process that indexes the site for its search; `search.ts` starts it.
import { hash } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../errors.js';
import { createLock } from '../../fs/lock.js';
import { makeBelow } from '../../fs/make-below.js';
import { lowerPriority } from '../../fs/process-priority.js';
import { findOptionalHelper } from '../write/build-lock.js';
import { contentOf } from '../write/ownership.js';
import type { SearchPage } from './pagefind.js';
import { type IndexFile, openSearchFolder } from './search-folder.js';

/** What the indexing process is asked for. */
export interface SearchRequest {
  /** Absolute. */
  readonly outputDir: string;
  /** Absolute; where the lock is by which receivers on one folder take turns. */
  readonly stateDir: string;
  /** What is indexed, by which version of Pagefind; null where the index is to be removed. */
  readonly wanted: { readonly pages: readonly SearchPage[]; readonly version: string } | null;
}

/** What became of the request. */
export type SearchOutcome =
  | { readonly kind: 'written'; readonly pages: number; readonly ms: number }
  /** The index was of these very pages already. */
  | { readonly kind: 'current' }
  | { readonly kind: 'removed' }
  /** Somebody else's index lies in the folder. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'failed'; readonly reason: string };

/** Another receiver's job may be under way for long. */
const LOCK_WAIT_MS = 10 * 60_000;
/** Changes where the same pages make another index. */
const INDEXER_VERSION = 2;

yieldToOthers();
process.once('disconnect', () => process.exit()); // the receiver was killed; Pagefind's program ends with this process
process.once('message', (request: SearchRequest) => {
  void perform(request)
    .catch((error: unknown): SearchOutcome => ({ kind: 'failed', reason: messageOf(error) }))
    .then((outcome) => process.send?.(outcome, () => process.exit()));
});

/** Others that wait for the processor or for memory go first; Pagefind takes much of both. */
function yieldToOthers(): void {
  lowerPriority(process.pid);
  try {
    if (process.platform === 'linux') fs.writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Not allowed here; it is a courtesy, and the job is as right without it.
  }
}

async function perform({ outputDir, stateDir, wanted }: SearchRequest): Promise<SearchOutcome> {
  const lockDir = join(stateDir, 'search');
  // The state folder may have been deleted; where its folder is gone too, so is the site.
  makeBelow(dirname(stateDir), lockDir);
  const helper = findOptionalHelper();
  const lock = helper && createLock({ directory: lockDir, helper, timeoutMs: LOCK_WAIT_MS });
  await lock?.enter();
  try {
    const folder = openSearchFolder(outputDir);
    if (wanted === null) {
      folder.remove();
      return { kind: 'removed' };
    }
    if (folder.isForeign()) return { kind: 'foreign' };
    const { pages, version } = wanted;
    const sourceHash = hash('sha256', JSON.stringify([INDEXER_VERSION, version, pages]));
    if (folder.isCurrent(sourceHash)) return { kind: 'current' };
    const start = performance.now();
    const { files, isComplete } = await indexOf(outputDir, pages);
    const of = isComplete ? sourceHash : null; // else the next job looks for the missing pages
    if (!(await folder.replace(files, of))) return { kind: 'foreign' };
    if (of !== null && !folder.isCurrent(of))
      throw new Error('files of the index were removed while it was written');
    return { kind: 'written', pages: pages.length, ms: Math.round(performance.now() - start) };
  } finally {
    lock?.close();
  }
}

/** The index that Pagefind makes of these pages, and whether it has them all: some may be missing in the output. */
async function indexOf(
  outputDir: string,
  pages: readonly SearchPage[],
): Promise<{ readonly files: readonly IndexFile[]; readonly isComplete: boolean }> {
  const { createIndex } = await import('pagefind');
  const { index } = unwrap(await createIndex({}));
  if (index === undefined) throw new Error('Pagefind made no index');
  let isComplete = true;
  for (const { file, url } of pages) {
    const bytes = contentOf(join(outputDir, file));
    if (bytes === undefined) isComplete = false;
    else unwrap(await index.addHTMLFile({ url, content: bytes.toString() }));
  }
  return { files: unwrap(await index.getFiles()).files, isComplete };
}

function unwrap<T extends { errors: string[] }>(answer: T): T {
  const [error] = answer.errors;
  if (error !== undefined) throw new Error(`Pagefind: ${error}`);
  return answer;
}
