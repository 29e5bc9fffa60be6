import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { canonicalUrl } from '../contract/canonical-url.js';
import { syncDirectory, writeAtomically } from '../fs/atomic-write.js';
import { openLineLog } from '../fs/line-log.js';

/** The folder below the state folder that has the texts of the articles in the trash, and the file in it with what is known of them. */
const [FOLDER, FILE] = ['trash', 'articles.jsonl'];

/** What is known of an article that a person has removed. */
export interface Trashed {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  /** Below the content folder. */
  readonly path: string;
  /** When it was removed, ISO 8601. */
  readonly at: string;
  /** Who has removed it. */
  readonly by: string;
  /** Where its URL leads now; null if the article is gone. */
  readonly redirect: string | null;
}

/** The article is there again, or is deleted for good. */
interface Dropped extends Pick<Trashed, 'id' | 'at'> {
  readonly dropped: true;
}

/** The articles that people have removed; see `openTrash`. */
export type Trash = ReturnType<typeof openTrash>;

/**
 * The articles in the trash. What is known of them is in memory, as every request for a page that is not there asks for it;
 * whether another process has changed it is asked each time. The texts are read when an article is restored.
 */
export function openTrash(stateDir: string) {
  const folder = join(stateDir, FOLDER);
  const log = openLineLog(join(folder, FILE), isLine);
  /** In the order of their removals. */
  const trashed = new Map<string, Trashed>();
  const byUrl = new Map<string, Trashed>();
  const paths = new Set<string>();

  function takeIn(lines: readonly (Trashed | Dropped)[] = log.news()): void {
    if (lines.length === 0) return;
    for (const line of lines) {
      // It may have been removed again since.
      if ('dropped' in line && trashed.get(line.id)?.at !== line.at) continue;
      trashed.delete(line.id);
      if ('url' in line) trashed.set(line.id, line);
    }
    byUrl.clear();
    // Where two had the same URL, the one that was removed last says what is there.
    for (const one of trashed.values()) byUrl.set(canonicalUrl(one.url) ?? one.url, one);
    paths.clear();
    for (const { path } of trashed.values()) paths.add(path);
  }

  /** All of them, the one that was removed last first. */
  function list(): readonly Trashed[] {
    takeIn();
    return [...trashed.values()].reverse();
  }

  /** The article that had a canonical URL. */
  function at(canonical: string): Trashed | undefined {
    takeIn();
    return byUrl.get(canonical);
  }

  /** Whether a canonical URL or a file is kept for an article, so that it can be restored. */
  function keeps(canonical: string, path: string): boolean {
    takeIn();
    return byUrl.has(canonical) || paths.has(path);
  }

  /** The article with this id. */
  function get(id: string): Trashed | undefined {
    takeIn();
    return trashed.get(id);
  }

  /** The whole file that an article had. @throws the system's error where it cannot be read. */
  function textOf(one: Trashed): string {
    return fs.readFileSync(textFile(one), 'utf8');
  }

  function textFile({ id, at }: Pick<Trashed, 'id' | 'at'>): string {
    return join(folder, `${hash('sha256', `${at} ${id}`).slice(0, 32)}.text`);
  }

  /** Keeps an article; durable when it resolves. */
  async function keep(one: Trashed, text: string): Promise<void> {
    fs.mkdirSync(folder, { recursive: true });
    await syncDirectory(stateDir); // also where another receiver has made it, and has not come to that
    await writeAtomically(textFile(one), text);
    const before = get(one.id);
    await note(one);
    if (before !== undefined && before.at !== one.at) fs.rmSync(textFile(before), { force: true });
  }

  /** Forgets an article that is there again, or is deleted for good; not what is in the trash if it was removed again. */
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
