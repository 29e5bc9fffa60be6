import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ArticleChange } from '../../host/hook-types.js';
import type { Log } from '../../log.js';
import { blobsInHistory, joinBlobs, NO_BLOBS } from '../cli/history.js';
import { contentsOf } from '../cli/objects.js';
import { blobId, type Repository } from '../cli/repository.js';
import { FILE, filesAt, isFile, type TreeEntry } from '../cli/tree.js';
import { type Blob, blobsOf, isTakenAway } from '../commit/blobs.js';
import type { BatchDraft } from '../commit/index-plan.js';
import { type CommitKind, kindOf } from '../commit/message.js';
import { placeFiles } from '../commit/placement.js';
import { decideByBlob, decideByText } from './commit-decision.js';
import type { CommitMessages } from './commit-messages.js';
import { createPathHistory, type PathHistory } from './path-history.js';
import type { Cause, Delivered, Outcome, PendingCommit } from './pending-commit.js';
import { renamedFiles } from './renamed-files.js';

/** The text of an article's file. */
export interface StoredFile {
  /** The whole file. */
  readonly text: string;
  readonly article: ArticleChange['article'];
  /** Whether no person has edited it: its digest matches. */
  readonly pristine: boolean;
  /** Its digest line: the same in a delivered text and in what a person has made from that. */
  readonly digest: string | undefined;
}

/** A pending commit in a batch. */
export interface BatchEntry extends PendingCommit {
  /** Whether an update waits that replaces what the file holds. */
  readonly isReplaced: boolean;
}

/** A commit that is to be made for a pending one. */
export interface Draft extends BatchDraft {
  readonly pending: BatchEntry;
  /** What git has at the path below this commit; undefined for nothing. */
  readonly before: string | undefined;
}

/** The drafts of a batch, and the outcomes of its entries that get no commit. */
export interface Drafted {
  readonly drafts: readonly Draft[];
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

export interface DraftingOptions {
  readonly repository: Repository;
  readonly log: Log;
  /** Whether people's edits are committed. */
  readonly commitEdits: boolean;
  readonly messages: CommitMessages;
  /** Reads a text that an article's file holds or has held; undefined where it is not an article. */
  readonly decode: (path: string, text: string) => StoredFile | undefined;
  /** The files of an article, relative to the site's folder. */
  readonly pathsOf: (id: string) => readonly string[];
  /** Whether the branch has taken in what others have pushed and left this file (from the top) alone. */
  readonly isRecordedStale: (path: string) => Promise<boolean>;
}

/** Where the commits of a batch are to stand; both null before the first commit. */
export interface Base {
  /** HEAD's commit. */
  readonly tip: string | null;
  /** The last parked commit, where the batch is to be parked upon it; undefined where it goes to the branch. */
  readonly parked?: string | null;
}

/** Makes drafts of commits from the article files as they are now; see `createDrafting`. */
export type Drafting = ReturnType<typeof createDrafting>;

/** So much content one batch may hold, in bytes; the entries beyond it wait for the next batch. */
const MAX_BYTES = 32_000_000;
/** So many contents are hashed without a pause: deliveries are being answered on this thread. */
const HASHED_PER_TURN = 20;

interface FileContent {
  readonly pending: BatchEntry;
  /** From the top of the work tree. */
  readonly inRepository: string;
  readonly bytes: Buffer;
  /** The name of these bytes as a blob, before git's filters. */
  readonly raw: string;
}

interface ComparedFile extends FileContent {
  readonly blob: Blob;
  /** What git has at the path; undefined for nothing. */
  readonly before: TreeEntry | undefined;
}

/** Decides which files of a batch get a commit, reading each file at that moment. */
export function createDrafting(options: DraftingOptions) {
  const { repository, log, commitEdits, messages, decode, pathsOf, isRecordedStale } = options;
  const warnings = new Set<string>();
  const searchHistory = createPathHistory(repository);

  /**
   * Drafts the commits of a batch upon `base`. The caller has read `base` before; if it moves afterwards, the drafts are
   * made again. So no commit stands on one that is newer than the content which it commits.
   */
  async function draft(batch: readonly BatchEntry[], base: Base): Promise<Drafted> {
    const outcomes = new Map<string, Outcome>();
    const drafts: Draft[] = [];
    const files = await inGit(await readFiles(batch, outcomes), base);
    const renamed = await renamesAmong(files, base.tip);
    const add = (file: ComparedFile, message: string) => {
      const { pending, inRepository, blob, before } = file;
      const yieldsToStaged = !isFresh(pending.cause);
      // The store, which replaces a file, leaves it executable.
      const mode = before !== undefined && isFile(before.mode) ? before.mode : FILE;
      drafts.push({ pending, path: inRepository, blob, mode, message, yieldsToStaged, before: before?.id });
    };
    const undecided: ComparedFile[] = [];
    for (const file of files) {
      const { pending, raw, blob, before } = file;
      const decision = decideByBlob({ cause: pending.cause, raw, blob: blob.id, before: before?.id });
      const other = renamed.get(file.inRepository);
      if (decision === 'present') outcomes.set(pending.path, { kind: 'present', blob: blob.id });
      else if (other !== undefined) {
        const why = `git has it as ${other}: the rename is yours to commit`;
        log.warn({ path: pending.path }, `not committed: ${why}`);
        outcomes.set(pending.path, { kind: 'passed over', why });
      } else if (decision === 'delivered' && pending.cause.kind === 'delivered')
        add(file, await pending.cause.message);
      else if (base.parked !== undefined && !pending.isReplaced)
        // In the middle of a rebase, say, git itself may have written this file.
        outcomes.set(pending.path, { kind: 'waiting' });
      else undecided.push(file);
    }
    if (undecided.length === 0) return { drafts, outcomes };

    const history = await historyOf(base, undecided);
    for (const file of undecided) {
      const { pending, inRepository, bytes, blob, before } = file;
      const { path, cause, isReplaced } = pending;
      const later = history.later.get(inRepository);
      if (later !== undefined) {
        outcomes.set(path, { kind: 'postponed', until: later });
        continue;
      }
      const stored = decode(path, bytes.toString('utf8'));
      const decision = decideByText({
        cause,
        file: stored && { pristine: stored.pristine, commit: kindIn(stored, before?.id) },
        isReplaced,
        commitEdits,
        wasCommitted: history.committed.get(inRepository)?.has(blob.id) === true,
        isStale: stored !== undefined && isStale(stored, file, history),
        isRecordedStale: await isRecordedStale(inRepository),
      });
      if (decision.kind === 'present') outcomes.set(path, { kind: 'present', blob: blob.id });
      else if (decision.kind !== 'commit' || stored === undefined) {
        const why = decision.kind === 'none' ? decision.why : 'it is not an article';
        if (decision.kind === 'none' && decision.isWorthAWarning) log.warn({ path }, why);
        outcomes.set(path, { kind: 'passed over', why });
      } else add(file, await messages.ofFile(decision.as, path, stored));
    }
    return { drafts, outcomes };
  }

  /** The files of a batch that a person has renamed. What was stored a moment ago was not; this costs a look at all files. */
  async function renamesAmong(files: readonly ComparedFile[], tip: string | null) {
    const suspects = files.filter(({ pending: { cause }, before }) => {
      const isNewArticle = isFresh(cause) && cause.commit === 'Publish';
      return before === undefined && !isNewArticle;
    });
    return renamedFiles(
      { repository, decode, pathsOf },
      tip,
      suspects.map(({ pending, inRepository, bytes, blob }) => ({
        inRepository,
        blob: blob.id,
        id: decode(pending.path, bytes.toString('utf8'))?.article.id,
      })),
    );
  }

  /** The files' contents as git stores them, and what git has at their paths. */
  async function inGit(files: readonly FileContent[], base: Base): Promise<ComparedFile[]> {
    const paths = files.map(({ inRepository }) => inRepository);
    const before = await filesAt(repository, base.tip, paths);
    const parked = await filesAt(repository, base.parked ?? null, paths);
    const blobs = await blobsOf(
      repository,
      files.map(({ inRepository, bytes }) => ({ path: inRepository, bytes })),
    );
    return files.flatMap((file, index) => {
      const { inRepository: path } = file;
      const blob = blobs[index];
      return blob === undefined ? [] : [{ ...file, blob, before: parked.get(path) ?? before.get(path) }];
    });
  }

  /** Reads the files of a batch up to a bound; the entries beyond it have no outcome yet. */
  async function readFiles(
    batch: readonly BatchEntry[],
    outcomes: Map<string, Outcome>,
  ): Promise<FileContent[]> {
    const places = await placeFiles(
      repository,
      batch.map(({ path }) => path),
    );
    const files: FileContent[] = [];
    let size = 0;
    for (const pending of batch) {
      const { path } = pending;
      const place = places.get(path);
      if (place === undefined || place.kind === 'refused') {
        const why = place?.why ?? 'it has no place in the repository';
        reportOnce(path, why);
        outcomes.set(path, { kind: 'passed over', why });
        continue;
      }
      if (size > MAX_BYTES) break;
      try {
        const bytes = await readFile(join(repository.top, repository.prefix, path));
        size += bytes.length;
        const raw = blobId(repository, bytes);
        files.push({ pending, inRepository: place.inRepository, bytes, raw });
        if (files.length % HASHED_PER_TURN === 0) await nextTurn();
      } catch (error) {
        const isGone = isTakenAway(error);
        outcomes.set(
          path,
          isGone ? { kind: 'passed over', why: 'the file is gone' } : { kind: 'failed', error },
        );
      }
    }
    return files;
  }

  /** The blobs that git had at some paths, with their texts where the base of an edit must be found. */
  async function historyOf(
    { tip, parked = null }: Base,
    undecided: readonly FileContent[],
  ): Promise<History> {
    const paths = undecided.map(({ inRepository }) => inRepository);
    const inBranch =
      tip === null ? { committed: NO_BLOBS, later: new Map() } : await searchHistory(tip, paths);
    const inParked = parked === null ? NO_BLOBS : await blobsInHistory(repository, parked, paths);
    const committed = joinBlobs([inBranch.committed, inParked]);
    const ids = [...committed.values()].flatMap((blobs) => [...blobs]).filter((id) => id !== '');
    return {
      committed,
      later: inBranch.later,
      texts: commitEdits ? await contentsOf(repository, ids) : new Map(),
    };
  }

  /** Whether an edit was made from a version that the branch had before the one that it has now. */
  function isStale(
    { pristine, digest }: StoredFile,
    { pending: { path }, inRepository, before }: ComparedFile,
    { committed, texts }: History,
  ): boolean {
    if (pristine || before === undefined || digest === undefined) return false;
    const digestIn = (id: string) => decode(path, texts.get(id)?.toString('utf8') ?? '')?.digest;
    if (digestIn(before.id) === digest) return false;
    return [...(committed.get(inRepository) ?? [])].some((id) => digestIn(id) === digest);
  }

  /** All articles of an ignored folder have the same reason. */
  function reportOnce(path: string, why: string): void {
    if (warnings.has(why)) return;
    warnings.add(why);
    log.warn(
      { path },
      `the article is not committed: ${why}; reported once, although it may be so for other articles, too`,
    );
  }

  return { draft };
}

/** Whether the store has written the file just now, so that no person has renamed or staged it since. */
function isFresh(cause: Cause): cause is Delivered {
  return cause.kind === 'delivered' && cause.isKnown !== true;
}

interface History extends PathHistory {
  readonly texts: ReadonlyMap<string, Buffer>;
}

/** An update is the first commit of its file where git has never had the publication. */
function kindIn({ article }: StoredFile, known: string | undefined): Exclude<CommitKind, 'Edit'> {
  const written = kindOf(article);
  return written === 'Update' && known === undefined ? 'Publish' : written;
}
