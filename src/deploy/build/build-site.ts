import { join } from 'node:path';
import { reusedCopy } from '../copy/site-copy.js';
import { readDeployState } from '../deploy-queue.js';
import { letIn } from './breaking-articles.js';
import {
  type ExcludedArticle,
  outputsFolder,
  presentOutput,
  readBuildState,
  writeBuildState,
} from './build-state.js';
import {
  type ArticleSource,
  type CompletePages,
  createCopyBuilds,
  type GeneratedSite,
} from './copy-builds.js';
import { digestOf, openGoodTexts } from './good-texts.js';
import { type ChangedFiles, replaceOutput } from './output-folder.js';
import type { PostbuildReport } from './postbuild.js';

export interface SiteBuildOptions extends GeneratedSite {
  readonly complete: CompletePages;
}

/** The outcome of a build. */
export type BuildOutcome =
  /** Nothing of the site has changed since the last good build. */
  | { readonly kind: 'current' }
  | {
      readonly kind: 'built';
      readonly ms: number;
      /** How often the command was run. */
      readonly runs: number;
      /** The end of its last output. */
      readonly printed: string;
      readonly changed: ChangedFiles;
      /** The articles that are new or changed in the output. */
      readonly articles: readonly { readonly path: string; readonly url: string }[];
      /** The articles that the output was built without. */
      readonly excluded: readonly ExcludedArticle[];
      /** Whether the next build tries them again. */
      readonly isRetryDue: boolean;
      readonly report: Pick<PostbuildReport, 'missing' | 'warnings'>;
    }
  | { readonly kind: 'failed'; readonly ms: number; readonly runs: number; readonly reason: string };

/** See `createSiteBuild`. */
export type SiteBuild = ReturnType<typeof createSiteBuild>;

/** Reasons to build a site although no file has changed. */
export interface BuildWish {
  /** When an article last became live or expired, in ms since 1970. If this differs, the output is outdated. */
  readonly lastStateChange: number;
  /** Whether somebody has requested a build. */
  readonly isForced: boolean;
}

/** The result of the search for breaking articles. */
type SearchResult =
  /** The site was built without the breaking articles, each with the end of the output of a failed build. */
  | { readonly kind: 'built'; readonly breaking: ReadonlyMap<string, string> }
  /** No article is the cause. */
  | { readonly kind: 'failed'; readonly reason: string };

const NONE_BREAKS: SearchResult = { kind: 'built', breaking: new Map() };

/** How much of a failed build's output is kept as the reason, in characters. */
const MOST_REASON = 4_000;

/**
 * Builds the site in a copy, checks the pages, and only then replaces the output. If a build fails, it is repeated with the
 * last good content; then newer articles are added again, and those that break the build are left out, as are articles with
 * malformed front matter. An article that was in the output before keeps its earlier text there. People's own posts are never
 * left out.
 *
 * A build leaves out what broke the previous one, so that good articles need not wait. The next build tries the excluded
 * articles again, as the cause may be gone, such as a full disk. So does the first one after a start, if nothing has changed.
 */
export function createSiteBuild(options: SiteBuildOptions) {
  const { siteDir, stateDir } = options;
  const output = join(siteDir, options.output);
  const copy = reusedCopy(options);
  /** Whether the next build tries the excluded articles again; undefined before the first build. */
  let isRetryDue: boolean | undefined;

  /** @throws the system's errors; PressmarkError SITE_TOO_LARGE, BUILD_FAILED if it was stopped. */
  async function build(signal: AbortSignal, wish: BuildWish): Promise<BuildOutcome> {
    const began = performance.now();
    const ms = () => Math.round(performance.now() - began);
    const state = readBuildState(stateDir);
    const { good, excluded: excludedBefore } = state;
    const { site, version } = await copy.synced();
    const { lastStateChange, isForced } = wish;
    const isOfNow = good?.version === version && good.lastStateChange === lastStateChange;
    // Then only the excluded articles are tried again.
    const isCurrent = isOfNow && !isForced && good.output === presentOutput(stateDir, output);
    const isRetry = isRetryDue ?? isCurrent;
    if (isCurrent && !(isRetry && excludedBefore.some(canBeRetried))) return { kind: 'current' };
    if (isRetry) isRetryDue = false;

    const goodTexts = openGoodTexts(stateDir); // another receiver may have built since
    const { articles, malformed, hidden } = options.articleSources(site.dir);
    for (const path of hidden) site.write(path, undefined);
    const texts = new Map([...articles, ...malformed].map(({ path, text }) => [path, text]));
    const digests = new Map([...texts].map(([path, text]) => [path, digestOf(text)]));
    const builds = createCopyBuilds({ site, texts, goodText: goodTexts.get, signal, options });

    function exclude(path: string, reason: string): ExcludedArticle {
      const digest = digests.get(path) ?? '';
      const before = excludedBefore.find((one) => one.path === path && one.digest === digest);
      const hasPrevious = goodTexts.get(path) !== undefined;
      const since = before?.since ?? now();
      return { path, digest, reason: reason.slice(0, MOST_REASON), hasPrevious, since };
    }

    const broken = malformed.map(({ path, reason }) => ({ ...exclude(path, reason), isMalformed: true }));
    const known = excludedBefore.filter((one) => canBeRetried(one) && digests.get(one.path) === one.digest);
    const held = isRetry ? broken : [...broken, ...known];
    const isHeld = new Set(held.map(({ path }) => path));
    const isGood = ({ path }: { path: string }) => goodTexts.digest(path) === digests.get(path);
    const isNew = (one: ArticleSource) => !isHeld.has(one.path) && !isGood(one);
    const waiting = (isCurrent ? known : articles.filter(isNew)).map(({ path }) => path);
    const searched = await search();
    if (searched.kind === 'failed') {
      await writeBuildState(stateDir, { ...state, excluded: [...known, ...broken] });
      return { kind: 'failed', ms: ms(), runs: builds.runs(), reason: searched.reason };
    }
    const { breaking } = searched;
    const excluded = [...held, ...[...breaking].map(([path, reason]) => exclude(path, reason))];
    if (isCurrent && breaking.size === known.length) {
      await writeBuildState(stateDir, { ...state, excluded });
      return { kind: 'current' };
    }

    const included = articles.filter(({ path }) => !isHeld.has(path) && !breaking.has(path));
    const links: string[] = [];
    const changed = await replaceOutput(join(site.dir, options.output), {
      path: output,
      outputsDir: outputsFolder(stateDir),
      inUse: () => Object.values(readDeployState(stateDir)).flatMap(({ deploying = [] }) => deploying),
      onSkipped: (link) => links.push(`the symbolic link ${link} in the output is left out`),
    });
    const newlyBuilt = included.filter((one) => !isGood(one));
    const previous = excluded.filter(({ hasPrevious }) => hasPrevious);
    goodTexts.keep(
      new Map(included.map(({ path, text }) => [path, text])),
      previous.map(({ path }) => path),
    );
    const outputName = presentOutput(stateDir, output) ?? '';
    await writeBuildState(stateDir, { good: { output: outputName, version, lastStateChange }, excluded });
    isRetryDue = !isRetry && excluded.some(canBeRetried);
    const { missing, warnings } = builds.report();
    return {
      kind: 'built',
      ms: ms(),
      runs: builds.runs(),
      printed: builds.printed(),
      changed,
      articles: newlyBuilt.map(({ path, url }) => ({ path, url })),
      excluded,
      isRetryDue,
      report: { missing, warnings: [...links, ...warnings] },
    };

    /** Builds with the last good content of the held articles and of these. @returns the reason of a failure. */
    function without(some: Iterable<string> = []): Promise<string | undefined> {
      return builds.run(new Set([...isHeld, ...some]));
    }

    /** Builds with all waiting articles, except those that break the build. */
    async function search(): Promise<SearchResult> {
      let failure = await without();
      // Tried once more: a failure that does not repeat itself, such as a network error, is not caused by an article.
      if (failure !== undefined && waiting.length > 0 && !isCurrent) failure = await without();
      if (failure === undefined) return NONE_BREAKS;
      // A build without all waiting articles shows whether an article is the cause at all. The present output was built so.
      const reason = waiting.length === 0 ? failure : isCurrent ? undefined : await without(waiting);
      if (reason !== undefined) return { kind: 'failed', reason };
      const breaking = await letIn(waiting, failure, without);
      const last = isCurrent && breaking.size === waiting.length ? undefined : await without(breaking.keys());
      return last === undefined ? { kind: 'built', breaking } : { kind: 'failed', reason: last };
    }
  }

  return {
    build,
    /** The folder of the copy. */ copyDir: copy.dir,
    /** Removes the copy. */ close: copy.remove,
  };
}

/** Whether an excluded article may succeed now. One with malformed front matter cannot before its file changes. */
function canBeRetried({ isMalformed }: ExcludedArticle): boolean {
  return isMalformed !== true;
}

function now(): string {
  return new Date().toISOString();
}
