// The process that indexes the site for its search; `search.ts` starts it.
import { hash } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../errors.js';
import { createLock } from '../../fs/lock.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import { makeBelow } from '../../fs/make-below.js';
import { lowerPriority } from '../../fs/process-priority.js';
import { indexOf } from './pagefind.js';
import { openSearchFolder } from './search-folder.js';
import { newestPages, type SearchOutcome, type SearchRequest } from './search-pages.js';

/** Another receiver's job may be under way for long. */
const LOCK_WAIT_MS = 10 * 60_000;
/** Changes where the same pages make another index. */
const FORMAT = 1;

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

async function perform(request: SearchRequest): Promise<SearchOutcome> {
  const { outputDir, stateDir, version } = request;
  const lockDir = join(stateDir, 'search');
  // The state folder may have been deleted; where its folder is gone too, so is the site.
  makeBelow(dirname(stateDir), lockDir);
  const lock = createLock({ directory: lockDir, helper: findLockHelper(), timeoutMs: LOCK_WAIT_MS });
  await lock.enter();
  try {
    const folder = openSearchFolder(outputDir);
    if (folder.isForeign()) return { kind: 'foreign' };
    const pages = newestPages(request);
    const inputs = [FORMAT, version, pages.map(({ url, size, crc }) => [url, size, crc])];
    const digest = hash('sha256', JSON.stringify(inputs));
    if (folder.isCurrent(digest)) return { kind: 'current' };
    const start = performance.now();
    await folder.replace(await indexOf(outputDir, pages), digest);
    return { kind: 'written', pages: pages.length, ms: Math.round(performance.now() - start) };
  } finally {
    lock.close();
  }
}
