import fs from 'node:fs';
import { join } from 'node:path';
import type { Article, ArticleDraft } from '../article/article.js';
import type { StoredArticle } from '../article/stored-article.js';
import { sameFingerprint } from '../fs/fingerprint.js';
import type { Lock } from '../fs/lock.js';
import { htmlOf } from './catalog/content-folder.js';
import { createNaming, type Name } from './catalog/naming.js';
import { createSpelling } from './catalog/spelling.js';
import { createChanges } from './changes.js';
import { type Replacement, replacedBy, type Target } from './precondition.js';
import { createReading, type Reading, type ReadingOptions } from './reading.js';
import type { Trash } from './trash.js';
import { createArticleFiles, type StoredFile, untilWritten, type WaitFor } from './write/article-files.js';
import { isStoreFailure, NameTaken, Outdated, storeFailure } from './write/failures.js';
import { createOperations } from './write/operations.js';

/** The result of a publication: stored now, or known before (a redelivery), so that nothing was written. */
export interface Published {
  readonly outcome: 'stored' | 'known';
  readonly id: string;
  readonly url: string;
  /** The new file; only if the article was stored now. */
  readonly file?: StoredFile;
}

/** The result of an update: stored now, or stored before (a retry), so that nothing was written. */
export interface Updated {
  readonly outcome: 'stored' | 'retry';
  readonly file?: StoredFile;
}

export interface StoreOptions extends Omit<ReadingOptions, 'files'> {
  readonly lock: Lock;
  /** The URLs and files of articles in the trash stay taken. */
  readonly trash: Pick<Trash, 'keeps'>;
}

/** The articles of one site; see `createStore`. */
export type ArticleStore = ReturnType<typeof createStore>;

/** Creates the store: Markdown files, written durably and compared under the cross-process lock. */
export function createStore(options: StoreOptions) {
  const { content, catalog, lock, writer, log } = options;
  const { codec } = content;
  const files = createArticleFiles(content, catalog, writer);
  const { acknowledge } = files;
  const reading = createReading({ ...options, files });
  // New files are read first, as another receiver may have stored an article at the next article's URL.
  const operations = createOperations(lock, reading.readNewFiles);
  const chooseName = createNaming(content, catalog, options.trash);
  const spelling = createSpelling(content.format, catalog, log, codec.ownTags);
  const changes = createChanges({ content, catalog, writer, files, reading, locked });

  /** Replaces tags and author by the site's spellings. */
  async function spelled<T extends Pick<Article, 'tags' | 'author'>>(article: T, path: string): Promise<T> {
    const tags = await spelling.tags(article.tags, path);
    return { ...article, tags, author: spelling.author(article.author) };
  }

  async function chooseFor(draft: ArticleDraft, taken: ReadonlySet<string>): Promise<Name> {
    const { body, contentHtml } = draft;
    const { extension: ofFormat } = content.format;
    const extension = typeof ofFormat === 'string' ? ofFormat : await codec.extension({ body, contentHtml });
    return chooseName(draft, extension, taken);
  }

  /**
   * Stores a new article unless its id is stored already. Resolves when the file is durable.
   *
   * @param prepare makes the article; not called for an id that is stored. See `WaitFor`.
   * @throws PressmarkError LOCK_TIMEOUT: nothing was changed. STORE_FAILED and errors of `Writer.afterWrite`: the file may
   *   exist, and the next delivery of the article finds it. Errors of `prepare`.
   */
  async function publish(
    id: string,
    prepare: (waitFor: WaitFor) => Promise<ArticleDraft>,
  ): Promise<Published> {
    const known = acknowledgedUnchanged(id) ?? (await storedBefore(id));
    if (known !== undefined) return known;
    const { waits, waitFor } = collectWaits();
    const draft = await prepare(waitFor);
    return locked(id, () => create(draft, waits));
  }

  /** Returns the result for an acknowledged id whose file has not changed since, without waiting. */
  function acknowledgedUnchanged(id: string): Published | undefined {
    const [entry] = catalog.byId(id);
    if (entry === undefined || !files.isAcknowledged(entry)) return undefined;
    const stat = fs.statSync(`${content.root}/${entry.path}`, { throwIfNoEntry: false });
    if (stat === undefined || !sameFingerprint(stat, entry.fingerprint)) return undefined;
    return { outcome: 'known', id, url: entry.url };
  }

  async function storedBefore(id: string): Promise<Published | undefined> {
    if (catalog.byId(id).length === 0 && !catalog.hasLost(id)) return undefined;
    return locked(id, () => acknowledgeStored(id));
  }

  /** Acknowledges the file of an id that is stored, if there is one. */
  async function acknowledgeStored(id: string): Promise<Published | undefined> {
    const entry = await reading.current(id);
    if (entry === undefined) return undefined;
    const file = await acknowledge(entry);
    const { url } = entry;
    return file === undefined ? { outcome: 'known', id, url } : { outcome: 'stored', id, url, file };
  }

  async function create(draft: ArticleDraft, waitsFor: readonly Promise<void>[]): Promise<Published> {
    const { id } = draft;
    const taken = new Set<string>();
    return untilWritten(writer, async (epoch) => {
      const known = await acknowledgeStored(id);
      if (known !== undefined) return known;
      const { slug, path, url, release } = await chooseFor(draft, taken);
      try {
        const named = { url, updated: null, ...(await spelled(draft, path)), slug };
        const encoded = await codec.encode(named, path);
        const target = join(content.root, path);
        const file = await files.write({ path, target, ...encoded, replaces: null, epoch, waitsFor });
        return { outcome: 'stored', id, url, file };
      } catch (error) {
        // Read the file at this path: it is a person's new file, or ours after a failed write, which must not be stored a
        // second time.
        if (error instanceof NameTaken) {
          taken.add(path);
          await reading.readAgain([path]);
        } else if (!(error instanceof Outdated)) {
          await reading.readAgainIfPossible(path);
        }
        throw error;
      } finally {
        release();
      }
    });
  }

  /**
   * Replaces an article by compare-and-set (contract: article.updated, steps 2 to 5). Resolves when the new file is durable.
   *
   * @param prepare makes the replacement; not called for an update that is stored already, acknowledged or not. See `WaitFor`.
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, ARTICLE_UNREADABLE, REVISION_CONFLICT, LOCK_TIMEOUT: the
   *   article is unchanged. STORE_FAILED and errors of `Writer.afterWrite`: the update may be stored, and its next delivery
   *   finds it. Errors of `prepare`.
   */
  async function update(
    target: Target,
    prepare: (article: Article, waitFor: WaitFor) => Promise<Replacement>,
  ): Promise<Updated> {
    for (;;) {
      const { kind, read } = await reading.check(target);
      const { waits, waitFor } = collectWaits();
      const replacement = kind === 'retry' ? undefined : await prepare(read.stored.article, waitFor);
      // This is checked again under the lock.
      const updated = await locked(target.targetId, () => replace(target, replacement, waits));
      if (updated !== undefined) return updated;
    }
  }

  /** @returns undefined if the update must be applied now, but there is no replacement yet. */
  function replace(
    target: Target,
    replacement: Replacement | undefined,
    waitsFor: readonly Promise<void>[],
  ): Promise<Updated | undefined> {
    return untilWritten(writer, async (epoch, unclear) => {
      const { kind, read, entry } = await reading.check(target).catch((error: unknown) => {
        // After an unclear attempt, the update may have been stored and then replaced, so a refusal could be wrong.
        throw unclear ?? error;
      });
      if (kind === 'retry') {
        const file = await acknowledge(entry);
        return file === undefined ? { outcome: 'retry' } : { outcome: 'stored', file };
      }
      if (replacement === undefined) return undefined;
      const { path } = entry;
      const { article, edited } = read.stored;
      const next = replacedBy(article, target.revision, replacement);
      const { state } = replacement;
      let amended = await codec.amend(read.text, read.stored, await spelled(next, path), path);
      if (state !== undefined) amended = await codec.inState(amended.text, path, state, target.revision);
      const file = await files.overwrite(path, read, { ...amended, epoch, waitsFor });
      const replaced = edited ? { replaced: { article, text: read.text } } : {};
      return { outcome: 'stored', file: { ...file, ...replaced } };
    });
  }

  /** Runs `work` under the store's lock, and no other work with the same key. Failures of the disk are logged. */
  async function locked<T>(key: string, work: () => Promise<T>): Promise<T> {
    try {
      return await operations.run(key, work);
    } catch (error) {
      const failure = storeFailure(error);
      if (isStoreFailure(failure)) log.error({ err: error }, 'an article could not be read or written');
      throw failure;
    }
  }

  /** Resolves when all operations have ended. */
  const close = operations.idle;

  const { find, get, read, readAgain, readShared, compareFolder } = reading;
  return {
    publish,
    update,
    dryRun: createDryRun(reading, chooseFor),
    ...changes,
    find,
    get,
    read,
    /** See `renderedHtml`. */
    htmlOf: (stored: StoredArticle) => htmlOf(content, stored),
    readAgain,
    readShared,
    compareFolder,
    close,
  };
}

/**
 * Creates the dry run: `publish` and `update` return the results that those of the store would have now, and write nothing.
 *
 * @param chooseFor chooses the name of a new article.
 */
function createDryRun(
  { current, check }: Pick<Reading, 'current' | 'check'>,
  chooseFor: (draft: ArticleDraft, taken: ReadonlySet<string>) => Promise<Name>,
) {
  return {
    async publish(id: string, prepare: (waitFor: WaitFor) => Promise<ArticleDraft>): Promise<Published> {
      const known = await current(id);
      if (known !== undefined) return { outcome: 'known', id, url: known.url };
      const { url, release } = await chooseFor(await prepare(() => undefined), new Set());
      release();
      return { outcome: 'stored', id, url };
    },
    async update(
      target: Target,
      prepare: (article: Article, waitFor: WaitFor) => Promise<Replacement>,
    ): Promise<Updated> {
      const { kind, read } = await check(target);
      if (kind === 'retry') return { outcome: 'retry' };
      await prepare(read.stored.article, () => undefined);
      return { outcome: 'stored' };
    },
  };
}

/** Collects work that a delivery's file waits for. A rejection is handled when the file is written. */
function collectWaits(): { readonly waits: readonly Promise<void>[]; readonly waitFor: WaitFor } {
  const waits: Promise<void>[] = [];
  const waitFor: WaitFor = (work) => {
    if (work === undefined) return;
    work.catch(() => undefined);
    waits.push(work);
  };
  return { waits, waitFor };
}
