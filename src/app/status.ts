import { join } from 'node:path';
import type { Settings } from '../config/load.js';
import { type ExcludedArticle, readBuildState } from '../deploy/build/build-state.js';
import { type DeployState, readDeployState } from '../deploy/deploy-queue.js';
import { readFacts, type SiteFacts } from '../deploy/facts.js';
import { type PushStatus, readPushStatus } from '../git/push/push-status.js';
import { openRepository } from '../git/repository.js';
import { type OpenJob, readOpenJobs } from '../host/jobs/notes.js';
import type { ContentFolder } from '../store/catalog/content-folder.js';
import { type Entry, entryState, isUnread } from '../store/catalog/entry.js';
import { articlesInReview } from './articles/article-list.js';
import { readCatalog } from './articles/find-article.js';
import { addressChange, addressChangeText } from './articles/stored-urls.js';
import { builderOf, contentOf } from './content/content.js';
import { contentPrefix, foldersOf } from './content/folders.js';
import { isPushed, PUSH_STATUS, reviewConfig } from './git-settings.js';
import { type RunningReceiver, runningReceivers } from './running-receivers.js';

/** The facts that receivers have noted about a site. */
export interface NotedFacts {
  readonly facts: SiteFacts;
  /** The state of pushes; undefined if nothing is pushed. */
  readonly push: PushStatus | undefined;
  /** Whether receivers build the site. */
  readonly isBuiltHere: boolean;
  /** The state of each target of `deploy`, by its name. */
  readonly targets: DeployState;
  /** The articles that are left out because they break the build. */
  readonly excluded: readonly ExcludedArticle[];
}

/** The state of a site. */
export interface SiteStatus extends NotedFacts {
  /** The unfinished jobs of plugins, oldest first. */
  readonly jobs: readonly OpenJob[];
  /** The receivers that are running on this machine, newest first. */
  readonly receivers: readonly RunningReceiver[];
  /** The reason why a running receiver must be restarted; undefined if none must. */
  readonly restart: string | undefined;
  /** The scheduled articles, the next one first. */
  readonly scheduled: readonly ScheduledArticle[];
  /** The articles that are skipped because of errors in their files. */
  readonly malformed: readonly MalformedArticle[];
  /** The articles that wait for review; undefined if no pull request is wanted. */
  readonly review: ReviewStatus | undefined;
  /** The problem that a change of the site's address has caused, and the fix; undefined if there is none. */
  readonly addressChange: string | undefined;
}

/** An article that is skipped because of an error in its file. */
interface MalformedArticle {
  /** Relative to the site's folder. */
  readonly file: string;
  readonly reason: string;
  /** Whether the file cannot be read; otherwise its front matter is wrong. */
  readonly isUnread: boolean;
}

/** An article that has no page before its date. */
interface ScheduledArticle {
  /** Relative to the site's folder. */
  readonly file: string;
  readonly id: string;
  readonly url: string;
  /** When it is live, ISO 8601. */
  readonly liveAt: string;
}

/** How many articles wait for review, and where. */
export interface ReviewStatus {
  readonly waiting: number;
  /** The page of the open pull request; null if none is open. */
  readonly url: string | null;
  /** The reason why the pull request could not be updated; null if it could. */
  readonly error: string | null;
}

/** Reads the state of a site from its files; needs no running receiver. */
export async function siteStatus(settings: Settings): Promise<SiteStatus> {
  return siteStatusOf(settings, contentOf(settings), [...(await readCatalog(settings)).entries()]);
}

/** Like `siteStatus`, with articles that were read already. @param content in a receiver, it reads files in a thread. */
export async function siteStatusOf(
  settings: Settings,
  content: Pick<ContentFolder, 'root' | 'codec'>,
  entries: readonly Entry[],
): Promise<SiteStatus> {
  const receivers = await runningReceivers(settings);
  // A guessed address says nothing: the receiver's environment may have the real one.
  const change = settings.siteUrlIsGuess ? undefined : await addressChange(settings, content, entries);
  const words = change && addressChangeText(change, settings);
  const noted = notedFacts(settings);
  return {
    receivers,
    restart: await restartReason(settings, receivers),
    addressChange: words && `${words.text}; ${words.fix}`,
    ...noted,
    jobs: readOpenJobs(foldersOf(settings).stateDir),
    scheduled: scheduledIn(settings, entries),
    malformed: malformedIn(settings, entries),
    review: await reviewStatus(settings, noted.push),
  };
}

/** The reason why a running receiver must be restarted; undefined if none must. */
async function restartReason(
  settings: Settings,
  receivers: readonly RunningReceiver[],
): Promise<string | undefined> {
  const idle = receivers.find(({ commits }) => !commits);
  if (idle === undefined || settings.git === false) return undefined;
  const repository = await openRepository(settings.dir, settings.environment);
  if (repository.kind === 'none') return undefined;
  return `the receiver (process ${idle.pid}) commits nothing, as git could not be used when it was started`;
}

async function reviewStatus(
  settings: Settings,
  push: PushStatus | undefined,
): Promise<ReviewStatus | undefined> {
  if (reviewConfig(settings) === undefined) return undefined;
  const waiting = (await articlesInReview(settings))?.size ?? 0;
  const { url = null, error = null } = push?.pullRequest ?? {};
  return { waiting, url, error };
}

/** Reads the facts that receivers have noted. */
export function notedFacts(settings: Settings): NotedFacts {
  const { stateDir } = foldersOf(settings);
  const { excluded } = readBuildState(stateDir);
  return {
    facts: readFacts(stateDir),
    push: isPushed(settings) ? readPushStatus(join(stateDir, PUSH_STATUS)) : undefined,
    isBuiltHere: builderOf(settings) !== null,
    targets: readDeployState(stateDir),
    excluded,
  };
}

/** The scheduled articles, the next one first. */
function scheduledIn(settings: Settings, entries: readonly Entry[]): ScheduledArticle[] {
  const prefix = contentPrefix(settings);
  const now = Date.now();
  return entries
    .flatMap((entry) => {
      const { path, id, url, from, broken } = entry;
      if (broken !== undefined || from === undefined || entryState(entry, now) !== 'scheduled') return [];
      return [{ file: `${prefix}${path}`, id, url, liveAt: new Date(from).toISOString() }];
    })
    .toSorted((a, b) => (a.liveAt < b.liveAt ? -1 : 1));
}

/** The articles whose files are malformed or cannot be read. */
function malformedIn(settings: Settings, entries: readonly Entry[]): MalformedArticle[] {
  const prefix = contentPrefix(settings);
  return entries.flatMap((entry) => {
    const { path, broken, isUnsupported = false } = entry;
    if (broken === undefined || isUnsupported) return [];
    return [{ file: `${prefix}${path}`, reason: broken, isUnread: isUnread(entry) }];
  });
}
