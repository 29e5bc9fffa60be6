import type { SiteFacts } from '../../deploy/facts.js';
import type { DeliveryAftermath, LeftOutArticle } from '../../host/admin/site-services.js';
import type { DeliveryRecord } from '../../host/records.js';
import type { JournalEntry } from './journal.js';

/** What is known when it is asked what followed a delivery. */
export interface Known {
  /** The file of the delivery's article now; undefined if there is none. */
  readonly path: string | undefined;
  /** Whether the site is built here; else a deploy follows the commit. */
  readonly isBuiltHere: boolean;
  /** Oldest first. */
  readonly journal: readonly JournalEntry[];
  readonly awaited: SiteFacts['awaited'];
  /** Why the site does not show the article; null if it does. */
  readonly leftOut: LeftOutArticle | null;
}

/** The moments of an action and of the answer that it follows are taken one after the other, in milliseconds. */
const SAME_MS = 50;

/** What followed a delivery: of each step the first that came after it. */
export function aftermathOf(
  record: DeliveryRecord,
  { path, isBuiltHere, journal, awaited, leftOut }: Known,
): DeliveryAftermath {
  const nothing = {
    path: null,
    commit: null,
    build: null,
    deploys: [],
    live: null,
    awaited: null,
    leftOut: null,
  };
  if (path === undefined || !hasStored(record)) return nothing;
  const answered = Date.parse(record.at);
  const began = answered - record.ms - SAME_MS; // at some levels the commit is before the answer
  const isShown = leftOut === null;
  let commit: DeliveryAftermath['commit'] = null;
  let build: DeliveryAftermath['build'] = null;
  const deploys = new Map<string, DeliveryAftermath['deploys'][number]>();
  let live: DeliveryAftermath['live'] = null;
  for (const entry of journal) {
    const at = Date.parse(entry.at);
    switch (entry.kind) {
      case 'commit':
        if (entry.path === path && at >= began) commit ??= entry;
        break;
      case 'build':
        // The file is there a while before the answer; a build that begins in between has it.
        if (isShown && entry.outcome !== 'failed' && at >= answered && at - entry.ms >= began)
          build ??= entry;
        break;
      case 'deploy':
        if (isShown && entry.error === null && !deploys.has(entry.target)) {
          const ready = isBuiltHere ? build : commit;
          if (ready !== null && at - entry.ms >= Date.parse(ready.at) - SAME_MS)
            deploys.set(entry.target, entry);
        }
        break;
      case 'live':
        if (entry.path === path && at >= answered) live ??= entry;
        break;
    }
  }
  const looked = awaited.find((one) => one.path === path);
  return {
    path,
    commit,
    build,
    deploys: [...deploys.values()],
    live,
    awaited: live === null && looked !== undefined ? { found: looked.found ?? null } : null,
    leftOut,
  };
}

/** Whether a delivery has written its article's file. */
function hasStored({ status, outcome }: DeliveryRecord): boolean {
  return status < 400 && outcome === 'stored';
}
