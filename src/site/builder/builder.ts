import { hash } from 'node:crypto';
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { noAdditions } from '../../host/pages/page-additions.js';
import { createCatalog } from '../../store/catalog/catalog.js';
import { openArticles } from '../index/articles.js';
import { derivedData } from '../index/derived-data.js';
import { type SiteIndex, siteIndex } from '../index/site-index.js';
import { type BuildRequest, BuildStopped, type SiteOptions, type SiteReport } from '../options.js';
import { articlePage, articlePages } from '../outputs/articles.js';
import { planAll, reservedPlaces, type Sources } from '../outputs/output.js';
import { siteOutputs } from '../outputs/outputs.js';
import type { Planned } from '../planned.js';
import { peopleMarkdown } from '../render/people-markdown.js';
import { parseKeyOf, type RenderContext, renderContexts } from '../render/render-context.js';
import { loadTheme } from '../render/theme.js';
import { HASHED } from '../render/theme-files.js';
import { type BuildReportKeeper, startReport } from './build-report.js';
import { takeBuilderLock } from './builder-lock.js';
import { filesOfPressmark, refuseForeignOutput } from './ownership.js';
import { type BuiltFile, openBuildState, outputDigest } from './state.js';
import { openWriter, type Writer } from './writer.js';

/** The longest that a build keeps its thread from hearing of anything else, in milliseconds. */
const PAUSE_AFTER_MS = 10;

/** A file of which nothing is known but that it was made here. */
const UNKNOWN: BuiltFile = { key: '', digest: '' };

/** After so long without a build, what was built is saved, in milliseconds. */
const SAVE_AFTER_MS = 2_000;

/** Builds one site; see `createBuilder`. */
export interface Builder {
  /**
   * Brings the output up to date: with all files and the theme, or after these files (below the content folder) may have
   * changed. Requests that come while a build runs are answered by the next one; the pages of their articles are made at
   * once.
   *
   * @throws BuildStopped where the builder was closed in the middle of a build of everything.
   */
  build(work: readonly string[] | 'all', request?: BuildRequest): Promise<SiteReport>;
  /** The articles that have a page, newest first; undefined before the first build. */
  pages(): readonly BuiltPage[] | undefined;
  /**
   * The page of an article whose file is not stored, as it would be now; undefined before the first build, and where the
   * site would have no page of it.
   *
   * @param path below the content folder.
   */
  preview(path: string, text: string): Promise<string | undefined>;
  /** Builds the changes that wait, ends a build of everything, saves what was built, and lets go of everything. */
  close(): Promise<void>;
}

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
  /** Whether the pages of its articles were made ahead of the build that answers it. */
  isAhead: boolean;
  resolve(report: SiteReport): void;
  reject(error: unknown): void;
}

/**
 * The builder of one site. Each build plans all files of the site with a key of what they are made of, and makes those
 * whose key has changed: first the pages of the articles that were asked for, then all others.
 */
export function createBuilder(options: SiteOptions): Builder {
  const { content, site, log, outputDir, stateDir } = options;
  const { additions = noAdditions() } = options;
  const markdown = peopleMarkdown(additions, log);
  const data = derivedData(additions.data, log);
  const articles = openArticles(content, site, options.catalog ?? createCatalog(), log, { markdown, data });
  const pages = articlePages(articles);
  const outputs = siteOutputs(options, pages, articles);
  const reserved = reservedPlaces(outputs);
  const state = openBuildState(stateDir, outputDir, log);
  // What is kept of articles is made of their HTML.
  const isExtended = markdown !== undefined || additions.data.size > 0;
  const parseKey = `${parseKeyOf(content)}${isExtended ? (options.setupKey?.() ?? '') : ''}`;
  /** The files of the output as they were built. */
  const built = new Map<string, BuiltFile>();
  /** The keys with which files could not be made. */
  const failed = new Map<string, string>();
  /** Articles without a page that the log has named. */
  const named = new Set<string>();
  const waiting: Waiting[] = [];
  let contexts: ReturnType<typeof renderContexts> | undefined;
  let writer: Writer | undefined;
  let lock: number | undefined;
  let index: SiteIndex | undefined;
  let working: Promise<void> | undefined;
  let saveTimer: NodeJS.Timeout | undefined;
  let isClosing = false;
  let lastPause = 0;
  /** Filters that were switched off when files were planned. */
  let switchedOff = '';

  function build(work: readonly string[] | 'all', request: BuildRequest = {}): Promise<SiteReport> {
    return new Promise((resolve, reject) => {
      waiting.push({ ...request, work, isAhead: false, resolve, reject });
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
      try {
        const report = startReport();
        await buildOnce(served, report);
        const made = report.result(outputDigest(built));
        for (const { resolve } of served) resolve(made);
      } catch (error) {
        for (const { reject } of served) reject(error);
      }
    }
  }

  /** Takes the output over from the process that has built it, once. @throws PressmarkError CONFIG_INVALID */
  async function open(): Promise<Writer> {
    if (writer !== undefined) return writer;
    lock ??= await takeBuilderLock(stateDir, { log, isWanted: () => !isClosing, ...options.lock });
    const saved = state.load();
    if (saved === undefined) {
      refuseForeignOutput(options, basename(outputDir));
      takeOverFiles();
    } else {
      for (const [path, file] of saved.files) built.set(path, file);
      articles.restore(saved, saved.parseKey === parseKey);
    }
    for (const path of state.added()) if (!built.has(path)) built.set(path, UNKNOWN);
    writer = openWriter(outputDir, join(stateDir, 'build'), log);
    return writer;
  }

  async function buildOnce(served: readonly Waiting[], report: BuildReportKeeper): Promise<void> {
    const output = await open();
    // The first build looks at everything: files may have changed while no builder was there.
    const isAll = index === undefined || served.some(({ work }) => work === 'all');
    const paths = served.flatMap(({ work }) => (work === 'all' ? [] : work));
    if (isAll) contexts = undefined;
    if (isAll) failed.clear();
    if (served.some(({ force }) => force)) forgetKeys();
    articles.read(paths);
    if (isAll) await articles.readAll(() => pause(isAll));
    const sources = readSources();
    /** What was made already, from these sources or from newer ones. */
    const done = new Set<string>();
    for (const path of paths) await makePageOf(path, sources, output, report, done);

    // To plan a large site takes longer than a new article's page may wait.
    const planned: Planned[] = [];
    for (const file of planAll(outputs, sources)) {
      planned.push(file);
      if (await pause(isAll)) await makeAhead(output, report, done);
    }
    const isPlanned = new Set(planned.map(({ path }) => path));
    const onProgress = served.find((one) => one.onProgress !== undefined)?.onProgress;
    for (const [number, file] of planned.entries()) {
      if (!done.has(file.path)) await make(file, output, report, isAll);
      onProgress?.(number + 1, planned.length);
      if (await pause(isAll)) await makeAhead(output, report, done);
    }
    for (const path of [...built.keys()])
      if (!isPlanned.has(path) && !done.has(path)) await remove(path, output, report);
    for (const path of [...failed.keys()]) if (!isPlanned.has(path)) failed.delete(path);
    report.logFailures(log);
  }

  /** Another index and context for what the articles are now. */
  function readSources(): Sources {
    index = siteIndex(
      articles.entries.values(),
      articles.texts,
      (file) => reserved.test(file),
      options.termSlug,
    );
    nameWithoutPage(index);
    switchedOff = options.hooks.switchedOff();
    return { index, context: contextOf(index), partsOf: data.partsIn(index) };
  }

  /** The theme with an index; it is read again by each build of everything. */
  function contextOf(shown: SiteIndex): RenderContext {
    contexts ??= renderContexts(loadTheme(options.themeDirs, site), options);
    return contexts(shown);
  }

  /** Makes the pages of the articles that have changed since the build began; the next build makes all else. */
  async function makeAhead(output: Writer, report: BuildReportKeeper, done: Set<string>): Promise<void> {
    const requests = waiting.filter(({ isAhead }) => !isAhead);
    const paths = requests.flatMap(({ work }) => (work === 'all' ? [] : work));
    for (const request of requests) request.isAhead = true;
    if (paths.length === 0) return;
    articles.read(paths);
    const sources = readSources();
    for (const path of paths) await makePageOf(path, sources, output, report, done);
  }

  /** Makes the page of the article in a file. */
  async function makePageOf(
    path: string,
    sources: Sources,
    output: Writer,
    report: BuildReportKeeper,
    done: Set<string>,
  ): Promise<void> {
    const post = sources.index.find(path);
    if (post === undefined || isOwnFile(post.file, sources)) return;
    await make(pages.planOne(post, sources), output, report, false);
    done.add(post.file);
  }

  /** Whether the owner, or the theme, has a file of this name that stands in place of an article's page. */
  function isOwnFile(file: string, { context }: Sources): boolean {
    return context.files.has(file) || fs.existsSync(join(options.staticDir, file));
  }

  /**
   * Makes a file whose key has changed. A failure is this one's alone: the old file stays, and is tried again with another key
   * or by a build of everything.
   */
  async function make(
    { path, key, render, isWhole }: Planned,
    output: Writer,
    report: BuildReportKeeper,
    isChecked: boolean,
  ): Promise<void> {
    if (built.get(path)?.key === key && (!isChecked || output.exists(path))) return;
    if (failed.get(path) === key) {
      report.stillFailed();
      return;
    }
    try {
      const made = await render();
      // The article's file has changed since it was read: that change has a build of its own.
      if (made === undefined) return;
      const bytes = typeof made === 'string' ? Buffer.from(made) : made;
      await state.begin(path, !built.has(path));
      const isWritten = output.put(path, bytes);
      const isWithoutFilter = options.hooks.switchedOff() !== switchedOff;
      const isLasting = isWhole?.() !== false && !isWithoutFilter;
      built.set(path, { key: isLasting ? key : '', digest: hash('sha1', bytes, 'base64url') });
      failed.delete(path);
      report.made(path, bytes.length, isWritten);
    } catch (error) {
      failed.set(path, key);
      report.failed(path, error);
    }
  }

  async function remove(path: string, output: Writer, report: BuildReportKeeper): Promise<void> {
    // Pages that could not be made still need the style sheet and the pictures that they were made with.
    if (HASHED.test(path) && (failed.size > 0 || articles.hasBroken())) return;
    try {
      await state.begin(path, false);
      if (output.remove(path)) report.removed(path);
      built.delete(path);
    } catch (error) {
      report.failed(path, error);
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

  /** Takes over what an earlier life has built of which nothing is known. */
  function takeOverFiles(): void {
    for (const file of filesOfPressmark(outputDir)) if (!built.has(file)) built.set(file, UNKNOWN);
  }

  function forgetKeys(): void {
    for (const [path, file] of built) built.set(path, { ...file, key: '' });
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

  async function preview(path: string, text: string): Promise<string | undefined> {
    const draft = index === undefined ? undefined : articles.draftOf(path, text);
    if (index === undefined || draft === undefined) return undefined;
    return contextOf(index).render({ ...articlePage(draft.post, index, draft.text), extra: {} });
  }

  function save(): Promise<void> {
    const isCurrent = () => working === undefined;
    return state.save(() => ({ parseKey, files: [...built], ...articles.saved() }), isCurrent);
  }

  return {
    build,
    preview,
    pages: () =>
      index?.posts.toReversed().flatMap(({ file, url }) => {
        const known = built.get(file);
        return known === undefined ? [] : [{ file, url, digest: known.digest }];
      }),
    close: async () => {
      isClosing = true;
      while (working !== undefined) await working;
      clearTimeout(saveTimer);
      await save();
      if (lock !== undefined) fs.closeSync(lock);
      lock = undefined;
    },
  };
}
