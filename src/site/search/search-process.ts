// The process that indexes the site for its search; `search.ts` starts it.
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../errors.js';
import { createLock } from '../../fs/lock.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import { makeBelow } from '../../fs/make-below.js';
import { lowerPriority } from '../../fs/process-priority.js';
import { isGone } from '../../store/catalog/entry.js';
import { type IndexFile, openSearchFolder } from './search-folder.js';
import type { SearchOutcome, SearchRequest } from './search-pages.js';

/** Another receiver's job may be under way for long. */
const LOCK_WAIT_MS = 10 * 60_000;

/** Ends Pagefind's program, where it has been started. */
let closePagefind: (() => Promise<unknown>) | undefined;

yieldToEverything();
process.once('disconnect', end);
process.once('SIGTERM', end);
process.once('message', (request: SearchRequest) => {
  void perform(request)
    .catch((error: unknown): SearchOutcome => ({ is: 'failed', reason: messageOf(error) }))
    .then((outcome) => process.send?.(outcome, end));
});

async function end(): Promise<void> {
  await closePagefind?.();
  process.exit(0);
}

/** Whoever waits for the processor or for memory goes first; Pagefind takes much of both. */
function yieldToEverything(): void {
  lowerPriority(process.pid);
  try {
    if (process.platform === 'linux') fs.writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Not allowed here; it is a courtesy, and the job is as right without it.
  }
}

async function perform({ outputDir, lockDir, pages, of }: SearchRequest): Promise<SearchOutcome> {
  // The state folder may have been deleted; where its folder is gone too, so is the site.
  makeBelow(dirname(dirname(lockDir)), lockDir);
  const lock = createLock({ directory: lockDir, helper: findLockHelper(), timeoutMs: LOCK_WAIT_MS });
  await lock.enter();
  try {
    const folder = openSearchFolder(outputDir);
    if (folder.isForeign()) return { is: 'foreign' };
    if (folder.isCurrent(of)) return { is: 'current' };
    const start = performance.now();
    await folder.replace(await indexOf(outputDir, pages), of);
    return { is: 'done', pages: pages.length, ms: Math.round(performance.now() - start) };
  } finally {
    lock.close();
  }
}

async function indexOf(outputDir: string, pages: SearchRequest['pages']): Promise<readonly IndexFile[]> {
  const { createIndex, close } = await import('pagefind');
  closePagefind = close;
  const { index } = unwrap(await createIndex({}));
  if (index === undefined) throw new Error('Pagefind made no index');
  for (const { file, path } of pages) {
    const content = read(join(outputDir, file));
    if (content !== undefined) unwrap(await index.addHTMLFile({ url: path, content }));
  }
  return unwrap(await index.getFiles()).files;
}

function unwrap<T extends { errors: string[] }>(answer: T): T {
  const [error] = answer.errors;
  if (error !== undefined) throw new Error(`Pagefind: ${error}`);
  return answer;
}

/** A page that went meanwhile: the next job knows. */
function read(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
