import { join } from 'node:path';
import type { BuildReport, FilterName } from '../host/hook-types.js';
import type { Hooks } from '../host/hooks.js';
import type { SiteInfo } from '../host/page-types.js';
import type { Log } from '../log.js';
import { type Catalog, createCatalog } from '../store/catalog.js';
import type { ContentFolder, Entry } from '../store/entry.js';
import { articlePage, createHtmlReader } from './article-pages.js';
import { createBuildLock } from './build-lock.js';
import { compressedOutput, removeAllCompressed } from './compressed.js';
import { type Dress, dressUp } from './dress.js';
import type { Hosting } from './hosting-files.js';
import { createIntake } from './intake.js';
import { createLarder } from './larder.js';
import { openManifest } from './manifest.js';
import { createModel } from './model.js';
import { neighboursOf } from './neighbours.js';
import { newestPages } from './newest-pages.js';
import { openOutput } from './output.js';
import { linkOf } from './page.js';
import { createPages } from './pages.js';
import { createRound, type Round } from './round.js';
import type { Piece } from './series.js';
import { type SiteFile, siteFiles } from './site-files.js';
import { STYLE_SHEET } from './theme.js';

/** What a site is built from. */
export interface SiteOptions {
  readonly content: ContentFolder;
  /** Absolute; made when it is not there. Files in it that Pressmark did not write stay. */
  readonly outputDir: string;
  /** Absolute; where the manifest of what was built is kept. */
  readonly stateDir: string;
  /** The site's own templates; the folder need not exist. */
  readonly templatesDir: string;
  readonly site: SiteInfo;
  readonly log: Log;
  readonly hooks: Hooks;
  /** Articles on the home page and on every full page of a list. @default 20 */
  readonly pageSize?: number;
  /** Static hosts that want files of their own. @default none */
  readonly hosting?: readonly Hosting[];
  /** Whether compressed files lie beside the texts. @default false */
  readonly compress?: boolean;
  /** The builder's index of the articles, for those who read beside it. Default: one of its own. */
  readonly catalog?: Catalog;
  /**
   * What else pages depend on, such as the plugins and their versions. Without it a site with page filters is
   * built anew at every start.
   */
  readonly fingerprint?: string;
}

/** What a build did; `failed` counts the pages that stayed as they were. */
export interface SiteReport extends BuildReport {
  readonly failed: number;
}

const PAGE_FILTERS: readonly FilterName[] = ['page.context', 'page.head', 'page.content', 'page.html'];

/** How often a build goes on with what has changed meanwhile. */
const MOST_PASSES = 5;

/** More failures than this are not tried again with every change, nor named in the manifest. */
const MANY_FAILURES = 500;

/** What a site consists of and how it is brought up to date; one update at a time. */
export function createSite(options: SiteOptions) {
  const {
    content,
    site,
    log,
    hooks,
    catalog = createCatalog(),
    pageSize = 20,
    hosting = [],
    compress = false,
  } = options;
  const manifest = openManifest(join(options.stateDir, 'site-manifest.ndjson'), options.outputDir);
  const plainOutput = openOutput(options.outputDir, join(options.stateDir, 'build'), manifest, log);
  const output = compress ? compressedOutput(plainOutput, options.outputDir, options.stateDir) : plainOutput;
  const lock = createBuildLock(output.workshop, log);
  const model = createModel(site);
  const larder = createLarder();
  const intake = createIntake({ content, catalog, model, larder, log });
  const htmlOf = createHtmlReader<Piece>(content);
  let besides: ReadonlyMap<string, SiteFile> = new Map();
  let dress = dressAnew();
  const pages = createPages(site, model, pageSize, () => besides);

  /** Files that may not be as they should, or whose build has failed. */
  const stale = new Set<string>();
  let isLoaded = false;
  /** What the manifest was last told by this process, or had to say when this process came. */
  let key = '';

  /** Brings the output up to date: everything, or after these files have changed. */
  async function update(request: {
    paths: readonly string[] | undefined;
    force: boolean;
  }): Promise<SiteReport> {
    const start = performance.now();
    const round = createRound(output);
    await lock.enter();
    try {
      learn();
      const { paths } = request;
      const isAll = paths === undefined || !isLoaded;
      if (isAll) await lookAtAll(request.force);
      const before = stale.size;
      intake.take(paths ?? []);
      const changed = absorb();
      await build(round, isAll || paths?.length === 0 || before <= MANY_FAILURES ? stale : changed);
      settle();
      if (isAll && !compress) removeAllCompressed(options.outputDir, options.stateDir, manifest.files.keys());
    } catch (error) {
      isLoaded = false; // what was to be built is forgotten; the next build looks at everything
      throw error;
    } finally {
      round.tell(log);
      manifest.rest();
      lock.leave();
    }
    return { ...round.report(), ms: Math.round(performance.now() - start) };
  }

  /** Takes in what another process has built, or this one before it was started again. */
  function learn(): void {
    const news = manifest.catchUp();
    if (news.articles.size > 0 || news.isWhole) {
      intake.learn(news, manifest.key === dress.key);
      pages.settle(); // these pages stand
    }
    for (const file of news.stale) stale.add(file);
    // Another process has built with other settings: the last one that looks has it its way.
    if (isLoaded && manifest.key !== key) addAll(pages.files());
    key = manifest.key;
  }

  function dressAnew(): Dress {
    const layout = content.layout.url('slug', '2001-02-03T04:05:06Z');
    const next = dressUp(options.templatesDir, site, hooks, model, [
      pageSize,
      layout,
      options.fingerprint ?? '',
    ]);
    besides = siteFiles(site, hooks, model.all, next, htmlOf, hosting);
    return next;
  }

  /** Compares all articles and all files with what is known of them. */
  async function lookAtAll(force: boolean): Promise<void> {
    output.sweep();
    dress = dressAnew();
    await intake.takeAll(async () => undefined);
    absorb();
    // Nobody can tell whether a plugin's code is still the same.
    const isUnknown = !isLoaded && options.fingerprint === undefined && PAGE_FILTERS.some(hooks.hasFilter);
    if (force || isUnknown || manifest.key !== dress.key) addAll(pages.files());
    addAll(besides.keys()); // a theme's pictures may be others under the same name
    for (const file of pages.files()) if (!manifest.files.has(file)) stale.add(file);
    for (const file of manifest.files.keys())
      if (output.intactDigest(file) === undefined || pages.at(file) === undefined) stale.add(file);
    isLoaded = true;
  }

  function addAll(files: Iterable<string>): void {
    for (const file of files) stale.add(file);
  }

  /** Adds what the changes of the model change in the output. */
  function absorb(): ReadonlySet<string> {
    const { files, homeless } = pages.settle();
    addAll(files);
    tellOfHomeless(homeless);
    return files;
  }

  /** Builds files, and what turns out to have changed meanwhile. */
  async function build(round: Round, files: ReadonlySet<string>): Promise<void> {
    for (let pass = 1; pass <= MOST_PASSES; pass++) {
      const todo = [...files].filter((file) => stale.has(file) && !round.hasAttempted(file));
      if (todo.length === 0) break;
      const isArticle = (file: string) => model.at(file) !== undefined;
      for (const file of todo.filter(isArticle)) await buildOne(round, file);
      for (const file of todo.filter((file) => !isArticle(file))) await buildOne(round, file);
      absorb();
    }
    for (const file of [...files])
      if (stale.has(file) && pages.at(file) === undefined) await remove(round, file);
  }

  async function buildOne(round: Round, file: string): Promise<void> {
    const recipe = pages.at(file);
    if (recipe === undefined) return;
    if (recipe.is === 'article' && intake.isBroken(recipe.piece.entry.path)) {
      stale.delete(file); // as good as it can be; the intake has warned
      return;
    }
    const done = await round.build(file, () => {
      if (recipe.is === 'file') return recipe.make();
      const page = recipe.is === 'page' ? recipe.page() : pageOf(recipe.piece);
      return page && dress.render(page);
    });
    if (done) stale.delete(file);
  }

  function pageOf(piece: Piece) {
    const { path, stamp } = piece.entry;
    const { previous, next, related } = neighboursOf(piece, model.all, model.tags);
    const page = articlePage(
      {
        file: piece.file,
        path,
        stamp,
        previous: previous === undefined ? null : linkOf(previous.entry),
        next: next === undefined ? null : linkOf(next.entry),
        related: related.map(({ entry }) => linkOf(entry)),
      },
      content,
      larder,
    );
    if (page === undefined) intake.take([path]); // it has changed since it was read
    return page;
  }

  async function remove(round: Round, file: string): Promise<void> {
    // Pages that could not be built anew still need the style sheet they were made with.
    if (STYLE_SHEET.test(file) && (round.report().failed > 0 || intake.broken.size > 0)) return;
    if (await round.remove(file)) stale.delete(file);
  }

  function settle(): void {
    const isMuch = stale.size > MANY_FAILURES;
    key = isMuch ? '' : dress.key; // so that the next start builds everything
    manifest.settle({
      key,
      articles: intake.takeUnrecorded(),
      stale: isMuch ? [] : [...stale],
      everything: model.entries,
    });
  }

  function tellOfHomeless(homeless: readonly Entry[]): void {
    const [example] = homeless;
    if (example === undefined) return;
    const { path, url } = example;
    log.warn(
      { articles: homeless.length, path, url, site: site.url },
      'articles without a page: their URL is not one that this site serves, or another file has it',
    );
  }

  return {
    update,
    newestPages: (count: number) => newestPages(count, site, model.all, manifest),
    close: lock.close,
  };
}
