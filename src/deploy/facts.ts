import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf, PressmarkError, systemCode } from '../errors.js';
import { type KeptValue, keepInFile } from '../fs/kept-file.js';
import { takeKernelLock } from '../fs/lock.js';
import type { LockHelper } from '../fs/lock-helper.js';
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
  readonly commit?: { readonly at: string; readonly commit: string; readonly subject: string };
  /** Why the commit after it failed; undefined where it did not. */
  readonly commitError?: { readonly at: string; readonly path: string; readonly reason: string } | undefined;
  /** The last build without an error. */
  readonly build?: { readonly at: string };
  /** Why the build after it failed; undefined where it did not. */
  readonly buildError?: { readonly at: string; readonly reason: string } | undefined;
  /** The article that was last seen on its public page. */
  readonly live?: { readonly at: string; readonly id: string; readonly url: string };
  /** The articles that the live check has not seen yet, the oldest first; at most 1,000. */
  readonly awaited: readonly AwaitedArticle[];
}

/** Something that a receiver has seen. */
export type News = Pick<SiteFacts, 'delivery' | 'commit' | 'commitError'> & {
  /** The article that was delivered. */
  readonly awaited?: AwaitedArticle;
};

/** The facts as the receiver keeps them that builds the site, or checks the pages. */
export type FactsKeeper = KeptValue<SiteFacts>;

/** Hosts and their caches take seconds to minutes; after this long somebody should look. In milliseconds. */
const OVERDUE_MS = 300_000;

/** Whether an article should have been seen on its page by now. */
export function isOverdue({ at }: AwaitedArticle, now = Date.now()): boolean {
  return now - Date.parse(at) > OVERDUE_MS;
}

const NAME = 'facts.json';

/** What receivers have seen that do not keep the facts, one in a line; and those that are being taken into the facts. */
const NEWS = 'news.jsonl';
const TAKEN = 'news.taken.jsonl';

/** How long changes gather before the file is written, in milliseconds. */
const WRITE_AFTER_MS = 500;

/** The facts that receivers have left, for the next one and for `status`. A file that cannot be read counts as none. */
export function readFacts(stateDir: string, log?: Log): SiteFacts {
  const news = [TAKEN, NEWS].flatMap((name) => newsIn(join(stateDir, name)));
  return news.reduce(withNews, readFile(join(stateDir, NAME), log));
}

function readFile(path: string, log?: Log): SiteFacts {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(path, 'utf8'));
    if (typeof value === 'object' && value !== null && 'awaited' in value && Array.isArray(value.awaited))
      return value as SiteFacts;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') log?.warn({ reason: messageOf(error) }, `${NAME} cannot be read`);
  }
  return { awaited: [] };
}

function newsIn(path: string): News[] {
  const text = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as News];
    } catch {
      return []; // the last one, or half a line that a killed receiver has left
    }
  });
}

function withNews({ awaited, ...facts }: SiteFacts, { awaited: article, ...news }: News): SiteFacts {
  const others = awaited.filter(({ path }) => path !== article?.path);
  return { ...facts, ...factsIn(news), awaited: article === undefined ? awaited : [...others, article] };
}

/** What news change of the facts: a commit after one that failed says that commits work again. */
export function factsIn({ awaited: _, ...news }: News): Partial<SiteFacts> {
  return news.commit === undefined ? news : { ...news, commitError: undefined };
}

/** Keeps the facts in memory, and in a file of the state folder: a hint for people, by which nothing is decided. */
export function openFacts(stateDir: string, log: Log): FactsKeeper {
  return keepInFile(join(stateDir, NAME), readFacts(stateDir, log), WRITE_AFTER_MS, (error) =>
    // /healthz?verbose still shows the facts.
    log.debug({ reason: messageOf(error) }, `${NAME} cannot be written`),
  );
}

/** The facts of a site, as one of the receivers on its folder has them; see `shareFacts`. */
export interface SharedFacts {
  now(): SiteFacts;
  /** Keeps the facts from now on. @returns undefined where another receiver keeps them. */
  keep(): Promise<FactsKeeper | undefined>;
  /** Tells the receiver that keeps the facts what this one has seen. */
  post(news: News): void;
  /** Where this receiver keeps the facts: calls `note` with what was posted since the last time. */
  takeNews(note: (news: News) => void): Promise<void>;
  /** Lets another receiver keep the facts. */
  close(): Promise<void>;
}

/** One of the receivers on a folder keeps the facts, until it ends; the others tell it what they have seen, and read. */
export function shareFacts(stateDir: string, helper: LockHelper, log: Log): SharedFacts {
  const [posted, taken] = [NEWS, TAKEN].map((name) => join(stateDir, name)) as [string, string];
  let lock: number | undefined;
  let kept: FactsKeeper | undefined;
  let taking: Promise<void> | undefined;

  async function take(): Promise<void> {
    try {
      lock = await takeKernelLock(join(stateDir, 'facts.lock'), helper, 0);
    } catch (error) {
      if (error instanceof PressmarkError && error.code === 'LOCK_TIMEOUT') return;
      // On a full disk, say, where the facts in memory are all that there is.
      log.debug({ reason: messageOf(error) }, 'the lock of the facts cannot be taken');
    }
    kept = openFacts(stateDir, log);
    await writeThenForget(kept);
  }

  /** News that are in the file of the facts need no file of their own. */
  async function writeThenForget(facts: FactsKeeper): Promise<void> {
    facts.set({});
    await facts.close();
    fs.rmSync(taken, { force: true });
  }

  return {
    now: () => kept?.now ?? readFacts(stateDir),
    keep: async () => {
      if (kept === undefined) {
        taking ??= take().finally(() => {
          taking = undefined;
        });
        await taking;
      }
      return kept;
    },
    post: (news) => {
      try {
        fs.appendFileSync(posted, `${JSON.stringify(news)}\n`);
      } catch (error) {
        log.debug({ reason: messageOf(error) }, `${NEWS} cannot be written`);
      }
    },
    takeNews: async (note) => {
      if (kept === undefined || !fs.existsSync(posted) || fs.existsSync(taken)) return;
      fs.renameSync(posted, taken); // what comes from now on is in another file
      for (const news of newsIn(taken)) note(news);
      await writeThenForget(kept);
    },
    close: async () => {
      await taking;
      await kept?.close();
      if (lock !== undefined) fs.closeSync(lock);
      lock = undefined;
    },
  };
}
