import { setImmediate as nextTurn } from 'node:timers/promises';
import { createCatalog } from '../../store/catalog/catalog.js';
import { openSiteArticles } from '../index/articles.js';
import { derivedData } from '../index/derived-data.js';
import { peopleMarkdown } from '../index/people-markdown.js';
import { type SiteIndex, siteIndex } from '../index/site-index.js';
import type { SiteOptions } from '../options.js';
import { articlePage, articlePlanner } from '../outputs/articles.js';
import { openPlaces, planAll, reservedFiles, sitePlanners } from '../outputs/outputs.js';
import type { Planned, Sources } from '../outputs/planner.js';
import { isOwnFile, themeFiles } from '../outputs/site-files.js';
import { type Renderer, renderers } from '../render/render.js';
import { HASHED, loadTheme } from '../render/theme.js';
import { type BuildReportKeeper, type SiteReport, startReport } from './build-report.js';
import { type BuiltFiles, openBuiltFiles } from './built-files.js';

/** How long a build may keep its thread busy without a break, in milliseconds. */
const TURN_AFTER_MS = 10;

/** The delay between the last build and the save of its state, in milliseconds. */
const SAVE_AFTER_MS = 2_000;

/** Builds one site; see `createBuilder`. */
export type Builder = ReturnType<typeof createBuilder>;

/** The last built page of an article. */
export interface BuiltArticlePage {
  /** Below the output folder. */
  readonly file: string;
  readonly url: string;
  readonly digest: string;
}

/** Options for a build. */
export interface BuildRequest {
  /**
   * Files below the content folder whose pages are made again, or `all` for every file of the site. Only changed files are
   * written.
   *
   * @default none
   */
  readonly anew?: readonly string[] | 'all';
  /** Called after each file with the number of finished files and of all files. */
  onProgress?: ((done: number, of: number) => void) | undefined;
}

/** Rejects a build of everything when the builder is closed. */
class BuildStopped extends Error {}

/**
 * Creates the builder of one site. Each build plans all files of the site, each with a key of its inputs, and makes the files
 * whose key has changed. Pages of articles that come first (`first`) do not wait for the whole build: they are made between two
 * of its files. Other pages that show these articles are made by the next build.
 */
export function createBuilder(options: SiteOptions) {
  const { content, site, log, hooks, additions, catalog = createCatalog() } = options;
  const markdown = peopleMarkdown(additions, log);
  const data = derivedData(additions.data, log);
  // Reading depends on the format, and on plugins, which may extend people's Markdown.
  const parseKey = `${content.format.key} ${options.setupKey?.() ?? ''}`;
  const articles = openSiteArticles(content, site, catalog, log, { markdown, data, parseKey });
  const isReserved = reservedFiles(options.outputs);
  const planArticle = articlePlanner(articles);
  const planners = sitePlanners(options, planArticle, articles, isReserved);
  /** Articles without a page that were logged already. */
  const warnedOf = new Set<string>();
  let folder: BuiltFiles | undefined;
  /** Makes the renderer for an index. Undefined if the theme is to be read again, as by each build of everything. */
  let rendererOf: ReturnType<typeof renderers> | undefined;
  /** The latest index, which includes pages that were made between two files of a build. */
  let index: SiteIndex | undefined;
  /** Files below the content folder whose articles' pages are made first. */
  const waiting = new Set<string>();
  /**
   * The report of the next build. It also has the pages that were made in the middle of the current one, because it was
   * requested for those articles.
   */
  let nextReport = startReport();
  /** When a build may next be interrupted for pages that come first, by `performance.now()`. */
  let interruptibleAt = 0;
  /** Resolves when all requested builds have ended. */
  let building = Promise.resolve();
  /** The number of unfinished builds. */
  let unfinished = 0;
  let saveTimer: NodeJS.Timeout | undefined;
  let isClosing = false;
  let lastTurn = 0;

  /**
   * Updates the output: for all files and the theme, or for these files below the content folder, which may have changed.
   * Builds run one after the other.
   *
   * @throws BuildStopped if the builder was closed during a build of everything.
   */
  function build(work: readonly string[] | 'all', request: BuildRequest = {}): Promise<SiteReport> {
    clearTimeout(saveTimer);
    unfinished++;
    const report = building.then(() => buildOnce(work, request));
    building = report.then(ended, ended);
    return report;
  }

  /** Makes the pages of the articles in these files first, in the current build or the next one. */
  function first(paths: readonly string[]): void {
    for (const path of paths) waiting.add(path);
  }

  function ended(): void {
    unfinished--;
    if (unfinished === 0) saveTimer = setTimeout(() => void save(), SAVE_AFTER_MS).unref();
  }

  /** Opens the output at the first call. @throws PressmarkError CONFIG_INVALID */
  async function open(): Promise<BuiltFiles> {
    if (folder !== undefined) return folder;
    const { saved, ...opened } = await openBuiltFiles(options, () => !isClosing);
    if (saved !== undefined) articles.restore(saved);
    folder = opened;
    return folder;
  }

  async function buildOnce(
    work: readonly string[] | 'all',
    { anew = [], onProgress }: BuildRequest,
  ): Promise<SiteReport> {
    const began = performance.now();
    const report = nextReport;
    nextReport = startReport();
    const output = await open();
    // The first build checks everything, as files may have changed while no builder ran.
    const isAll = work === 'all' || index === undefined;
    const paths = work === 'all' ? [] : work;
    const switchedOff = hooks.switchedOff();
    const pause = () => betweenFiles(isAll, output, report);
    if (isAll) {
      rendererOf = undefined;
      output.forgetFailures();
      articles.readOwnerTexts();
      await articles.readAll(pause);
    }
    articles.read(paths);
    output.forgetKeys(
      anew === 'all' ? undefined : anew.flatMap((path) => articles.entries.get(path)?.file ?? []),
    );
    first(paths);
    const sources = await makeFirst(output, report);
    warnOfMissing(sources.index);

    const planned: Planned[] = [];
    const places = openPlaces();
    for (const file of planAll(planners, sources, places)) {
      planned.push(file);
      await pause();
    }
    // A former file can be in the place of a folder, or the other way round.
    await output.remove((path) => !places.has(path) && places.isBlocked(path), report);
    for (const [number, file] of planned.entries()) {
      await output.make(file, report, isAll);
      onProgress?.(number + 1, planned.length);
      await pause();
    }
    await output.remove((path) => {
      // Old versions of pages that could not be made still need their style sheet and pictures.
      const isNeeded = HASHED.test(path) && (report.hasUnmade() || articles.hasBroken());
      const isNew = index?.at(path) !== undefined; // made after this build was planned
      return !places.has(path) && !isNeeded && !isNew;
    }, report);
    // A filter was switched off during this build: some files were made with it, and others without. Its failure has already
    // requested the next build.
    if (hooks.switchedOff() !== switchedOff) output.forgetKeys();
    report.logFailures(log);
    return { ...report.result(output.digest(), began), paths: isAll ? [] : paths };
  }

  /** Makes the pages of the articles that come first. @returns the sources for the rest of the build. */
  async function makeFirst(output: BuiltFiles, report: BuildReportKeeper): Promise<Sources> {
    const paths = [...waiting];
    waiting.clear();
    articles.read(paths);
    const sources = sourcesNow();
    index = sources.index;
    // They link the theme's files by their hashes.
    for (const file of themeFiles(sources))
      if (HASHED.test(file.path)) await output.make(file, report, false);
    for (const post of paths.flatMap((path) => sources.index.find(path) ?? [])) {
      if (!isOwnFile(post.file, options.staticDir, sources))
        await output.make(planArticle(post, sources), report, false);
      await turn();
    }
    return sources;
  }

  /** Makes an index and a renderer for the present articles. */
  function sourcesNow(): Sources {
    const now = siteIndex(articles.entries.values(), articles.texts, isReserved, options.termSlug);
    return {
      index: now,
      renderer: rendererFor(now),
      derivedOf: data.derivedWith(now),
      builtAt: (place) => folder?.filesAt(place) ?? [],
    };
  }

  function rendererFor(shown: SiteIndex): Renderer {
    rendererOf ??= renderers(loadTheme(options.themeDirs, site), options);
    return rendererOf(shown);
  }

  /** Makes the pages that come first, between two files of a build. It takes at most half of the time, so that the build goes on. */
  async function betweenFiles(isAll: boolean, output: BuiltFiles, report: BuildReportKeeper): Promise<void> {
    await turn();
    if (isClosing && isAll) throw new BuildStopped('the builder was closed in the middle of a build');
    // Not before the first build has read all articles, as a page links the articles next to it.
    if (waiting.size === 0 || index === undefined || performance.now() < interruptibleAt) return;
    const began = performance.now();
    await makeFirst(output, {
      ...report,
      made: (...file) => {
        report.made(...file);
        nextReport.made(...file);
      },
    });
    interruptibleAt = 2 * performance.now() - began;
  }

  /** Lets the thread receive messages, if it was busy for `TURN_AFTER_MS`. */
  async function turn(): Promise<void> {
    if (performance.now() - lastTurn < TURN_AFTER_MS) return;
    await nextTurn();
    lastTurn = performance.now();
  }

  /** Warns of articles without a page, with one example. */
  function warnOfMissing({ withoutPage }: SiteIndex): void {
    const found = withoutPage.filter(({ path }) => !warnedOf.has(path));
    const [example] = found;
    for (const { path } of found) warnedOf.add(path);
    if (example === undefined) return;
    const { path, url } = example;
    log.warn(
      { articles: found.length, path, url, site: site.url },
      'articles without a page: this site does not serve their URL, or another file has it',
    );
  }

  /**
   * Renders the page that an unstored file would have now; undefined before the first build, or if the site would have no page
   * for it.
   *
   * @param path below the content folder.
   */
  async function preview(path: string, text: string): Promise<string | undefined> {
    const draft = index === undefined ? undefined : articles.draftOf(path, text);
    if (index === undefined || draft === undefined) return undefined;
    return rendererFor(index).render({ ...articlePage(draft.post, index, draft.text) });
  }

  /** Lists the pages of articles, newest first; undefined before the first build. */
  function pages(): readonly BuiltArticlePage[] | undefined {
    return index?.posts.toReversed().flatMap(({ file, url }) => {
      const digest = folder?.digestOf(file);
      return digest === undefined ? [] : [{ file, url, digest }];
    });
  }

  async function save(): Promise<void> {
    await folder?.save(articles.saved, () => unfinished === 0);
  }

  /**
   * Finishes the requested builds, except builds of everything, which are aborted. Then saves the state and releases the lock.
   */
  async function close(): Promise<void> {
    isClosing = true;
    await building;
    clearTimeout(saveTimer);
    await save();
    folder?.close();
    folder = undefined;
  }

  return { build, first, pages, preview, close };
}
