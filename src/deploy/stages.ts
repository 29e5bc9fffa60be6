import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf, systemCode } from '../errors.js';
import { writeAtomically } from '../fs/atomic-write.js';
import type { Log } from '../log.js';

/** The way of an article from its answer to its readers, in order. */
export const STAGES = ['received', 'committed', 'pushed', 'built', 'deployed', 'live'] as const;
export type Stage = (typeof STAGES)[number];

/** A change of an article on its way. */
export interface TrackedChange {
  /** The article's file, relative to the site's folder. */
  readonly path: string;
  readonly id: string;
  readonly url: string;
  /** The digest of the file's text. */
  readonly digest: string;
  /** When it was answered, in milliseconds since 1970. */
  readonly answeredAt: number;
}

/** How one stage stands. */
export interface StageStatus {
  /** The newest change that has reached the stage since the start, and when it did, ISO 8601. */
  readonly newest?: { readonly id: string; readonly url: string; readonly at: string };
  /** How many changes have not reached it yet. */
  readonly behind: number;
  /** When the oldest of these was answered, ISO 8601. */
  readonly behindSince?: string;
  readonly error?: string;
}

/** The stages that this site has. */
export type StagesStatus = Readonly<Partial<Record<Stage, StageStatus>>>;

/** What is on its way; see `createStages`. */
export interface Stages {
  /** A change was answered. An older one of the same article is not waited for any more. */
  received(change: TrackedChange): void;
  /** Changes have reached a stage. @returns those that had not before, without those that a newer one has replaced. */
  reached(stage: Stage, changes: Iterable<TrackedChange>): TrackedChange[];
  /** The newest change of an article's file; undefined where all its changes have reached the last stage. */
  at(path: string): TrackedChange | undefined;
  /** The changes that have reached `after` but not `stage`. */
  waitingFor(stage: Stage, after: Stage): TrackedChange[];
  /** An article has been removed: it does not reach any further stage. */
  forget(path: string): void;
  /** What is wrong at a stage; undefined where it goes well again. */
  setError(stage: Stage, error: string | undefined): void;
  status(): StagesStatus;
  /** Writes the state that has not been written yet. */
  close(): Promise<void>;
}

/** What the state file holds. */
interface StageFile {
  readonly status: StagesStatus;
  /** What is not live yet, for the next start, with the stages that each was seen to reach. */
  readonly waiting: readonly (TrackedChange & { readonly reached: readonly Stage[] })[];
}

/** More changes are not followed: the oldest ones are taken out. */
const MOST_TRACKED = 10_000;

/** How long changes gather before the state file is written, in milliseconds. */
const WRITE_AFTER_MS = 500;

const NAME = 'stages.json';

/** After a start it is seen anew whether a change has reached these: an output may have been replaced by hand. */
const LOOKED_AT_AGAIN: ReadonlySet<Stage> = new Set(['built', 'deployed', 'live']);

/** The state that a receiver keeps, for `status`; undefined where there is none. */
export function readStages(stateDir: string, log?: Log): StageFile | undefined {
  try {
    return JSON.parse(fs.readFileSync(join(stateDir, NAME), 'utf8')) as StageFile;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') log?.warn({ reason: messageOf(error) }, `${NAME} cannot be read`);
    return undefined;
  }
}

/**
 * Follows each change of an article from its answer until it has reached the last stage of the site.
 *
 * @param stages the stages that the site has.
 */
export function createStages(stages: readonly Stage[], stateDir: string, log: Log): Stages {
  const active = new Set<Stage>(['received', ...stages]);
  /** By the article's file, the oldest change first; with the stages that it has reached. */
  const changes = new Map<string, { change: TrackedChange; reached: Set<Stage> }>();
  const newest = new Map<Stage, StageStatus['newest']>();
  const errors = new Map<Stage, string>();
  let timer: NodeJS.Timeout | undefined;
  let hasChanged = false;
  let writing: Promise<void> = Promise.resolve();

  // What was built and deployed meanwhile is looked at again: nothing of it is forgotten, and nothing is done twice.
  const before = readStages(stateDir, log);
  for (const { reached, ...change } of before?.waiting ?? [])
    changes.set(change.path, {
      change,
      reached: new Set(reached.filter((stage) => !LOOKED_AT_AGAIN.has(stage))),
    });

  // Else `status` would call built and live, until the next change, what the receiver before this one has seen.
  if (before !== undefined) write();

  function received(change: TrackedChange): void {
    changes.delete(change.path);
    changes.set(change.path, { change, reached: new Set() });
    const [oldest] = changes.keys();
    if (changes.size > MOST_TRACKED && oldest !== undefined) changes.delete(oldest);
    reached('received', [change]);
  }

  function reached(stage: Stage, candidates: Iterable<TrackedChange>): TrackedChange[] {
    if (!active.has(stage)) return [];
    const found: TrackedChange[] = [];
    for (const candidate of candidates) {
      const { path } = candidate;
      const { change, reached: before } = changes.get(path) ?? {};
      if (change !== candidate || before === undefined || before.has(stage)) continue;
      before.add(stage);
      found.push(change);
      if ([...active].every((one) => before.has(one))) changes.delete(path);
    }
    const last = found.at(-1);
    if (last !== undefined) newest.set(stage, { id: last.id, url: last.url, at: new Date().toISOString() });
    if (last !== undefined) note();
    return found;
  }

  function setError(stage: Stage, error: string | undefined): void {
    if (errors.get(stage) === error) return;
    if (error === undefined) errors.delete(stage);
    else errors.set(stage, error);
    note();
  }

  function status(): StagesStatus {
    const all: Partial<Record<Stage, StageStatus>> = {};
    for (const stage of STAGES) {
      if (!active.has(stage)) continue;
      const behind = [...changes.values()].filter(({ reached: before }) => !before.has(stage));
      const [oldest] = behind;
      const last = newest.get(stage);
      const error = errors.get(stage);
      all[stage] = {
        ...(last !== undefined && { newest: last }),
        behind: behind.length,
        ...(oldest !== undefined && { behindSince: new Date(oldest.change.answeredAt).toISOString() }),
        ...(error !== undefined && { error }),
      };
    }
    return all;
  }

  function note(): void {
    // Where articles are only received, there is nothing to follow; the end of the process writes it.
    if (active.size > 1) timer ??= setTimeout(write, WRITE_AFTER_MS);
    else hasChanged = true;
  }

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    const file: StageFile = {
      status: status(),
      waiting: [...changes.values()].map(({ change, reached }) => ({ ...change, reached: [...reached] })),
    };
    // A hint for people: where it cannot be written, /healthz?verbose still shows it.
    writing = writing
      .then(() => writeAtomically(join(stateDir, NAME), `${JSON.stringify(file)}\n`))
      .catch((error: unknown) => log.debug({ reason: messageOf(error) }, `${NAME} cannot be written`));
  }

  return {
    received,
    reached,
    at: (path) => changes.get(path)?.change,
    waitingFor: (stage, after) =>
      [...changes.values()].flatMap(({ change, reached: before }) =>
        !before.has(stage) && before.has(after) ? [change] : [],
      ),
    forget: (path) => {
      if (changes.delete(path)) note();
    },
    setError,
    status,
    close: async () => {
      if (timer !== undefined || hasChanged) write();
      await writing;
    },
  };
}
