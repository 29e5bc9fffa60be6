import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { amend } from '../article/amend.js';
import type { Article, ArticleContent, ArticleDraft } from '../article/article.js';
import { encodeFirst, type StoredArticle } from '../article/codec.js';
import { numbered, slugOf } from '../article/slug.js';
import { canonicalUrl } from '../contract/canonical-url.js';
import { PressmarkError, quote } from '../errors.js';
import { stage, syncDirectory, syncFile } from '../fs/atomic-write.js';
import type { Lock } from '../fs/lock.js';
import type { Log } from '../log.js';
import type { Catalog } from './catalog.js';
import { type ContentFolder, type Entry, entryOf, isGone, type ReadFile, readArticle } from './entry.js';
import { storeFailure } from './failure.js';
import { createFolderCheck } from './folder-check.js';
import { createGroupCommit, type Durability } from './group-commit.js';
import type { Journal } from './journal.js';
import { createPipeline } from './pipeline.js';
import { NameTaken, type Write } from './placing.js';
import { type Change, refresh, scan } from './scan.js';

/** What became of a publication: stored now, or known before (a redelivery), in which case nothing was written. */
export interface Published {
  readonly outcome: 'stored' | 'known';
  readonly id: string;
  readonly url: string;
  /** The new article, its file's path below the content folder and its text; only where it was stored now. */
  readonly stored?: StoredFile;
}

/** A file that was written. */
export interface StoredFile {
  readonly article: Article;
  readonly path: string;
  readonly text: string;
}

/** A compare-and-set (contract: article.updated). */
export interface UpdateRequest {
  readonly targetId: string;
  readonly targetUrl: string;
  readonly base: string;
  readonly revision: string;
  readonly updated: string;
  /** What replaces the article's content; a null image leaves the stored one. */
  readonly content: ArticleContent;
}

/** What became of an update: stored now, or stored before (a retry), in which case nothing was written. */
export interface Updated {
  readonly outcome: 'stored' | 'retry';
  readonly stored?: StoredFile;
}

/** An article and where it stands. */
export interface Found extends StoredArticle {
  readonly path: string;
}

export interface StoreOptions {
  readonly content: ContentFolder;
  readonly catalog: Catalog;
  readonly lock: Lock;
  readonly journal: Journal;
  readonly log: Log;
  readonly durability?: Durability;
  /** Told of files that changed by another hand than this store's. */
  readonly onChange?: (changes: readonly Change[]) => void;
}

/** The articles of one site; see `createStore`. */
export type ArticleStore = ReturnType<typeof createStore>;

/** The store: Markdown files, written durably and compared under the cross-process lock. */
export function createStore({
  content,
  catalog,
  lock,
  journal,
  log,
  durability,
  onChange = () => undefined,
}: StoreOptions) {
  const group = createGroupCommit(content.root, journal, log, durability);
  const pipeline = createPipeline(lock, catchUp);
  const newFiles = createFolderCheck(
    content,
    (path) => catalog.get(path) !== undefined || group.isUnderWay(path),
  );
  /** Paths and URLs of new articles that are being written and not in the catalog yet. */
  const reserved = new Set<string>();
  /** Where the numbers of a slug that is often taken go on, so that a thousand namesakes are not asked each time. */
  const nextNumber = new Map<string, number>();
  /** Inodes of files that this process knows to be on the disk. */
  const durable = new Map<string, number>();

  /** Reads what other processes have written. */
  async function catchUp(): Promise<void> {
    const news = journal.news();
    if (news === 'everything') notice((await scan(content, catalog)).changes);
    else for (const path of news) notice(refresh(content, catalog, path));
  }

  function notice(changes: readonly Change[]): void {
    if (changes.length > 0) onChange(changes);
  }

  /** The catalog's first entry for an id, compared with the disk; a file that was moved is looked for. */
  async function current(id: string): Promise<Entry | undefined> {
    const [entry] = catalog.byId(id);
    if (entry === undefined) return undefined;
    notice(refresh(content, catalog, entry.path));
    const [now] = catalog.byId(id);
    if (now !== undefined) return now;
    notice((await scan(content, catalog)).changes);
    return catalog.byId(id)[0];
  }

  /**
   * The id and URL of an article that is known and durable, without waiting for anything: a redelivery's way.
   *
   * @returns undefined where `publish` must be asked.
   */
  function known(id: string): Published | undefined {
    const [entry] = catalog.byId(id);
    if (entry === undefined || durable.get(entry.path) !== entry.stamp.ino) return undefined;
    if (fs.statSync(join(content.root, entry.path), { throwIfNoEntry: false })?.ino !== entry.stamp.ino)
      return undefined;
    return { outcome: 'known', id: entry.id, url: entry.url };
  }

  /**
   * Stores a new article, or finds that its id is stored already. Resolves when the file is durable.
   *
   * @throws PressmarkError STORE_FAILED, LOCK_TIMEOUT; nothing was changed then.
   */
  async function publish(draft: ArticleDraft): Promise<Published> {
    return known(draft.id) ?? guarded(draft.id, () => publishLocked(draft));
  }

  async function publishLocked(draft: ArticleDraft): Promise<Published> {
    const entry = await current(draft.id);
    if (entry !== undefined) {
      await ensureDurable(entry);
      return { outcome: 'known', id: entry.id, url: entry.url };
    }
    for (;;) {
      const { slug, path, url, release } = chooseName(draft);
      try {
        const { text, article } = encodeFirst({ ...draft, slug, url, updated: null });
        const stored = await write({ path, target: join(content.root, path), text, replaces: null }, article);
        return { outcome: 'stored', id: article.id, url, stored };
      } catch (error) {
        // A person's file took the name meanwhile; from now on the catalog knows it.
        if (!(error instanceof NameTaken)) throw error;
        notice(refresh(content, catalog, path));
      } finally {
        release();
      }
    }
  }

  /** A slug whose file and URL are free, and reserved until `release`. */
  function chooseName(draft: ArticleDraft) {
    const base = slugOf(draft.slug, draft.title, draft.id);
    for (let n = nextNumber.get(base) ?? 1; ; n++) {
      const slug = numbered(base, n);
      const path = content.layout.path(slug, draft.date);
      const url = content.layout.url(slug, draft.date);
      const key = canonicalUrl(url) ?? url;
      const isFree =
        !reserved.has(path) &&
        !reserved.has(key) &&
        catalog.get(path) === undefined &&
        catalog.byUrl(key).length === 0 &&
        !fs.existsSync(join(content.root, path));
      if (!isFree) continue;
      if (n > 1) nextNumber.set(base, n);
      reserved.add(path).add(key);
      const release = () => {
        reserved.delete(path);
        reserved.delete(key);
      };
      return { slug, path, url, release };
    }
  }

  /**
   * Replaces an article by compare-and-set (contract: article.updated, steps 2 to 5). Resolves when the new
   * file is durable.
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, REVISION_CONFLICT; STORE_FAILED, LOCK_TIMEOUT.
   *   The article is untouched then.
   */
  function update(request: UpdateRequest): Promise<Updated> {
    return guarded(request.targetId, async () => {
      const { read, entry, verdict } = await judge(request);
      if (verdict === 'retry') {
        await ensureDurable(entry);
        return { outcome: 'retry' };
      }
      const { article } = read.stored;
      const { content: next, updated, revision } = request;
      const replaced: Article = {
        ...article,
        ...next,
        image: next.image ?? article.image,
        updated,
        revision,
      };
      const text = amend(read.text, article, replaced);
      const target = fs.realpathSync(join(content.root, entry.path)); // a rename would replace the link itself
      const { mode } = fs.statSync(target);
      return {
        outcome: 'stored',
        stored: await write(
          { path: entry.path, target, text, replaces: read.text, mode },
          { ...replaced, extra: article.extra },
        ),
      };
    });
  }

  /**
   * The contract's steps 2 to 4, on the file as it is now.
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, ARTICLE_UNREADABLE, REVISION_CONFLICT.
   */
  async function judge({ targetId, targetUrl, base, revision }: Omit<UpdateRequest, 'content' | 'updated'>) {
    const entry = await resolveTarget(targetId, targetUrl);
    const read = await open(entry);
    const { article } = read.stored;
    if (article.id !== targetId || canonicalUrl(article.url) !== canonicalUrl(targetUrl))
      throw noTarget(targetId, targetUrl);
    if (article.revision === revision) return { verdict: 'retry', read, entry } as const;
    if (article.revision !== base) {
      throw new PressmarkError(
        'REVISION_CONFLICT',
        `Article revision conflict: base_revision_id is ${quote(base)}, the article is at ${quote(article.revision)}`,
      );
    }
    return { verdict: 'apply', read, entry } as const;
  }

  async function resolveTarget(id: string, url: string): Promise<Entry> {
    const canonical = canonicalUrl(url);
    await current(id);
    const entries = catalog.byId(id).filter((entry) => entry.canonical === canonical);
    const [entry, other] = entries;
    if (entry === undefined) throw noTarget(id, url);
    if (other !== undefined) throw ambiguous(url, entries);
    return entry;
  }

  /**
   * The one article at a public URL, from its file as it is now (contract: article.lookup).
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, ARTICLE_UNREADABLE.
   */
  async function find(url: string): Promise<Found> {
    const canonical = canonicalUrl(url);
    await catchUp();
    for (const path of newFiles()) notice(refresh(content, catalog, path));
    for (const { path } of catalog.byUrl(canonical ?? '')) notice(refresh(content, catalog, path));
    const entries = catalog.byUrl(canonical ?? '');
    const [entry, other] = entries;
    if (entry === undefined)
      throw new PressmarkError('ARTICLE_NOT_FOUND', `target_url: there is no article at ${quote(url, 120)}`);
    if (other !== undefined) throw ambiguous(url, entries);
    const { stored } = await open(entry);
    return { ...stored, path: entry.path };
  }

  /** The article with this id, or undefined. */
  async function get(id: string): Promise<Found | undefined> {
    const entry = await current(id);
    if (entry === undefined) return undefined;
    return { ...(await open(entry)).stored, path: entry.path };
  }

  async function open(entry: Entry): Promise<ReadFile> {
    try {
      return readArticle(content, entry.path);
    } catch (error) {
      if (isGone(error))
        throw new PressmarkError('ARTICLE_NOT_FOUND', `the file of article ${quote(entry.id)} was removed`);
      if (!(error instanceof PressmarkError)) throw storeFailure(error);
      throw new PressmarkError(
        'ARTICLE_UNREADABLE',
        `the file ${entry.path} is malformed, ${error.message}`,
        { cause: error },
      );
    }
  }

  async function write(file: Write, article: Article): Promise<StoredFile> {
    const stamp = await group.write(file);
    catalog.set(entryOf(file.path, article, stamp));
    durable.set(file.path, stamp.ino);
    return { article, path: file.path, text: file.text };
  }

  /**
   * Before something that is there already is acknowledged, it must be as durable as if we had just written
   * it: another process may have died between its rename and its sync.
   */
  async function ensureDurable({ path, stamp }: Entry): Promise<void> {
    if (durable.get(path) === stamp.ino) return;
    const target = join(content.root, path);
    if (group.suspects.has(path)) {
      // A failed sync left pages that the kernel takes for clean: only a new file can be trusted.
      fs.renameSync(await stage(target, fs.readFileSync(target)), target);
      notice(refresh(content, catalog, path));
      group.suspects.delete(path);
    } else {
      await syncFile(target);
    }
    for (
      let folder = dirname(target);
      folder.length >= dirname(content.root).length;
      folder = dirname(folder)
    )
      await syncDirectory(folder);
    durable.set(path, fs.statSync(target).ino);
  }

  async function guarded<T>(key: string, work: () => Promise<T>): Promise<T> {
    try {
      return await pipeline.run(key, work);
    } catch (error) {
      const failure = storeFailure(error);
      if (failure.code === 'STORE_FAILED') log.error({ err: error }, 'the store failed');
      throw failure;
    }
  }

  /**
   * Looks at paths that may have changed by another hand, and tells of those that did.
   *
   * @returns the paths that are being written just now and must be asked again.
   */
  function look(paths: Iterable<string>): string[] {
    const later: string[] = [];
    for (const path of paths) {
      if (group.isUnderWay(path)) later.push(path);
      else notice(refresh(content, catalog, path));
    }
    return later;
  }

  return { known, publish, update, judge, find, get, look, ids: () => idsOf(catalog), idle: pipeline.idle };
}

function* idsOf(catalog: Catalog): Generator<string> {
  for (const { id, broken } of catalog.entries()) if (broken === undefined) yield id;
}

function noTarget(id: string, url: string): PressmarkError {
  return new PressmarkError(
    'ARTICLE_NOT_FOUND',
    `target_id ${quote(id)} and target_url ${quote(url, 80)} do not name the same stored article`,
  );
}

function ambiguous(url: string, entries: readonly Entry[]): PressmarkError {
  const paths = entries.map(({ path }) => path).slice(0, 3);
  return new PressmarkError(
    'ARTICLE_AMBIGUOUS',
    `target_url: ${entries.length} articles are at ${quote(url, 80)}: ${paths.join(', ')}; remove all but one`,
  );
}
