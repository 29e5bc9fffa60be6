import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf, systemCode } from '../errors.js';
import { syncFile, tempPath } from '../fs/atomic-write.js';
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

/** Something that a receiver has seen; null where an error has passed. */
export type News = {
  readonly [Key in keyof Omit<SiteFacts, 'awaited'>]: SiteFacts[Key] | null;
} & {
  /** An article that is awaited from now on, or of which something else was found. */
  readonly awaited?: AwaitedArticle;
  /** The file of an article that is not awaited any more. */
  readonly settled?: string;
};

/** The facts of a site, which all receivers on its folder share; see `openFacts`. */
export interface Facts {
  readonly now: SiteFacts;
  note(news: News): void;
  /** Resolves when what was noted is on the disk. @throws the system's errors */
  save(): Promise<void>;
  /** Writes what has not been written yet. */
  close(): void;
}

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
export function readFacts(stateDir: string, log?: Log): SiteFacts {
  try {
    return withLines(NOTHING, fs.readFileSync(join(stateDir, NAME), 'utf8'));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') log?.warn({ reason: messageOf(error) }, `${NAME} cannot be read`);
    return NOTHING;
  }
}

/**
 * Shares what receivers on one folder have seen, by a file to which each appends its news. It is a hint for people, by which
 * nothing is decided: the last news before a kill are not in it.
 */
export function openFacts(stateDir: string, log: Log): Facts {
  const path = join(stateDir, NAME);
  let facts = NOTHING;
  /** Which file was read, and how far, in bytes. */
  let read = { ino: 0, end: 0 };
  let unwritten: News[] = [];
  let timer: NodeJS.Timeout | undefined;

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    if (unwritten.length === 0) return;
    try {
      fs.appendFileSync(path, unwritten.map((news) => `${JSON.stringify(news)}\n`).join(''));
      unwritten = [];
      if (fs.statSync(path).size > LONGEST) shorten();
    } catch (error) {
      // On a full disk, say. This receiver still knows, and tries it again with the next news.
      log.debug({ reason: messageOf(error) }, `${NAME} cannot be written`);
      unwritten = unwritten.slice(-MOST_UNWRITTEN);
    }
  }

  /** Replaces the file by one with the sum of its news. */
  function shorten(): void {
    const before = fs.openSync(path, 'r');
    try {
      const { awaited, ...seen } = withLines(NOTHING, fs.readFileSync(before, 'utf8'));
      const news: News[] = [seen, ...awaited.map((article) => ({ awaited: article }))];
      const temp = tempPath(stateDir);
      fs.writeFileSync(temp, news.map((one) => `${JSON.stringify(one)}\n`).join(''));
      fs.renameSync(temp, path);
      fs.appendFileSync(path, fs.readFileSync(before)); // what others have appended meanwhile
    } finally {
      fs.closeSync(before);
    }
  }

  /** Takes in what was appended since the last time. */
  function readOn(): void {
    const file = fs.openSync(path, 'r');
    try {
      const { ino, size } = fs.fstatSync(file);
      const isSame = ino === read.ino && size >= read.end;
      const from = isSame ? read.end : 0;
      const bytes = Buffer.alloc(size - from);
      fs.readSync(file, bytes, 0, bytes.length, from);
      const length = bytes.lastIndexOf('\n') + 1;
      facts = withLines(isSame ? facts : NOTHING, bytes.toString('utf8', 0, length));
      read = { ino, end: from + length };
    } finally {
      fs.closeSync(file);
    }
  }

  return {
    get now() {
      write();
      try {
        readOn();
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') log.debug({ reason: messageOf(error) }, `${NAME} cannot be read`);
      }
      return unwritten.reduce(withNews, facts);
    },
    note(news) {
      unwritten.push(news);
      timer ??= setTimeout(write, WRITE_AFTER_MS).unref();
    },
    async save() {
      write();
      if (unwritten.length > 0) throw new Error(`${NAME} cannot be written`);
      await syncFile(path);
    },
    close: write,
  };
}

function withLines(facts: SiteFacts, lines: string): SiteFacts {
  return lines.split('\n').reduce((sum, line) => {
    try {
      return withNews(sum, JSON.parse(line) as News);
    } catch {
      return sum; // the end, or half a line that a killed receiver has left
    }
  }, facts);
}

function withNews(
  { awaited, ...before }: SiteFacts,
  { awaited: article, settled, ...seen }: News,
): SiteFacts {
  const facts = Object.fromEntries(
    Object.entries({ ...before, ...seen }).filter(([, value]) => value !== null),
  );
  if (article === undefined && settled === undefined) return { ...facts, awaited };
  const isSame = (one: AwaitedArticle) => one.path === article?.path && one.at === article.at;
  if (article !== undefined && awaited.some(isSame))
    return { ...facts, awaited: awaited.map((one) => (isSame(one) ? article : one)) };
  const others = awaited.filter(({ path }) => path !== (article?.path ?? settled));
  return { ...facts, awaited: article === undefined ? others : [...others, article].slice(-MOST_AWAITED) };
}
