import fs from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf, PressmarkError } from '../../errors.js';
import { makeDirectory, syncDirectory, writeAtomically } from '../../fs/atomic-write.js';
import { isLockFile, takeKernelLock } from '../../fs/lock.js';
import { findLockHelper, type LockHelper } from '../../fs/lock-helper.js';
import { type Log, withoutHidden } from '../../log.js';
import { TimeoutError, within } from '../../time-limit.js';
import type { ArticleReader } from '../articles/articles.js';
import type { Timer } from '../hooks/timings.js';
import { asPlugin } from '../plugin-code.js';
import type { Times } from './cron.js';
import { createCrons } from './crons.js';
import {
  afterEnd,
  afterFailure,
  attemptsIn,
  isDue,
  type JobContext,
  type JobState,
  type StoredEvent,
} from './job.js';
import { readKept } from './kept.js';
import { articleKey, type Note, type NotedEvent, type Notes, subjectOf } from './notes.js';

/** The articles that jobs are about. */
export type RunnerArticles = Pick<ArticleReader, 'get' | 'ids'>;

/** A job or a cron of a plugin. */
export interface Work {
  /** `<plugin>.<name>` */
  readonly id: string;
  readonly plugin: string;
  /** An action, or `cron`. */
  readonly on: string;
  /** Of a cron, as the plugin has written it. */
  readonly at?: string;
  /** Whether it also runs for the articles that were there before it. */
  readonly isForAll: boolean;
  /** Of a cron. */
  readonly times?: Times;
  readonly timeoutMs: number;
  readonly timer: Timer;
  readonly log: Log;
  call(event: unknown, context: JobContext): unknown;
}

export interface RunnerOptions {
  readonly folder: string;
  readonly notes: Notes;
  readonly works: ReadonlyMap<string, Work>;
  readonly log: Log;
  now(): number;
  /** Resolves when the next job may begin. */
  quiet(): Promise<void>;
}

/** Runs what is noted; see `createRunner`. */
export interface Runner {
  start(articles: RunnerArticles): void;
  /** Says that something was noted. */
  wake(): void;
  /** Whether this receiver runs the jobs, as far as it has been found out. */
  leads(): Promise<boolean>;
  /** @param waitMs how long running jobs are waited for. */
  close(waitMs: number): Promise<void>;
}

/** A job that is to run for an event. */
interface Unit {
  readonly key: string;
  readonly event: NotedEvent;
  readonly note: OpenNote;
  /** In ms since 1970. */
  notBefore: number;
}

interface OpenNote extends Note {
  /** The last write of it. */
  saved: Promise<void>;
}

/** Interval between checks for new notes and due jobs. */
const LOOK_EVERY_MS = 1_000;

/** How often the lock is tried for. */
const TRY_EVERY_MS = 2_000;

/** An article that is not there so long after it was noted was not stored. */
const STORED_WITHIN_MS = 60_000;

/** So many notes are read, and so many articles noted, before other work has its turn. */
const FILES_AT_ONCE = 10;
const NOTED_AT_ONCE = 1_000;

/** How long finished events are remembered: another receiver may note the same event. */
const REMEMBERED_MS = 600_000;

/** A late attempt that goes on for so long after its signal is named in the log. */
const STOPS_WITHIN_MS = 10_000;

/** What could not be run or written is tried again after this time. */
const TROUBLE_MS = 10_000;

/** What was given up, and what waits for a job that is gone, is shown for this time. */
const SHOWN_MS = 30 * 86_400_000;

/** Interval between checks for what is not shown any more. */
const SWEEP_EVERY_MS = 3_600_000;

/**
 * Runs noted jobs: those of one plugin's job one after the other, different jobs side by side. Of several receivers on a
 * folder the one that has the lock runs them; when it ends, another gets the lock.
 */
export function createRunner({ folder, notes, works, log, now, quiet }: RunnerOptions): Runner {
  const begunPath = join(folder, 'begun.json');
  const crons = createCrons(folder, works, now);
  const stopping = new AbortController();
  /** What each job is to do, in the order in which it was noted. */
  const units = new Map<string, Map<string, Unit>>();
  const open = new Map<string, OpenNote>();
  const unsaved = new Set<OpenNote>();
  const damaged = new Set<string>();
  /** When events with keys were done. */
  const done = new Map<string, number>();
  const running = new Map<string, Promise<void>>();
  let articles: RunnerArticles = { get: async () => undefined, ids: () => [] };
  let helper: LockHelper | undefined;
  let lock: number | undefined;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let step: Promise<void> | undefined;
  let isAwake = false;
  let trouble: string | undefined;
  let isClosed = false;
  let triedLock = Promise.resolve();

  function start(reader: RunnerArticles): void {
    if (works.size === 0) return;
    articles = reader;
    timer = setInterval(wake, LOOK_EVERY_MS).unref();
    wake();
    triedLock = step ?? triedLock;
  }

  function wake(): void {
    isAwake = true;
    if (timer !== undefined) step ??= steps();
  }

  async function steps(): Promise<void> {
    while (isAwake && !stopping.signal.aborted) {
      isAwake = false;
      try {
        if (await stepOnce()) trouble = undefined;
      } catch (error) {
        const reason = messageOf(error);
        if (reason !== trouble) log.error({ reason }, 'jobs are paused');
        trouble = reason;
        break; // until the next look
      }
    }
    step = undefined;
  }

  /** @returns whether this receiver runs the jobs. */
  async function stepOnce(): Promise<boolean> {
    if (!(await hasLock())) return false;
    for (const note of unsaved) await save(note);
    await load(false);
    dropOver();
    await fireCrons();
    for (const work of works.values()) begin(work);
    return true;
  }

  async function hasLock(): Promise<boolean> {
    const path = join(folder, 'lock');
    if (lock !== undefined && isLockFile(lock, path)) return true;
    letGo(); // somebody has removed the state folder
    if (performance.now() - triedAt < TRY_EVERY_MS) return false;
    triedAt = performance.now();
    for (const parent of makeDirectory(folder)) await syncDirectory(parent);
    try {
      helper ??= findLockHelper();
      lock = await takeKernelLock(path, helper, 0);
      await takeOver();
      return true;
    } catch (error) {
      letGo();
      if (error instanceof PressmarkError && error.code === 'LOCK_TIMEOUT') return false;
      throw error;
    }
  }

  function letGo(): void {
    if (lock !== undefined) fs.closeSync(lock);
    lock = undefined;
    open.clear();
    units.clear();
  }

  async function takeOver(): Promise<void> {
    notes.sweep();
    await load(true);
    await beginEver();
    await crons.takeOver();
  }

  /** Notes all articles once for each job that also runs for those that were there before it. */
  async function beginEver(): Promise<void> {
    const begun = readKept<readonly string[]>(begunPath, [], 'jobs since ever begin anew');
    const fresh = [...works.values()].filter(({ id, isForAll }) => isForAll && !begun.includes(id));
    for (const { id, on } of fresh) await noteAll(id, on);
    if (fresh.length > 0)
      await writeAtomically(begunPath, JSON.stringify([...begun, ...fresh.map(({ id }) => id)]));
  }

  /** Notes the articles that are there. It is repeated where it was cut off: what is noted already is left out. */
  async function noteAll(id: string, on: string): Promise<void> {
    const noted = units.get(id);
    const at = new Date(now()).toISOString();
    const missing = [...articles.ids()].filter((article) => !noted?.has(articleKey(article)));
    for (let first = 0; first < missing.length; first += NOTED_AT_ONCE) {
      const some = missing.slice(first, first + NOTED_AT_ONCE);
      const jobs = () => ({ [id]: { kind: 'waiting' } as const });
      await Promise.all(
        some.map((article) =>
          notes.add({ name: on, key: articleKey(article), at, payload: { id: article }, jobs: jobs() }),
        ),
      );
    }
    await load(false);
  }

  /** @param isTaken whether a previous receiver may have started them. */
  async function load(isTaken: boolean): Promise<void> {
    let count = 0;
    for (const file of notes.files()) {
      if (open.has(file) || damaged.has(file)) continue;
      if (++count % FILES_AT_ONCE === 0) await nextTurn(); // deliveries go on
      const read = notes.read(file);
      if (read === undefined) continue; // done since
      if (read === 'damaged') {
        damaged.add(file);
        log.error({ file: join(folder, file) }, 'a note for jobs is damaged; it is left out, delete it');
        continue;
      }
      const note: OpenNote = { ...read, saved: Promise.resolve() };
      open.set(file, note);
      if (note.events.length === 0) unsaved.add(note); // cut by a loss of power
      for (const event of note.events)
        for (const [id, state] of Object.entries(event.jobs)) {
          if (isTaken) event.jobs[id] = afterEnd(state, now());
          take(id, { key: event.key, event, note, notBefore: 0 });
        }
    }
  }

  function take(id: string, unit: Unit): void {
    const theirs = units.get(id) ?? new Map<string, Unit>();
    units.set(id, theirs);
    const { again } = unit.event;
    if (again === undefined && !isOver(id, unit.event) && !theirs.has(unit.key) && !isDone(id, unit.key)) {
      theirs.set(unit.key, unit);
      return;
    }
    const known = theirs.get(unit.key);
    if (again === undefined) renew(known, unit.event.at);
    else makeDue(id, known);
    delete unit.event.jobs[id];
    unsaved.add(unit.note);
  }

  /** A person wants it to be run now. What runs already is left alone. */
  function makeDue(id: string, unit: Unit | undefined): void {
    if (unit === undefined || unit.event.jobs[id]?.kind === 'running') return;
    unit.event.jobs[id] = { kind: 'waiting' };
    unit.notBefore = 0;
    unsaved.add(unit.note);
  }

  /** The article is about to be stored once more, so the time for it counts from now; written before the newer note goes. */
  function renew(unit: Unit | undefined, at: string): void {
    if (unit === undefined || !(Date.parse(at) > Date.parse(unit.event.at))) return;
    unit.event.at = at;
    unsaved.add(unit.note);
  }

  /** Whether it was given up, or its job has been gone, for so long that it is not shown any more. */
  function isOver(id: string, { at, jobs }: NotedEvent): boolean {
    const state = jobs[id];
    if (state?.kind !== 'givenUp' && works.has(id)) return false;
    return now() - Date.parse(state?.kind === 'givenUp' ? state.at : at) > SHOWN_MS;
  }

  function dropOver(): void {
    if (now() - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = now();
    for (const [id, theirs] of units)
      for (const { key, event, note } of theirs.values()) {
        if (!isOver(id, event)) continue;
        theirs.delete(key);
        delete event.jobs[id];
        unsaved.add(note);
      }
  }

  function isDone(id: string, key: string): boolean {
    for (const [one, at] of done) {
      if (now() - at < REMEMBERED_MS) break;
      done.delete(one);
    }
    return done.has(`${id} ${key}`);
  }

  async function fireCrons(): Promise<void> {
    for (const [id, at] of crons.due()) {
      const work = works.get(id);
      if (work === undefined) continue;
      // A pending run counts as this one; a failed one becomes due.
      const pending = [...(units.get(id)?.values() ?? [])].find(
        ({ event }) => event.jobs[id]?.kind !== 'givenUp',
      );
      if (pending === undefined)
        await notes.add({
          name: 'cron',
          key: `cron ${at}`, // this is repeated where a write fails
          at: new Date(now()).toISOString(),
          payload: {},
          jobs: { [id]: { kind: 'waiting' } },
        });
      else if (pending.event.jobs[id]?.kind === 'failed') await change(work, pending, { kind: 'waiting' });
      await crons.ranNow(id);
      await load(false);
    }
  }

  function begin(work: Work): void {
    if (running.has(work.id) || stopping.signal.aborted) return;
    for (const unit of units.get(work.id)?.values() ?? []) {
      const state = unit.event.jobs[work.id];
      if (state === undefined || !isDue(state, now()) || unit.notBefore > now()) continue;
      const run = runUnit(work, unit, state)
        .catch((error: unknown) => {
          unit.notBefore = now() + TROUBLE_MS;
          work.log.error(
            { reason: messageOf(error) },
            'the job’s state could not be written; it is tried again in 10 s',
          );
        })
        .finally(() => {
          running.delete(work.id);
          begin(work);
        });
      running.set(work.id, run);
      return;
    }
  }

  async function runUnit(work: Work, unit: Unit, before: JobState): Promise<void> {
    const attempt = attemptsIn(before) + 1;
    const about = { event: unit.event.name, id: subjectOf(unit.event.payload), attempt };
    const failed = async (words: string) => {
      const state = afterFailure(attempt, withoutHidden(words), now());
      if (state.kind === 'failed')
        work.log.warn({ ...about, reason: words, nextAt: state.nextAt }, 'the job failed; it is tried again');
      else work.log.error({ ...about, reason: words }, 'the job failed and is given up');
      await change(work, unit, state);
    };
    await quiet();
    let event: unknown;
    try {
      event = await eventFor(unit);
    } catch (error) {
      return failed(messageOf(error));
    }
    if (event === 'not stored') {
      if (now() - Date.parse(unit.event.at) > STORED_WITHIN_MS) return forget(work, unit);
      unit.notBefore = now() + LOOK_EVERY_MS;
      return undefined;
    }
    const since = new Date(now()).toISOString();
    await change(work, unit, { kind: 'running', attempt, since }).catch((error: unknown) => {
      unit.event.jobs[work.id] = before; // not run, as nobody would know of it
      throw error;
    });
    const { signal: stop } = stopping;
    if (stop.aborted) return change(work, unit, before);
    const late = new AbortController();
    const context = { attempt, signal: AbortSignal.any([stop, late.signal]), log: work.log };
    const began = performance.now();
    const call = asPlugin(work.plugin, async () => work.call(event, context));
    try {
      await within(work.timeoutMs, call);
      work.timer.ended(began, false);
    } catch (error) {
      work.timer.ended(began, true);
      const isLate = error instanceof TimeoutError;
      if (isLate) late.abort(new Error(`the job took longer than ${work.timeoutMs / 1_000} s`));
      if (stop.aborted) return change(work, unit, before);
      if (!isLate) return failed(messageOf(error));
      try {
        return await failed(`it took longer than ${work.timeoutMs / 1_000} s`);
      } finally {
        await untilEnded(work, call);
      }
    }
    work.log.debug(about, 'job done');
    return settle(work, unit);
  }

  /** Waits for a late attempt, so that the next one does not run at the same time. */
  async function untilEnded({ log }: Work, call: Promise<unknown>): Promise<void> {
    const ended = call.catch(() => undefined);
    const warn = () =>
      log.warn(
        'the job does not stop after its time; its next attempt waits until it does, or for a restart',
      );
    await within(STOPS_WITHIN_MS, ended, warn);
    await ended;
  }

  /** What the job gets; of an article, how it is now. */
  async function eventFor({ event: { name, payload } }: Unit): Promise<unknown> {
    if (name !== 'article.published' && name !== 'article.updated') return payload;
    const { id, base, timestamp } = payload as { id: string; base?: string; timestamp?: string };
    const article = await articles.get(id);
    if (article === undefined || article.revision === base) return 'not stored';
    return { event: name, article, timestamp: timestamp ?? article.date } satisfies StoredEvent;
  }

  async function change({ id }: Work, { event, note }: Unit, state: JobState): Promise<void> {
    event.jobs[id] = state;
    await save(note);
  }

  async function settle(work: Work, unit: Unit): Promise<void> {
    done.set(`${work.id} ${unit.key}`, now());
    await forget(work, unit);
  }

  /** Drops what was not done: the same event may come again. */
  async function forget({ id }: Work, unit: Unit): Promise<void> {
    units.get(id)?.delete(unit.key);
    delete unit.event.jobs[id];
    await save(unit.note);
  }

  /** Writes a note as it is then, one write after the other. What cannot be written is written at the next look. */
  function save(note: OpenNote): Promise<void> {
    unsaved.add(note);
    note.saved = note.saved
      .catch(() => undefined)
      .then(async () => {
        unsaved.delete(note);
        if (isClosed || open.get(note.file) !== note) return; // done, or another receiver has it
        try {
          await notes.save(note);
          if (note.events.every(({ jobs }) => Object.keys(jobs).length === 0)) open.delete(note.file);
        } catch (error) {
          unsaved.add(note);
          throw error;
        }
      });
    return note.saved;
  }

  async function close(waitMs: number): Promise<void> {
    clearInterval(timer);
    timer = undefined;
    stopping.abort(new Error('the receiver stops'));
    await within(waitMs, Promise.all([step, ...running.values()]), () => {
      for (const id of running.keys())
        log.warn({ job: id }, 'the job does not stop; it is run again after the next start');
    });
    isClosed = true;
    letGo();
  }

  const leads = async () => {
    await triedLock;
    return lock !== undefined;
  };

  return { start, wake, leads, close };
}
