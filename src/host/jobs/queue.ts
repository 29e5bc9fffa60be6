import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../../log.js';
import { afterEnd, type JobState } from './job.js';
import type { Note, NotedEvent, Notes } from './notes.js';

/** A job that is to run for an event. */
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
  /** The last write of it. */
  saved: Promise<void>;
}

/** So many notes are read before other work has its turn. */
const FILES_AT_ONCE = 10;

/** How long finished events are remembered: another receiver may note the same event. */
const REMEMBERED_MS = 600_000;

/** What was given up, and what waits for a job that is gone, is shown for this time. */
const SHOWN_MS = 30 * 86_400_000;

/** Interval between checks for what is not shown any more. */
const SWEEP_EVERY_MS = 3_600_000;

/** What jobs are to do, by what is noted; each change of it is written to the note. */
export function createQueue({
  folder,
  notes,
  works,
  log,
  now,
}: {
  /** That of the notes, for messages. */
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
  /** Wishes, and what was noted again: each goes when what it has changed is on the disk. */
  let merged: { readonly unit: Unit; readonly into: Unit }[] = [];
  const damaged = new Set<string>();
  /** When events with keys were done. */
  const done = new Map<string, number>();
  let sweptAt = Number.NEGATIVE_INFINITY;

  /** Takes in what was noted since. @param isTaken whether a previous receiver may have started it. */
  async function load(isTaken: boolean): Promise<void> {
    let count = 0;
    const wishes: Unit[] = [];
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
        for (const [job, state] of Object.entries(event.jobs)) {
          const left = isTaken ? afterEnd(state, now()) : state;
          if (left !== state) unsaved.add(note); // else it would be shown as running until its next attempt
          event.jobs[job] = left;
          const unit = { job, key: event.key, event, note, notBefore: 0 };
          if (event.again === true) wishes.push(unit);
          else take(unit);
        }
    }
    // Their files come before those of their events where the clock was set back.
    wishes.forEach(take);
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

  /** A person wants it to be run now. What runs already is left alone. */
  function makeDue(unit: Unit): void {
    if (unit.event.jobs[unit.job]?.kind === 'running') return;
    unit.event.jobs[unit.job] = { kind: 'waiting' };
    unit.notBefore = 0;
    unsaved.add(unit.note);
  }

  /** The article is about to be stored once more, so the time for it counts from now. */
  function renew({ event, note }: Unit, at: string): void {
    if (!(Date.parse(at) > Date.parse(event.at))) return;
    event.at = at;
    unsaved.add(note);
  }

  /** Whether it was given up, or its job has been gone, for so long that it is not shown any more. */
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

  function isDone({ job, key }: Unit): boolean {
    for (const [one, at] of done) {
      if (now() - at < REMEMBERED_MS) break;
      done.delete(one);
    }
    return done.has(`${job} ${key}`);
  }

  /** Writes what could not be written before, and what has changed without a job's doing. */
  async function saveAll(): Promise<void> {
    for (const note of new Set(merged.map(({ into }) => into.note))) await save(note);
    for (const { unit } of merged) drop(unit);
    merged = [];
    for (const note of unsaved) await save(note);
  }

  /** Says how a job stands with an event. */
  async function change({ job, event, note }: Unit, state: JobState): Promise<void> {
    event.jobs[job] = state;
    await save(note);
  }

  async function settle(unit: Unit): Promise<void> {
    done.set(`${unit.job} ${unit.key}`, now());
    await forget(unit);
  }

  /** Drops what was not done: the same event may come again. */
  async function forget({ job, key, event, note }: Unit): Promise<void> {
    units.get(job)?.delete(key);
    delete event.jobs[job];
    await save(note);
  }

  /** Writes a note as it is then, one write after the other. What cannot be written is written by `saveAll`. */
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

  /** Another receiver may run the jobs from now on. */
  function letGo(): void {
    open.clear();
    units.clear();
    merged = [];
  }

  return {
    load,
    dropOver,
    saveAll,
    /** What a job has to do. */
    of: (job: string): Iterable<Unit> => units.get(job)?.values() ?? [],
    has: (job: string, key: string): boolean => units.get(job)?.has(key) ?? false,
    change,
    settle,
    forget,
    letGo,
  };
}
