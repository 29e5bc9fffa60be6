import type { DeliveryRecord } from '../records.js';

/** A build that has ended. */
export interface BuildRecord {
  /** When it ended, ISO 8601. */
  readonly at: string;
  readonly ms: number;
  /** What has built: Pressmark, or the site's own generator. */
  readonly by: 'pressmark' | 'generator';
  /** `partly`: some pages stayed as they were. */
  readonly outcome: 'built' | 'partly' | 'failed';
  /** How many files of the output were written and removed. */
  readonly written: number;
  readonly removed: number;
  /** The end of what the build command printed, or what went wrong; empty if nothing did. Foreign text. */
  readonly output: string;
}

/** A deploy that has ended. */
export interface DeployRecord {
  /** When it ended, ISO 8601. */
  readonly at: string;
  /** Such as `folder /srv/www/site`. */
  readonly target: string;
  readonly ms: number;
  /** Why it failed, with the end of what its command printed; null if it did not. Foreign text. */
  readonly error: string | null;
  /** The end of what the command of a deploy that did not fail printed; empty if there is none. Foreign text. */
  readonly output: string;
}

/** An article that the site does not show as its file is. */
export interface LeftOutArticle {
  /** Its file, relative to the site's folder. */
  readonly path: string;
  /** Null if the file cannot be read. */
  readonly id: string | null;
  readonly url: string | null;
  /** `breaks`: the build fails with it. `malformed`: its file cannot be read. */
  readonly why: 'breaks' | 'malformed' | 'held' | 'scheduled' | 'expired';
  /** What the build printed, or what is wrong with the file. */
  readonly reason: string | null;
  /** Since when, or until when it is scheduled; ISO 8601. */
  readonly at: string | null;
  /** Whether the site shows its earlier text. */
  readonly hasPrevious: boolean;
}

/** What followed a delivery; null for a step that has not happened, or is unknown. */
export interface DeliveryAftermath {
  /** The article's file, relative to the site's folder. */
  readonly path: string | null;
  readonly commit: { readonly at: string; readonly commit: string; readonly subject: string } | null;
  readonly build: BuildRecord | null;
  readonly deploys: readonly DeployRecord[];
  /** When the article was seen on its public page. */
  readonly live: { readonly at: string } | null;
  /** What was seen there instead, where it is still looked for. */
  readonly awaited: { readonly found: string | null } | null;
  /** Why the site does not show it. */
  readonly leftOut: LeftOutArticle | null;
}

/** Builds and deploys of a site, as the service `builds`. Receivers on one folder share what is kept. */
export interface BuildsService {
  /** What builds the site here; null if nothing does. */
  readonly by: BuildRecord['by'] | null;
  /** The names of the targets. */
  readonly targets: readonly string[];
  /** The last builds that changed something, failed or were asked for, newest first; 200 are kept. */
  builds(): Promise<readonly BuildRecord[]>;
  /** The last deploys, newest first; 200 are kept. */
  deploys(): Promise<readonly DeployRecord[]>;
  /** The articles that the site does not show as their files are. */
  leftOut(): Promise<readonly LeftOutArticle[]>;
  /** What followed a delivery. */
  after(delivery: DeliveryRecord): Promise<DeliveryAftermath>;
  /** Has the site built, also where nothing has changed. It resolves at once. */
  build(): Promise<void>;
  /** Has the output brought to all targets, also where they have it. It resolves at once. */
  deploy(): Promise<void>;
}

/** How a site stands in git. */
export interface GitState {
  /** Why nothing is committed; null if articles are. */
  readonly because: string | null;
  /** Null if HEAD is on none. */
  readonly branch: string | null;
  /** What must end before anything is committed, as the end of a sentence. */
  readonly waitingFor: string | null;
  /** Files of articles that differ from the last commit, relative to the site's folder; 100 at most. */
  readonly uncommitted: readonly string[];
  readonly uncommittedTotal: number;
  /** Why the last commit failed. Foreign text. */
  readonly commitError: { readonly at: string; readonly path: string; readonly reason: string } | null;
  /** How pushes stand; null if nothing is pushed. */
  readonly push: {
    readonly lastPush: string | null;
    /** The commits that the remote does not have, newest first; 50 at most. */
    readonly waiting: readonly { readonly commit: string; readonly at: string; readonly subject: string }[];
    /** What went wrong, in the words of git and of the remote. Foreign text. */
    readonly lastError: string | null;
    /** Whether that was a rule of the remote, or the rights of this user. */
    readonly isDeclined: boolean;
    readonly waitingFor: string | null;
    readonly pullRequest: { readonly url: string | null; readonly error: string | null } | null;
  } | null;
  /** The texts that updates have replaced before git had them, newest first; 100 at most. */
  readonly replaced: readonly ReplacedText[];
}

/** A text that an update has replaced before git had it, kept as a file. */
export interface ReplacedText {
  /** Below the state folder. */
  readonly file: string;
  /** The article's file, relative to the site's folder. */
  readonly path: string;
  /** When it was replaced, ISO 8601. */
  readonly at: string;
}

/** What git has of a site, as the service `git`. */
export interface GitService {
  state(): Promise<GitState>;
  /** The text of one of `replaced`; undefined if it is not there. Foreign text. */
  replacedText(file: string): Promise<string | undefined>;
}
