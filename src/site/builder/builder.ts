import { setImmediate as nextTurn } from 'node:timers/promises';
import { noAdditions } from '../../host/pages/page-additions.js';
import { createCatalog } from '../../store/catalog/catalog.js';
import { openArticles, parseKeyOf } from '../index/articles.js';
import { derivedData } from '../index/derived-data.js';
import { peopleMarkdown } from '../index/people-markdown.js';
import { type SiteIndex, siteIndex } from '../index/site-index.js';
import { type BuildRequest, BuildStopped, type SiteOptions, type SiteReport } from '../options.js';
import { articlePage, articlePlanner } from '../outputs/articles.js';
import { type Planned, planAll, type Sources } from '../outputs/output.js';
import { reservedFiles, siteOutputs } from '../outputs/outputs.js';
import { isOwnFile } from '../outputs/site-files.js';
import { type Renderer, renderers } from '../render/render.js';
import { HASHED, loadTheme } from '../render/theme.js';
import { type BuildReportKeeper, startReport } from './build-report.js';
import { type OutputFolder, openOutputFolder } from './output-folder.js';

/** The longest that a build keeps its thread from hearing of anything else, in milliseconds. */
const PAUSE_AFTER_MS = 10;

/** After so long without a build, what was built is saved, in milliseconds. */
const SAVE_AFTER_MS = 2_000;

/** Builds one site; see `createBuilder`. */
export type Builder = ReturnType<typeof createBuilder>;

/** The page of an article as it was built last. */
export interface BuiltPage {
  /** Below the output folder. */
  readonly file: string;
  readonly url: string;
  readonly digest: string;
}

/** A request that waits for its build. */
interface Waiting extends BuildRequest {
  readonly work: readonly string[] | 'all';
  resolve(report: SiteReport): void;
  reject(error: unknown): void;
}

/** A build that is under way. */
interface Build {
  readonly output: OutputFolder;
  readonly report: BuildReportKeeper;
  /** The pages that were made from the sources that it plans from, or from newer ones. */
  readonly done: Set<string>;
}

/**
 * The builder of one site. Each build plans all files of the site with a key of what they are made of, and makes those
 * whose key has changed: first the pages of the articles that were asked for, then all others.
 */
export function createBuilder(options: SiteOptions) {
  const { content, site, log, hooks } = options;
  const { additions = noAdditions(), catalog = createCatalog() } = options;
  const markdown = peopleMarkdown(additions, log);
  const data = derivedData(additions.data, log);
  // What is kept of articles is made of their HTML, which plugins may extend.
  const isExtended = markdown !== undefined || additions.data.size > 0;
  const parseKey = `${parseKeyOf(content)}${isExtended ? (options.setupKey?.() ?? '') : ''}`;
  const articles = openArticles(content, site, catalog, log, { markdown, data, parseKey });
  const isReserved = reservedFiles(options.outputs);
  const planArticle = articlePlanner(articles);
  const outputs = siteOutputs(options, planArticle, articles, isReserved);
  /** Articles without a page that the log has named. */
  const named = new Set<string>();
  const waiting: Waiting[] = [];
  /** Of how many of these requests the articles' pages were made ahead of the build that answers them. */
  let ahead = 0;
  let folder: OutputFolder | undefined;
  let rendererOf: ReturnType<typeof renderers> | undefined;
  let index: SiteIndex | undefined;
  let working: Promise<void> | undefined;
  let saveTimer: NodeJS.Timeout | undefined;
  let isClosing = false;
  let lastPause = 0;

  /**
   * Brings the output up to date: with all files and the theme, or after these files (below the content folder) may have
   * changed. Requests that come while a build runs are answered by the next one; the pages of their articles are made at
   * once.
   *
   * @throws BuildStopped where the builder was closed in the middle of a build of everything.
   */
  function build(work: readonly string[] | 'all', request: BuildRequest = {}): Promise<SiteReport> {
    return new Promise((resolve, reject) => {
      waiting.push({ ...request, work, resolve, reject });
      start();
    });
  }

  function start(): void {
    clearTimeout(saveTimer);
    working ??= work().finally(() => {
      working = undefined;
      if (waiting.length > 0) start();
      else saveTimer = setTimeout(() => void save(), SAVE_AFTER_MS).unref();
    });
  }

  async function work(): Promise<void> {
    await nextTurn(); // requests of one turn are built together
    while (waiting.length > 0) {
      const served = waiting.splice(0);
      ahead = 0;
      try {
        const report = await buildOnce(served);
        for (const { resolve } of served) resolve(report);
      } catch (error) {
        for (const { reject } of served) reject(error);
      }
    }
  }

  /** Takes the output over, once. @throws PressmarkError CONFIG_INVALID */
  async function open(): Promise<OutputFolder> {
    if (folder !== undefined) return folder;
    const { saved, ...opened } = await openOutputFolder(options, () => !isClosing);
    if (saved !== undefined) articles.restore(saved);
    folder = opened;
    return folder;
  }

  async function buildOnce(served: readonly Waiting[]): Promise<SiteReport> {
    const report = startReport();
    const output = await open();
    const now: Build = { output, report, done: new Set() };
    // The first build looks at everything: files may have changed while no builder was there.
    const isAll = index === undefined || served.some(({ work }) => work === 'all');
    const paths = pathsIn(served);
    if (isAll) {
      rendererOf = undefined;
      output.forgetFailures();
    }
    if (served.some(({ force }) => force)) output.forgetKeys();
    const switchedOff = hooks.switchedOff();
    articles.read(paths);
    if (isAll) await articles.readAll(() => pause(isAll));
    const sources = readSources();
    await makePages(paths, sources, now);

    // To plan a large site takes longer than a new article's page may wait.
    const planned: Planned[] = [];
    for (const file of planAll(outputs, sources)) {
      planned.push(file);
      if (await pause(isAll)) await makeAhead(now);
    }
    const onProgress = served.find((one) => one.onProgress !== undefined)?.onProgress;
    for (const [number, file] of planned.entries()) {
      if (!now.done.has(file.path)) await output.make(file, report, isAll);
      onProgress?.(number + 1, planned.length);
      if (await pause(isAll)) await makeAhead(now);
    }
    const kept = new Set([...planned.map(({ path }) => path), ...now.done]);
    // Pages that could not be made still need the style sheet and the pictures that they were made with.
    const isNeeded = (path: string) => HASHED.test(path) && (output.hasFailures() || articles.hasBroken());
    await output.removeAllBut(kept, report, isNeeded);
    // Some files were made with a filter, some without it.
    if (hooks.switchedOff() !== switchedOff) output.forgetKeys();
    report.logFailures(log);
    return report.result(output.digest());
  }

  /** Another index and renderer for what the articles are now. */
  function readSources(): Sources {
    index = siteIndex(articles.entries.values(), articles.texts, isReserved, options.termSlug);
    nameWithoutPage(index);
    return { index, renderer: rendererFor(index), partsOf: data.partsIn(index) };
  }

  /** The theme with an index; it is read again by each build of everything. */
  function rendererFor(shown: SiteIndex): Renderer {
    rendererOf ??= renderers(loadTheme(options.themeDirs, site), options);
    return rendererOf(shown);
  }

  /** Makes the pages of the articles that have changed since the build began; the next build makes all else. */
  async function makeAhead(now: Build): Promise<void> {
    const paths = pathsIn(waiting.slice(ahead));
    ahead = waiting.length;
    if (paths.length === 0) return;
    articles.read(paths);
    await makePages(paths, readSources(), now);
  }

  /** Makes the pages of the articles in these files. */
  async function makePages(
    paths: readonly string[],
    sources: Sources,
    { output, report, done }: Build,
  ): Promise<void> {
    for (const path of paths) {
      const post = sources.index.find(path);
      if (post === undefined || isOwnFile(post.file, options.staticDir, sources)) continue;
      await output.make(planArticle(post, sources), report, false);
      done.add(post.file);
    }
  }

  /** Between two files: lets the thread hear of what comes. @returns whether it did. */
  async function pause(isAll: boolean): Promise<boolean> {
    if (performance.now() - lastPause < PAUSE_AFTER_MS) return false;
    await nextTurn();
    lastPause = performance.now();
    if (isClosing && isAll) throw new BuildStopped('the builder was closed in the middle of a build');
    return true;
  }

  /** Warns of articles that get no page, by an example. */
  function nameWithoutPage({ withoutPage }: SiteIndex): void {
    const found = withoutPage.filter(({ path }) => !named.has(path));
    const [example] = found;
    for (const { path } of found) named.add(path);
    if (example === undefined) return;
    const { path, url } = example;
    log.warn(
      { articles: found.length, path, url, site: site.url },
      'articles without a page: their URL is not one that this site serves, or another file has it',
    );
  }

  /**
   * The page of an article whose file is not stored, as it would be now; undefined before the first build, and where the
   * site would have no page of it.
   *
   * @param path below the content folder.
   */
  async function preview(path: string, text: string): Promise<string | undefined> {
    const draft = index === undefined ? undefined : articles.draftOf(path, text);
    if (index === undefined || draft === undefined) return undefined;
    return rendererFor(index).render({ ...articlePage(draft.post, index, draft.text), extra: {} });
  }

  /** The articles that have a page, newest first; undefined before the first build. */
  function pages(): readonly BuiltPage[] | undefined {
    return index?.posts.toReversed().flatMap(({ file, url }) => {
      const digest = folder?.digestOf(file);
      return digest === undefined ? [] : [{ file, url, digest }];
    });
  }

  async function save(): Promise<void> {
    await folder?.save(articles.saved, () => working === undefined);
  }

  /** Builds the changes that wait, ends a build of everything, saves what was built, and lets go of everything. */
  async function close(): Promise<void> {
    isClosing = true;
    while (working !== undefined) await working;
    clearTimeout(saveTimer);
    await save();
    folder?.close();
    folder = undefined;
  }

  return { build, pages, preview, close };
}

/** The files that requests name. */
function pathsIn(requests: readonly Waiting[]): string[] {
  return requests.flatMap(({ work }) => (work === 'all' ? [] : work));
}
