import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf, systemCode } from '../errors.js';
import { type KeptValue, keepInFile } from '../fs/kept-file.js';
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
  /** The last build without an error. */
  readonly build?: { readonly at: string };
  /** Why the build after it failed; undefined where it did not. */
  readonly buildError?: { readonly at: string; readonly reason: string } | undefined;
  /** The article that was last seen on its public page. */
  readonly live?: { readonly at: string; readonly id: string; readonly url: string };
  /** The articles that the live check has not seen yet, the oldest first; at most 1,000. */
  readonly awaited: readonly AwaitedArticle[];
}

/** The facts of a running receiver, which a file has, too; see `openFacts`. */
export type FactsKeeper = KeptValue<SiteFacts>;

/** Hosts and their caches take seconds to minutes; after this long somebody should look. In milliseconds. */
const OVERDUE_MS = 300_000;

/** Whether an article should have been seen on its page by now. */
export function isOverdue({ at }: AwaitedArticle, now = Date.now()): boolean {
  return now - Date.parse(at) > OVERDUE_MS;
}

const NAME = 'facts.json';

/** How long changes gather before the file is written, in milliseconds. */
const WRITE_AFTER_MS = 500;

/** The facts that the last receiver has left, for the next one and for `status`. A file that cannot be read counts as none. */
export function readFacts(stateDir: string, log?: Log): SiteFacts {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(join(stateDir, NAME), 'utf8'));
    if (typeof value === 'object' && value !== null && 'awaited' in value && Array.isArray(value.awaited))
      return value as SiteFacts;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') log?.warn({ reason: messageOf(error) }, `${NAME} cannot be read`);
  }
  return { awaited: [] };
}

/** Keeps the facts in memory, and in a file of the state folder: a hint for people, by which nothing is decided. */
export function openFacts(stateDir: string, log: Log): FactsKeeper {
  return keepInFile(join(stateDir, NAME), readFacts(stateDir, log), WRITE_AFTER_MS, (error) =>
    // /healthz?verbose still shows the facts.
    log.debug({ reason: messageOf(error) }, `${NAME} cannot be written`),
  );
}
