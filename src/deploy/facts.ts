import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../errors.js';
import { linesIn, openLineLog } from '../fs/line-log.js';
import type { Log } from '../log.js';

/** A delivered article that has not been seen on its public page yet. */
export interface AwaitedArticle {
  /** The article's file, relative to the site's folder. */
  readonly path: string;
  readonly id: string;
  readonly url: string;
  /** When the delivery was answered or, after a review, the article was merged, ISO 8601. */
  readonly at: string;
  /** `waiting`: its page is not looked for before it is merged. Undefined without a review. */
  readonly review?: 'waiting' | 'merged';
  /** What the live check found instead of the present text; undefined before the first check. */
  readonly found?: string;
}

/** The last steps that receivers saw, with times in ISO 8601. Steps that were not seen are missing. */
export interface SiteFacts {
  readonly delivery?: { readonly at: string; readonly id: string; readonly url: string };
  /** The last connection test of the service. */
  readonly test?: { readonly at: string; readonly id: string };
  readonly commit?: { readonly at: string; readonly commit: string; readonly subject: string };
  /** The error of a later commit. */
  readonly commitError?: { readonly at: string; readonly path: string; readonly reason: string };
  /** The last build without an error, and when it began: it contains what was delivered before. */
  readonly build?: { readonly at: string; readonly began: string };
  /** The error of a later build. */
  readonly buildError?: { readonly at: string; readonly reason: string };
  /** The last article that was seen on its public page. */
  readonly live?: { readonly at: string; readonly id: string; readonly url: string };
  /** The articles that the live check has not seen yet, oldest first; at most 1,000. */
  readonly awaited: readonly AwaitedArticle[];
}

/** A change of the facts; null clears an error. */
export type News = {
  readonly [Key in keyof Omit<SiteFacts, 'awaited'>]: SiteFacts[Key] | null;
} & {
  /** An article that is awaited from now on, or whose check found something else. */
  readonly awaited?: AwaitedArticle;
  /** The file of an article that is no longer awaited. */
  readonly settled?: string;
  /** Resets the facts; their sum follows. */
  readonly isSum?: boolean;
};

/** The facts of a site, shared by all receivers on its folder. */
export type Facts = ReturnType<typeof openFacts>;

/** After which time an article that is not live is overdue, in milliseconds. Hosts and caches take seconds to minutes. */
const OVERDUE_MS = 300_000;

/** Whether an article should have been seen on its page by now. */
export function isOverdue({ at, review }: AwaitedArticle, now = Date.now()): boolean {
  return review !== 'waiting' && now - Date.parse(at) > OVERDUE_MS;
}

/** The file of the facts' changes, one per line, oldest first. */
const NAME = 'facts.jsonl';

/** How long changes are collected before they are written, in milliseconds. */
const WRITE_AFTER_MS = 200;

/** The size at which the file is rewritten with the sum of its changes, in bytes. */
const LONGEST = 2_000_000;

/** How many unwritten changes are kept. */
const MOST_UNWRITTEN = 1_000;

/** The highest number of awaited articles; the oldest ones are dropped. */
export const MOST_AWAITED = 1_000;

const NOTHING: SiteFacts = { awaited: [] };

/** Reads the facts. An unreadable file counts as missing. */
export function readFacts(stateDir: string): SiteFacts {
  try {
    return linesIn(fs.readFileSync(join(stateDir, NAME), 'utf8'), isNews).reduce(withNews, NOTHING);
  } catch {
    return NOTHING;
  }
}

/**
 * Opens the facts of a site, which receivers share by appending to a file. They inform people, and nothing is decided by them:
 * changes just before a kill are lost, unless they were saved.
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

  /** For instance on a full disk. This receiver keeps the changes, and tries again with the next one. */
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
    /** Resolves when all changes are on the disk. @throws the system's errors */
    async save(): Promise<void> {
      write();
      if (unwritten.length > 0) throw new Error(`${NAME} cannot be written`);
      await lines.sync();
    },
    /** Writes the remaining changes. */
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

/** The facts without cleared errors. */
function seenIn(seen: Omit<News, 'awaited' | 'settled' | 'isSum'>): Omit<SiteFacts, 'awaited'> {
  return Object.fromEntries(Object.entries(seen).filter(([, value]) => value !== null));
}
