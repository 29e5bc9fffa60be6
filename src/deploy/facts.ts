import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../errors.js';
import { linesIn, openLineLog } from '../fs/line-log.js';
import type { Log } from '../log.js';

/** An article that was delivered and has not been seen on its public page yet. */
export interface AwaitedArticle {
  /** The article's file, relative to the site's folder. */
  readonly path: string;
  readonly id: string;
  readonly url: string;
  /** When the delivery was answered, ISO 8601. */
  readonly at: string;
  /** What the live check found instead of the present text; undefined before the first look. */
  readonly found?: string;
}

/** What receivers have seen of a site: the last of each, with its time in ISO 8601. Nothing is in it that was not seen. */
export interface SiteFacts {
  readonly delivery?: { readonly at: string; readonly id: string; readonly url: string };
  /** The last connection test of the service. */
  readonly test?: { readonly at: string; readonly id: string };
  readonly commit?: { readonly at: string; readonly commit: string; readonly subject: string };
  /** Why the commit after it failed. */
  readonly commitError?: { readonly at: string; readonly path: string; readonly reason: string };
  /** The last build without an error. */
  readonly build?: { readonly at: string };
  /** Why the build after it failed. */
  readonly buildError?: { readonly at: string; readonly reason: string };
  /** The article that was last seen on its public page. */
  readonly live?: { readonly at: string; readonly id: string; readonly url: string };
  /** The articles that the live check has not seen yet, the oldest first; at most 1,000. */
  readonly awaited: readonly AwaitedArticle[];
}

/** Something that a receiver has seen; null if an error has passed. */
export type News = {
  readonly [Key in keyof Omit<SiteFacts, 'awaited'>]: SiteFacts[Key] | null;
} & {
  /** An article that is awaited from now on, or of which something else was found. */
  readonly awaited?: AwaitedArticle;
  /** The file of an article that is not awaited any more. */
  readonly settled?: string;
  /** What was noted before counts no more: its sum follows. */
  readonly isSum?: boolean;
};

/** The facts of a site, which all receivers on its folder share. */
export type Facts = ReturnType<typeof openFacts>;

/** Hosts and their caches take seconds to minutes; after this long somebody should look. In milliseconds. */
const OVERDUE_MS = 300_000;

/** Whether an article should have been seen on its page by now. */
export function isOverdue({ at }: AwaitedArticle, now = Date.now()): boolean {
  return now - Date.parse(at) > OVERDUE_MS;
}

/** What receivers have seen, one news in a line, the oldest first. */
const NAME = 'facts.jsonl';

/** How long news gather before they are written, in milliseconds. */
const WRITE_AFTER_MS = 200;

/** A longer file is written anew with the sum of its news, in bytes. */
const LONGEST = 2_000_000;

/** So many news are kept where they cannot be written. */
const MOST_UNWRITTEN = 1_000;

/** The most articles that are looked for; the oldest ones are dropped. */
export const MOST_AWAITED = 1_000;

const NOTHING: SiteFacts = { awaited: [] };

/** The facts that receivers have noted. A file that cannot be read counts as none. */
export function readFacts(stateDir: string): SiteFacts {
  try {
    return linesIn(fs.readFileSync(join(stateDir, NAME), 'utf8'), isNews).reduce(withNews, NOTHING);
  } catch {
    return NOTHING;
  }
}

/**
 * Shares what receivers on one folder have seen, by a file to which each appends its news. It is a hint for people, by which
 * nothing is decided: the last news before a kill are not in it, unless they were saved.
 */
export function openFacts(stateDir: string, log: Log) {
  const lines = openLineLog(join(stateDir, NAME), isNews);
  let facts = NOTHING;
  let unwritten: News[] = [];
  let timer: NodeJS.Timeout | undefined;
  let shortening: Promise<void> | undefined;

  function note(news: News): void {
    unwritten.push(news);
    timer ??= setTimeout(write, WRITE_AFTER_MS).unref();
  }

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    if (unwritten.length === 0) return;
    try {
      lines.append(unwritten);
      facts = unwritten.reduce(withNews, facts); // those are no news to this receiver
      unwritten = [];
      if (lines.size() <= LONGEST) return;
      shortening ??= lines
        .shorten(sumOf)
        .catch(onFailure)
        .finally(() => {
          shortening = undefined;
        });
    } catch (error) {
      onFailure(error);
      unwritten = unwritten.slice(-MOST_UNWRITTEN);
    }
  }

  /** On a full disk, say. This receiver still knows, and tries it again with the next news. */
  function onFailure(error: unknown): void {
    log.debug({ reason: messageOf(error) }, `${NAME} cannot be read or written`);
  }

  async function close(): Promise<void> {
    write();
    await shortening;
  }

  return {
    get now(): SiteFacts {
      write();
      try {
        facts = lines.news().reduce(withNews, facts);
      } catch (error) {
        onFailure(error);
      }
      return unwritten.reduce(withNews, facts);
    },
    note,
    /** Resolves when what was noted is on the disk. @throws the system's errors */
    async save(): Promise<void> {
      write();
      if (unwritten.length > 0) throw new Error(`${NAME} cannot be written`);
      await lines.sync();
    },
    /** Writes what has not been written yet. */
    close,
  };
}

function isNews(value: unknown): value is News {
  return typeof value === 'object' && value !== null;
}

function sumOf(news: readonly News[]): News[] {
  const { awaited, ...seen } = news.reduce(withNews, NOTHING);
  return [{ ...seen, isSum: true }, ...awaited.map((article) => ({ awaited: article }))];
}

function withNews(
  { awaited, ...before }: SiteFacts,
  { awaited: article, settled, isSum = false, ...seen }: News,
): SiteFacts {
  if (isSum) return { ...seenIn(seen), awaited: [] };
  const facts = seenIn({ ...before, ...seen });
  if (article === undefined && settled === undefined) return { ...facts, awaited };
  const isSame = (one: AwaitedArticle) => one.path === article?.path && one.at === article.at;
  if (article !== undefined && awaited.some(isSame))
    return { ...facts, awaited: awaited.map((one) => (isSame(one) ? article : one)) };
  const others = awaited.filter(({ path }) => path !== (article?.path ?? settled));
  return { ...facts, awaited: article === undefined ? others : [...others, article].slice(-MOST_AWAITED) };
}

/** Without the errors that have passed. */
function seenIn(seen: Omit<News, 'awaited' | 'settled' | 'isSum'>): Omit<SiteFacts, 'awaited'> {
  return Object.fromEntries(Object.entries(seen).filter(([, value]) => value !== null));
}
