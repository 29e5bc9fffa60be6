import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemCode } from '../../errors.js';
import {
  discard,
  isLeftover,
  makeDirectory,
  syncDirectory,
  tempPath,
  writeAtomically,
} from '../../fs/atomic-write.js';
import type { JobState } from './job.js';

// As in `atomic-write.ts`, and without waiting for a file to be closed: an answer waits for each of them.
const open = promisify(fs.open);
const writeFile = promisify(fs.writeFile);
const fsync = promisify(fs.fsync);

/** An event that jobs are to run for. */
export interface NotedEvent {
  readonly name: string;
  /** The same for what is the same event, where that may be noted twice; else unique. */
  readonly key: string;
  /** Whether a person wants what is noted under this key already, and has failed, to be run again now. */
  readonly again?: true;
  /** When it was noted last, ISO 8601. */
  at: string;
  /** What the job gets of it. */
  readonly payload: unknown;
  /** How each job stands, as `<plugin>.<job>`; jobs that are done are not in it. */
  readonly jobs: Record<string, JobState>;
}

/** What a job has not done yet. */
export interface OpenJob {
  /** `<plugin>.<job>` */
  readonly job: string;
  /** That of the event, for `runAgain`. */
  readonly key: string;
  /** The action; `cron` for a time that has come. */
  readonly event: string;
  /** The id of the article, where there is one. */
  readonly id: string | undefined;
  /** When the event was noted, ISO 8601. */
  readonly at: string;
  readonly state: JobState;
}

/** A file with events that were noted together. */
export interface Note {
  readonly file: string;
  readonly events: readonly NotedEvent[];
}

/** So many events go into one file. */
const MOST_EVENTS = 100;

/** The folder of jobs in the state folder, and that of notes in it. */
export const JOBS = 'jobs';
export const NOTED = 'noted';

const ENDING = '.json';

/** The end of each file: one without it was cut by a loss of power. */
const END = '\n';

/** Distinguishes this process's files from all others. */
const RUN = randomBytes(6).toString('hex');
let written = 0;

/** The folder of notes of one site; see `openNotes`. */
export type Notes = ReturnType<typeof openNotes>;

/**
 * Opens the folder in which receivers note what jobs are to do: one file for all events that come while another file is
 * being written. Each receiver adds files; one of them, which runs the jobs, changes and removes them.
 */
export function openNotes(folder: string) {
  let waiting: { event: NotedEvent; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let isWriting = false;

  /** Notes an event. It is on the disk when the promise resolves. */
  function add(event: NotedEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ event, resolve, reject });
      if (!isWriting) void writeWaiting();
    });
  }

  async function writeWaiting(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const some = waiting.slice(0, MOST_EVENTS);
      waiting = waiting.slice(MOST_EVENTS);
      const settle = (synced: Promise<void>) => {
        for (const { resolve, reject } of some) synced.then(resolve, reject);
      };
      try {
        const sync = await writeNew({ file: newName(), events: some.map(({ event }) => event) });
        settle(sync()); // the next file is written meanwhile
      } catch (error) {
        settle(Promise.reject(error));
      }
    }
    isWriting = false;
  }

  /**
   * Writes a file under its name.
   *
   * @returns what syncs both at the same time, as an answer waits for it. A loss of power before may leave the file cut.
   */
  async function writeNew({ file, events }: Note): Promise<() => Promise<void>> {
    for (const parent of makeDirectory(folder)) await syncDirectory(parent);
    const temp = tempPath(folder);
    const path = join(folder, file);
    const giveUp = (fd: number, error: unknown): never => {
      fs.closeSync(fd);
      for (const half of [temp, path]) discard(half);
      throw error;
    };
    const fd = await open(temp, 'wx', 0o600);
    try {
      await writeFile(fd, textOf(events));
      fs.renameSync(temp, path);
    } catch (error) {
      return giveUp(fd, error);
    }
    return async () => {
      try {
        await Promise.all([fsync(fd), syncDirectory(folder)]);
      } catch (error) {
        giveUp(fd, error);
      }
      fs.closeSync(fd);
    };
  }

  /** Writes a note anew without what is done; a note in which nothing is left goes. It is on the disk when the promise resolves. */
  async function save({ file, events }: Note): Promise<void> {
    const left = events.filter(({ jobs }) => Object.keys(jobs).length > 0);
    if (left.length > 0) return writeAtomically(join(folder, file), textOf(left), 0o600);
    discard(join(folder, file));
    await syncDirectory(folder);
  }

  /** The names of the files, oldest first. */
  function files(): string[] {
    return namesIn(folder).filter((name) => name.endsWith(ENDING));
  }

  /** Removes what a killed process has left half-written. */
  function sweep(): void {
    for (const name of namesIn(folder))
      if (isLeftover(name) && isOld(join(folder, name))) discard(join(folder, name));
  }

  return {
    add,
    save,
    files,
    /** A note; undefined if its file has gone. */
    read: (file: string) => readNote(folder, file),
    sweep,
  };
}

function textOf(events: readonly NotedEvent[]): string {
  return `${JSON.stringify({ events })}${END}`;
}

/** All notes in a folder, without a receiver. */
export function readNotes(folder: string): Note[] {
  return openNotes(folder)
    .files()
    .map((file) => readNote(folder, file))
    .filter((note) => typeof note === 'object');
}

/** Reads what the jobs of plugins have not done yet, oldest first; without a receiver. */
export function readOpenJobs(stateDir: string): OpenJob[] {
  const events = readNotes(join(stateDir, JOBS, NOTED)).flatMap((note) => note.events);
  return events
    .filter(({ again }) => again === undefined)
    .flatMap(({ name: event, key, at, payload, jobs }) =>
      Object.entries(jobs).map(([job, state]) => ({ job, key, event, id: subjectOf(payload), at, state })),
    );
}

function readNote(folder: string, file: string): Note | 'damaged' | undefined {
  try {
    const text = fs.readFileSync(join(folder, file), 'utf8');
    // The writer of these notes was never told that they are on the disk.
    if (!text.endsWith(END)) return { file, events: [] };
    const { events }: { events?: NotedEvent[] } = Object(JSON.parse(text));
    return Array.isArray(events) ? { file, events } : 'damaged';
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) return 'damaged';
    throw error;
  }
}

/** The key of a publication: each delivery of it is the same event. */
export function articleKey(id: string): string {
  return JSON.stringify(id);
}

/** What a person knows an event by: the id of its article. */
export function subjectOf(payload: unknown): string | undefined {
  const { id }: { id?: unknown } = Object(payload);
  return typeof id === 'string' ? id : undefined;
}

/** In the order of time, also among several receivers. */
function newName(): string {
  return `${Date.now().toString(36).padStart(9, '0')}-${RUN}-${String(written++).padStart(9, '0')}${ENDING}`;
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Another receiver may be writing a new one. */
function isOld(path: string): boolean {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > 60_000;
}
