import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { afterEnd, type JobState } from './job.js';
import { isOfStored, type Note, type NotedEvent, type Notes } from './notes.js';

/** A job to be run for an event. */
export interface Unit {
  /** `<plugin>.<job>` */
  readonly job: string;
  readonly key: string;
  readonly event: NotedEvent;
  readonly note: OpenNote;
  /** In ms since 1970. */
  notBefore: number;
}

interface OpenNote extends Note {
  /** The last write of the note. */
  saved: Promise<void>;
}

/** How many notes are read before other work gets a turn. */
const FILES_AT_ONCE = 10;

/** How long finished events are remembered, in milliseconds: another receiver may note the same event. */
const REMEMBERED_MS = 600_000;

/** How long given-up events, and events of removed jobs, are shown, in milliseconds. */
const SHOWN_MS = 30 * 86_400_000;

/** The interval between checks for events that are no longer shown, in milliseconds. */
const SWEEP_EVERY_MS = 3_600_000;

/** The queue of noted jobs. Each change of a job's state is written to its note. */
export function createQueue({
  folder,
  notes,
  works,
  log,
  now,
}: {
  /** The folder of the notes, for messages. */
  readonly folder: string;
  readonly notes: Notes;
  readonly works: { has(job: string): boolean };
  readonly log: Log;
  now(): number;
}) {
  /** By job and key, in the order in which they were noted. */
  const units = new Map<string, Map<string, Unit>>();
  const open = new Map<string, OpenNote>();
  const unsaved = new Set<OpenNote>();
  /** Requests to run again, and events that were noted twice. Each is removed once the change that it caused is on the disk. */
  let merged: { readonly unit: Unit; readonly into: Unit }[] = [];
  const damaged = new Set<string>();
  /** The files that could not be read, and why. */
  const unreadable = new Map<string, string>();
  /** When the events with these keys were finished, and when their last attempts began. */
  const done = new Map<string, { readonly at: number; readonly began: number }>();
  let sweptAt = Number.NEGATIVE_INFINITY;

  /** Loads new notes. Jobs that are running in them were started by a previous receiver. */
  async function load(): Promise<void> {
    let count = 0;
    const wishes: Unit[] = [];
    for (const file of notes.files()) {
      if (open.has(file) || damaged.has(file)) continue;
      if (++count % FILES_AT_ONCE === 0) await nextTurn(); // deliveries go on
      const read = readNote(file);
      if (read === undefined) continue;
      const note: OpenNote = { ...read, saved: Promise.resolve() };
      open.set(file, note);
      if (note.events.length === 0) unsaved.add(note); // cut by a loss of power
      for (const event of note.events)
        for (const [job, state] of Object.entries(event.jobs)) {
          const left = afterEnd(state, now());
          if (left !== state) unsaved.add(note); // else it would be shown as running until its next attempt
          event.jobs[job] = left;
          const unit = { job, key: event.key, event, note, notBefore: 0 };
          if (event.again === true) wishes.push(unit);
          else take(unit);
        }
    }
    // Applied last: if the clock was set back, their files sort before those of their events.
    wishes.forEach(take);
  }

  /** A note; undefined if it is done, or if its events have to wait, which the log says once. */
  function readNote(file: string): Note | undefined {
    const about = { file: join(folder, file) };
    try {
      const note = notes.read(file);
      unreadable.delete(file);
      if (note !== 'damaged') return note;
      damaged.add(file);
      log.error(about, 'the file of an event for jobs is damaged; its jobs do not run; delete the file');
    } catch (error) {
      const reason = messageOf(error);
      if (unreadable.get(file) !== reason)
        log.error(
          { ...about, reason },
          'the file of an event for jobs cannot be read; its jobs wait until it can',
        );
      unreadable.set(file, reason);
    }
    return undefined;
  }

  function take(unit: Unit): void {
    const { job, key, event } = unit;
    const theirs = units.get(job) ?? new Map<string, Unit>();
    units.set(job, theirs);
    const known = theirs.get(key);
    if (known !== undefined) {
      if (event.again === true) makeDue(known);
      else renew(known, event.at);
      merged.push({ unit, into: known });
    } else if (event.again === true || isOver(job, event) || isDone(unit)) drop(unit);
    else theirs.set(key, unit);
  }

  function drop({ job, event, note }: Unit): void {
    delete event.jobs[job];
    unsaved.add(note);
  }

  /** Makes a job due now, at a person's request, unless it is running. */
  function makeDue(unit: Unit): void {
    if (unit.event.jobs[unit.job]?.kind === 'running') return;
    unit.event.jobs[unit.job] = { kind: 'waiting' };
    unit.notBefore = 0;
    unsaved.add(unit.note);
  }

  /** The article is about to be stored once more: its time limit counts from now. */
  function renew({ event, note }: Unit, at: string): void {
    if (!(Date.parse(at) > Date.parse(event.at))) return;
    event.at = at;
    unsaved.add(note);
  }

  /** Whether it was given up, or its job was removed, so long ago that it is no longer shown. */
  function isOver(job: string, { at, jobs }: NotedEvent): boolean {
    const state = jobs[job];
    if (state?.kind !== 'givenUp' && works.has(job)) return false;
    return now() - Date.parse(state?.kind === 'givenUp' ? state.at : at) > SHOWN_MS;
  }

  function dropOver(): void {
    if (now() - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = now();
    for (const [job, theirs] of units)
      for (const unit of theirs.values()) {
        if (!isOver(job, unit.event)) continue;
        theirs.delete(unit.key);
        drop(unit);
      }
  }

  function isDone({ job, key, event }: Unit): boolean {
    for (const [one, { at }] of done) {
      if (now() - at < REMEMBERED_MS) break;
      done.delete(one);
    }
    const found = done.get(`${job} ${key}`);
    return found !== undefined && !isAfter(event, found.began);
  }

  /** Whether the event of an article was noted after an attempt began. A time in the future is a clock's error. */
  function isAfter({ name, at }: NotedEvent, began: number): boolean {
    const noted = Date.parse(at);
    return isOfStored(name) && noted > began && noted <= now();
  }

  /** Writes all notes that have unsaved changes. */
  async function saveAll(): Promise<void> {
    for (const note of new Set(merged.map(({ into }) => into.note))) await save(note);
    for (const { unit } of merged) drop(unit);
    merged = [];
    for (const note of unsaved) await save(note);
  }

  /** Sets the state of a job for an event. */
  async function change({ job, event, note }: Unit, state: JobState): Promise<void> {
    event.jobs[job] = state;
    await save(note);
  }

  /** Ends a unit. @param began when its last attempt began: what was noted since is still to be done. */
  async function settle(unit: Unit, began: number): Promise<void> {
    if (isAfter(unit.event, began)) return change(unit, { kind: 'waiting' });
    const name = `${unit.job} ${unit.key}`;
    done.delete(name); // they are in the order of their ends
    done.set(name, { at: now(), began });
    await forget(unit);
  }

  /** Drops a unit without marking its event as done: the same event may come again. */
  async function forget({ job, key, event, note }: Unit): Promise<void> {
    units.get(job)?.delete(key);
    delete event.jobs[job];
    await save(note);
  }

  /** Writes a note in its latest state, one write after the other. If a write fails, `saveAll` repeats it. */
  function save(note: OpenNote): Promise<void> {
    unsaved.add(note);
    note.saved = note.saved
      .catch(() => undefined)
      .then(async () => {
        unsaved.delete(note);
        if (open.get(note.file) !== note) return; // done, or another receiver has it
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

  /** Empties the queue: another receiver may run the jobs from now on. */
  function letGo(): void {
    open.clear();
    units.clear();
    merged = [];
  }

  return {
    load,
    dropOver,
    saveAll,
    /** The units of a job. */
    of: (job: string): Iterable<Unit> => units.get(job)?.values() ?? [],
    has: (job: string, key: string): boolean => units.get(job)?.has(key) ?? false,
    change,
    settle,
    forget,
    letGo,
  };
}
