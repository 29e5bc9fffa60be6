import { messageOf, PressmarkError, quote } from '../errors.js';
import { createLock, type LockOptions } from '../fs/lock.js';
import { findLockHelper } from '../fs/lock-helper.js';
import { advance, type DeliveryEvent, type Outcome } from './delivery.js';
import type { Entry } from './entry.js';
import { type EntryFiles, openEntryFiles, type Summary, sweepLeftovers } from './entry-files.js';
import { makeState, type SenderState } from './state.js';

export interface QueueOptions {
  readonly state: SenderState;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  readonly lock?: Pick<LockOptions, 'timeoutMs' | 'idleMs'>;
}

/** The durable deliveries of one folder; see `openQueue`. */
export interface Queue {
  /**
   * Stores new entries. One whose id is there already is left as it is; of two with the same id the first is stored.
   *
   * @returns the ids of those that are new.
   */
  add(entries: readonly Entry[]): Promise<ReadonlySet<string>>;
  /** Replaces an entry that has failed by a new one of the same id. @returns false where it has not failed. */
  replace(entry: Entry): Promise<boolean>;
  /** Returns deliveries that were stuck to `pending`, and tells which ones may be sent now, those that waited longest first. */
  due(filter?: (summary: Summary) => boolean): Promise<readonly Summary[]>;
  /** Marks a delivery as `sending`. @returns it; undefined where it is not due, as when another worker has it. */
  take(id: string): Promise<Entry | undefined>;
  /**
   * Stores what the attempt came to.
   *
   * @param taken what `take` returned.
   * @returns undefined where the delivery had been returned to `pending` meanwhile; then this outcome does not count.
   */
  settle(taken: Entry, outcome: Outcome): Promise<Entry | undefined>;
  /** Sends one that has failed again. @returns undefined where it has not, or may not be sent again. */
  retry(id: string): Promise<Entry | undefined>;
  /** An entry as it stands; undefined where there is none that can be read. */
  read(id: string): Entry | undefined;
  /** All entries as they stand, without waiting for anybody. */
  list(): Iterable<Entry>;
  /** Files that are no delivery records, and why; they are skipped and never deleted. */
  problems(): ReadonlyMap<string, string>;
  close(): void;
}

/** What a job decides upon: the entries as their files say, and as the jobs before it in the same batch leave them. */
interface View {
  has(id: string): boolean;
  read(id: string): Entry | undefined;
  change(entry: Entry): void;
}

interface Job {
  /** Runs under the lock. */
  decide(view: View): void;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Opens the queue of a folder. Any number of processes may have it open: a change is decided upon under a kernel
 * lock against what the files say, so that no attempt is taken up twice. Changes that come up meanwhile share one
 * hold of the lock and one directory sync.
 *
 * Every method that changes something throws PressmarkError QUEUE_FAILED or LOCK_TIMEOUT; then the delivery is as it
 * was before.
 */
export function openQueue({ state, now = Date.now, lock: waits }: QueueOptions): Queue {
  const lock = createLock({ directory: state.folder, helper: findLockHelper(), ...waits });
  const files: EntryFiles = openEntryFiles(state.deliveries);
  let waiting: Job[] = [];
  let running = false;
  let stale = true;
  let swept = false;

  function submit<T>(decide: (view: View) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      let result: { readonly value: T } | undefined;
      waiting.push({
        decide: (view) => {
          result = { value: decide(view) };
        },
        resolve: () => {
          if (result !== undefined) resolve(result.value);
        },
        reject,
      });
      void run();
    });
  }

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await runBatch(batch);
    }
    running = false;
  }

  async function runBatch(batch: readonly Job[]): Promise<void> {
    try {
      makeState(state);
      const fresh = await lock.enter();
      try {
        if (!swept) sweepLeftovers(state.deliveries);
        swept = true;
        if (fresh || stale) files.scan();
        stale = false;
        await decideAndWrite(batch);
      } finally {
        lock.leave();
      }
    } catch (cause) {
      const error = cause instanceof PressmarkError ? cause : cannotWrite(cause);
      for (const job of batch) job.reject(error);
    }
  }

  async function decideAndWrite(batch: readonly Job[]): Promise<void> {
    const changed = new Map<string, Entry>();
    const decided: { readonly job: Job; readonly ids: string[] }[] = [];
    for (const job of batch) {
      const ids: string[] = [];
      job.decide({
        has: (id) => changed.has(id) || files.known.has(id) || files.problems.has(`${id}.json`),
        read: (id) => changed.get(id) ?? files.read(id),
        change: (entry) => {
          ids.push(entry.id);
          changed.set(entry.id, entry);
        },
      });
      decided.push({ job, ids });
    }
    const failures = await files.write([...changed.values()]);
    if (failures.size > 0) stale = true;
    for (const { job, ids } of decided) {
      const failed = ids.find((id) => failures.has(id));
      if (failed === undefined) job.resolve();
      else job.reject(cannotWrite(failures.get(failed)));
    }
  }

  function cannotWrite(cause: unknown): PressmarkError {
    return new PressmarkError(
      'QUEUE_FAILED',
      `the queue in ${quote(state.folder, 200)} cannot be written: ${messageOf(cause)}; the deliveries stand as before`,
      { cause },
    );
  }

  /** The entry after an event, where the event means something to it. */
  function step(view: View, id: string, event: DeliveryEvent): Entry | undefined {
    const entry = view.read(id);
    const record = entry && advance(entry.record, event, now());
    if (entry === undefined || record === undefined) return undefined;
    const next = { ...entry, record };
    view.change(next);
    return next;
  }

  function settle(view: View, { id, record: { nextRetryAt } }: Entry, outcome: Outcome): Entry | undefined {
    // Taken up again by another worker meanwhile: it is due at another moment then.
    if (view.read(id)?.record.nextRetryAt !== nextRetryAt) return undefined;
    const next = step(view, id, { kind: 'end', outcome });
    if (next === undefined || outcome.result === 'refused') return next;
    const told = { ...next, liveUrl: outcome.liveUrl ?? next.liveUrl, note: outcome.note ?? null };
    view.change(told);
    return told;
  }

  return {
    add: (entries) =>
      submit(({ has, change }) => {
        const fresh = new Set<string>();
        for (const entry of entries) {
          if (has(entry.id)) continue; // also where an entry before it in the same list has this id
          change(entry);
          fresh.add(entry.id);
        }
        return fresh;
      }),
    replace: (entry) =>
      submit(({ read, change }) => {
        if (read(entry.id)?.record.status !== 'failed') return false;
        change(entry);
        return true;
      }),
    due: (filter = () => true) =>
      submit((view) => {
        const at = now();
        const over = [...files.known.values()].filter((one) => one.dueAt <= at && filter(one));
        for (const { id, status } of over) if (status === 'sending') step(view, id, { kind: 'tick' });
        return over.sort((a, b) => a.dueAt - b.dueAt);
      }),
    take: (id) => submit((view) => step(view, id, { kind: 'take' })),
    settle: (taken, outcome) => submit((view) => settle(view, taken, outcome)),
    retry: (id) => submit((view) => step(view, id, { kind: 'retry' })),
    read: files.read,
    *list() {
      const seen = openEntryFiles(state.deliveries);
      seen.scan();
      for (const id of seen.known.keys()) {
        const entry = seen.read(id);
        if (entry !== undefined) yield entry;
      }
    },
    problems: () => {
      files.scan();
      return files.problems;
    },
    close: lock.close,
  };
}
