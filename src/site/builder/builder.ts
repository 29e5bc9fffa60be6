import fs from 'node:fs';
import { join } from 'node:path';
import type { FilterName } from '../../host/hook-types.js';
import type { BuildRequest, SiteOptions, SiteReport } from '../options.js';
import { sourceOf } from '../outputs/compressed-variants.js';
import { parseKeyOf } from '../render/render-context.js';
import { newestPages } from '../search/pagefind.js';
import type { ListPages } from '../search/search.js';
import { isCheckedSinceBoot, noteChecked } from '../write/boot.js';
import { createBuildLock } from '../write/build-lock.js';
import { manifestPath, openManifest } from '../write/manifest.js';
import { createOutputSync } from '../write/output-sync.js';
import { filesBelow, openWriter } from '../write/writer.js';
import { BuildStopped, createBuildQueue } from './build-queue.js';
import { createBuildSession } from './build-session.js';
import { checkSite, type Difference } from './check.js';
import { createFileBuilder, type FileBuildOptions } from './file-builder.js';
import { createRenderPool, type RenderPool } from './render-pool.js';
import { createSite } from './site.js';

const PAGE_FILTERS: readonly FilterName[] = ['page.context', 'page.head', 'page.content', 'page.html'];

/** Damaged files that the log names. */
const MOST_NAMED = 10;

/** More damaged pages than this are built with everything else, for which there is a pool. */
const MANY_DAMAGED = 500;

/** More failures than this are not tried again with every change, nor named in the manifest. */
const MANY_FAILURES = 500;

/** A page that every site has. */
const HOME = 'index.html';

/** How long the last sync may take. A start looks through the files that were not synced, which is no harm. */
const LAST_SYNC_MS = 1_000;

/** After so many files were written it would be waited for in vain. */
const TOO_MANY_TO_SYNC = 1_000;

/** Builds one site; see `createBuilder`. */
export interface Builder {
  /**
   * Reads what was built last, so that changes can be built before everything has been looked at, and builds what an
   * unclean stop has damaged.
   *
   * @returns whether the site stands whole as it was built last.
   */
  load(): Promise<boolean>;
  /** Whether the output was checked after the last stop, and nothing was found to be damaged: what is there can be served. */
  isUndamaged(): boolean;
  /**
   * Brings the whole output up to date: looks at all articles and all files, and builds what differs. Changes come
   * before it, also in its midst.
   */
  buildAll(request?: BuildRequest): Promise<SiteReport>;
  /** Brings the output up to date after these paths (below the content folder) may have changed. */
  buildChanged(paths: readonly string[]): Promise<SiteReport>;
  /** The pages of the newest articles, for the search; undefined where not all articles are known. */
  newestPages: ListPages;
  /** Has builds rest most of the time while deliveries come in fast, or no more. */
  pace(isBurst: boolean): void;
  /** Compares the output with what a build from nothing gives; see `checkSite`. */
  check(onProgress?: BuildRequest['onProgress']): Promise<Difference[]>;
  /**
   * Builds the changes that wait, ends a build of everything that is under way, which its caller learns by
   * `BuildStopped`, syncs what was built, and lets go of everything.
   */
  close(): Promise<void>;
}

/**
 * The builder of one site. A build of everything is a scan of all articles and files, and then of the files that the scan
 * found to be due; changes of articles come in its midst.
 */
export function createBuilder(options: SiteOptions): Builder {
  const { log, hooks, compress = false, outputDir, stateDir } = options;
  const manifest = openManifest(manifestPath(options), outputDir);
  const writer = openWriter(outputDir, join(stateDir, 'build'), manifest, log);
  const lock = createBuildLock(writer.stagingDir, log);
  const site = createSite(options, compress ? { root: outputDir, writtenOf: writer.intact } : undefined);
  const { index, outputs, articleFiles, due, unsure } = site;
  const files = createFileBuilder(site, writer);
  const parseKey = parseKeyOf(options.content);
  const outputSync = createOutputSync({
    manifest,
    root: outputDir,
    log,
    isBusy: () => queue.isBurst(),
    hasDamage: writer.hasDamage,
    exclusively: (work) => queue.run(() => locked(work)),
  });
  const queue = createBuildQueue({
    isReady: () => isReady,
    // After a change that was built the site counts as whole.
    isInterruptible: () => isWhole && !writer.hasDamage(),
    buildChanges,
    buildAll: () => locked(() => buildEverything({})),
    locked,
    afterJob: outputSync.later,
  });

  let isBuildingAll = false;
  let written = 0;

  /** Whether the index has all articles and their pages stand, so that a change can be built alone. */
  let isReady = false;
  /** Whether the index was read from a manifest that this builder trusts, or from all files. */
  let isWhole = false;
  let hasScanned = false;
  /** Files that were damaged when this process came; undefined until that has been looked at. */
  let damaged: readonly string[] | undefined;
  /** Files that another process on the folder has written or removed since the last report. */
  const changedByOthers = new Set<string>();
  /** The key of the last build of this process, or the one in the manifest when this process came. */
  let key = '';
  /** Whether the last build of this process has made all files, but for those that the manifest names as stale. */
  let isComplete = true;
  /** Whether the home page stood when the manifest was last read. */
  let wasHomeThere = true;
  /** The key of a builder to which this one has left the site. */
  let yieldedTo = '';

  /** Runs `job` while no other process builds, with what others have built taken in. */
  async function locked<T>(job: () => Promise<T>): Promise<T> {
    await lock.enter();
    try {
      catchUp();
      const result = await job();
      if (manifest.key === site.context().key) await lock.announceBuilder(manifest.key);
      return result;
    } catch (error) {
      // What was to be built is forgotten; the next build looks at everything.
      if (!(error instanceof BuildStopped)) isReady = false;
      throw error;
    } finally {
      manifest.close();
      lock.leave();
    }
  }

  // Builds.

  /** Builds the changes that wait, each for its own caller. */
  async function buildChanges(): Promise<void> {
    if (!isBuildingAll && isBuiltByOther()) {
      if (await yieldsToOther()) {
        queue.answerChanges(nothingBuilt);
        return;
      }
      isReady = false;
    }
    // They wait for the build of everything that is due now.
    if (!isBuildingAll && !isReady) return;
    queue.begin();
    await queue.buildEach((paths) =>
      buildFiles(
        async () => {
          const changed = await readChanged(paths);
          const isFew = paths.length === 0 || due.size <= MANY_FAILURES + changed.size;
          return isFew && !isBuildingAll ? due : changed;
        },
        { pause: queue.rest },
      ),
    );
    // Else all pages are to be built anew, or a build of everything goes on, neither of which must be forgotten.
    if (!isBuildingAll && manifest.key === site.context().key) endBuild();
  }

  /** Reads files that may have changed. @returns the files of the output that this affects. */
  async function readChanged(paths: readonly string[]): Promise<ReadonlySet<string>> {
    const affected = new Set<string>();
    for (const path of paths) {
      articleFiles.readChanged([path]);
      if (!queue.isRestDue()) continue;
      // Before anything else sees the changed index.
      for (const file of site.addAffected()) affected.add(file);
      await queue.rest();
    }
    for (const file of site.addAffected()) affected.add(file);
    return affected;
  }

  async function buildEverything({
    force = false,
    clean = false,
    onProgress,
  }: BuildRequest): Promise<SiteReport> {
    const start = performance.now();
    const pool = createRenderPool(options, log);
    isBuildingAll = true;
    queue.begin();
    try {
      site.renewTheme();
      if (!force && !clean && isBuiltByOther() && (await yieldsToOther())) return nothingBuilt();
      await scan(force || clean, pool);
      if (clean) forgetOutput();
      const workers = hasPageFilters() ? [] : await preparedWorkers(pool);
      const report = await buildFiles(
        () => due,
        { pause: queue.pause, workers, ...(onProgress && { onProgress }) },
        start,
      );
      endDamage();
      unsure.clear();
      isReady = true;
      await buildChanges();
      endBuild();
      return report;
    } finally {
      isBuildingAll = false;
      await pool.release();
    }
  }

  /** The threads that render pages of articles. They have no plugins, whose filters may ask for other articles. */
  function preparedWorkers(pool: RenderPool) {
    pool.start(due.size);
    const { theme, navigation } = site.context();
    return pool.prepared({
      themeDirs: options.themeDirs,
      site: options.site,
      themeHash: theme.hash,
      navigation,
    });
  }

  /** Builds files in one session, those first that pages link and that do not stand yet. */
  async function buildFiles(
    choose: () => ReadonlySet<string> | Promise<ReadonlySet<string>>,
    how: FileBuildOptions = {},
    start = performance.now(),
  ): Promise<SiteReport> {
    const session = createBuildSession(writer, start);
    try {
      const chosen = await choose();
      const missing = outputs.assets().filter((file) => !manifest.files.has(file));
      site.addDue(missing);
      await files.build(session, chosen === due ? due : new Set([...missing, ...chosen]), how);
    } finally {
      session.logFailures(log);
      written += session.report().written;
    }
    return withOthers(session.report());
  }

  /** Compares all articles and all files with what is known of them, and makes due what differs. */
  async function scan(force: boolean, pool: RenderPool): Promise<void> {
    writer.sweep();
    await articleFiles.readAllChanged(queue.pause, pool.readHeaders);
    site.addAffected();
    isWhole = true;
    // Nobody can tell whether a plugin's code is still the same.
    const isUnknown = !hasScanned && options.fingerprint === undefined && hasPageFilters();
    const isOther = manifest.key !== site.context().key || !manifest.isComplete;
    if (force || isUnknown || isOther) site.addDue(outputs.paths());
    // A theme's pictures may be others under the same name.
    for (const file of outputs.assets()) if (!due.has(file)) unsure.add(file);
    site.addDue(unsure);
    for (const file of outputs.paths()) if (!manifest.files.has(file)) due.add(file);
    for (const file of [...manifest.files.keys()]) {
      if (writer.intact(file) === undefined || outputs.at(file) === undefined) due.add(file);
      await queue.pause();
    }
    hasScanned = true;
  }

  async function readLast(): Promise<boolean> {
    writer.sweep();
    // So that templates are compiled, and the code is warm.
    const newest = index.all.items.slice(-1).map(({ file }) => file);
    for (const file of newest) if (!due.has(file)) unsure.add(file);
    site.addDue(newest);
    const isTooMuch = (damaged ?? []).length > MANY_DAMAGED;
    const chosen = new Set(isWhole && !isTooMuch ? [...newest, ...(damaged ?? [])] : newest);
    await buildFiles(() => chosen);
    unsure.clear();
    if (!isWhole || isTooMuch || !wasHomeThere || !manifest.isComplete) return false;
    endDamage();
    isReady = true;
    return true;
  }

  // The manifest.

  /** Takes in what another process has built, or this one before it was started again. */
  function catchUp(): void {
    const delta = manifest.refresh();
    if (delta.articles.size > 0 || delta.isWhole) {
      const isTrusted = manifest.parseKey === parseKey;
      articleFiles.applyDelta(delta, isTrusted);
      site.skipChange(); // these pages stand
      // Where the manifest has been lost, everything that was known of the articles is gone with it.
      isWhole = isTrusted || (isWhole && !delta.isWhole);
      isReady &&= isWhole;
    }
    site.addDue(delta.stale);
    // Left by another process that was to build everything, and has not come to the end.
    if (Math.min(delta.files.size, delta.stale.length) > MANY_FAILURES) isReady = false;
    if (isComplete && !manifest.isComplete) isReady = false;
    // Somebody has emptied the output folder; once is enough, as the page may be one that cannot be made.
    const isHomeThere = !manifest.files.has(HOME) || fs.existsSync(join(outputDir, HOME));
    if (wasHomeThere && !isHomeThere) isReady = false;
    wasHomeThere = isHomeThere;
    if (damaged !== undefined) for (const file of delta.files) changedByOthers.add(file);
    if (damaged === undefined) {
      ({ key, isComplete } = manifest);
      damaged = findDamage();
    }
  }

  /** Whether another process has built with other settings since this one has. */
  function isBuiltByOther(): boolean {
    return hasScanned && manifest.key !== key && manifest.key !== site.context().key;
  }

  /**
   * Whether the site is left to the process that has built it with other settings: it has started later, and is alive.
   * Else each would build everything anew after the other.
   */
  async function yieldsToOther(): Promise<boolean> {
    if (!(await lock.isBuilderAlive(manifest.key))) return false;
    if (yieldedTo !== manifest.key)
      log.warn(
        'another process that was started later builds this site with other settings; all pages are left to it until it ends',
      );
    yieldedTo = manifest.key;
    return true;
  }

  function nothingBuilt(): SiteReport {
    return { ...createBuildSession(writer).report(), isYielded: true };
  }

  /** Finds what a power loss has damaged, unless that was done since the system was started. */
  function findDamage(): readonly string[] {
    if (isCheckedSinceBoot(options)) return [];
    const found = writer.findDamage();
    if (found.length === 0) noteChecked(options);
    site.addDue(found);
    if (found.length > 0)
      log.warn(
        { files: found.length, some: found.slice(0, MOST_NAMED) },
        'pages were damaged by an unclean stop and are built again',
      );
    return found;
  }

  /** What a power loss has damaged was built again, or goes. */
  function endDamage(): void {
    writer.removeDamaged();
    noteChecked(options);
  }

  /** Has all files compared with what they should be, and those removed that only their mark shows to be ours. */
  function forgetOutput(): void {
    writer.distrust();
    for (const file of filesBelow(outputDir))
      if (outputs.at(file) === undefined && isWithin(file) && writer.adopt(file)) due.add(file);
  }

  /** Whether a file that bears our mark may be ours; people compress our pages, too. */
  function isWithin(file: string): boolean {
    return compress || sourceOf(file) === undefined;
  }

  function endBuild(): void {
    const isTooMuch = due.size > MANY_FAILURES;
    key = site.context().key;
    // Else the next start builds everything.
    isComplete = !isTooMuch && (hasScanned || manifest.isComplete);
    yieldedTo = '';
    manifest.endBuild({
      key,
      isComplete,
      parseKey,
      articles: articleFiles.unsaved(),
      // Without a name here, what a file held before would be forgotten, and pass for its owner's.
      stale: isTooMuch ? [...due].filter((file) => manifest.formerOf(file).length > 0) : [...due],
      everything: index.everything,
    });
    articleFiles.markSaved();
  }

  /** A report also has the files that other processes have changed: whoever deploys the output deploys these, too. */
  function withOthers(report: SiteReport): SiteReport {
    if (changedByOthers.size === 0) return report;
    const all = [...new Set([...report.files, ...changedByOthers])];
    changedByOthers.clear();
    return { ...report, files: all };
  }

  function hasPageFilters(): boolean {
    return PAGE_FILTERS.some(hooks.hasFilter);
  }

  return {
    load: () => queue.run(() => locked(readLast)),
    isUndamaged: () => damaged !== undefined && damaged.length === 0,
    buildAll: (request = {}) => queue.run(() => locked(() => buildEverything(request))),
    buildChanged: queue.change,
    newestPages: (maxPages) =>
      queue.run(async () =>
        isWhole ? newestPages(index.all.items, manifest.files, options.site.url, maxPages) : undefined,
      ),
    pace: queue.pace,
    check: (onProgress) =>
      queue.run(() => locked(() => checkSite(options, manifest, writer.isOurs, onProgress))),
    close: async () => {
      await queue.close();
      const isWorthIt = Math.min(written, manifest.unsynced.size) < TOO_MANY_TO_SYNC;
      await outputSync.close(isWorthIt ? (options.lastSyncMs ?? LAST_SYNC_MS) : 0);
      lock.close();
    },
  };
}
