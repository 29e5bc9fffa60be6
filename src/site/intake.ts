import type { Log } from '../log.js';
import type { Catalog } from '../store/catalog.js';
import { type ContentFolder, type Entry, glimpseEntry, ownStrings } from '../store/entry.js';
import { isArticlePath, refresh, walk } from '../store/scan.js';
import { type Larder, textOf } from './larder.js';
import type { News } from './manifest.js';
import type { Model } from './model.js';
import { timeOf } from './moments.js';

interface Around {
  readonly content: ContentFolder;
  readonly catalog: Catalog;
  readonly model: Model;
  readonly larder: Larder;
  readonly log: Log;
}

/** Looks at the beginnings of many files, by `glimpse` or elsewhere, and hands what it has seen to `take`. */
export type GlimpseMany = (
  paths: readonly string[],
  glimpse: (path: string) => Entry | undefined,
  take: (path: string, entry: Entry | undefined) => void,
) => Promise<void>;

/** The way of article files into the model; see `createIntake`. */
export type Intake = ReturnType<typeof createIntake>;

/** The way of article files into the model. */
export function createIntake({ content, catalog, model, larder, log }: Around) {
  /** Read, and not in the model yet. */
  const waiting = new Map<string, Entry | undefined>();
  /** Taken in, and not in the manifest yet. */
  let unrecorded = new Map<string, Entry | undefined>();
  /** Malformed, which leaves pages as they were. */
  const broken = new Set<string>();
  /** Known by the beginnings of their files alone. */
  const glimpsed = new Set<string>();

  /** Reads these files again where they have changed. */
  function take(paths: Iterable<string>): void {
    for (const path of paths) {
      if (!isArticlePath(content, path)) continue;
      read(path);
      if (waiting.has(path)) apply(path, waiting.get(path));
      waiting.delete(path);
    }
  }

  /**
   * Compares all files with what is known and takes in what differs.
   *
   * @param breathe lets others do something in between.
   * @param glimpseMany looks at the files where none is known yet. All their pages must be made next, for which they are
   *   read whole: what is wrong with one of them is found out then. Undefined where they are to be read whole at once.
   */
  async function takeAll(breathe: () => Promise<void>, glimpseMany?: GlimpseMany): Promise<void> {
    const seen = new Set<string>();
    const unknown: string[] = [];
    // A site that stands must not have a page meanwhile that a malformed file only seemed to be good for.
    const isNew = model.entries().next().done === true;
    for (const path of walk(content)) {
      seen.add(path);
      if (glimpseMany !== undefined && isNew && catalog.get(path) === undefined) unknown.push(path);
      else read(path);
      await breathe();
    }
    await glimpseMany?.(unknown, glimpse, takeGlimpse);
    for (const { path } of [...catalog.entries(), ...model.entries()]) if (!seen.has(path)) read(path);
    // In their order, so that each goes to the end of its lists.
    const sorted = [...waiting].map(timed).sort((a, b) => a.time - b.time);
    for (const { path, entry } of sorted) apply(path, entry);
    waiting.clear();
  }

  function glimpse(path: string): Entry | undefined {
    const entry = glimpseEntry(content, path);
    return entry && ownStrings(entry);
  }

  function takeGlimpse(path: string, entry: Entry | undefined): void {
    if (entry === undefined) {
      read(path);
      return;
    }
    glimpsed.add(path);
    catalog.set(entry);
    waiting.set(path, entry);
  }

  function read(path: string): void {
    // what is known of it counts for nothing now that the file is read whole
    if (glimpsed.has(path)) catalog.delete(path);
    const changes = refresh(content, catalog, path, (path, page) => larder.put(path, textOf(page)));
    for (const { after } of changes) waiting.set(path, after);
    if (catalog.get(path)?.broken === undefined) glimpsed.delete(path);
    // The catalog has never known what the manifest knows under other settings.
    if (catalog.get(path) === undefined && model.entryAt(path) !== undefined) waiting.set(path, undefined);
  }

  function apply(path: string, entry: Entry | undefined): void {
    if (entry?.broken !== undefined) {
      // Half an edit is no reason to take an article from the site: it stays as it was last read.
      log.warn(
        { path, reason: entry.broken },
        'malformed or unreadable article file; its page stays as it was',
      );
      broken.add(path);
      if (glimpsed.delete(path)) record(path, undefined);
      return;
    }
    broken.delete(path);
    record(path, entry);
  }

  function record(path: string, entry: Entry | undefined): void {
    model.apply(path, entry);
    unrecorded.set(path, entry);
  }

  /**
   * Takes in articles whose pages have been built, by this process in another life or by another one.
   *
   * @param isTrusted whether they were read as they would be read now; else all files are read again.
   */
  function learn({ articles, isWhole }: News, isTrusted: boolean): void {
    const before = isWhole ? [...model.entries()] : [];
    for (const { path } of before) if (!articles.has(path)) learnOne(path, undefined, isTrusted);
    const sorted = [...articles].map(timed).sort((a, b) => a.time - b.time);
    for (const { path, entry } of sorted) learnOne(path, entry, isTrusted);
  }

  function learnOne(path: string, entry: Entry | undefined, isTrusted: boolean): void {
    model.learn(path, entry);
    broken.delete(path);
    if (entry === undefined) catalog.delete(path);
    else if (isTrusted) catalog.set(entry);
  }

  /** What the manifest has to be told, once: every page is made, and nothing is known by a glimpse alone. */
  function takeUnrecorded(): ReadonlyMap<string, Entry | undefined> {
    const taken = unrecorded;
    unrecorded = new Map();
    glimpsed.clear();
    return taken;
  }

  const isBroken = (path: string) => broken.has(path);
  const isGlimpsed = (path: string) => glimpsed.has(path);
  return { take, takeAll, learn, takeUnrecorded, isBroken, isGlimpsed, broken };
}

function timed([path, entry]: readonly [string, Entry | undefined]) {
  return { path, entry, time: (entry && timeOf(entry.date)) ?? 0 };
}
