import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemCode } from '../../errors.js';
import {
  discard,
  isLeftover,
  makeDurableDirectory,
  syncDirectory,
  tempPath,
  writeAtomically,
} from '../../fs/atomic-write.js';
import { namesIn } from '../../fs/files-below.js';
import type { JobState } from './job.js';

// Like `atomic-write.ts`, but without waiting for the file to be closed, as an answer waits for each note.
const open = promisify(fs.open);
const writeFile = promisify(fs.writeFile);
const fsync = promisify(fs.fsync);

/** An event that jobs have to run for. */
export interface NotedEvent {
  readonly name: string;
  /** Identifies the event, if it may be noted twice; otherwise unique. */
  readonly key: string;
  /** Whether a person wants the failed jobs under this key to be run again now. */
  readonly again?: true;
  /** When it was noted last, ISO 8601. */
  at: string;
  /** The argument for the job. */
  readonly payload: unknown;
  /** The state of each unfinished job, by `<plugin>.<job>`. */
  readonly jobs: Record<string, JobState>;
}

/** An event that a job has not finished yet. */
export interface OpenJob {
  /** `<plugin>.<job>` */
  readonly job: string;
  /** The key of the event, for `runAgain`. */
  readonly key: string;
  /** The action, or `cron`. */
  readonly event: string;
  /** The id of the article, if there is one. */
  readonly id: string | undefined;
  /** When the event was noted, ISO 8601. */
  readonly at: string;
  readonly state: JobState;
}

/** A file of events that were noted together. */
export interface Note {
  readonly file: string;
  readonly events: readonly NotedEvent[];
}

/** The highest number of events in one file. */
const MOST_EVENTS = 100;

/** The folder of jobs in the state folder, and the folder of notes in it. */
export const JOBS = 'jobs';
export const NOTED = 'noted';

const ENDING = '.json';

/** Ends each file. A file without it was cut off by a power loss. */
const END = '\n';

/** Distinguishes this process's files from all others. */
const RUN = randomBytes(6).toString('hex');
let written = 0;

/** The folder of notes of one site; see `openNotes`. */
export type Notes = ReturnType<typeof openNotes>;

/**
 * Opens the folder in which receivers note events for jobs. Events that come while a file is being written go into the next
 * file together. Every receiver adds files; only the one that runs the jobs changes and removes them.
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
   * @returns a function that syncs the file and the folder at once, as an answer waits for it. A power loss before that may cut
   *   off the file.
   */
  async function writeNew({ file, events }: Note): Promise<() => Promise<void>> {
    await makeDurableDirectory(folder);
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

  /** Rewrites a note without finished jobs, or removes it if none is left. Durable when the promise resolves. */
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

  /** Removes half-written files of a killed process. */
  function sweep(): void {
    for (const name of namesIn(folder))
      if (isLeftover(name) && isOld(join(folder, name))) discard(join(folder, name));
  }

  return {
    add,
    save,
    files,
    /** A note; undefined if its file is gone. */
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

/** Reads the unfinished jobs of plugins, oldest first; needs no receiver. */
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
    // The file was cut off: its writer never learned that it was on the disk.
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

/**
 * Whether an event is that of an article that was stored, which can come again under its key: an article that was forgotten is
 * published again, or one that a person has put back is updated again.
 */
export function isOfStored(event: string): event is 'article.published' | 'article.updated' {
  return event === 'article.published' || event === 'article.updated';
}

/** The id of an event's article, by which a person recognises the event. */
export function subjectOf(payload: unknown): string | undefined {
  const { id }: { id?: unknown } = Object(payload);
  return typeof id === 'string' ? id : undefined;
}

/** Sorts by time, across receivers too. */
function newName(): string {
  return `${Date.now().toString(36).padStart(9, '0')}-${RUN}-${String(written++).padStart(9, '0')}${ENDING}`;
}

/** Another receiver may be writing a new one. */
function isOld(path: string): boolean {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > 60_000;
}
