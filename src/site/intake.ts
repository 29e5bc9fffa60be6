import type { Log } from '../log.js';
import type { Catalog } from '../store/catalog.js';
import type { ContentFolder, Entry } from '../store/entry.js';
import { isArticlePath, refresh, walk } from '../store/scan.js';
import { type Larder, textOf } from './larder.js';
import type { News } from './manifest.js';
import type { Model } from './model.js';
import { momentOf } from './moments.js';

interface Around {
  readonly content: ContentFolder;
  readonly catalog: Catalog;
  readonly model: Model;
  readonly larder: Larder;
  readonly log: Log;
}

/** Reads many files: each by `read`, or elsewhere, whose entry `take` is handed. */
export type ReadMany = (
  paths: readonly string[],
  read: (path: string) => void,
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

  /** Reads these files again where they have changed. */
  function take(paths: Iterable<string>): void {
    for (const path of paths) {
      if (!isArticlePath(path)) continue;
      read(path);
      if (waiting.has(path)) apply(path, waiting.get(path));
      waiting.delete(path);
    }
  }

  /**
   * Compares all files with what is known and takes in what differs.
   *
   * @param breathe lets others do something in between.
   * @param readMany reads files that are not known at all; undefined where this thread does that alone.
   */
  async function takeAll(breathe: () => Promise<void>, readMany?: ReadMany): Promise<void> {
    const seen = new Set<string>();
    const unknown: string[] = [];
    for (const path of walk(content.root)) {
      seen.add(path);
      if (readMany !== undefined && catalog.get(path) === undefined) unknown.push(path);
      else read(path);
      await breathe();
    }
    if (readMany !== undefined) await readMany(unknown, read, takeEntry);
    for (const { path } of [...catalog.entries(), ...model.entries()]) if (!seen.has(path)) read(path);
    // In their order, so that each goes to the end of its lists.
    const sorted = [...waiting].map(timed).sort((a, b) => a.time - b.time);
    for (const { path, entry } of sorted) apply(path, entry);
    waiting.clear();
  }

  /** Takes what another thread has read. */
  function takeEntry(path: string, entry: Entry | undefined): void {
    if (entry !== undefined) {
      catalog.set(entry);
      waiting.set(path, entry);
    } else {
      read(path); // gone meanwhile
    }
  }

  function read(path: string): void {
    const changes = refresh(content, catalog, path, (path, page) => larder.put(path, textOf(page)));
    for (const { after } of changes) waiting.set(path, after);
    // The catalog has never known what the manifest knows under other settings.
    if (catalog.get(path) === undefined && model.entryAt(path) !== undefined) waiting.set(path, undefined);
  }

  function apply(path: string, entry: Entry | undefined): void {
    if (entry?.broken !== undefined) {
      // Half an edit is no reason to take an article from the site: it stays as it was last read.
      log.warn({ path, reason: entry.broken }, 'malformed article file; its page stays as it was');
      broken.add(path);
      return;
    }
    broken.delete(path);
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

  /** What the manifest has to be told, once. */
  function takeUnrecorded(): ReadonlyMap<string, Entry | undefined> {
    const taken = unrecorded;
    unrecorded = new Map();
    return taken;
  }

  return { take, takeAll, learn, takeUnrecorded, isBroken: (path: string) => broken.has(path), broken };
}

function timed([path, entry]: readonly [string, Entry | undefined]) {
  return { path, entry, time: (entry && momentOf(entry.date)?.getTime()) ?? 0 };
}
