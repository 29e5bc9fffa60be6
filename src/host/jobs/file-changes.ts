import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ArticleState } from '../../article/publication.js';
import { discard, writeAtomically } from '../../fs/atomic-write.js';
import { linesIn, openLineLog } from '../../fs/line-log.js';
import type { FileActionName, FileChange } from '../hooks/hook-types.js';
import type { NotedEvent } from './notes.js';

/** The file of an article, as far as jobs are told of it. */
export interface ArticleFile extends FileChange {
  /** Another text whenever the file is written. */
  readonly version: string;
  /** Undefined if the file cannot be read. */
  readonly state?: ArticleState;
}

/** The files of all articles, as they are now. */
export interface ArticleFiles {
  files(): Iterable<ArticleFile>;
  /** @param path relative to the site's folder. */
  file(path: string): ArticleFile | undefined;
}

/** A file that jobs were told of, or that they were told has gone. */
type Line = ArticleFile | { readonly path: string; readonly isRemoved: true };

/** Of which changes of files jobs have been told; see `createFileChanges`. */
export type FileChanges = ReturnType<typeof createFileChanges>;

/** An event, and the action that it is. */
type FileEvent = Pick<NotedEvent, 'key' | 'payload'> & { readonly name: FileActionName };

/** So many files are compared before other work has its turn. */
const FILES_AT_ONCE = 1_000;

/**
 * Knows of which changes of articles' files jobs have been told, and finds those that they have not: no crash loses one, and
 * what changes while no receiver runs is found by the next.
 *
 * @param folder that of jobs.
 * @param note notes an event for the jobs on it; durable when it resolves.
 */
export function createFileChanges(folder: string, note: (event: FileEvent) => Promise<void>) {
  const path = join(folder, 'articles.jsonl');
  const lines = openLineLog(path, isLine);
  /** Undefined if no job is on such an action. */
  let articles: ArticleFiles | undefined;
  /** The files when jobs began to follow them: what is older is no event. */
  let first: readonly ArticleFile[] | undefined;
  /** What jobs were told of; undefined if another receiver tells them. */
  let told: Map<string, ArticleFile> | undefined;
  /** The paths that may have changed since jobs were told of them, and whether this was by a delivery alone. */
  const changed = new Map<string, boolean>();

  /** Follows the files from now on, or from where the last receiver has ended. */
  function follow(files: ArticleFiles): void {
    articles = files;
    if (!fs.existsSync(path)) first = [...files.files()];
  }

  /** No job is on such an action. What changes until one is, is no event. */
  function forget(): void {
    discard(path);
  }

  /** This receiver tells jobs from now on. */
  async function takeOver(): Promise<void> {
    if (articles === undefined) return;
    if (!fs.existsSync(path)) await write(first ?? articles.files());
    first = undefined;
    const known = new Map<string, ArticleFile>();
    const all = linesIn(fs.readFileSync(path, 'utf8'), isLine);
    for (const line of all)
      if ('isRemoved' in line) known.delete(line.path);
      else known.set(line.path, line);
    if (all.length > 2 * known.size) await write(known.values());
    told = known;
    for (const { path } of [...articles.files(), ...known.values()])
      if (!changed.has(path)) changed.set(path, false);
  }

  /** Another receiver may tell jobs from now on. */
  function letGo(): void {
    told = undefined;
  }

  /**
   * A file may have changed.
   *
   * @param byDelivery of a delivery, jobs are told otherwise, but for the article's state.
   * @returns whether this receiver tells them.
   */
  function look(path: string, byDelivery: boolean): boolean {
    if (articles !== undefined) changed.set(path, byDelivery && changed.get(path) !== false);
    return told !== undefined;
  }

  /** Notes what jobs have not been told. @throws the system's errors; the next call tries it again. */
  async function noteNew(): Promise<void> {
    while (told !== undefined && articles !== undefined && changed.size > 0) {
      const known = told;
      const some = new Map(changed);
      changed.clear();
      try {
        const events: FileEvent[] = [];
        const news: Line[] = [];
        let count = 0;
        for (const [path, byDelivery] of some) {
          if (++count % FILES_AT_ONCE === 0) await nextTurn();
          const [before, now] = [known.get(path), articles.file(path)];
          const found = eventsBetween(before, now);
          events.push(...found.filter(({ name }) => !byDelivery || name === 'article.stateChanged'));
          if (found.length > 0) news.push(now ? { ...stateOf(before), ...now } : { path, isRemoved: true });
        }
        await Promise.all(events.map(note));
        if (news.length > 0) lines.append(news);
        if (events.length > 0) await lines.sync();
        for (const line of news)
          if ('isRemoved' in line) known.delete(line.path);
          else known.set(line.path, line);
      } catch (error) {
        for (const [path, byDelivery] of some) look(path, byDelivery);
        throw error;
      }
    }
  }

  async function write(files: Iterable<ArticleFile>): Promise<void> {
    await writeAtomically(path, [...files].map((file) => `${JSON.stringify(file)}\n`).join(''), 0o600);
  }

  return { follow, forget, takeOver, letGo, look, noteNew };
}

/** What has happened to a file. A new article is live until its file says something else. */
function eventsBetween(before: ArticleFile | undefined, now: ArticleFile | undefined): FileEvent[] {
  const key = randomUUID();
  if (now === undefined)
    return before === undefined ? [] : [{ name: 'article.removed', key, payload: changeOf(before) }];
  const payload = changeOf(now);
  const { state } = now;
  const events: FileEvent[] = [];
  if (before?.version !== now.version)
    events.push({ name: before === undefined ? 'article.created' : 'article.edited', key, payload });
  if (state !== undefined && state !== (before?.state ?? 'live'))
    events.push({ name: 'article.stateChanged', key, payload: { ...payload, state } });
  return events;
}

/** A file that cannot be read now keeps its last state. */
function stateOf(file: ArticleFile | undefined): Pick<ArticleFile, 'state'> {
  return file?.state === undefined ? {} : { state: file.state };
}

function changeOf({ path, id, url }: FileChange): FileChange {
  return { path, id, url };
}

function isLine(value: unknown): value is Line {
  const { path, version, isRemoved } = Object(value);
  return typeof path === 'string' && (typeof version === 'string' || isRemoved === true);
}
