import fs from 'node:fs';
import { join } from 'node:path';
import type { Article, ArticleDraft } from '../../article/article.js';
import type { Address } from '../../article/codec.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { PressmarkError } from '../../errors.js';
import type { Lock } from '../../fs/lock.js';
import type { ArticleStore, Published, StoredFile, Updated } from '../article-store.js';
import { createAddressRefresh, readAnew } from '../catalog/address-refresh.js';
import { lastSegment } from '../catalog/catalog.js';
import {
  catalogId,
  type Entry,
  entryIn,
  entryOf,
  isFuture,
  type ReadFile,
  sameStamp,
} from '../catalog/entry.js';
import { createNaming } from '../catalog/naming.js';
import { walk } from '../catalog/scan.js';
import { createTagSpelling } from '../catalog/tag-spelling.js';
import {
  onlyEntry,
  type Precondition,
  preconditionOf,
  type Replacement,
  replacedBy,
  type Target,
  targetOf,
} from '../precondition.js';
import type { Found } from '../reading.js';
import { removed, unreadable } from '../write/failure.js';
import { createOperations } from '../write/operations.js';
import { type SharedCatalog, sharedStamp } from './shared-catalog.js';
import type { SharedFiles, SharedWrite } from './shared-files.js';

/** How long a push may be begun for a delivery, in milliseconds; one that was begun may take 21 s more, of the 30. */
const BEGIN_MS = 8_000;

/** The remote is the compare-and-set for the receivers of all machines; they need no lock. */
const NO_LOCK: Lock = {
  handovers: 0,
  enter: async () => false,
  leave: () => undefined,
  contended: () => false,
  close: () => undefined,
};

/**
 * The store for several machines: the shared files are what is stored; the work tree is not read.
 *
 * Every decision is made on the catalog as it is, and examined once more just before the push that carries it: where it
 * no longer holds, it is made again. So an acknowledged delivery took effect at one moment, that of the remote's
 * acceptance. A lookup, a refusal or a retry changes nothing: it is answered from what the remote had at some moment
 * since the request came.
 */
export function createSharedStore(
  { content, catalog, key, worktree }: Pick<SharedCatalog, 'content' | 'catalog' | 'key' | 'worktree'>,
  shared: SharedFiles,
): ArticleStore {
  const operations = createOperations(NO_LOCK, async () => undefined);
  const chooseName = createNaming(content, catalog);
  const tags = createTagSpelling(content.format, catalog);
  const addresses = createAddressRefresh(content.format, key, catalog, readAll);

  async function readAll(known: readonly Entry[]): Promise<Entry[]> {
    const texts = await shared.texts(known.map(({ path }) => path));
    return known.flatMap((entry) => {
      const text = texts.get(entry.path);
      return text === undefined ? [] : [entryIn(content, entry.path, { text, stamp: entry.stamp }, entry)];
    });
  }

  /** Brings the URLs of entries up to date; a date that lay in the future when a file was read may have passed. */
  async function lookAt(entries: readonly Entry[]): Promise<void> {
    await readAnew(catalog, entries.filter(isFuture), readAll);
  }

  /** An id that is stored anywhere is stored for good: the remote need not be asked. */
  function known(id: string): Published | undefined {
    const [entry] = catalog.byId(id);
    return entry === undefined ? undefined : { outcome: 'known', id, url: entry.url };
  }

  /**
   * Stores a new article for all receivers, or finds that one of them has stored its id.
   *
   * @throws PressmarkError REMOTE_UNAVAILABLE, REMOTE_DECLINED.
   */
  async function publish(id: string, prepare: () => Promise<ArticleDraft>): Promise<Published> {
    const before = known(id);
    if (before !== undefined) return before;
    const draft = await prepare();
    const deadline = performance.now() + BEGIN_MS;
    return operations.run(catalogId(draft.id), async () => {
      const taken = new Set<string>();
      await addresses.refresh();
      for (;;) {
        const found = known(draft.id);
        if (found !== undefined) return found;
        const { slug, path, url, isTaken, release } = chooseName(draft, taken);
        try {
          if (fs.existsSync(join(content.root, path))) {
            taken.add(path); // a person's file that is in this clone alone
            continue;
          }
          const named = { url, updated: null, ...draft, slug, tags: tags.spelled(draft.tags) };
          const { text, article, address } = content.format.encodeFirst(named, path);
          const isCurrent = () => known(draft.id) === undefined && !isTaken();
          const stored = await store(
            { path, text, article },
            { address, replaces: null, deadline, isCurrent },
          );
          return { outcome: 'stored', id: article.id, url, stored };
        } catch (error) {
          if (!isOutdated(error)) throw error;
        } finally {
          release();
        }
      }
    });
  }

  /**
   * Replaces an article by compare-and-set (contract: article.updated, steps 2 to 5), for all receivers.
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, ARTICLE_UNREADABLE, REVISION_CONFLICT;
   *   REMOTE_UNAVAILABLE, REMOTE_DECLINED.
   */
  async function update(
    request: Target,
    prepare: (article: Article) => Promise<Replacement>,
  ): Promise<Updated> {
    const precondition = await check(request);
    if (precondition.kind === 'retry') return { outcome: 'retry' };
    const requested = await prepare(precondition.read.stored.article);
    const deadline = performance.now() + BEGIN_MS;
    return operations.run(catalogId(request.targetId), async () => {
      let doubt: unknown;
      for (;;) {
        const { kind, read, entry } = await check(request).catch((error: unknown) => {
          // It may have been stored, and replaced by another since: then a refusal would be a lie.
          throw doubt ?? error;
        });
        if (kind === 'retry') return { outcome: 'retry' };
        const { article } = read.stored;
        const replacement = replacedBy(article, request.revision, requested);
        const { path } = entry;
        const isCurrent = () => isStill(entry, request);
        const {
          text,
          article: next,
          address,
        } = content.format.amend(
          read.text,
          read.stored,
          { ...replacement, tags: tags.spelled(replacement.tags) },
          path,
          requested.storedBody,
        );
        const file = { path, text, article: next };
        try {
          const stored = await store(file, { address, replaces: read.text, deadline, isCurrent });
          return { outcome: 'stored', stored };
        } catch (error) {
          if (!isOutdated(error)) throw error;
          doubt = error.cause;
        }
      }
    });
  }

  /** Whether an update's target is still the file that the update was decided upon. */
  function isStill({ path, stamp }: Entry, target: Target): boolean {
    try {
      const entry = targetOf(catalog, target);
      return entry.path === path && sameStamp(entry.stamp, stamp);
    } catch {
      return false; // the decision is made again, and finds the reason
    }
  }

  async function store(
    file: StoredFile,
    write: Pick<SharedWrite, 'replaces' | 'deadline' | 'isCurrent'> & {
      readonly address: Address | undefined;
    },
  ): Promise<StoredFile> {
    const { path, text, article } = file;
    const { address, replaces, deadline, isCurrent } = write;
    // Before the next batch is examined and before any lookup is answered.
    const stamp = () => sharedStamp(shared.names.get(path) ?? '');
    const accepted = () => catalog.set(entryOf(content, path, article, stamp(), address));
    await worktree.whileWriting(path, text, () =>
      shared.store({ path, text, article, replaces, deadline, isCurrent, accepted }),
    );
    return file;
  }

  /** The precondition of an update. A wrong `apply` is found out by the push; any other result must be certain. */
  async function check(target: Target): Promise<Precondition> {
    try {
      const precondition = await checkNow(target);
      if (precondition.kind === 'apply') return precondition;
    } catch (error) {
      if (!(error instanceof PressmarkError)) throw error;
      // the remote may have the article, or the revision, by now
    }
    await shared.refresh();
    return checkNow(target);
  }

  async function checkNow(target: Target): Promise<Precondition> {
    await addresses.refresh();
    const canonical = canonicalUrl(target.targetUrl) ?? '';
    await lookAt([...catalog.byUrl(canonical), ...catalog.byId(target.targetId)]);
    const entry = targetOf(catalog, target);
    const read = await open(entry);
    return { kind: preconditionOf(read.stored, target), read, entry };
  }

  async function find(url: string): Promise<Found> {
    await shared.refresh();
    await addresses.refresh();
    await lookAt([...catalog.byUrl(canonicalUrl(url) ?? ''), ...catalog.unresolved(lastSegment(url))]);
    const entry = onlyEntry(catalog, url);
    return { ...(await open(entry)).stored, path: entry.path };
  }

  async function get(id: string): Promise<Found | undefined> {
    const [entry] = catalog.byId(id);
    return entry === undefined ? undefined : { ...(await open(entry)).stored, path: entry.path };
  }

  async function open(entry: Entry): Promise<ReadFile> {
    const text = (await shared.texts([entry.path])).get(entry.path);
    if (text === undefined) throw removed(entry);
    try {
      return { text, stamp: entry.stamp, stored: content.format.decode(text, entry.path) };
    } catch (error) {
      throw error instanceof PressmarkError ? unreadable(entry.path, error) : error;
    }
  }

  return {
    publish,
    update,
    find,
    get,
    look: (paths) => void worktree.look(paths),
    snapshotKey: () => addresses.key,
    close: operations.idle,
    lookAtFolder: async () => void worktree.look(walk(content)),
  };
}

function isOutdated(error: unknown): error is PressmarkError {
  return error instanceof PressmarkError && error.code === 'OUTDATED';
}
