import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { canonicalUrl } from '../contract/canonical-url.js';
import { syncDirectory, writeAtomically } from '../fs/atomic-write.js';
import { openLineLog } from '../fs/line-log.js';

/** The folder in the state folder with the texts of removed articles, and the file in it with their data. */
const [FOLDER, FILE] = ['trash', 'articles.jsonl'];

/** An article that a person has removed. */
export interface Trashed {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  /** The path below the content folder. */
  readonly path: string;
  /** When it was removed, ISO 8601. */
  readonly at: string;
  /** The person who removed it. */
  readonly by: string;
  /** The target of a redirect from its URL; null for none, so that the page is gone. */
  readonly redirect: string | null;
}

/** A line for an article that was restored, or deleted for good. */
interface Dropped extends Pick<Trashed, 'id' | 'at'> {
  readonly dropped: true;
}

/** The articles that people have removed; see `openTrash`. */
export type Trash = ReturnType<typeof openTrash>;

/**
 * Opens the trash. The articles' data is in memory, as every request for a missing page asks for it; changes by other processes
 * are read before each answer. The texts are read on demand.
 */
export function openTrash(stateDir: string) {
  const folder = join(stateDir, FOLDER);
  const log = openLineLog(join(folder, FILE), isLine);
  /** The articles by id, in the order of their removal. */
  const trashed = new Map<string, Trashed>();
  const byUrl = new Map<string, Trashed>();
  const byPath = new Map<string, Trashed>();

  function takeIn(lines: readonly (Trashed | Dropped)[] = log.news()): void {
    if (lines.length === 0) return;
    for (const line of lines) {
      // The article may have been removed again since.
      if ('dropped' in line && trashed.get(line.id)?.at !== line.at) continue;
      trashed.delete(line.id);
      if ('url' in line) trashed.set(line.id, line);
    }
    byUrl.clear();
    byPath.clear();
    // If two articles had the same URL, the one that was removed last counts.
    for (const one of trashed.values()) {
      byUrl.set(canonicalUrl(one.url) ?? one.url, one);
      byPath.set(one.path, one);
    }
  }

  /** Lists the articles, the last removed first. */
  function list(): readonly Trashed[] {
    takeIn();
    return [...trashed.values()].reverse();
  }

  /** Returns the article that had a canonical URL. */
  function at(canonical: string): Trashed | undefined {
    takeIn();
    return byUrl.get(canonical);
  }

  /** Whether a canonical URL or a path stays reserved for an article with another id, so that it can be restored. */
  function keeps(canonical: string, path: string, id: string): boolean {
    takeIn();
    return [byUrl.get(canonical), byPath.get(path)].some((one) => one !== undefined && one.id !== id);
  }

  /** Returns the article with this id. */
  function get(id: string): Trashed | undefined {
    takeIn();
    return trashed.get(id);
  }

  /** Reads the whole text of an article's file. @throws the system's error. */
  function textOf(one: Trashed): string {
    return fs.readFileSync(textFile(one), 'utf8');
  }

  function textFile({ id, at }: Pick<Trashed, 'id' | 'at'>): string {
    return join(folder, `${hash('sha256', `${at} ${id}`).slice(0, 32)}.text`);
  }

  /** Adds an article; durable when it resolves. */
  async function keep(one: Trashed, text: string): Promise<void> {
    fs.mkdirSync(folder, { recursive: true });
    await syncDirectory(stateDir); // even if another receiver has made the folder, as it may not have synced it yet
    await writeAtomically(textFile(one), text);
    const before = get(one.id);
    await note(one);
    if (before !== undefined && before.at !== one.at) fs.rmSync(textFile(before), { force: true });
  }

  /** Drops an article that was restored or deleted for good, unless it was removed again since. */
  async function drop({ id, at }: Trashed): Promise<void> {
    await note({ id, at, dropped: true });
    fs.rmSync(textFile({ id, at }), { force: true });
    await syncDirectory(folder);
  }

  async function note(line: Trashed | Dropped): Promise<void> {
    takeIn();
    log.append([line]);
    await log.sync();
    takeIn([line]);
  }

  return { list, at, keeps, get, textOf, keep, drop };
}

function isLine(value: unknown): value is Trashed | Dropped {
  const { id, at, url, dropped } = Object(value);
  return typeof id === 'string' && typeof at === 'string' && (typeof url === 'string' || dropped === true);
}
