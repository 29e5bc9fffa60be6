import { messageOf, PressmarkError, quote } from '../../errors.js';
import { createLock } from '../../fs/lock.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import {
  type Asked,
  advance,
  type DeliveryEvent,
  leavesOpen,
  type Outcome,
  sentFirstAt,
} from '../delivery/delivery.js';
import { makeState, type SenderState } from '../state.js';
import { type Entry, isOfArticle, isUnsent, mayBeReplaced } from './entry.js';
import { openEntryFiles, type Summary, sweepLeftovers } from './entry-files.js';

/** The durable deliveries of one folder; see `openQueue`. */
export type Queue = ReturnType<typeof openQueue>;

/** The state for a decision, under the lock. */
interface View {
  read(id: string): Entry | undefined;
  has(id: string): boolean;
  change(entry: Entry): void;
}

/**
 * Opens the queue of a folder. Any number of processes may have it open. Changes happen one at a time, under a kernel lock and
 * by the current files, so that no attempt is made twice.
 *
 * Every method that changes something may throw PressmarkError QUEUE_FAILED or LOCK_TIMEOUT; then each delivery is either
 * unchanged or completely changed.
 *
 * @param now milliseconds since the epoch. @default Date.now
 */
export function openQueue({
  state,
  now = Date.now,
}: {
  readonly state: SenderState;
  readonly now?: () => number;
}) {
  const lock = createLock({ directory: state.folder, helper: findLockHelper() });
  const files = openEntryFiles(state.deliveries);
  let last: Promise<unknown> = Promise.resolve();
  let isSwept = false;
  let lastTaken = 0;

  /** A unique moment of sending, by which receivers sort articles; not unique if the clock was set back. */
  function momentOfTaking(): number {
    const at = now();
    lastTaken = at < lastTaken - 1000 ? at : Math.max(at, lastTaken + 1);
    return lastTaken;
  }

  /**
   * Decides on entries and writes the changes, after the previous changes were written.
   *
   * @param mustLast whether a power cut must not undo the changes. The outcome of an attempt may be lost: its delivery is then
   *   still `sending`, and is sent again.
   */
  function submit<T>(decide: (view: View) => T, mustLast = true): Promise<T> {
    const done = last.then(() => lockedChange(decide, mustLast));
    last = done.catch(() => undefined); // the caller gets the error
    return done;
  }

  async function lockedChange<T>(decide: (view: View) => T, mustLast: boolean): Promise<T> {
    try {
      makeState(state); // the folder may have been removed
      return await lock.run(async () => {
        if (!isSwept) sweepLeftovers(state.deliveries);
        isSwept = true;
        const changed = new Map<string, Entry>();
        const result = decide({
          read: (id) => changed.get(id) ?? files.read(id),
          has: (id) => changed.has(id) || files.has(id),
          change: (entry) => void changed.set(entry.id, entry),
        });
        if (changed.size > 0) await files.write([...changed.values()], mustLast);
        return result;
      });
    } catch (cause) {
      throw cause instanceof PressmarkError ? cause : cannotWrite(cause);
    }
  }

  function cannotWrite(cause: unknown): PressmarkError {
    return new PressmarkError(
      'QUEUE_FAILED',
      `the queue in ${quote(state.folder, 200)} cannot be written: ${messageOf(cause)}; run the same command again`,
      { cause },
    );
  }

  /** The entry after an event, if the event has an effect. */
  function step(view: View, id: string, event: DeliveryEvent): Entry | undefined {
    const entry = view.read(id);
    const at = event.kind === 'take' ? momentOfTaking() : now();
    const record = entry && advance(entry.record, event, at);
    if (entry === undefined || record === undefined) return undefined;
    const isFirst = event.kind === 'take' && isUnsent(entry);
    const next = {
      ...entry,
      record: isFirst ? { ...record, payload: sentFirstAt(record.payload, at) } : record,
      mayBeStored: entry.mayBeStored || leavesOpen(event),
    };
    view.change(next);
    return next;
  }

  function settle(view: View, { id, record: { nextRetryAt } }: Entry, outcome: Outcome): Entry | undefined {
    // Another worker has taken it meanwhile, so its due time differs.
    if (view.read(id)?.record.nextRetryAt !== nextRetryAt) return undefined;
    const next = step(view, id, { kind: 'end', outcome });
    if (next === undefined || outcome.result !== 'accepted') return next;
    const { liveUrl, note = null, answer = null } = outcome;
    const settled = { ...next, liveUrl: liveUrl ?? next.liveUrl, note, answer };
    view.change(settled);
    if (next.record.payload.event === 'article.updated') endRefusals(view, settled);
    return settled;
  }

  /** Clears earlier refusals after a refresh has landed. */
  function endRefusals(view: View, { connector, liveUrl, source }: Entry): void {
    for (const { id } of known((one) => one.isRefused)) {
      const entry = view.read(id);
      if (entry === undefined) continue;
      const isItsFile = entry.liveUrl === null && entry.connector === connector && entry.source === source;
      if (isItsFile || isOfArticle(entry, connector, liveUrl ?? '')) view.change({ ...entry, refused: null });
    }
  }

  /**
   * Records that a refresh of the article at this URL was refused: in the entry of its publication, or of its last refresh if
   * it was not published from here.
   *
   * @param id the entry of the file's publication, which counts if the receiver has not answered its URL.
   */
  async function refuse(connector: string, url: string, id: string, why: string): Promise<void> {
    const ofArticle = known((one) => isOfArticle(one, connector, url)).sort((a, b) =>
      a.timestamp < b.timestamp ? -1 : 1,
    );
    const item =
      ofArticle.find(({ event }) => event === 'article.published') ??
      ofArticle.at(-1) ??
      known((one) => one.id === id && one.liveUrl === null)[0];
    if (item === undefined) return;
    await submit((view) => {
      const entry = view.read(item.id);
      if (entry !== undefined) view.change({ ...entry, refused: { at: new Date(now()).toISOString(), why } });
    });
  }

  /** The current entries without their payloads. @param filter selects entries. */
  function known(filter: (summary: Summary) => boolean): Summary[] {
    files.scan();
    return [...files.known.values()].filter(filter);
  }

  /** The current entries, without waiting for the lock. @param filter selects the entries to read. @default all */
  function* list(filter: (summary: Summary) => boolean = () => true): Generator<Entry> {
    for (const { id } of known(filter)) {
      const entry = files.read(id);
      if (entry !== undefined) yield entry;
    }
  }

  return {
    /**
     * Stores new entries. An existing id is left unchanged; of two with the same id, the first is stored.
     *
     * @returns the ids of the new entries.
     */
    add: (entries: readonly Entry[]): Promise<ReadonlySet<string>> =>
      submit(({ has, change }) => {
        const fresh = new Set<string>();
        for (const entry of entries) {
          if (has(entry.id)) continue; // including duplicates within the list
          change(entry);
          fresh.add(entry.id);
        }
        return fresh;
      }),
    /** Replaces an entry by a new one of the same id. @returns false if that is not allowed (see `mayBeReplaced`). */
    replace: (entry: Entry): Promise<boolean> =>
      submit(({ read, change }) => {
        const there = read(entry.id);
        if (there === undefined || !mayBeReplaced(there)) return false;
        change(entry);
        return true;
      }),
    /** Returns stuck deliveries to `pending`, and lists those that may be sent now, the longest-waiting first. */
    due: async (filter: (summary: Summary) => boolean = () => true): Promise<readonly Summary[]> => {
      // Without the lock: `take` decides by the file at that time.
      const at = now();
      const over = known((one) => one.dueAt <= at && filter(one));
      const stuck = over.flatMap(({ id, status }) => (status === 'sending' ? [id] : []));
      if (stuck.length > 0)
        await submit((view) => {
          for (const id of stuck) step(view, id, { kind: 'tick' });
        }, false);
      return over.sort((a, b) => a.dueAt - b.dueAt || (a.timestamp < b.timestamp ? -1 : 1));
    },
    /**
     * Marks a delivery as `sending`. @returns the entry; undefined if it is not due, for example because another worker has it.
     */
    take: (id: string) => submit((view) => step(view, id, { kind: 'take' })),
    /**
     * Stores the outcome of an attempt.
     *
     * @param taken the result of `take`.
     * @returns undefined if the delivery was returned to `pending` meanwhile; then this outcome does not count.
     */
    settle: (taken: Entry, outcome: Outcome) => submit((view) => settle(view, taken, outcome), false),
    /** Applies a person's request. @returns undefined if it has no effect on the delivery in its state. */
    ask: (id: string, kind: Asked) => submit((view) => step(view, id, { kind })),
    refuse,
    known,
    /** The current entry; undefined if there is no readable one. */
    read: files.read,
    /** Whether there is an entry, readable or not. */
    has: files.has,
    list,
    /** Files that are not delivery records, and why, from the last `due` or `list`; they are skipped and never deleted. */
    problems: () => files.problems,
    close: lock.close,
  };
}
