import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { BuildReport, FilterName } from '../host/hook-types.js';
import type { Hooks } from '../host/hooks.js';
import type { SiteInfo } from '../host/page-types.js';
import type { Log } from '../log.js';
import { type Catalog, createCatalog } from '../store/catalog.js';
import type { ContentFolder } from '../store/entry.js';
import { createArchivePages } from './archive-pages.js';
import { buildArticle, builtArticle, createHtmlReader, isUpToDate, withoutPage } from './article-pages.js';
import { AUTHOR_PAGES, createGroupPages, TAG_PAGES } from './group-pages.js';
import type { Groups } from './groups.js';
import { createHelpers } from './helpers.js';
import { createIntake } from './intake.js';
import { without } from './list-pages.js';
import { openManifest } from './manifest.js';
import { createModel, type ListChanges, type ModelChanges } from './model.js';
import { neighboursOf } from './neighbours.js';
import { openOutput } from './output.js';
import { createRenderer } from './page.js';
import { createRound, type Round } from './round.js';
import type { Piece } from './series.js';
import { createSiteFiles } from './site-files.js';
import { createTagIndex } from './tag-index.js';
import { loadTheme, STYLE_SHEET } from './theme.js';

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

/** Changes with the generator, where the same articles and templates make other pages. */
const FORMAT = 2;

const PAGE_FILTERS: readonly FilterName[] = ['page.context', 'page.head', 'page.content', 'page.html'];

/** How often a build goes on with what another process has built meanwhile. */
const MOST_PASSES = 5;

/** What a site consists of and how it is brought up to date; one update at a time. */
export function createSite(options: SiteOptions) {
  const { content, site, log, hooks, catalog = createCatalog(), pageSize = 20 } = options;
  const manifest = openManifest(join(options.stateDir, 'site-manifest.ndjson'), options.outputDir);
  const output = openOutput(options.outputDir, join(options.stateDir, 'build'), manifest, log);
  const model = createModel(site);
  const intake = createIntake({ content, catalog, model, manifest, log });
  const archive = createArchivePages(site, model.all, pageSize);
  const tagPages = createGroupPages(site, model.tags, TAG_PAGES, pageSize);
  const tagIndex = createTagIndex(site, model.tags);
  const authorPages = createGroupPages(site, model.authors, AUTHOR_PAGES, pageSize);
  const siteFiles = createSiteFiles(site, hooks, model.all, createHtmlReader({ content }));

  /** Articles whose page could not be built; every build tries again. */
  const failed = new Set<string>();
  let listsFailed = false;
  let isLoaded = false;
  let oldSheets: string[] = [];
  let dress = dressUp();

  /** The theme as it is now, and what its pages are known by. */
  function dressUp() {
    const theme = loadTheme(options.templatesDir, site);
    const helpers = createHelpers(site, theme, model);
    const layout = content.layout.url('slug', '2001-02-03T04:05:06Z');
    const parts = [FORMAT, theme.digest, site, pageSize, layout, options.fingerprint ?? ''];
    const key = hash('sha256', JSON.stringify(parts)).slice(0, 16);
    const renderFile = (name: string) => theme.render(name, { site, ...helpers });
    return { theme, key, render: createRenderer(site, theme, hooks, helpers), renderFile };
  }

  /** Brings the output up to date: everything, or after these files have changed. */
  async function update(request: {
    paths: readonly string[] | undefined;
    force: boolean;
  }): Promise<SiteReport> {
    const start = performance.now();
    const round = createRound(output);
    try {
      let paths = new Set([...(request.paths ?? []), ...manifest.catchUp()]);
      if (request.paths === undefined || !isLoaded) await updateAll(round, request.force);
      else await updateChanged(round, paths);
      for (let pass = 1; pass < MOST_PASSES; pass++) {
        paths = manifest.catchUp();
        if (paths.size === 0) break;
        await updateChanged(round, paths);
      }
    } catch (error) {
      isLoaded = false; // what was to be built is forgotten; the next build looks at everything
      throw error;
    } finally {
      round.report(log);
      manifest.settle();
    }

    const { pages, written, removed, failed } = round;
    return { pages, written, removed, failed, ms: Math.round(performance.now() - start) };
  }

  async function updateAll(round: Round, force: boolean): Promise<void> {
    output.sweep();
    dress = dressUp();
    // Nobody can tell whether a plugin's code is still the same.
    const isUnknown = !isLoaded && options.fingerprint === undefined && PAGE_FILTERS.some(hooks.hasFilter);
    await intake.takeAll(dress.key);
    isLoaded = true;

    const changes = model.settle();
    const stale = model.all.items.filter((piece) => force || isUnknown || !isBuilt(piece));
    touchAll();
    await siteFiles.buildFixed(round, dress);
    await build(round, { ...changes, build: new Set(stale.map(pathOf)), ...allLists(changes) });

    const pages = model.all.items.map(({ file }) => file);
    const expected = [
      ...pages,
      ...archive.files(),
      ...tagPages.files(),
      ...tagIndex.files(),
      ...authorPages.files(),
      ...siteFiles.files(),
    ];
    const orphans = without([...manifest.files.keys()], expected);
    oldSheets = orphans.filter((file) => STYLE_SHEET.test(file));
    await round.remove(without(orphans, oldSheets));
    await removeOldSheets(round);
  }

  async function updateChanged(round: Round, paths: Iterable<string>): Promise<void> {
    intake.takeChanged(paths);
    let changes = model.settle();
    if (listsFailed) {
      touchAll();
      changes = { ...changes, ...allLists(changes) };
    }
    for (const path of failed) changes.build.add(path);
    await build(round, changes);
    if (oldSheets.length > 0) await removeOldSheets(round);
  }

  /** Removes the style sheets of themes before this one, once no page is left that was made with them. */
  async function removeOldSheets(round: Round): Promise<void> {
    if (round.failed > 0) return;
    // A malformed article's page stays as it was.
    for (const { page, key } of manifest.articles.values()) if (page !== null && key !== dress.key) return;
    await round.remove(oldSheets);
    oldSheets = [];
  }

  function touchAll(): void {
    model.all.touchAll();
    for (const groups of [model.tags, model.authors])
      for (const { series } of groups.all()) series.touchAll();
  }

  function allLists({ tags, authors }: ModelChanges): { tags: ListChanges; authors: ListChanges } {
    const names = (groups: Groups) => new Set([...groups.all()].map(({ name }) => name));
    return {
      tags: { ...tags, names: names(model.tags) },
      authors: { ...authors, names: names(model.authors) },
    };
  }

  function isBuilt(piece: Piece): boolean {
    const now = builtArticle(piece, dress.key, model);
    return isUpToDate(manifest.articles.get(piece.entry.path), now) && output.isIntact(piece.file);
  }

  async function build(round: Round, changes: ModelChanges): Promise<void> {
    const { render } = dress;
    for (const path of changes.build) {
      if (await buildPage(round, model.get(path))) failed.delete(path);
      else failed.add(path);
    }
    recordHomeless(changes);
    const moved = model.all.takeChanges();
    const done = [
      await archive.build(round, render, moved),
      await siteFiles.build(round, moved),
      await tagPages.build(round, render, changes.tags),
      await tagIndex.build(round, render, changes.tags),
      await authorPages.build(round, render, changes.authors),
    ];
    listsFailed = done.includes(false);
    await round.remove(changes.gone);
  }

  async function buildPage(round: Round, piece: Piece | undefined): Promise<boolean> {
    if (piece === undefined) return true; // gone meanwhile
    const built = builtArticle(piece, dress.key, model);
    const neighbours = neighboursOf(piece, model.all, model.tags);
    return buildArticle(round, piece, dress.render, built, neighbours, { content, catalog, manifest });
  }

  function recordHomeless({ homeless }: ModelChanges): void {
    for (const [path, entry] of homeless) {
      const now = withoutPage(entry, dress.key);
      if (!isUpToDate(manifest.articles.get(path), now)) manifest.setArticle(path, now);
    }
    const [example] = homeless.values();
    if (example === undefined) return;
    const { path, url } = example;
    log.warn(
      { articles: homeless.size, path, url, site: site.url },
      'articles without a page: their URL is not one that this site serves, or another file has it',
    );
  }

  return { update };
}

function pathOf({ entry }: Piece): string {
  return entry.path;
}
