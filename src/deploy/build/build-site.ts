import { hash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import type { Generator } from '../../generators/generator.js';
import { copySite, type SiteCopy, type SiteCopyOptions, type SiteVersion } from '../site-copy.js';
import { findBreakingArticles } from './breaking-articles.js';
import {
  type BuildState,
  buildFolder,
  builtDigest,
  type ExcludedArticle,
  isLinkToOutput,
  outputsFolder,
  readBuildState,
  writeBuildState,
} from './build-state.js';
import { type ChangedFiles, replaceOutput } from './output-folder.js';
import { outputsInUse } from './outputs-in-use.js';
import type { PostbuildReport } from './postbuild.js';
import { createPreviousTexts } from './previous-texts.js';
import { buildFailure, type RunBuild, withoutGitVariables } from './run-build.js';

/** An article file that Pressmark has stored, from which the generator makes a page. */
export interface ArticleSource {
  /** Relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly url: string;
  readonly text: string;
}

/** The article files of a site. */
export interface ArticleSources {
  readonly articles: readonly ArticleSource[];
  /** Articles whose front matter a person's edit has broken, and how. A generator stops at them, or builds something else. */
  readonly malformed: readonly (Omit<ArticleSource, 'url'> & { readonly reason: string })[];
}

export interface SiteBuildOptions {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  readonly stateDir: string;
  readonly command: string;
  /** The output folder, relative to the site's. */
  readonly output: string;
  /** Whether the output stays a folder; see `OutputPlace`. */
  readonly staysFolder: boolean;
  readonly generator: Pick<Generator, 'caches'>;
  readonly env: NodeJS.Dict<string>;
  /** Variables for the build command. */
  readonly variables: Readonly<Record<string, string>>;
  readonly repository?: SiteCopyOptions['repository'];
  /** How long one build may take, in milliseconds. */
  readonly timeoutMs?: number;
  readonly runBuild: RunBuild;
  /** The stored articles of a copy of the site. */
  articleSources(siteDir: string): ArticleSources;
  /**
   * Checks and completes the pages of the articles of a copy in an output, but for those at `excluded`.
   *
   * @throws PressmarkError BUILD_FAILED where that takes too long, with the article that was looked at.
   */
  complete(
    siteDir: string,
    output: string,
    excluded: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<PostbuildReport>;
}

/** An article that a build has brought into the output, or of which it has changed the text. */
export interface BuiltChange {
  readonly path: string;
  readonly url: string;
}

/** How a build ended. */
export type BuildOutcome =
  /** Nothing of the site has changed since the last good build. */
  | { readonly kind: 'current' }
  | {
      readonly kind: 'built';
      readonly ms: number;
      /** How often the command was run. */
      readonly runs: number;
      readonly changed: ChangedFiles;
      /** The id of the output that the changes were made to; undefined where that is not known, and before the first one. */
      readonly since: string | undefined;
      readonly articles: readonly BuiltChange[];
      /** The articles without which the output was built. */
      readonly excluded: readonly ExcludedArticle[];
      readonly report: Pick<PostbuildReport, 'checked' | 'missing' | 'skipped' | 'warnings'>;
    }
  | { readonly kind: 'failed'; readonly ms: number; readonly runs: number; readonly reason: string };

/** Builds a site again and again. */
export interface SiteBuild {
  /** @throws the system's errors; PressmarkError SITE_TOO_LARGE. The output is the last good one then. */
  build(signal: AbortSignal): Promise<BuildOutcome>;
  /** Removes the copy. */
  close(): void;
}

/** A build whose copy of the site is up to date. */
interface PreparedBuild {
  readonly site: SiteCopy;
  readonly version: string;
  /** Whether the output is of this version, so that all that is to be done is to try the excluded articles again. */
  readonly isRetry: boolean;
  readonly state: BuildState;
  /** The number of builds in a row that a crash has interrupted before this one. */
  readonly interrupted: number;
  /** By `performance.now()`. */
  readonly began: number;
  readonly signal: AbortSignal;
}

/** How many commits of an article are looked through for the text that the site shows. */
const MOST_COMMITS = 20;

/** The reason of a signal that ends a build as its receiver has crashed. */
export const CRASHED = 'the receiver has crashed';

/** So much of what a failed build printed is kept as the reason, in characters. */
const MOST_REASON = 4_000;

/**
 * Builds the site in a copy, checks the pages, and replaces the output only then. If a build fails because of an article
 * that has come since the last good build, the output is built without it. So it is where front matter is malformed. An
 * article that the output had before keeps its text there. Posts that people wrote are never excluded.
 *
 * A build leaves out what broke the one before, so that what is good need not wait. The next one, if the site is still the
 * same, tries the excluded articles again, one at a time where they fail together: what broke a build may have passed, as a
 * full disk does. Each is tried once for each state of the site, and after each start.
 */
export function createSiteBuild(options: SiteBuildOptions): SiteBuild {
  const { siteDir, stateDir, command, output } = options;
  const previous = createPreviousTexts(join(buildFolder(stateDir), 'previous'));
  let copy: SiteCopy | undefined;
  /** What `replacing` of the state is, should the build under way fail. */
  let replacing: BuildState['replacing'];
  /** The version of the site with which the excluded articles were last tried again. */
  let retriedVersion: string | undefined;

  async function build(signal: AbortSignal): Promise<BuildOutcome> {
    const began = performance.now();
    const { interrupted = 0, ...state } = readBuildState(stateDir);
    const { site, versionOf } = await syncedCopy(state);
    const path = join(siteDir, output);
    const isThere = options.staysFolder ? fs.existsSync(path) : isLinkToOutput(stateDir, path);
    const isCurrent = state.good?.version === versionOf() && isThere && !mayBeNewer(state, interrupted);
    const isRetry = isCurrent && retriedVersion !== versionOf() && state.excluded.some(canBeRetried);
    if (isCurrent && !isRetry) return { kind: 'current' };
    await writeBuildState(stateDir, { ...state, interrupted: interrupted + 1 });
    replacing = state.replacing;
    try {
      const version = versionOf();
      if (isRetry) retriedVersion = version;
      return await buildCopy({ site, version, isRetry, state, interrupted, began, signal });
    } catch (error) {
      // Not a crash. If the state cannot be written, as on a full disk, the next start only waits longer.
      if (signal.reason !== CRASHED)
        await writeBuildState(stateDir, { ...state, replacing }).catch(() => undefined);
      throw error;
    }
  }

  async function buildCopy(prepared: PreparedBuild): Promise<BuildOutcome> {
    const { site, version, isRetry, state, interrupted, began, signal } = prepared;
    const ms = () => Math.round(performance.now() - began);

    const { articles: files, malformed } = options.articleSources(site.dir);
    const texts = new Map([...files, ...malformed].map(({ path, text }) => [path, text]));
    const digests = new Map([...texts].map(([path, text]) => [path, digestOf(text)]));
    await recallPrevious(
      malformed.map(({ path }) => path),
      state,
    );
    const known = state.excluded.filter((one) => canBeRetried(one) && digests.get(one.path) === one.digest);
    const broken = malformed.map(({ path, reason }) => ({ ...excludedNow(path, reason), isMalformed: true }));
    const excluded = [...known, ...broken];
    let runs = 0;
    /** The articles without which the copy is, and was built. The last sync has restored all. */
    let builtWithout: ReadonlySet<string> | undefined;
    let report: PostbuildReport | undefined;

    /** @returns undefined where the build succeeded, else the reason. */
    async function run(without: ReadonlySet<string>): Promise<string | undefined> {
      for (const [path, text] of texts) site.write(path, without.has(path) ? previous.get(path) : text);
      runs++;
      builtWithout = without;
      const built = join(site.dir, output);
      fs.rmSync(built, { recursive: true, force: true });
      const result = await options.runBuild(runOf(site, signal));
      if (signal.aborted) throw new PressmarkError('BUILD_FAILED', 'the build was interrupted');
      if (result.kind !== 'built') return buildFailure(command, result);
      const gone = new Set([...without].filter((path) => previous.get(path) === undefined));
      try {
        report = await options.complete(site.dir, built, gone, signal);
      } catch (error) {
        if (error instanceof PressmarkError && error.code === 'BUILD_FAILED') return error.message;
        throw error;
      }
      return problemOf(built, report, output);
    }

    /** Lets the known articles in again. @returns those that still break the build, each with its reason of now. */
    async function retryKnown(): Promise<Map<string, string>> {
      const still = new Map<string, string>();
      const all = await run(pathsOf(broken));
      const [only, ...others] = known;
      if (all === undefined || only === undefined) return still;
      if (others.length === 0) return still.set(only.path, all);
      const waiting = pathsOf(known);
      for (const { path } of known) {
        waiting.delete(path);
        const reason = await run(new Set([...pathsOf(broken), ...still.keys(), ...waiting]));
        if (reason !== undefined) still.set(path, reason);
      }
      return still;
    }

    function excludedNow(path: string, reason: string): ExcludedArticle {
      const digest = digests.get(path) ?? '';
      const known = state.excluded.find((one) => one.path === path && one.digest === digest);
      const hasPrevious = previous.get(path) !== undefined;
      return { path, digest, reason: short(reason), hasPrevious, since: known?.since ?? now() };
    }

    function digestsAt(some: readonly ArticleSource[]): Readonly<Record<string, string>> {
      return Object.fromEntries(some.map(({ path }) => [path, digests.get(path) ?? '']));
    }

    async function failed(reason: string): Promise<BuildOutcome> {
      await writeBuildState(stateDir, { ...state, excluded });
      return { kind: 'failed', ms: ms(), runs, reason };
    }

    const still = isRetry ? await retryKnown() : undefined;
    if (still?.size === known.length) {
      const tried = known.map((one) => ({ ...one, reason: short(still.get(one.path) ?? one.reason) }));
      await writeBuildState(stateDir, { ...state, excluded: [...tried, ...broken] });
      return { kind: 'current' };
    }
    const before = new Set([...(still?.keys() ?? pathsOf(known)), ...pathsOf(broken)]);
    let first = isRetry ? undefined : await run(before);
    let breaking: ReadonlyMap<string, string> = new Map();
    const candidates = files
      .map(({ path }) => path)
      .filter((path) => !before.has(path) && state.good?.digests[path] !== digests.get(path));
    // A failure that does not repeat itself, such as a network error, is not an article's fault.
    if (first !== undefined && candidates.length > 0) first = await run(before);
    if (first !== undefined) {
      await recallPrevious(candidates, state);
      const found = await findBreakingArticles(candidates, first, (some) =>
        run(new Set([...before, ...some])),
      );
      if (found === undefined) return failed(first);
      breaking = found;
    }
    const without = new Set([...before, ...breaking.keys()]);
    if (!isEqual(builtWithout, without)) {
      // The last build of the search was another one.
      const again = await run(without);
      if (again !== undefined) return failed(again);
    }
    const all = [
      ...excluded.filter(({ path }) => before.has(path)),
      ...[...breaking].map(([path, reason]) => excludedNow(path, reason)),
    ].map((one) => ({ ...one, reason: short(still?.get(one.path) ?? one.reason) }));
    const included = files.filter(({ path }) => !without.has(path));
    const changedArticles = included.filter(({ path }) => state.good?.digests[path] !== digests.get(path));
    replacing = { ...state.replacing, ...digestsAt(changedArticles) };
    await writeBuildState(stateDir, { ...state, replacing, interrupted: interrupted + 1 });
    const links: string[] = [];
    const changed = await replaceOutput(join(site.dir, output), {
      path: join(siteDir, output),
      outputsDir: outputsFolder(stateDir),
      staysFolder: options.staysFolder,
      inUse: () => outputsInUse(stateDir),
      onSkipped: (link, why) => links.push(`the symbolic link ${link} in the output is left out: ${why}`),
    });
    const isSame = changed.written.length + changed.removed.length === 0 && !mayBeNewer(state, interrupted);
    const good = {
      at: now(),
      staysFolder: options.staysFolder,
      output: (isSame ? state.good?.output : undefined) ?? randomUUID(),
      version,
      digests: digestsAt(included),
    };
    await writeBuildState(stateDir, { good, excluded: all });
    previous.keepOnly(without);
    const { checked = 0, missing = [], skipped = [], warnings = [] } = report ?? {};
    return {
      kind: 'built',
      ms: ms(),
      runs,
      changed,
      since: mayBeNewer(state, interrupted) ? undefined : state.good?.output,
      articles: changedArticles.map(({ path, url }) => ({ path, url })),
      excluded: all,
      report: { checked, missing, skipped, warnings: [...links, ...warnings] },
    };
  }

  /** The copy with the site's files of now; texts that the output was made of are kept aside. */
  async function syncedCopy(state: BuildState): Promise<{ site: SiteCopy; versionOf: SiteVersion }> {
    const keep = (path: string, text: string) => {
      if (builtDigest(state, path) === digestOf(text)) previous.put(path, text);
    };
    copy ??= await copySite({
      siteDir,
      except: [...options.generator.caches, output],
      env: options.env,
      ...(options.repository !== undefined && { repository: options.repository }),
    });
    try {
      return { site: copy, versionOf: await copy.sync(keep) };
    } catch (error) {
      // Somebody may have removed it: folders for temporary files are cleaned up. The next build makes it anew.
      copy.remove();
      copy = undefined;
      throw error;
    }
  }

  /** Takes texts that the output was made of from git, where this process has not seen them: after a restart. */
  async function recallPrevious(paths: readonly string[], state: BuildState): Promise<void> {
    const { repository } = options;
    if (repository === undefined) return;
    for (const path of paths) {
      const digest = builtDigest(state, path);
      const kept = previous.get(path);
      if (digest === undefined || (kept !== undefined && digestOf(kept) === digest)) continue;
      const text = await textInHistory(repository, path, (one) => digestOf(one) === digest);
      if (text !== undefined) previous.put(path, text);
    }
  }

  function runOf(site: SiteCopy, signal: AbortSignal): Parameters<RunBuild>[0] {
    const { env, variables, timeoutMs } = options;
    return {
      command,
      cwd: site.dir,
      env: withoutGitVariables(env),
      variables,
      background: true,
      signal,
      ...(timeoutMs !== undefined && { timeoutMs }),
    };
  }

  return { build, close: () => copy?.remove() };
}

/** Whether the output may be newer than the last good build, so that no deploy has it: an earlier build was interrupted. */
function mayBeNewer({ replacing }: BuildState, interrupted: number): boolean {
  return interrupted > 0 || replacing !== undefined;
}

/** Why an output is not one that may be served; undefined where it may. */
function problemOf(built: string, { checked, missing }: PostbuildReport, output: string): string | undefined {
  if (!fs.existsSync(built))
    return `the build command succeeded, but there is no folder ${output}; set "output" to the folder that it writes`;
  if (fs.readdirSync(built).length === 0) return `the build command succeeded, but ${output} is empty`;
  const [first] = missing;
  if (first !== undefined && new Set(missing.map(({ file }) => file)).size === checked)
    return `the build command succeeded, but no article has a page; ${first.file}: ${first.reason}`;
  return undefined;
}

/** A text that a file of the site had in one of its last commits. */
async function textInHistory(
  { git, prefix }: NonNullable<SiteBuildOptions['repository']>,
  path: string,
  isWanted: (text: string) => boolean,
): Promise<string | undefined> {
  const options = { accept: [128] };
  const inRepository = `${prefix}${path}`;
  const log = ['log', `--max-count=${MOST_COMMITS}`, '--format=%H', 'HEAD', '--', inRepository];
  for (const commit of (await git(log, options)).stdout.split('\n')) {
    if (commit === '') continue;
    const { code, stdout } = await git(['cat-file', 'blob', `${commit}:${inRepository}`], options);
    if (code === 0 && isWanted(stdout)) return stdout;
  }
  return undefined;
}

/** Whether an excluded article may be built well now; malformed front matter is not built before the file changes. */
function canBeRetried({ isMalformed }: ExcludedArticle): boolean {
  return isMalformed !== true;
}

function pathsOf(articles: readonly ExcludedArticle[]): Set<string> {
  return new Set(articles.map(({ path }) => path));
}

function isEqual(a: ReadonlySet<string> | undefined, b: ReadonlySet<string>): boolean {
  return a?.size === b.size && [...b].every((path) => a.has(path));
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

function short(reason: string): string {
  return reason.slice(0, MOST_REASON);
}

function now(): string {
  return new Date().toISOString();
}
