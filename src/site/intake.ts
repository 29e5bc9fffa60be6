import type { Log } from '../log.js';
import type { Catalog } from '../store/catalog.js';
import type { ContentFolder, Entry } from '../store/entry.js';
import { isArticlePath, refresh, scan } from '../store/scan.js';
import type { Manifest } from './manifest.js';
import type { Model } from './model.js';
import { momentOf } from './moments.js';

interface Around {
  readonly content: ContentFolder;
  readonly catalog: Catalog;
  readonly model: Model;
  readonly manifest: Manifest;
  readonly log: Log;
}

/** The way of article files into the model. */
export function createIntake({ content, catalog, model, manifest, log }: Around) {
  /** Whether the model has everything that the catalog has. */
  let isWhole = false;

  /**
   * Compares all files with what is known.
   *
   * @param key of what pages are made of; what was recorded under another one is read again.
   */
  async function takeAll(key: string): Promise<void> {
    const isFirst = catalog.size === 0;
    if (isFirst)
      for (const built of manifest.articles.values()) if (built.key === key) catalog.set(built.entry);
    const wasWhole = isWhole;
    isWhole = false; // until a scan has come to its end
    const { changes } = await scan(content, catalog);
    if (wasWhole) for (const { path, after } of changes) take(path, after);
    else takeCatalog();
    isWhole = true;
  }

  function takeCatalog(): void {
    // In their order, so that each goes to the end of its lists.
    for (const { entry } of [...catalog.entries()].map(timed).sort(byTime)) take(entry.path, entry);
    for (const path of new Set([...manifest.articles.keys(), ...model.paths()]))
      if (catalog.get(path) === undefined) take(path, undefined);
  }

  /** Reads again those of these files that have changed. */
  function takeChanged(paths: Iterable<string>): void {
    for (const path of paths) {
      if (!isArticlePath(path)) continue;
      for (const { after } of refresh(content, catalog, path)) take(path, after);
    }
  }

  function take(path: string, entry: Entry | undefined): void {
    if (entry?.broken === undefined) {
      if (entry === undefined && manifest.articles.has(path)) manifest.setArticle(path, undefined);
      model.apply(path, entry);
      return;
    }
    // Half an edit is no reason to take an article from the site: it stays as it was last read.
    log.warn({ path, reason: entry.broken }, 'malformed article file; its page stays as it was');
    const before = manifest.articles.get(path);
    if (before !== undefined && model.get(path) === undefined) model.apply(path, before.entry);
  }

  return { takeAll, takeChanged };
}

function timed(entry: Entry): { entry: Entry; time: number } {
  return { entry, time: momentOf(entry.date)?.getTime() ?? 0 };
}

function byTime(a: { time: number }, b: { time: number }): number {
  return a.time - b.time;
}
