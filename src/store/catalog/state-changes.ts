import type { Entry } from './entry.js';

/** Lists the times at which articles' states change, in ms since 1970. */
function* stateChanges(entries: Iterable<Entry>): Generator<number> {
  for (const { from, until, broken } of entries) {
    if (broken !== undefined) continue;
    if (from !== undefined) yield from;
    if (until !== undefined) yield until;
  }
}

/** Returns when the state of any of these articles last changed; 0 if none has. @param now in ms since 1970. */
export function lastStateChange(entries: Iterable<Entry>, now: number): number {
  let last = 0;
  for (const at of stateChanges(entries)) if (at <= now && at > last) last = at;
  return last;
}

/** Returns when the state of any of these articles changes next; Infinity if none will. @param now in ms since 1970. */
export function nextStateChange(entries: Iterable<Entry>, now: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const at of stateChanges(entries)) if (at > now && at < next) next = at;
  return next;
}
