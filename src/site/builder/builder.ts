import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../errors.js';
import { discard } from '../../fs/atomic-write.js';
import { syncFiles } from '../../fs/sync-files.js';
import type { FilterName } from '../../host/hook-types.js';
import type { BuildRequest, SiteOptions, SiteReport } from '../options.js';
import { readingOf } from '../render/render-context.js';
import { newestPages } from '../search/newest-pages.js';
import type { SearchPage } from '../search/search-messages.js';
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

/** The longest that a build keeps its thread from hearing of anything else. */
const PAUSE_AFTER_MS = 10;

/** In a burst of deliveries a build rests so many times as long as it has worked: they need the processor. */
const REST = 4;
const LONGEST_REST_MS = 1_000;

/** So long after a build its files are synced: by then the system has written nearly all of them by itself. */
const SYNC_AFTER_MS = 60_000;
/** How long a sync may take, … */
const SYNC_MS = 60_000;
/** … and at the end. A start looks through the files that were not synced, which is no harm. */
const LAST_SYNC_MS = 1_000;

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
  /** Has builds rest most of the time while deliveries come in fast, or no more. */
  pace(isBurst: boolean): void;
  /** Compares the output with what a build from nothing gives; see `checkSite`. */
  check(onProgress?: BuildRequest['onProgress']): Promise<Difference[]>;
  /** The pages of the newest articles as they were built last, at most `count`, oldest first. */
  newestPages(count: number): Promise<SearchPage[]>;
  /**
   * Builds the changes that wait, ends a build of everything that is under way, which its caller learns by
   * `BuildStopped`, syncs what was built, and lets go of everything.
   */
  close(): Promise<void>;
}

/** What a build of everything ends with when the builder is closed. */
export class BuildStopped extends Error {}

/** Something that waits for its turn. */
interface Waiting<Request, Result> {
  readonly request: Request;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * The builder of one site: one loop over two queues. Changes of articles come first, between the files of a build of
 * everything too, which is a scan of all articles and files and then the files that it found to be due.
 */
export function createBuilder(options: SiteOptions): Builder {
  const { log, hooks, compress = false, outputDir, stateDir } = options;
  const manifest = openManifest(manifestPath(options), outputDir);
  const plainWriter = openWriter(outputDir, join(stateDir, 'build'), manifest, log);
  const writer = compress ? compressingWriter(plainWriter, manifest, outputDir, stateDir) : plainWriter;
  const lock = createBuildLock(writer.stagingDir, log);
  const site = createSite(options);
  const { index, outputs, articleFiles, due, unsure } = site;
  const files = createFileBuilder(site, writer, compress);
  const reading = readingOf(options.content);

  const changes: Waiting<readonly string[], SiteReport>[] = [];
  const others: Waiting<() => Promise<unknown>, unknown>[] = [];
  let working: Promise<void> | undefined;
  let isClosing = false;
  let isBurst = false;
  let isBuildingAll = false;
  let lastPause = 0;
  let syncTimer: NodeJS.Timeout | undefined;

  /** Whether the index has all articles and their pages stand, so that a change can be built alone. */
  let isReady = false;
  /** Whether the index was read from a manifest that this builder trusts, or from all files. */
  let isWhole = false;
  let hasScanned = false;
  /** Files that were damaged when this process came; undefined until that has been looked at. */
  let damaged: readonly string[] | undefined;
  /** Files that another process on the folder has written or removed since the last report. */
  const changedByOthers = new Set<string>();
  /** What the manifest was last told by this process, or had to say when this process came. */
  let key = '';
  /** Whether another process has built with other settings since. */
  let isForeign = false;

  // The loop.

  function enqueue<R, T>(queue: Waiting<R, T>[], request: R): Promise<T> {
    return new Promise((resolve, reject) => {
      queue.push({ request, resolve, reject });
      start();
    });
  }

  function start(): void {
    working ??= work().finally(() => {
      working = undefined;
      if (changes.length > 0 || others.length > 0) start();
    });
  }

  async function work(): Promise<void> {
    await nextTurn(); // requests of one turn are seen together
    while (changes.length > 0 || others.length > 0) {
      if (changes.length > 0 && isReady) await locked(buildWaiting).catch(failWaiting);
      else if (others.length > 0) await serve(others.shift());
      else await buildAllForWaiting();
      syncLater();
    }
  }

  async function serve<T>(waiting: Waiting<() => Promise<T>, T> | undefined): Promise<void> {
    if (waiting === undefined) return;
    try {
      waiting.resolve(await waiting.request());
    } catch (error) {
      waiting.reject(error);
    }
  }

  /** Runs `job` while no other process builds, with what others have built taken in. */
  async function locked<T>(job: () => Promise<T>): Promise<T> {
    await lock.enter();
    try {
      catchUp();
      return await job();
    } catch (error) {
      // What was to be built is forgotten; the next build looks at everything.
      if (!(error instanceof BuildStopped)) isReady = false;
      throw error;
    } finally {
      manifest.rest();
      lock.leave();
    }
  }

  /** Builds the changes that wait, each for its own caller. */
  async function buildWaiting(): Promise<void> {
    for (let next = changes[0]; next !== undefined; next = changes[0]) {
      const { request: paths, resolve } = next;
      const report = await buildFiles(() => {
        articleFiles.take(paths);
        const changed = site.absorb();
        const isFew = paths.length === 0 || due.size <= MANY_FAILURES + changed.size;
        return isFew && !isBuildingAll ? due : changed;
      });
      changes.shift();
      resolve(report);
    }
    // Else all pages are to be built anew, or a build of everything goes on, neither of which must be forgotten.
    if (!isBuildingAll && manifest.key === site.context().key) commit();
  }

  function failWaiting(error: unknown): void {
    for (const { reject } of changes.splice(0)) reject(error);
  }

  /** A build of everything that nobody has asked for: without it, changes cannot be built. */
  async function buildAllForWaiting(): Promise<void> {
    const served = changes.splice(0);
    try {
      const report = await locked(() => buildEverything({}));
      for (const { resolve } of served) resolve(report);
    } catch (error) {
      for (const { reject } of served) reject(error);
    }
  }

  /** Between two files: lets the thread hear of changes, and builds those. */
  async function pause(): Promise<void> {
    const worked = performance.now() - lastPause;
    if (worked < PAUSE_AFTER_MS) return;
    await (isBurst ? sleep(Math.min(REST * worked, LONGEST_REST_MS)) : nextTurn());
    if (isWhole && changes.length > 0) await buildWaiting();
    if (isClosing) throw new BuildStopped('the builder was closed in the midst of a build');
    lastPause = performance.now();
  }

  // Builds.

  async function buildEverything({
    force = false,
    clean = false,
    onProgress,
  }: BuildRequest): Promise<SiteReport> {
    const start = performance.now();
    const pool = createRenderPool(
      hasPageFilters() ? undefined : options.spawnRenderWorker,
      log,
      options.poolFrom,
    );
    isBuildingAll = true;
    lastPause = performance.now();
    try {
      await scan(force || clean, pool);
      if (clean) forgetOutput();
      pool.start(due.size);
      const worker = await pool.prepared(options.themeDirs, options.site, site.context().digest);
      const report = await buildFiles(() => due, { pause, worker, ...(onProgress && { onProgress }) }, start);
      writer.removeDamaged();
      unsure.clear();
      isReady = true;
      await buildWaiting();
      commit();
      if (!compress) removeAllCompressed(outputDir, stateDir, manifest.files.keys());
      return report;
    } finally {
      isBuildingAll = false;
      await pool.release();
    }
  }

  /** Builds files in one session, those first that pages link and that do not stand yet. */
  async function buildFiles(
    choose: () => ReadonlySet<string>,
    how: FileBuildOptions = {},
    start = performance.now(),
  ): Promise<SiteReport> {
    const session = createBuildSession(writer);
    try {
      const chosen = choose();
      const missing = outputs.assets().filter((file) => !manifest.files.has(file));
      site.addDue(missing);
      await files.build(session, chosen === due ? due : new Set([...missing, ...chosen]), how);
    } finally {
      session.tell(log);
    }
    return withOthers({ ...session.reportSince(start), isOutdated: isForeign });
  }

  /** Compares all articles and all files with what is known of them, and makes due what differs. */
  async function scan(force: boolean, pool: RenderPool): Promise<void> {
    writer.sweep();
    site.renewTheme();
    await articleFiles.takeAll(pause, pool.readHeaders);
    site.absorb();
    isWhole = true;
    // Nobody can tell whether a plugin's code is still the same.
    const isUnknown = !hasScanned && options.fingerprint === undefined && hasPageFilters();
    if (force || isUnknown || manifest.key !== site.context().key) site.addDue(outputs.paths());
    // A theme's pictures may be others under the same name.
    for (const file of outputs.assets()) if (!due.has(file)) unsure.add(file);
    site.addDue(unsure);
    for (const file of outputs.paths()) if (!manifest.files.has(file)) due.add(file);
    for (const file of [...manifest.files.keys()]) {
      if (writer.intact(file) === undefined || outputs.at(file) === undefined) due.add(file);
      await pause();
    }
    hasScanned = true;
  }

  async function readLast(): Promise<boolean> {
    writer.sweep();
    // So that templates are compiled, and the code is warm.
    const newest = index.all.items.slice(-1).map(({ file }) => file);
    for (const file of newest) if (!due.has(file)) unsure.add(file);
    site.addDue(newest);
    const isMuch = (damaged ?? []).length > MANY_DAMAGED;
    const chosen = new Set(isWhole && !isMuch ? [...newest, ...(damaged ?? [])] : newest);
    await buildFiles(() => chosen);
    unsure.clear();
    if (!isWhole || isMuch) return false;
    writer.removeDamaged();
    isReady = true;
    return true;
  }

  // The manifest.

  /** Takes in what another process has built, or this one before it was started again. */
  function catchUp(): void {
    const delta = manifest.catchUp();
    if (delta.articles.size > 0 || delta.isWhole) {
      const isTrusted = manifest.reading === reading;
      articleFiles.applyDelta(delta, isTrusted);
      site.absorbShown(); // these pages stand
      isWhole ||= isTrusted;
    }
    site.addDue(delta.stale);
    if (damaged !== undefined) for (const file of delta.files) changedByOthers.add(file);
    isForeign = hasScanned && manifest.key !== key;
    damaged ??= findDamage();
  }

  /** Finds what a power loss has damaged; only after a stop before all files were known to be on the disk. */
  function findDamage(): readonly string[] {
    key = manifest.key;
    if (manifest.isSynced) return [];
    const found = new Set<string>();
    if (isEverCompressed(stateDir, compress))
      for (const { file, text } of damagedCompressed(outputDir, manifest)) {
        discard(join(outputDir, file));
        found.add(text);
      }
    for (const file of writer.findDamage()) found.add(file);
    site.addDue(found);
    const some = [...found].slice(0, MOST_NAMED);
    if (found.size > 0)
      log.warn({ files: found.size, some }, 'pages were damaged by an unclean stop and are built again');
    return [...found];
  }

  /** Has all files written anew, and those removed that only their mark shows to be ours. */
  function forgetOutput(): void {
    writer.distrust();
    const isText = (file: string) => outputs.at(file) !== undefined;
    const present = filesBelow(outputDir);
    for (const file of present) if (!isText(file) && writer.adopt(file)) due.add(file);
    if (compress) removeLeftovers(outputDir, present, isText);
  }

  function commit(): void {
    const isMuch = due.size > MANY_FAILURES;
    key = isMuch ? '' : site.context().key; // so that the next start builds everything
    isForeign = false;
    manifest.commit({
      key,
      reading,
      articles: articleFiles.takeUnrecorded(),
      stale: isMuch ? [] : [...due],
      everything: index.everything,
    });
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

  // Syncs.

  function syncLater(): void {
    syncTimer ??= setTimeout(() => {
      syncTimer = undefined;
      if (isBurst) syncLater();
      else void sync(SYNC_MS);
    }, SYNC_AFTER_MS).unref();
  }

  /** Syncs the files that are not known to be on the disk, while builds go on, and notes that in the manifest. */
  async function sync(timeoutMs: number): Promise<void> {
    if (manifest.isSynced) return;
    try {
      const { namings, unsynced } = manifest;
      const paths = [...unsynced.keys()].flatMap((file) => withCompressed(join(outputDir, file)));
      if (await syncFiles(outputDir, paths, timeoutMs))
        await enqueue(others, () => locked(() => manifest.setSynced(namings)));
      else syncLater();
    } catch (error) {
      syncLater();
      log.debug({ reason: messageOf(error) }, 'what was built could not be synced');
    }
  }

  return {
    load: () => enqueue(others, () => locked(readLast)) as Promise<boolean>,
    isUndamaged: () => damaged !== undefined && damaged.length === 0,
    buildAll: (request = {}) =>
      enqueue(others, () => locked(() => buildEverything(request))) as Promise<SiteReport>,
    buildChanged: (paths) => enqueue(changes, paths),
    pace: (to) => {
      isBurst = to;
    },
    check: (onProgress) =>
      enqueue(others, () => locked(() => checkSite(options, manifest, onProgress))) as Promise<Difference[]>,
    newestPages: (count) =>
      enqueue(others, async () => newestPages(count, options.site, index.all, manifest)) as Promise<
        SearchPage[]
      >,
    close: async () => {
      isClosing = true;
      while (working !== undefined) await working;
      await sync(options.lastSyncMs ?? LAST_SYNC_MS);
      clearTimeout(syncTimer);
      lock.close();
    },
  };
}
