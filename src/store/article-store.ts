import fs from 'node:fs';
import { join } from 'node:path';
import type { Article, ArticleDraft } from '../article/article.js';
import type { Lock } from '../fs/lock.js';
import { createSharedMemory } from '../fs/shared-memory.js';
import type { Log } from '../log.js';
import type { Catalog } from './catalog/catalog.js';
import { type ContentFolder, type Entry, entryOf, openArticle, sameStamp } from './catalog/entry.js';
import { createNaming } from './catalog/naming.js';
import { type Change, refresh } from './catalog/scan.js';
import { createTagSpelling } from './catalog/tag-spelling.js';
import { createReading } from './reading.js';
import { replacedBy, type Target, type UpdateRequest } from './verdict.js';
import { createUnsettled } from './watch/unsettled.js';
import type { Watcher } from './watch/watch.js';
import { createDurableFiles } from './write/durable-files.js';
import { storeFailure } from './write/failure.js';
import { type AfterWrite, createGroupCommit } from './write/group-commit.js';
import type { Journal } from './write/journal.js';
import { createPipeline } from './write/pipeline.js';
import { NameTaken, type Write } from './write/placing.js';

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
  /** Whether it is a person's edit. */
  readonly edited: boolean;
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

export interface StoreOptions {
  readonly content: ContentFolder;
  readonly catalog: Catalog;
  /** The key of the content's format before the catalog was filled. */
  readonly key: string;
  readonly lock: Lock;
  readonly journal: Journal;
  /** Where files are written before they get their name; absolute. */
  readonly staging: string;
  readonly log: Log;
  /** Where people's edits are watched for; it calls `look`. */
  readonly watcher?: Watcher | undefined;
  /** Called after files are durable and before they are acknowledged. */
  readonly afterWrite?: AfterWrite;
  /** Called before an update replaces a file; when it rejects, nothing is changed. */
  readonly beforeReplace?: (replaced: ReplacedFile) => Promise<void>;
  /** Called with the path of a file that may have been written by a receiver that died before it had acknowledged it. */
  readonly onEnsured?: (path: string) => void;
  /** Gets the changes of files that another program or another process made. */
  readonly onChange?: (changes: readonly Change[]) => void;
}

/** The articles of one site; see `createStore`, and `createSharedStore` for several machines. */
export type ArticleStore = ReturnType<typeof createStore>;

const retried = (late: StoredFile | undefined): Updated =>
  late === undefined ? { outcome: 'retry' } : { outcome: 'stored', stored: late };

/** The store: Markdown files, written durably and compared under the cross-process lock. */
export function createStore(options: StoreOptions) {
  const { content, catalog, key, lock, journal, staging, log, watcher, afterWrite, beforeReplace } = options;
  const { onChange = () => undefined, onEnsured = () => undefined } = options;
  const group = createGroupCommit(content.root, staging, journal, log, afterWrite);
  const durable = createDurableFiles(content.root, group.suspects, confirmStored);
  const unsettled = createUnsettled(content, catalog, group.isUnderWay);
  const reading = createReading(content, catalog, journal, group, {
    unsettled,
    notice,
    onWritten: reportChanges,
    key,
    watcher,
  });
  const pipeline = createPipeline(lock, reading.catchUp);
  const chooseName = createNaming(content, catalog);
  const tags = createTagSpelling(content.format, catalog);
  const memory = createSharedMemory();

  function notice(changes: readonly Change[]): void {
    unsettled.note(changes);
    reportChanges(changes);
  }

  function reportChanges(changes: readonly Change[]): void {
    if (changes.length > 0) onChange(changes);
  }

  /** What a file owes beyond the disk before it is acknowledged: a receiver may have died before it was done. */
  async function confirmStored({ path }: Entry): Promise<void> {
    if (afterWrite === undefined) {
      onEnsured(path);
      return;
    }
    const { text, stored } = await openArticle(content, path);
    const { article, edited } = stored;
    // a person's edit is theirs to commit
    if (!edited)
      await afterWrite([{ path, target: join(content.root, path), text, replaces: text, article }]);
  }

  /**
   * The id and URL of an article that is known and durable, without waiting for anything: a redelivery's way.
   *
   * @returns undefined where `publish` must be asked.
   */
  function known(id: string): Published | undefined {
    const [entry] = catalog.byId(id);
    if (entry === undefined || !durable.has(entry)) return undefined;
    const stat = fs.statSync(`${content.root}/${entry.path}`, { throwIfNoEntry: false });
    if (stat === undefined || !sameStamp(stat, entry.stamp)) return undefined;
    return { outcome: 'known', id, url: entry.url };
  }

  /**
   * The id and URL of an article that the catalog has, once it is certain that its file is there and durable.
   *
   * @returns undefined where `publish` must be asked.
   * @throws PressmarkError STORE_FAILED, LOCK_TIMEOUT.
   */
  async function recall(id: string): Promise<Published | undefined> {
    return catalog.byId(id).length === 0 ? undefined : locked(id, () => stored(id));
  }

  async function stored(id: string): Promise<Published | undefined> {
    const entry = await reading.current(id);
    if (entry === undefined) return undefined;
    const late = await storedLate(entry);
    const { url } = entry;
    return late === undefined ? { outcome: 'known', id, url } : { outcome: 'stored', id, url, stored: late };
  }

  /**
   * Makes an article's file durable. The write may have been answered with a 5xx although its file stayed: then no action has run
   * for the article yet, and this delivery is the one that stores it.
   *
   * @returns the file in that case; undefined where the write was acknowledged before.
   */
  async function storedLate(entry: Entry): Promise<StoredFile | undefined> {
    const { path } = entry;
    const isLate = group.suspects.has(path);
    await durable.ensure(entry);
    if (!isLate) return undefined;
    const { text, stored } = await openArticle(content, path);
    return stored.edited ? undefined : { article: stored.article, path, text };
  }

  /**
   * Stores a new article, or finds that its id is stored already. Resolves when the file is durable.
   *
   * @throws PressmarkError LOCK_TIMEOUT, and nothing was changed; STORE_FAILED and what `AfterWrite` throws, and the
   *   file may be there, so that the next delivery of the article finds it.
   */
  async function publish(draft: ArticleDraft): Promise<Published> {
    const pathFor = await content.work.pathFor(draft);
    const tagKey = await content.work.tagKeys(draft.tags);
    return locked(draft.id, async () => {
      const taken = new Set<string>();
      for (;;) {
        const known = await stored(draft.id);
        if (known !== undefined) return known;
        const { slug, path, url, release } = chooseName(draft, pathFor, taken);
        const { take, giveBack } = memory.lease();
        try {
          const named = { url, updated: null, ...draft, slug, tags: tags.spelled(draft.tags, tagKey) };
          const first = await content.work.encodeFirst(named, path, take);
          const target = join(content.root, path);
          const file = await write({ path, target, ...first, replaces: null });
          return { outcome: 'stored', id: draft.id, url, stored: file };
        } catch (error) {
          taken.add(path);
          // What stands under this name is known to the catalog from now on: a person's file that took it
          // meanwhile, or ours that could not be taken back and must not be stored a second time.
          notice(refresh(content, catalog, path));
          if (!(error instanceof NameTaken)) throw error;
        } finally {
          giveBack();
          release();
        }
      }
    });
  }

  /**
   * Replaces an article by compare-and-set (contract: article.updated, steps 2 to 5). Resolves when the new
   * file is durable.
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, ARTICLE_UNREADABLE, REVISION_CONFLICT, LOCK_TIMEOUT:
   *   the article is untouched. STORE_FAILED and what `AfterWrite` throws: the update may be there, so that its next
   *   delivery finds it.
   */
  async function update(request: UpdateRequest): Promise<Updated> {
    const tagKey = await content.work.tagKeys(request.content.tags);
    return locked(request.targetId, async () => {
      const { verdict, read, entry } = await reading.judge(request);
      if (verdict === 'retry') {
        return retried(await storedLate(entry));
      }
      const { article, edited } = read.stored;
      const { path } = entry;
      // what a failed or killed delivery has left has no commit yet, and this file is its only place
      if (afterWrite !== undefined && !edited) await durable.ensure(entry);
      const target = fs.realpathSync(join(content.root, path)); // a rename would replace the link itself
      const { mode } = fs.statSync(target);
      const replacement = replacedBy(article, request);
      const amended = await content.work.amend(
        read.text,
        read.stored,
        { ...replacement, tags: tags.spelled(replacement.tags, tagKey) },
        path,
        request.storedBody,
      );
      // While the file still holds it: whenever we are killed, it is in one place or the other.
      await beforeReplace?.({ path, text: read.text, article, edited });
      const stored = await write({ path, target, ...amended, replaces: read.text, mode });
      return {
        outcome: 'stored',
        stored: edited ? { ...stored, replaced: { article, text: read.text } } : stored,
      };
    });
  }

  /**
   * What an update that is stored already is answered with, once its file is durable; undefined where it is not stored.
   * Changes nothing.
   */
  function confirm(target: Target): Promise<Updated | undefined> {
    return locked(target.targetId, async () => {
      const { verdict, entry } = await reading.judge(target);
      return verdict === 'retry' ? retried(await storedLate(entry)) : undefined;
    });
  }

  async function write(file: Write): Promise<StoredFile> {
    const { article, address } = file;
    const stamp = await group.write(file);
    catalog.set(entryOf(content, file.path, article, stamp, address));
    durable.add(file.path, stamp);
    return { article, path: file.path, text: file.text };
  }

  async function locked<T>(key: string, work: () => Promise<T>): Promise<T> {
    try {
      return await pipeline.run(key, work);
    } catch (error) {
      const failure = storeFailure(error);
      if (failure.code === 'STORE_FAILED') log.error({ err: error }, 'the store failed');
      throw failure;
    }
  }

  /**
   * Looks at paths that may have changed by another hand, and reports those that did.
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

  /** Finishes what is under way. */
  async function close(): Promise<void> {
    await pipeline.idle();
    await group.close();
  }

  const { find, get, judge, snapshotKey } = reading;
  return {
    html: content.work.html,
    known,
    recall,
    publish,
    update,
    confirm,
    judge,
    find,
    get,
    look,
    snapshotKey,
    close,
  };
}
