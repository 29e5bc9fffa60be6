import type { DeliveryRecord } from '../records.js';

/** A finished build. */
export interface BuildRecord {
  /** When it ended, ISO 8601. */
  readonly at: string;
  readonly ms: number;
  /** Who built the site: Pressmark, or the site's own generator. */
  readonly by: 'pressmark' | 'generator';
  /** `partly`: some pages stayed as they were. */
  readonly outcome: 'built' | 'partly' | 'failed';
  /** How many files of the output were written and removed. */
  readonly written: number;
  readonly removed: number;
  /** The end of what the build command printed, or what went wrong; empty if nothing did. Foreign text. */
  readonly output: string;
}

/** A finished deploy. */
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

/** An article that the site does not show, or not with its present text. */
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

/** The steps that followed a delivery; null for a step that has not happened, or is unknown. */
export interface DeliveryAftermath {
  /** The article's file, relative to the site's folder. */
  readonly path: string | null;
  readonly commit: { readonly at: string; readonly commit: string; readonly subject: string } | null;
  readonly build: BuildRecord | null;
  readonly deploys: readonly DeployRecord[];
  /** When the article was seen on its public page. */
  readonly live: { readonly at: string } | null;
  /** What the page showed instead, while Pressmark still looks for the article or waits for its review. */
  readonly awaited: { readonly found: string | null; readonly isInReview: boolean } | null;
  /** The reason why the site does not show it. */
  readonly leftOut: LeftOutArticle | null;
}

/** Builds and deploys of a site, as the service `builds`. Receivers on one folder share what is kept. */
export interface BuildsService {
  /** Who builds the site here; null if nobody does. */
  readonly by: BuildRecord['by'] | null;
  /** The names of the targets. */
  readonly targets: readonly string[];
  /** The last builds that changed something, failed or were asked for, newest first; 200 are kept. */
  builds(): Promise<readonly BuildRecord[]>;
  /** The last deploys, newest first; 200 are kept. */
  deploys(): Promise<readonly DeployRecord[]>;
  /** The articles that the site does not show, or not with their present texts. */
  leftOut(): Promise<readonly LeftOutArticle[]>;
  /** The steps that followed a delivery. */
  after(delivery: DeliveryRecord): Promise<DeliveryAftermath>;
  /** Starts a build of the site, even if nothing has changed. Resolves at once. */
  build(): Promise<void>;
  /** Starts a deploy to all targets, even if they are up to date. Resolves at once. */
  deploy(): Promise<void>;
}

/** How a site stands in git. */
export interface GitState {
  /** Why nothing is committed; null if articles are. */
  readonly because: string | null;
  /** Null if HEAD is detached. */
  readonly branch: string | null;
  /** The git operation that must end before anything is committed, as the end of a sentence. */
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
    /** The error message of git and of the remote. Foreign text. */
    readonly lastError: string | null;
    /** Whether the remote declined the push, by a rule or for lack of rights. */
    readonly isDeclined: boolean;
    readonly waitingFor: string | null;
    readonly pullRequest: { readonly url: string | null; readonly error: string | null } | null;
  } | null;
  /** The texts that updates replaced before they were committed, newest first; at most 100. */
  readonly replaced: readonly ReplacedText[];
}

/** A text that an update replaced before it was committed, kept as a file. */
export interface ReplacedText {
  /** Below the state folder. */
  readonly file: string;
  /** The article's file, relative to the site's folder. */
  readonly path: string;
  /** When it was replaced, ISO 8601. */
  readonly at: string;
}

/** The state of a site in git, as the service `git`. */
export interface GitService {
  state(): Promise<GitState>;
  /** The text of one of `replaced`; undefined if it is not there. Foreign text. */
  replacedText(file: string): Promise<string | undefined>;
}
