import type { Article, ArticleDraft, ExtraKeys } from '../../article/article.js';
import type { ArticleState } from '../../article/publication.js';
import type {
  ArticleLink,
  ArticleOnPage,
  ArticleSummary,
  FeedItem,
  PageContext,
  SitemapItem,
} from '../pages/page-types.js';

/** The delivery that a draft comes from, and the stored article if it replaces one. */
export interface DraftContext {
  readonly event: 'article.published' | 'article.updated';
  readonly stored: Article | null;
}

/** The page that is being built. */
export interface PageInfo {
  /** `article`, `home`, `tag`, … */
  readonly kind: string;
  /** The page's path on the site, starting with a slash. */
  readonly path: string;
}

/** All filters, each with the value that it may change and its context. Names and order are public API. */
export interface Filters {
  /** The article before it is stored. Id, slug, URL, `jsonLd` and the item comment cannot be changed. */
  'article.draft': { value: ArticleDraft; context: DraftContext };
  /** The suggested slug; made safe and unique afterwards. Only for new articles. */
  'article.slug': { value: string; context: ArticleDraft };
  /** Additional front matter, for new articles and for updates; Pressmark's own keys are refused. */
  'article.frontMatter': { value: ExtraKeys; context: ArticleDraft };
  /** The data for a page's template. */
  'page.context': { value: PageContext; context: PageInfo };
  /** HTML at the end of the page's head. */
  'page.head': { value: string; context: PageContext };
  /**
   * The HTML of an article, or of a page that a person has written, before it is placed in its page. The item comment cannot be
   * removed.
   */
  'page.content': { value: string; context: PageContext };
  /** The whole page. */
  'page.html': { value: string; context: PageInfo };
  /** The articles on a page that lists them, such as the home page, the archive or the page of a tag, newest first. */
  'articles.listed': { value: readonly ArticleSummary[]; context: PageInfo };
  /** The related articles on the page of an article, the best first. */
  'article.related': { value: readonly ArticleLink[]; context: ArticleOnPage };
  /** The items of a feed, newest first; once for each of `feed.xml`, `rss.xml` and `feed.json`. */
  'feed.items': { value: readonly FeedItem[]; context: PageInfo };
  /** The addresses of the sitemap; of a large site, those of each of its files. */
  'sitemap.items': { value: readonly SitemapItem[]; context: PageInfo };
  /** The commit message without its trailers. */
  'git.message': { value: string; context: CommitMessageContext };
}

/** An article that was stored. */
export interface ArticleChange {
  readonly event: 'article.published' | 'article.updated';
  readonly article: Article;
  /** The file, relative to the site's folder, with forward slashes. */
  readonly path: string;
  /** The file's whole text, as it was stored. */
  readonly text: string;
  /** The delivery's `timestamp`. */
  readonly timestamp: string;
  /** The person's edit that an update has replaced, where there was one. */
  readonly replaced?: { readonly article: Article; readonly text: string };
}

/** The change that a commit is for; `article.edited` for a person's edit (`git.commitEdits`). */
export interface CommitMessageContext extends Omit<ArticleChange, 'event'> {
  readonly event: ArticleChange['event'] | 'article.edited';
}

/** A change that a person made in the content folder. */
export interface FileChange {
  readonly path: string;
  readonly id: string;
  readonly url: string;
}

/** An article that is now shown or hidden: its date has come, it has expired, or its file was changed. */
export interface StateChange extends FileChange {
  readonly state: ArticleState;
}

/** The outcome of a delivery. */
export interface DeliveryOutcome {
  readonly event: string | undefined;
  /** The plugin whose adapter received it; undefined for the webhook. */
  readonly adapter?: string;
  readonly id: string | undefined;
  /** Such as `stored`, `known`, `retry` or `found`, or a code of the error table. */
  readonly outcome: string;
  readonly status: number;
  readonly ms: number;
}

/** The result of a build. */
export interface BuildReport {
  /** The number of pages and other files that were rendered, changed or not. */
  readonly pages: number;
  /** Their size in bytes. */
  readonly bytes: number;
  readonly written: number;
  readonly removed: number;
  /** The files that were written or removed, relative to the output folder, with forward slashes. */
  readonly files: readonly string[];
  readonly ms: number;
}

/** A page that could not be built, or was built without a filter that failed, and the reason. */
export interface FailedPage {
  /** Relative to the output folder. */
  readonly page: string;
  readonly reason: string;
}

/** The result of a build by Pressmark itself, and the changes that it was for. */
export interface SiteBuilt extends BuildReport {
  /** The pages that could not be built and stayed as they were, and those that were built without a filter that has failed. */
  readonly failed: number;
  /** One of them for each reason. */
  readonly failures: readonly FailedPage[];
  /** Changes with the content of the output. */
  readonly output: string;
  /** The changed article files that it was for, relative to the site's folder; none if it was for everything. */
  readonly articles: readonly string[];
  /** When it began, by `performance.now()`: it contains everything stored before. */
  readonly began: number;
}

/** The result of a build by the site's own generator. */
export interface BuildDone {
  readonly ms: number;
  /** When it began, by `performance.now()`: it contains everything stored before, except articles that were left out. */
  readonly began: number;
  /** How often the build command was run: more than once if an article broke the build, 0 if nothing has changed. */
  readonly runs: number;
  /** The end of what the build command printed last. Foreign text. */
  readonly output?: string;
  /** Files of the output, relative to it, with forward slashes. */
  readonly written: readonly string[];
  readonly removed: readonly string[];
  /** The articles that are new or changed in the output. */
  readonly articles: readonly { readonly path: string; readonly url: string }[];
}

/** A change of the site's output. */
export interface SiteChanged {
  /** The files of the output that were written or removed, relative to it, with forward slashes. */
  readonly files: readonly string[];
  /** The article files, relative to the site's folder, that it was built for; none if it was built for everything. */
  readonly articles: readonly string[];
}

/** All actions and their arguments. Names and order are public API. */
export interface Actions {
  'article.published': ArticleChange;
  'article.updated': ArticleChange;
  /**
   * A new file of a person, `git pull` or another receiver, or of a delivery that was answered with an error. When that is sent
   * again, `article.published` runs as well.
   */
  'article.created': FileChange;
  'article.edited': FileChange;
  'article.removed': FileChange;
  'article.stateChanged': StateChange;
  'delivery.accepted': DeliveryOutcome;
  'delivery.refused': DeliveryOutcome;
  'site.built': SiteBuilt;
  /** The index of the site's search has changed, some time after its pages. */
  'search.written': Record<string, never>;
  'build.done': BuildDone;
  /** A build has changed the output, by Pressmark or by the site's generator. */
  'site.changed': SiteChanged;
  /** A person or a plugin requests a build, even if nothing has changed. */
  'build.requested': {
    /**
     * The article files, relative to the site's folder, whose pages are made again even if nothing has changed. @default none
     */
    readonly articles?: readonly string[];
  };
  'build.failed': { readonly ms: number; readonly reason: string };
  /** A person or a plugin requests a deploy to all targets, even if they are up to date. */
  'deploy.requested': Record<string, never>;
  /** The output was deployed to a target of `deploy`. @param output the end of what its command printed. */
  'deploy.done': { readonly target: string; readonly ms: number; readonly output?: string };
  'deploy.failed': { readonly target: string; readonly ms: number; readonly error: string };
  /** An article that is new, updated or released was found on the public site (`liveCheck`); also one released while no receiver ran. */
  'article.live': {
    readonly id: string;
    readonly url: string;
    readonly path: string;
    /** When its delivery was answered, or it was released, ISO 8601. */
    readonly at: string;
    /** The time since then. */
    readonly ms: number;
  };
  'git.committed': { readonly commit: string; readonly path: string; readonly subject: string };
  /** The remote has this commit and all commits before it. */
  'git.pushed': { readonly commit: string; readonly branch: string };
  /** The branch into which pull requests are merged has this commit; also at a start. */
  'git.merged': { readonly commit: string; readonly branch: string };
  /** A stored article could not be committed; the commit is tried again, unless git refuses the file. Once for each reason. */
  'git.failed': { readonly path: string; readonly reason: string };
  'host.ready': { readonly url: string };
  'host.closing': Record<string, never>;
}

export type FilterName = keyof Filters;
export type ActionName = keyof Actions;

/** Where a plugin's code runs: in the process that answers the webhook, or in the builder. */
export type Face = 'receiver' | 'pages';

/** Where each filter is applied. */
export const FILTERS = {
  'article.draft': 'receiver',
  'article.slug': 'receiver',
  'article.frontMatter': 'receiver',
  'git.message': 'receiver',
  'page.context': 'pages',
  'page.head': 'pages',
  'page.content': 'pages',
  'page.html': 'pages',
  'articles.listed': 'pages',
  'article.related': 'pages',
  'feed.items': 'pages',
  'sitemap.items': 'pages',
} as const satisfies Readonly<Record<FilterName, Face>>;

/** Whether a job can follow an action: only if a crash cannot lose the action. */
type ForJobs = 'job' | 'hint';

/** Which actions jobs can follow. All actions run in the receiver; `host.closing` runs in the builder too. */
export const ACTIONS = {
  'article.published': 'job',
  'article.updated': 'job',
  'article.live': 'job',
  'article.created': 'hint',
  'article.edited': 'hint',
  'article.removed': 'hint',
  'article.stateChanged': 'hint',
  'delivery.accepted': 'hint',
  'delivery.refused': 'hint',
  'site.built': 'hint',
  'search.written': 'hint',
  'build.done': 'hint',
  'site.changed': 'hint',
  'build.requested': 'hint',
  'build.failed': 'hint',
  'deploy.requested': 'hint',
  'deploy.done': 'hint',
  'deploy.failed': 'hint',
  'git.committed': 'hint',
  'git.pushed': 'hint',
  'git.merged': 'hint',
  'git.failed': 'hint',
  'host.ready': 'hint',
  'host.closing': 'hint',
} as const satisfies Readonly<Record<ActionName, ForJobs>>;

type KeysWith<Table, Value> = { [Key in keyof Table]: Table[Key] extends Value ? Key : never }[keyof Table];

export type PagesFilterName = KeysWith<typeof FILTERS, 'pages'>;
/** The filters of the receiver, and those that plugins declare. */
export type ReceiverFilterName = Exclude<FilterName, PagesFilterName>;
export type PagesActionName = 'host.closing';
/** The actions that a job can follow, including those that plugins declare. */
export type JobEventName = Exclude<ActionName, KeysWith<typeof ACTIONS, 'hint'>>;

/** Whether a job can follow an action. It can follow each action that a plugin declares. */
export function isForJobs(action: string): boolean {
  return !Object.hasOwn(ACTIONS, action) || ACTIONS[action as keyof typeof ACTIONS] === 'job';
}

/** The hooks of a face, without those that plugins declare. */
export function hooksOf(face: Face): {
  readonly filter: readonly string[];
  readonly action: readonly string[];
} {
  return {
    filter: Object.entries(FILTERS).flatMap(([name, of]) => (of === face ? [name] : [])),
    action: face === 'receiver' ? Object.keys(ACTIONS) : ['host.closing' satisfies PagesActionName],
  };
}
