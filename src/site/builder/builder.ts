import { posix } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createCatalog } from '../../store/catalog/catalog.js';
import type { Post } from '../index/article-entry.js';
import { openArticles, parseKeyOf } from '../index/articles.js';
import { derivedData } from '../index/derived-data.js';
import { peopleMarkdown } from '../index/people-markdown.js';
import { type SiteIndex, siteIndex } from '../index/site-index.js';
import type { SiteOptions } from '../options.js';
import { articlePage, articlePlanner } from '../outputs/articles.js';
import { planAll, reservedFiles, sitePlanners } from '../outputs/outputs.js';
import type { Planned, Sources } from '../outputs/planner.js';
import { isOwnFile } from '../outputs/site-files.js';
import { type Renderer, renderers } from '../render/render.js';
import { HASHED, loadTheme } from '../render/theme.js';
import { type BuildReportKeeper, type SiteReport, startReport } from './build-report.js';
import { type BuiltFiles, openBuiltFiles } from './built-files.js';

/** How long a build may keep its thread busy at a time, in milliseconds. */
const PAUSE_AFTER_MS = 10;

/** How long after the last build its state is saved, in milliseconds. */
const SAVE_AFTER_MS = 2_000;

/** Builds one site; see `createBuilder`. */
export type Builder = ReturnType<typeof createBuilder>;

/** The page of an article as it was built last. */
export interface BuiltArticlePage {
  /** Below the output folder. */
  readonly file: string;
  readonly url: string;
  readonly digest: string;
}

/** How a build is done. */
export interface BuildRequest {
  /**
   * Files below the content folder whose pages are made anew, or `all` for every file of the site. They are still only
   * written where they differ. @default none
   */
  readonly anew?: readonly string[] | 'all';
  /** Called after each file with how many are done and how many there are. */
  onProgress?: ((done: number, of: number) => void) | undefined;
}

/** What a build of everything ends with when the builder is closed. */
export class BuildStopped extends Error {}

/** A build that is asked for and has not begun. */
interface NextBuild {
  /** The files that it is for. */
  readonly paths: string[];
  isAll: boolean;
  anew: readonly string[] | 'all';
  onProgress: BuildRequest['onProgress'];
  /** The first so many of `paths` have their pages already. */
  madeAhead: number;
  readonly report: Promise<SiteReport>;
}

/** A build that is under way. */
interface Build {
  readonly output: BuiltFiles;
  readonly report: BuildReportKeeper;
  /** The pages that were made from the sources that it plans from, or from newer ones. */
  readonly done: Set<string>;
}

/**
 * The builder of one site. Each build plans all files of the site with a key of what they are made of, and makes those
 * whose key has changed: first the pages of the articles that were asked for, then all others.
 */
export function createBuilder(options: SiteOptions) {
  const { content, site, log, hooks, additions, catalog = createCatalog() } = options;
  const markdown = peopleMarkdown(additions, log);
  const data = derivedData(additions.data, log);
  // What is kept of articles is made of their HTML, which plugins may extend.
  const isExtended = markdown !== undefined || additions.data.size > 0;
  const parseKey = `${parseKeyOf(content)}${isExtended ? (options.setupKey?.() ?? '') : ''}`;
  const articles = openArticles(content, site, catalog, log, { markdown, data, parseKey });
  const isReserved = reservedFiles(options.outputs);
  const planArticle = articlePlanner(articles);
  const planners = sitePlanners(options, planArticle, articles, isReserved);
  /** Articles without a page that the log has named. */
  const warnedOf = new Set<string>();
  let next: NextBuild | undefined;
  let folder: BuiltFiles | undefined;
  /** What makes the renderer of an index; read again by each build of everything. */
  let theme: ReturnType<typeof renderers> | undefined;
  let index: SiteIndex | undefined;
  /** Ends with the builds that were asked for. */
  let working: Promise<void> | undefined;
  let saveTimer: NodeJS.Timeout | undefined;
  let isClosing = false;
  let lastPause = 0;

  /**
   * Brings the output up to date: with all files and the theme, or after these files (below the content folder) may have
   * changed. All that is asked for while a build runs is one build, the next, and gets one promise; the pages of its articles
   * are made at once.
   *
   * @throws BuildStopped if the builder was closed in the middle of a build of everything.
   */
  function build(
    work: readonly string[] | 'all',
    { anew = [], onProgress }: BuildRequest = {},
  ): Promise<SiteReport> {
    next ??= newBuild();
    if (work === 'all') next.isAll = true;
    else next.paths.push(...work);
    next.anew = next.anew === 'all' || anew === 'all' ? 'all' : [...next.anew, ...anew];
    next.onProgress ??= onProgress;
    return next.report;
  }

  /** A build that begins when the one before it has ended, or with the next turn. */
  function newBuild(): NextBuild {
    clearTimeout(saveTimer);
    const made: NextBuild = {
      paths: [],
      isAll: false,
      anew: [],
      onProgress: undefined,
      madeAhead: 0,
      report: (working ?? nextTurn()).then(() => buildOnce(made)),
    };
    const end = () => {
      if (working !== ended) return;
      working = undefined;
      saveTimer = setTimeout(() => void save(), SAVE_AFTER_MS).unref();
    };
    const ended: Promise<void> = made.report.then(end, end);
    working = ended;
    return made;
  }

  /** Takes the output over, once. @throws PressmarkError CONFIG_INVALID */
  async function open(): Promise<BuiltFiles> {
    if (folder !== undefined) return folder;
    const { saved, ...opened } = await openBuiltFiles(options, () => !isClosing);
    if (saved !== undefined) articles.restore(saved);
    folder = opened;
    return folder;
  }

  async function buildOnce({ paths, anew, onProgress, ...asked }: NextBuild): Promise<SiteReport> {
    next = undefined;
    const report = startReport();
    const output = await open();
    const current: Build = { output, report, done: new Set() };
    // The first build looks at everything: files may have changed while no builder was there.
    const isAll = index === undefined || asked.isAll;
    if (isAll) {
      theme = undefined;
      output.forgetFailures();
    }
    const switchedOff = hooks.switchedOff();
    articles.read(paths);
    if (isAll) {
      articles.readOwnerTexts();
      // A new article's page does not wait for the reading of all others, unless it shows data that is made of them.
      const isAhead = additions.data.size === 0;
      if (isAhead && paths.length > 0) await makePages(paths, sourcesNow(), current, isWhereStored);
      await articles.readAll(async () => {
        if ((await pause(isAll)) && isAhead) await makeAhead(current, isWhereStored);
      });
      // It is made again, as it may show others then.
      output.forgetKeys(current.done);
      current.done.clear();
    }
    const sources = sourcesNow();
    index = sources.index;
    warnOfMissing(index);
    output.forgetKeys(
      anew === 'all' ? undefined : anew.flatMap((path) => sources.index.find(path)?.file ?? []),
    );
    await makePages(paths, sources, current);

    // To plan a large site takes longer than a new article's page may wait.
    const planned: Planned[] = [];
    for (const file of planAll(planners, sources)) {
      planned.push(file);
      if (await pause(isAll)) await makeAhead(current);
    }
    for (const [number, file] of planned.entries()) {
      if (!current.done.has(file.path)) await output.make(file, report, isAll);
      onProgress?.(number + 1, planned.length);
      if (await pause(isAll)) await makeAhead(current);
    }
    const kept = new Set([...planned.map(({ path }) => path), ...current.done]);
    // Pages that could not be made still need the style sheet and the pictures that they were made with.
    const isNeeded = (path: string) => HASHED.test(path) && (report.hasUnmade() || articles.hasBroken());
    await output.removeAllBut(kept, report, isNeeded);
    // Some files were made with a filter, some without it.
    if (hooks.switchedOff() !== switchedOff) output.forgetKeys();
    report.logFailures(log);
    return { ...report.result(output.digest()), paths: isAll ? [] : paths };
  }

  /** Another index and renderer for what the articles are now. */
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
    theme ??= renderers(loadTheme(options.themeDirs, site), options);
    return theme(shown);
  }

  /** Makes the pages of articles that have changed since the build began; the next build makes the rest. */
  async function makeAhead(current: Build, mayBeMade?: (post: Post) => boolean): Promise<void> {
    const paths = next?.paths.slice(next.madeAhead) ?? [];
    if (next === undefined || paths.length === 0) return;
    next.madeAhead = next.paths.length;
    articles.read(paths);
    await makePages(paths, sourcesNow(), current, mayBeMade);
  }

  /**
   * Whether an article's file is where the receiver stores an article of this URL: no other one has the URL then. A file that
   * a person has copied may have that of an article that is not read yet.
   */
  function isWhereStored({ path, url, date }: Post): boolean {
    const { layout } = content;
    const slug = posix.basename(path).replace(/\.\w+$/, '');
    return layout.path(slug, date) === path && layout.url(slug, date) === url;
  }

  /** Makes the pages of the articles in these files. */
  async function makePages(
    paths: readonly string[],
    sources: Sources,
    { output, report, done }: Build,
    mayBeMade: (post: Post) => boolean = () => true,
  ): Promise<void> {
    for (const path of paths) {
      const post = sources.index.find(path);
      if (post === undefined || !mayBeMade(post) || isOwnFile(post.file, options.staticDir, sources))
        continue;
      await output.make(planArticle(post, sources), report, false);
      done.add(post.file);
    }
  }

  /** Between two files: lets the thread take in new messages. @returns whether it did. */
  async function pause(isAll: boolean): Promise<boolean> {
    if (performance.now() - lastPause < PAUSE_AFTER_MS) return false;
    await nextTurn();
    lastPause = performance.now();
    if (isClosing && isAll) throw new BuildStopped('the builder was closed in the middle of a build');
    return true;
  }

  /** Warns of articles that get no page, by an example. */
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
   * The page of an article whose file is not stored, as it would be now; undefined before the first build, and where the
   * site would have no page of it.
   *
   * @param path below the content folder.
   */
  async function preview(path: string, text: string): Promise<string | undefined> {
    const draft = index === undefined ? undefined : articles.draftOf(path, text);
    if (index === undefined || draft === undefined) return undefined;
    return rendererFor(index).render({ ...articlePage(draft.post, index, draft.text) });
  }

  /** The articles that have a page, newest first; undefined before the first build. */
  function pages(): readonly BuiltArticlePage[] | undefined {
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
