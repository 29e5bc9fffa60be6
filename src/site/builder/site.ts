import { join } from 'node:path';
import { discard } from '../../fs/atomic-write.js';
import { syncFiles } from '../../fs/sync-files.js';
import type { FilterName } from '../../host/hook-types.js';
import { createCatalog } from '../../store/catalog.js';
import { createArticleCache } from '../index/article-cache.js';
import { openArticleFiles, type ReadHeaders } from '../index/article-files.js';
import { createSiteIndex } from '../index/site-index.js';
import { warnOfUnroutable } from '../index/unroutable.js';
import { articlePages } from '../outputs/article-pages.js';
import { siteOutputs } from '../outputs/site-outputs.js';
import { contextFor, readingOf } from '../render/render-context.js';
import { newestPages } from '../search/newest-pages.js';
import type { SiteOptions, SiteReport, UpdateRequest } from '../site-options.js';
import { createBuildLock } from '../write/build-lock.js';
import {
  compressingWriter,
  damagedCompressed,
  isEverCompressed,
  removeAllCompressed,
  removeLeftovers,
  withCompressed,
} from '../write/compressed.js';
import { manifestPath, openManifest } from '../write/manifest.js';
import { filesBelow, openWriter } from '../write/writer.js';
import { createBuildSession } from './build-session.js';
import { createInterruptions } from './interruptions.js';
import { createMaking } from './making.js';
import { createRenderPool } from './render-pool.js';

const PAGE_FILTERS: readonly FilterName[] = ['page.context', 'page.head', 'page.content', 'page.html'];

const ALONE = { yieldNow: async () => undefined };

/** Damaged files that the log names. */
const MOST_NAMED = 10;

/** From more damaged pages on, a start has them built with everything else, for which there is a helper. */
const MANY_DAMAGED = 500;

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
  const manifest = openManifest(manifestPath(options), options.outputDir);
  const plainWriter = openWriter(options.outputDir, join(options.stateDir, 'build'), manifest, log);
  const writer = compress
    ? compressingWriter(plainWriter, manifest, options.outputDir, options.stateDir)
    : plainWriter;
  const lock = createBuildLock(writer.stagingDir, log);
  const index = createSiteIndex(site, (path) => outputs.isReserved(path));
  const cache = createArticleCache(content);
  const articleFiles = openArticleFiles({ content, catalog, index, cache, log });
  const reading = readingOf(content);
  let context = contextFor(options, index);
  const articles = articlePages(index, cache, articleFiles, () => context);
  const outputs = siteOutputs({
    site,
    index,
    hooks,
    pageSize,
    hosting,
    context: () => context,
    articles,
    log,
    added: options.outputs ?? [],
    htmlOf: ({ entry }) => cache.htmlOf(entry.path, entry.stamp),
  });

  /** Files that may not be as they should, or whose build has failed. */
  const stale = new Set<string>();
  /** Those of them that are looked at only because nothing tells whether they have changed. */
  const unsure = new Set<string>();
  const making = createMaking({
    index,
    outputs,
    articles,
    articleFiles,
    writer,
    stale,
    unsure,
    absorb,
  });
  /** What the next build of changed files can stand on; nothing after one that failed. */
  let known: 'nothing' | 'what was built last' | 'everything' = 'nothing';
  /** Files that were damaged when this process came. */
  let damaged: readonly string[] = [];
  let isInspected = false;
  /** Files that another process on the folder has written or removed since the last report. */
  const changedByOthers = new Set<string>();
  let isWhole = false; // whether the model has all articles, so that lists can be built
  /** What the manifest was last told by this process, or had to say when this process came. */
  let key = '';
  const interruptions = createInterruptions(interlude);
  const yieldNow = () => interruptions.yieldNow(isWhole);

  /** Brings the output up to date: everything, or after these files have changed. */
  async function update({
    paths,
    force = false,
    clean = false,
    onProgress,
  }: UpdateRequest): Promise<SiteReport> {
    if (paths !== undefined && known === 'what was built last') return ahead(paths);
    const start = performance.now();
    const session = createBuildSession(writer);
    const helpers = createRenderPool(
      hasPageFilters() ? undefined : options.spawnRenderWorker,
      log,
      options.poolFrom,
    );
    await lock.enter();
    interruptions.begin();
    try {
      const isForeign = learn();
      const isAll = paths === undefined || known !== 'everything' || isForeign;
      if (isAll) await lookAtAll(force || clean, helpers.readHeaders);
      if (clean) forget();
      const before = stale.size;
      for (const path of paths ?? []) {
        articleFiles.take([path]);
        await yieldNow();
      }
      const changed = absorb();
      const files = isAll || paths?.length === 0 || before <= MANY_FAILURES ? stale : changed;
      if (isAll) helpers.start(files.size); // else deliveries need the other processor
      const helper = await helpers.prepared(options.templatesDir, site, context.theme.digest);
      await making.build(session, withAssets(files), { yieldNow, helper, ...(onProgress && { onProgress }) });
      if (isAll) writer.removeDamaged();
      unsure.clear();
      await interruptions.serveAll();
      settle();
      if (isAll && !compress) removeAllCompressed(options.outputDir, options.stateDir, manifest.files.keys());
      interruptions.end();
    } catch (error) {
      known = 'nothing'; // what was to be built is forgotten; the next build looks at everything
      interruptions.end(error);
      throw error;
    } finally {
      session.tell(log);
      manifest.rest();
      lock.leave();
      await helpers.release();
    }
    return withOthers(session.reportSince(start));
  }

  /**
   * Reads what was built last, so that the first build need not, and makes one page, which is as it was. After a stop
   * that was not clean, pages that were damaged are built.
   *
   * @returns whether all pages of what was built last stand whole.
   */
  async function prepare(): Promise<boolean> {
    await lock.enter();
    try {
      writer.sweep();
      learn();
      const newest = index.all.items.slice(-1).map(({ file }) => file);
      // So that templates are compiled, and the code is warm.
      for (const file of newest) if (!stale.has(file)) unsure.add(file);
      addAll(newest);
      const isMuch = damaged.length > MANY_DAMAGED;
      const files = isWhole && !isMuch ? [...newest, ...damaged] : newest;
      await making.build(createBuildSession(writer), withAssets(new Set(files)), ALONE);
      unsure.clear();
      if (!isWhole || isMuch) return false;
      writer.removeDamaged();
      known = 'what was built last';
      return true;
    } finally {
      manifest.rest();
      lock.leave();
    }
  }

  /** Builds what these files change before all has been looked at, from what was built last. */
  async function ahead(paths: readonly string[]): Promise<SiteReport> {
    await lock.enter();
    try {
      learn();
      const report = await interlude(paths);
      if (manifest.key === context.key) settle(); // else all pages are to be built anew, which must not be forgotten
      return report;
    } catch (error) {
      known = 'nothing';
      throw error;
    } finally {
      manifest.rest();
      lock.leave();
    }
  }

  /** Builds what these files change in the midst of another build. */
  async function interlude(paths: readonly string[]): Promise<SiteReport> {
    const start = performance.now();
    const session = createBuildSession(writer);
    articleFiles.take(paths);
    await making.build(session, withAssets(absorb()), ALONE);
    session.tell(log);
    return withOthers(session.reportSince(start));
  }

  /** Has those files of the theme built first that pages link and that do not stand yet. */
  function withAssets(files: ReadonlySet<string>): ReadonlySet<string> {
    const missing = outputs.assets().filter((file) => !manifest.files.has(file));
    addAll(missing);
    return files === stale ? stale : new Set([...missing, ...files]);
  }

  /** A report also has the files that other processes have changed: whoever deploys the output deploys these, too. */
  function withOthers(report: SiteReport): SiteReport {
    if (changedByOthers.size === 0) return report;
    const files = [...new Set([...report.files, ...changedByOthers])];
    changedByOthers.clear();
    return { ...report, files };
  }

  /**
   * Takes in what another process has built, or this one before it was started again.
   *
   * @returns whether another process has built with other settings since: the last one that builds has it its way, with
   *   all pages, so that the site is of one kind.
   */
  function learn(): boolean {
    const news = manifest.catchUp();
    if (news.articles.size > 0 || news.isWhole) {
      const isTrusted = manifest.reading === reading;
      articleFiles.learn(news, isTrusted);
      outputs.affectedBy(index.takeChange()); // these pages stand
      isWhole ||= isTrusted;
    }
    for (const file of news.stale) stale.add(file);
    if (isInspected) for (const file of news.files) changedByOthers.add(file);
    const isForeign = known === 'everything' && manifest.key !== key;
    key = manifest.key;
    if (!isInspected) inspect();
    isInspected = true;
    return isForeign;
  }

  /** Finds what a power loss has damaged; only after a stop before all files were known to be on the disk. */
  function inspect(): void {
    if (manifest.isSynced) return;
    const found = new Set<string>();
    if (isEverCompressed(options.stateDir, compress))
      for (const { file, text } of damagedCompressed(options.outputDir, manifest)) {
        discard(join(options.outputDir, file));
        found.add(text);
      }
    for (const file of writer.findDamage()) found.add(file);
    damaged = [...found];
    addAll(damaged);
    if (damaged.length > 0)
      log.warn(
        { files: damaged.length, some: damaged.slice(0, MOST_NAMED) },
        'pages were damaged by an unclean stop and are built again',
      );
  }

  /** Compares all articles and all files with what is known of them. */
  async function lookAtAll(force: boolean, readHeaders: ReadHeaders): Promise<void> {
    writer.sweep();
    context = contextFor(options, index);
    await articleFiles.takeAll(yieldNow, readHeaders);
    absorb();
    isWhole = true;
    // Nobody can tell whether a plugin's code is still the same.
    const isUnknown = known !== 'everything' && options.fingerprint === undefined && hasPageFilters();
    if (force || isUnknown || manifest.key !== context.key) addAll(outputs.paths());
    // A theme's pictures may be others under the same name.
    for (const file of outputs.assets()) if (!stale.has(file)) unsure.add(file);
    addAll(unsure);
    for (const file of outputs.paths()) if (!manifest.files.has(file)) stale.add(file);
    for (const file of [...manifest.files.keys()]) {
      if (writer.intact(file) === undefined || outputs.at(file) === undefined) stale.add(file);
      await yieldNow();
    }
    known = 'everything';
  }

  /** Has all files written anew, and those removed that only their mark shows to be ours. */
  function forget(): void {
    writer.distrust();
    const isText = (file: string) => outputs.at(file) !== undefined;
    const present = filesBelow(options.outputDir);
    for (const file of present) if (!isText(file) && writer.adopt(file)) stale.add(file);
    if (compress) removeLeftovers(options.outputDir, present, isText);
  }

  function hasPageFilters(): boolean {
    return PAGE_FILTERS.some(hooks.hasFilter);
  }

  function addAll(files: Iterable<string>): void {
    for (const file of files) stale.add(file);
  }

  /** Adds what the changes of the model change in the writer. */
  function absorb(): ReadonlySet<string> {
    const change = index.takeChange();
    const { unroutable } = change;
    const files = outputs.affectedBy(change);
    addAll(files);
    // No page of theirs will be made, for which their files would be read whole.
    const uncertain = unroutable.filter(({ path }) => articleFiles.isByHeader(path));
    if (uncertain.length > 0) {
      articleFiles.take(uncertain.map(({ path }) => path));
      return new Set([...files, ...absorb()]);
    }
    warnOfUnroutable(unroutable, site.url, log);
    return files;
  }

  function settle(): void {
    const isMuch = stale.size > MANY_FAILURES;
    key = isMuch ? '' : context.key; // so that the next start builds everything
    manifest.settle({
      key,
      reading,
      articles: articleFiles.takeUnrecorded(),
      stale: isMuch ? [] : [...stale],
      everything: index.entries,
    });
  }

  /**
   * Syncs the files that are not known to be on the disk; builds may go on meanwhile.
   *
   * @returns what `noteSynced` needs; undefined where it failed or took too long.
   */
  async function syncOutput(timeoutMs: number): Promise<number | undefined> {
    const { namings, unsynced } = manifest;
    const paths = [...unsynced.keys()].flatMap((file) => withCompressed(join(options.outputDir, file)));
    return (await syncFiles(options.outputDir, paths, timeoutMs)) ? namings : undefined;
  }

  /** Notes what `syncOutput` has synced. @param namings what that has returned. */
  async function noteSynced(namings: number): Promise<void> {
    await lock.enter();
    try {
      learn();
      await manifest.setSynced(namings);
    } finally {
      manifest.rest();
      lock.leave();
    }
  }

  /** Keeps other processes from building while `work` runs. */
  async function exclusively<T>(work: () => Promise<T>): Promise<T> {
    await lock.enter();
    try {
      return await work();
    } finally {
      lock.leave();
    }
  }

  return {
    exclusively,
    update,
    prepare,
    isUndamaged: () => isInspected && damaged.length === 0,
    isSynced: () => manifest.isSynced,
    syncOutput,
    noteSynced,
    interrupt: interruptions.ask,
    pace: interruptions.pace,
    newestPages: (count: number) => newestPages(count, site, index.all, manifest),
    close: lock.close,
  };
}
