import type { SiteFacts } from '../../deploy/facts.js';
import type { BuildRecord, DeliveryAftermath, LeftOutArticle } from '../../host/admin/site-services.js';
import type { DeliveryRecord } from '../../host/records.js';
import { type JournalEntry, ofKind } from './journal.js';

/** What is known about the time after a delivery. */
export interface Known {
  /** The present file of the delivery's article; undefined if there is none. */
  readonly path: string | undefined;
  /** Whether the site is built here; otherwise a deploy follows the commit. */
  readonly isBuiltHere: boolean;
  /** Oldest first. */
  readonly journal: readonly JournalEntry[];
  readonly awaited: SiteFacts['awaited'];
  /** The reason why the site does not show the article; null if it does. */
  readonly leftOut: LeftOutArticle | null;
}

/** The tolerance between the times of an action and of its answer, in milliseconds. */
const SAME_MS = 50;

/** The steps that followed a delivery: for each kind, the first one after it. */
export function aftermathOf(
  record: DeliveryRecord,
  { path, isBuiltHere, journal, awaited, leftOut }: Known,
): DeliveryAftermath {
  const nothing = { commit: null, build: null, deploys: [], live: null, awaited: null, leftOut: null };
  if (path === undefined || !hasStored(record)) return { path: null, ...nothing };
  const answered = Date.parse(record.at);
  const began = answered - record.ms - SAME_MS; // at some levels the commit is before the answer
  const isShown = leftOut === null;
  const commit = ofKind(journal, 'commit').find((one) => one.path === path && timeOf(one) >= began) ?? null;
  // The file exists shortly before the answer, and a build that begins in between contains it.
  const hasIt = (one: BuildRecord) => timeOf(one) >= answered && timeOf(one) - one.ms >= began;
  const build = ofKind(journal, 'build').find((one) => one.outcome !== 'failed' && hasIt(one)) ?? null;
  const live = ofKind(journal, 'live').find((one) => one.path === path && timeOf(one) >= answered) ?? null;
  const ready = isBuiltHere ? build : commit;
  const readyAt = ready === null ? Number.POSITIVE_INFINITY : timeOf(ready) - SAME_MS;
  const looked = awaited.find((one) => one.path === path);
  const isInReview = live === null && looked?.review === 'waiting';
  const deploys = new Map<string, DeliveryAftermath['deploys'][number]>();
  for (const one of isShown && !isInReview ? ofKind(journal, 'deploy') : [])
    if (one.error === null && !deploys.has(one.target) && timeOf(one) - one.ms >= readyAt)
      deploys.set(one.target, one);
  return {
    path,
    commit,
    build: isShown ? build : null,
    deploys: [...deploys.values()],
    live,
    awaited: live === null && looked !== undefined ? { found: looked.found ?? null, isInReview } : null,
    leftOut,
  };
}

function timeOf({ at }: { readonly at: string }): number {
  return Date.parse(at);
}

/** Whether a delivery has written its article's file. */
function hasStored({ status, outcome }: DeliveryRecord): boolean {
  return status < 400 && outcome === 'stored';
}
