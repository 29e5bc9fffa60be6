import fs from 'node:fs';
import { join } from 'node:path';
import type { Article, ArticleDraft } from '../article/article.js';
import type { Amended } from '../article/format/amend.js';
import type { StoredArticle } from '../article/stored-article.js';
import { messageOf, PressmarkError, quote } from '../errors.js';
import type { Fingerprint } from '../fs/fingerprint.js';
import type { Lock } from '../fs/lock.js';
import type { Log } from '../log.js';
import type { Catalog } from './catalog/catalog.js';
import {
  type ContentFolder,
  type Entry,
  entryOf,
  htmlOf,
  type ReadFile,
  readArticle,
  sameFingerprint,
} from './catalog/entry.js';
import { createNaming, type Name } from './catalog/naming.js';
import { type ContentChange, refresh, scan } from './catalog/scan.js';
import { createSpelling } from './catalog/spelling.js';
import { type Replacement, replacedBy, type Target } from './precondition.js';
import { createReading } from './reading.js';
import { createRemoval } from './removal.js';
import type { Trash } from './trash.js';
import { storeFailure } from './write/failure.js';
import { createOperations } from './write/operations.js';
import { NameTaken, type OnlyAfter, Outdated, type Write, type Writer } from './writer.js';

/** A file that was written. */
export interface StoredFile {
  readonly article: Article;
  /** Below the content folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The person's edit that stood there before. */
  readonly replaced?: { readonly article: Article; readonly text: string };
}

/** A file that an update is about to replace. */
export interface ReplacedFile extends StoredFile {
  /** Whether it is a person's edit of the file. */
  readonly edited: boolean;
  /** The revision that replaces it. */
  readonly by: string;
}

/** What became of a publication: stored now, or known before (a redelivery), in which case nothing was written. */
export interface Published {
  readonly outcome: 'stored' | 'known';
  readonly id: string;
  readonly url: string;
  /** The new file; only where the article was stored now. */
  readonly stored?: StoredFile;
}

/** What became of an update: stored now, or stored before (a retry), in which case nothing was written. */
export interface Updated {
  readonly outcome: 'stored' | 'retry';
  readonly stored?: StoredFile;
}

/**
 * What else must have happened before a file is acknowledged; a durability level beyond the disk plugs in here. When it
 * rejects, the file stays and is not acknowledged: while it ran, a lookup of another receiver may have answered with
 * that file. It counts as stored when it has been sent again.
 *
 * @param written by whom: a delivery now; an earlier one, and a person may have renamed the file since; a person who has it
 *   restored.
 */
export type AfterWrite = (file: StoredFile, written: 'now' | 'before' | 'restored') => Promise<void>;

/** How a file is written. One that is a person's edit is theirs to commit. */
type Written = 'now' | 'restored' | 'edited';

export interface StoreOptions {
  readonly content: ContentFolder;
  readonly catalog: Catalog;
  /** The key of the content's format before the catalog was filled. */
  readonly key: string;
  readonly lock: Lock;
  /** What is in it keeps its URL. */
  readonly trash: Pick<Trash, 'keeps'>;
  readonly writer: Writer;
  readonly log: Log;
  /** Called after a file is durable and before it is acknowledged. */
  readonly afterWrite?: AfterWrite | undefined;
  /** Called before an update replaces a file; when it rejects, nothing is changed. */
  readonly beforeReplace?: ((replaced: ReplacedFile) => Promise<void>) | undefined;
  /** Called where the article of an update or a lookup is not found; throws where it may be there again soon. */
  readonly onMissing?: (() => void) | undefined;
  /** Called with the path of a file that may have been written by a receiver that died before it had acknowledged it. */
  readonly onEnsured?: ((path: string) => void) | undefined;
  /** Gets the changes of files that another program or another process made. */
  readonly onChange: (changes: readonly ContentChange[]) => void;
}

/** The articles of one site; see `createStore`. */
export type ArticleStore = ReturnType<typeof createStore>;

/**
 * The store: Markdown files, written durably and compared under the cross-process lock. A file is *stored* when it is in
 * the content folder, and *acknowledged* when its writer and `afterWrite` have also promised it.
 */
export function createStore(options: StoreOptions) {
  const {
    content,
    catalog,
    key,
    lock,
    writer,
    log,
    afterWrite,
    beforeReplace,
    onMissing,
    onEnsured,
    onChange,
  } = options;
  /** The writes that go on, by path. */
  const writing = new Map<string, Promise<unknown>>();
  /** What this process has acknowledged, or found to be as good. */
  const acknowledged = new Map<string, Fingerprint>();
  /** Files that stay although their deliveries got an error. */
  const unacknowledged = new Set<string>();
  const { catchUp } = writer;
  const ensureShared = catchUp && (async (entry: Entry) => void (await acknowledge(entry)));
  const reading = createReading({ content, catalog, key, writing, notice, onMissing, catchUp, ensureShared });
  // What another receiver has stored may have the URL that the next article would get.
  const operations = createOperations(lock, reading.readNewFiles);
  const chooseName = createNaming(content, catalog, options.trash);
  const { codec } = content;
  const spelling = createSpelling(content.format, catalog, log, codec.ownTags);
  const removal = createRemoval({
    content,
    catalog,
    writer,
    reading,
    locked,
    write,
    ensureShared,
    beforeRemoval,
    forget,
  });

  /** With tags and author as the site spells them. */
  async function spelled<T extends Pick<Article, 'tags' | 'author'>>(article: T, path: string): Promise<T> {
    const tags = await spelling.tags(article.tags, path);
    return { ...article, tags, author: spelling.author(article.author) };
  }

  async function nameOf(draft: ArticleDraft, taken: ReadonlySet<string>): Promise<Name> {
    const { body, contentHtml } = draft;
    const { extension } = content.format;
    const its = typeof extension === 'string' ? extension : await codec.extension({ body, contentHtml });
    return chooseName(draft, its, taken);
  }

  function notice(changes: readonly ContentChange[]): void {
    if (changes.length > 0) onChange(changes);
  }

  function isAcknowledged({ path, fingerprint }: Entry): boolean {
    const known = acknowledged.get(path);
    return known !== undefined && sameFingerprint(known, fingerprint);
  }

  /**
   * Stores a new article, or finds that its id is stored already. Resolves when the file is durable.
   *
   * @param prepare makes the article; not called for an id that is stored. See `OnlyAfter`.
   * @throws PressmarkError LOCK_TIMEOUT, and nothing was changed; STORE_FAILED and what `AfterWrite` throws, and the file
   *   may be there, so that the next delivery of the article finds it. What `prepare` throws.
   */
  async function publish(
    id: string,
    prepare: (onlyAfter: OnlyAfter) => Promise<ArticleDraft>,
  ): Promise<Published> {
    const known = unchanged(id) ?? (await storedBefore(id));
    if (known !== undefined) return known;
    const { after, onlyAfter } = othersFirst();
    const draft = await prepare(onlyAfter);
    return locked(id, () => create(draft, after));
  }

  /** The answer for an id that is acknowledged and whose file has not changed since: without waiting for anything. */
  function unchanged(id: string): Published | undefined {
    const [entry] = catalog.byId(id);
    if (entry === undefined || !isAcknowledged(entry)) return undefined;
    const stat = fs.statSync(`${content.root}/${entry.path}`, { throwIfNoEntry: false });
    if (stat === undefined || !sameFingerprint(stat, entry.fingerprint)) return undefined;
    return { outcome: 'known', id, url: entry.url };
  }

  async function storedBefore(id: string): Promise<Published | undefined> {
    if (catalog.byId(id).length === 0 && !catalog.hasLost(id)) return undefined;
    return locked(id, () => acknowledgedAs(id));
  }

  async function acknowledgedAs(id: string): Promise<Published | undefined> {
    const entry = await reading.current(id);
    if (entry === undefined) return undefined;
    const stored = await acknowledge(entry);
    const { url } = entry;
    return stored === undefined ? { outcome: 'known', id, url } : { outcome: 'stored', id, url, stored };
  }

  /**
   * Acknowledges a file that is there: another process, or a write that got an error, may have left it without having made
   * it durable.
   *
   * @returns the file if its delivery was answered with an error although it stayed: no action has run for it yet, and
   *   this delivery is the one that stores it.
   */
  async function acknowledge(entry: Entry): Promise<StoredFile | undefined> {
    if (isAcknowledged(entry)) return undefined;
    const { path } = entry;
    const fingerprint = await writer.ensure(entry);
    if (!sameFingerprint(fingerprint, entry.fingerprint)) catalog.set({ ...entry, fingerprint });
    onEnsured?.(path);
    let file: StoredFile | undefined;
    if (afterWrite !== undefined || unacknowledged.has(path)) {
      const { text, stored } = await readArticle(content, path);
      // a person's edit is theirs to commit
      if (!stored.edited) file = { article: stored.article, path, text };
    }
    if (file !== undefined) await afterWrite?.(file, 'before');
    acknowledged.set(path, fingerprint);
    return unacknowledged.delete(path) ? file : undefined;
  }

  async function create(draft: ArticleDraft, after: readonly Promise<void>[]): Promise<Published> {
    const { id } = draft;
    const taken = new Set<string>();
    for (;;) {
      const { epoch } = writer;
      const known = await acknowledgedAs(id);
      if (known !== undefined) return known;
      const { slug, path, url, release } = await nameOf(draft, taken);
      try {
        const named = { url, updated: null, ...(await spelled(draft, path)), slug };
        const first = await codec.encode(named, path);
        const stored = await write({
          path,
          target: join(content.root, path),
          ...first,
          replaces: null,
          epoch,
          after,
        });
        return { outcome: 'stored', id, url, stored };
      } catch (error) {
        if (error instanceof Outdated) continue;
        taken.add(path);
        // What stands under this name is known to the catalog from now on: a person's file that took it
        // in between, or ours that could not be taken back and must not be stored a second time.
        notice(await refresh(content, catalog, path, writing));
        if (!(error instanceof NameTaken)) throw error;
      } finally {
        release();
      }
    }
  }

  /**
   * Replaces an article by compare-and-set (contract: article.updated, steps 2 to 5). Resolves when the new file is
   * durable.
   *
   * @param prepare makes what replaces the article; not called for an update that is stored already or unacknowledged. See
   *   `OnlyAfter`.
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, ARTICLE_UNREADABLE, REVISION_CONFLICT, LOCK_TIMEOUT:
   *   the article is untouched. STORE_FAILED and what `AfterWrite` throws: the update may be there, so that its next
   *   delivery finds it. What `prepare` throws.
   */
  async function update(
    target: Target,
    prepare: (article: Article, onlyAfter: OnlyAfter) => Promise<Replacement>,
  ): Promise<Updated> {
    for (;;) {
      const { kind, read } = await reading.check(target);
      const { after, onlyAfter } = othersFirst();
      const replacement = kind === 'retry' ? undefined : await prepare(read.stored.article, onlyAfter);
      // Checked again under the lock; that check counts.
      const updated = await locked(target.targetId, () => replace(target, replacement, after));
      if (updated !== undefined) return updated;
    }
  }

  /** What `publish` and `update` would come to now; nothing is written, and nothing is promised. */
  const dryRun = {
    async publish(id: string, prepare: (onlyAfter: OnlyAfter) => Promise<ArticleDraft>): Promise<Published> {
      const known = await reading.current(id);
      if (known !== undefined) return { outcome: 'known', id, url: known.url };
      const { url, release } = await nameOf(await prepare(() => undefined), new Set());
      release();
      return { outcome: 'stored', id, url };
    },
    async update(
      target: Target,
      prepare: (article: Article, onlyAfter: OnlyAfter) => Promise<Replacement>,
    ): Promise<Updated> {
      const { kind, read } = await reading.check(target);
      if (kind === 'retry') return { outcome: 'retry' };
      await prepare(read.stored.article, () => undefined);
      return { outcome: 'stored' };
    },
  };

  /** @returns undefined where the update is to be applied by now, and there is no replacement yet. */
  async function replace(
    target: Target,
    replacement: Replacement | undefined,
    after: readonly Promise<void>[],
  ): Promise<Updated | undefined> {
    /** The error of an attempt whose end is unknown. */
    let unclear: unknown;
    for (;;) {
      const { epoch } = writer;
      const { kind, read, entry } = await reading.check(target).catch((error: unknown) => {
        // It may have been stored, and replaced by another since: then a refusal would be a lie.
        throw unclear ?? error;
      });
      if (kind === 'retry') {
        const stored = await acknowledge(entry);
        return stored === undefined ? { outcome: 'retry' } : { outcome: 'stored', stored };
      }
      if (replacement === undefined) return undefined;
      const { path } = entry;
      const { article, edited } = read.stored;
      const next = replacedBy(article, target.revision, replacement);
      const { storedBody } = replacement;
      const file = await codec.amend(read.text, read.stored, await spelled(next, path), path, storedBody);
      try {
        const stored = await overwrite(path, read, file, epoch, false, after);
        const replaced = edited ? { replaced: { article, text: read.text } } : {};
        return { outcome: 'stored', stored: { ...stored, ...replaced } };
      } catch (error) {
        if (!(error instanceof Outdated)) throw error;
        unclear = error.cause;
      }
    }
  }

  /**
   * Puts a file in the place of the one that it was made from.
   *
   * @param isEdit whether the new file is a person's edit, too, and theirs to commit.
   * @throws Outdated where the file has changed since.
   */
  async function overwrite(
    path: string,
    read: ReadFile,
    file: Amended,
    epoch: number,
    isEdit: boolean,
    after: readonly Promise<void>[] = [],
  ): Promise<StoredFile> {
    const { text, stored } = read;
    const { article, edited } = stored;
    // While the file still holds it: whenever we are killed, it is in one place or the other.
    await beforeReplace?.({ path, text, article, edited, by: file.article.revision });
    const real = fs.realpathSync(join(content.root, path)); // a rename would replace the link itself
    const { mode } = fs.statSync(real);
    return write(
      { path, target: real, ...file, replaces: text, mode, epoch, after },
      isEdit ? 'edited' : 'now',
    );
  }

  /**
   * Changes an article's file by compare-and-set. Resolves when the new file is durable.
   *
   * @param make makes the new file from the present one, again where that has changed; with the same text nothing is written.
   *   What it makes of a person's edit is theirs to commit as well, unless it `seals` the file.
   * @returns the article; whether its file is a person's edit; `stored` where something was written, now or by a call that threw.
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_UNREADABLE, LOCK_TIMEOUT, STORE_FAILED; what `make` throws.
   */
  async function change(
    id: string,
    make: (read: ReadFile, path: string) => Promise<Amended & { readonly seals?: boolean }>,
  ): Promise<{ readonly article: Article; readonly edited: boolean; readonly stored?: StoredFile }> {
    return locked(id, async () => {
      for (;;) {
        const { epoch } = writer;
        const entry = await reading.current(id);
        if (entry === undefined)
          throw new PressmarkError('ARTICLE_NOT_FOUND', `there is no article with the id ${quote(id)}`);
        await ensureShared?.(entry);
        const { path } = entry;
        const read = await reading.open(entry);
        const { seals = false, ...file } = await make(read, path);
        const edited = read.stored.edited && !seals;
        if (file.text === read.text) {
          // What was stored before, and was answered with an error.
          const stored = await acknowledge(entry);
          return { article: read.stored.article, edited, ...(stored !== undefined && { stored }) };
        }
        try {
          const stored = await overwrite(path, read, file, epoch, edited);
          return { article: stored.article, edited, stored };
        } catch (error) {
          if (!(error instanceof Outdated)) throw error;
        }
      }
    });
  }

  async function write(file: Write, how: Written = 'now'): Promise<StoredFile> {
    const { path } = file;
    const work = writeNow(file, how).finally(() => writing.delete(path));
    writing.set(path, work);
    return work;
  }

  async function writeNow(file: Write, how: Written): Promise<StoredFile> {
    const { article, path, text } = file;
    const stored = { article, path, text };
    try {
      const fingerprint = await writer.write(file);
      unacknowledged.add(path);
      if (how !== 'edited') await afterWrite?.(stored, how);
      // What a person has written tells the file alone.
      catalog.set(
        how === 'edited' ? await codec.entry(path, { text, fingerprint }) : entryOf(path, file, fingerprint),
      );
      acknowledged.set(path, fingerprint);
      unacknowledged.delete(path);
      return stored;
    } catch (error) {
      if (isStoreFailure(error)) unacknowledged.add(path);
      throw error;
    }
  }

  async function beforeRemoval({ text, stored: { article, edited } }: ReadFile, path: string): Promise<void> {
    await beforeReplace?.({ path, text, article, edited, by: '' });
  }

  /** Forgets a file that was removed. */
  function forget(path: string): void {
    catalog.delete(path);
    acknowledged.delete(path);
    unacknowledged.delete(path);
  }

  async function locked<T>(key: string, work: () => Promise<T>): Promise<T> {
    try {
      return await operations.run(key, work);
    } catch (error) {
      const failure = storeFailure(error);
      if (isStoreFailure(failure)) log.error({ err: error }, 'the store failed');
      throw failure;
    }
  }

  async function readAgainLater(path: string): Promise<void> {
    try {
      await readAgain([path]);
    } catch (error) {
      log.warn(
        { path, reason: messageOf(error) },
        'a changed file could not be read; it is read when its article is asked for',
      );
    }
  }

  /** Looks at paths that may have changed by another hand, and reports those that did; of its own writes when they end. */
  async function readAgain(paths: Iterable<string>): Promise<void> {
    for (const path of paths) {
      const own = writing.get(path);
      if (own !== undefined) {
        void own.catch(() => undefined).then(() => readAgainLater(path));
        continue;
      }
      notice(await refresh(content, catalog, path, writing));
    }
  }

  /** Reads files that the writer has brought from another machine, also where this process is about to write such a name. */
  async function readShared(paths: Iterable<string>): Promise<void> {
    for (const path of paths) notice(await refresh(content, catalog, path, new Map()));
  }

  /** Compares the whole folder with the catalog. */
  async function compareFolder(): Promise<void> {
    const { changes } = await scan(content, catalog, writing);
    notice(changes);
  }

  /** Finishes what is under way. */
  const close = operations.idle;

  const { find, get, read, snapshotKey } = reading;
  return {
    publish,
    update,
    dryRun,
    change,
    ...removal,
    find,
    get,
    read,
    /** See `renderedHtml`. */
    htmlOf: (stored: StoredArticle) => htmlOf(content, stored),
    readAgain,
    readShared,
    compareFolder,
    snapshotKey,
    close,
  };
}

/** What a delivery's file waits for. A rejection counts where the file is written. */
function othersFirst(): { readonly after: readonly Promise<void>[]; readonly onlyAfter: OnlyAfter } {
  const after: Promise<void>[] = [];
  const onlyAfter: OnlyAfter = (work) => {
    if (work === undefined) return;
    work.catch(() => undefined);
    after.push(work);
  };
  return { after, onlyAfter };
}

/** Whether the store has failed for a reason of this machine, in which case a file may have stayed. */
function isStoreFailure(error: unknown): boolean {
  return error instanceof PressmarkError && error.code === 'STORE_FAILED';
}
