import { lstatSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoredArticle } from '../../article/stored-article.js';
import { isGone, systemCode } from '../../errors.js';
import type { Actions } from '../../host/hooks/hook-types.js';
import type { Log } from '../../log.js';
import type { CommittedFolder } from '../content-folder.js';
import { identityOf, type Person } from '../identity.js';
import { blobId, contentsOf, entriesAt, type TreeEntry } from '../objects.js';
import { statusOf } from '../status.js';
import { type AssetsOf, lackingAssets } from './assets.js';
import { buildCommits, hashFiles, modeOf, type NewVersion, writeBlobs } from './build-commits.js';
import type { CommitOutcome, Pending } from './commit-queue.js';
import {
  type ArticlePaths,
  type CommittedArticle,
  committedElsewhere,
  decide,
  NO_ARTICLE,
} from './decision.js';
import { removedKey, restoredKey } from './editors.js';
import { readBranch } from './head.js';
import { type CommitKind, kindOf, type MessageMaker, subjectIn } from './message.js';
import { moveBranch, stagedByOwner } from './move-branch.js';

export interface CommitArticlesOptions extends ArticlePaths {
  readonly place: CommittedFolder;
  readonly log: Log;
  readonly author?: Person | undefined;
  readonly sign: boolean;
  /** Whether people's edits are committed. */
  readonly commitEdits: boolean;
  readonly assetsOf: AssetsOf;
  readonly message: MessageMaker;
  /** The person who made a revision; see `Editors`. */
  authorOf(revision: string): Person | undefined;
  /** The remote's last known commit; the files that it has need no commit here. */
  upstream(): Promise<string | null>;
  /** Called with each new commit. */
  onCommitted(made: Actions['git.committed']): void;
}

/** How many times a batch is built while the branch moves. */
const ATTEMPTS = 3;

/** The size above which a batch takes no more files, in bytes; the other files wait for the next batch. */
const MAX_BYTES = 32_000_000;

/** A file of a batch, with its content. */
interface BatchFile extends Pending {
  /** From the top of the work tree. */
  readonly inRepository: string;
  readonly bytes: Buffer;
}

/** A file with the facts for the decision about its commit. */
interface Candidate extends BatchFile {
  readonly blob: string;
  /** Whether git's filters change the content; then the blob is stored already. */
  readonly isFiltered: boolean;
  readonly before: TreeEntry | undefined;
  readonly isStaged: boolean;
}

/** The outcomes of files, by path. */
type CommitOutcomes = Map<string, CommitOutcome>;

/** A new version with its file. */
interface ArticleVersion extends NewVersion {
  readonly file: Pick<Candidate, 'path' | 'isStaged'>;
}

/** Commits batches of article files. */
export function createCommitArticles(options: CommitArticlesOptions) {
  const { place, log, author, sign, message, decode, onCommitted } = options;
  const { repository } = place;
  /** The reasons that were logged. */
  const reported = new Set<string>();
  let tidied: Promise<unknown> = Promise.resolve();

  /**
   * Commits a batch to the branch that HEAD is on, one commit each. A file without an outcome waits for the next batch.
   *
   * @throws PressmarkError GIT_FAILED.
   */
  async function commit(batch: readonly Pending[]): Promise<CommitOutcomes> {
    const outcomes: CommitOutcomes = new Map();
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const since = performance.now();
      const branch = await readBranch(repository);
      if (branch.kind === 'not now') {
        for (const { path } of batch)
          outcomes.set(path, { kind: 'later', because: `commits wait for ${branch.waitingFor}` });
        return outcomes;
      }
      const { files, removed } = await readFiles(batch, outcomes);
      if (files.length + removed.length === 0) return outcomes;
      const [examined, identity] = await Promise.all([
        examine(files, removed, outcomes),
        identityOf(repository.git, author),
      ]);
      const { tip, candidates, staged } = examined;
      const head = { ...branch, tip };
      const changes = [
        ...(await changesOf(candidates, tip, outcomes)),
        ...(await removalsOf(removed, tip, staged, outcomes)),
      ];
      if (changes.length === 0) return outcomes;
      const commits = await buildCommits(repository, tip, changes, { identity, sign });
      const made = changes.map(({ file: { path }, message }, index) => ({
        commit: commits[index] ?? '',
        path,
        subject: subjectIn(message),
      }));
      const moved = await moveBranch(repository, head, { files: changes, commits, staged, since });
      if (moved === undefined) continue;
      tidied = moved.tidied;
      for (const { file } of changes) {
        outcomes.set(file.path, { kind: 'committed' });
        if (file.isStaged)
          log.warn(
            { path: file.path },
            'the article is committed; what you have staged at its path stays staged',
          );
      }
      made.forEach(onCommitted);
      return outcomes;
    }
    for (const { path } of batch)
      outcomes.set(path, { kind: 'later', because: 'commits wait for the branch to stop moving' });
    return outcomes;
  }

  /**
   * Compares the files with HEAD and the index. It stores blobs only for files that a filter changes; the others are stored
   * with their commits.
   */
  async function examine(files: readonly BatchFile[], removed: readonly string[], outcomes: CommitOutcomes) {
    const paths = files.map(({ inRepository }) => inRepository);
    const idOf = (file: BatchFile | undefined) => file && blobId(repository, file.bytes);
    const [status, blobs] = await Promise.all([
      // There is always a path here: none would mean the whole work tree.
      statusOf(repository, [...paths, ...removed.map(place.inRepository)]),
      hashFiles(repository, paths),
      tidied,
    ]);
    const { tip } = status;
    const filtered = paths.filter((_, index) => blobs[index] !== idOf(files[index]));
    const written = await writeBlobs(repository, filtered);
    const staged = await stagedByOwner(repository, status);
    // A file that `git status` does not list is unchanged from HEAD, or marked assume-unchanged.
    const unlisted = paths.filter((path) => !status.files.has(path) && !status.ignored.has(path));
    const committed = await entriesAt(repository, tip, unlisted);
    const candidates: Candidate[] = [];
    for (const [index, file] of files.entries()) {
      const { path, inRepository } = file;
      if (status.ignored.has(inRepository)) {
        outcomes.set(path, warnOfRefusal('it is ignored by git', path));
        continue;
      }
      const filter = filtered.indexOf(inRepository);
      const isFiltered = filter !== -1;
      // Git has read the file after us; both must have read the same content.
      if (isFiltered && !(await isUnchanged(file))) continue;
      candidates.push({
        ...file,
        blob: (isFiltered ? written[filter] : blobs[index]) ?? '',
        isFiltered,
        before: status.files.get(inRepository)?.head ?? committed.get(inRepository),
        isStaged: staged.has(inRepository),
      });
    }
    return { tip, candidates, staged };
  }

  /** Reads files up to `MAX_BYTES`; the others get no outcome. */
  async function readFiles(batch: readonly Pending[], outcomes: CommitOutcomes) {
    const files: BatchFile[] = [];
    const removed: string[] = [];
    let size = 0;
    for (const { path, why } of batch) {
      if (size > MAX_BYTES) break;
      try {
        if (isBehindLink(path))
          outcomes.set(path, warnOfRefusal('it is, or is behind, a symbolic link', path));
        else {
          const bytes = await readFile(place.fileAt(path));
          size += bytes.length;
          files.push({ path, why, inRepository: place.inRepository(path), bytes });
        }
      } catch (error) {
        const code = systemCode(error) ?? '';
        if (isGone(error) && why === 'trash') removed.push(path);
        else if (isGone(error)) outcomes.set(path, { kind: 'failed', because: 'the file is gone' });
        else if (['EACCES', 'EPERM', 'EISDIR', 'ELOOP'].includes(code))
          outcomes.set(path, warnOfRefusal(`the file cannot be read (${code})`, path));
        else throw error;
      }
    }
    return { files, removed };
  }

  /** Whether a file still has the content that was read. */
  async function isUnchanged({ path, bytes }: BatchFile): Promise<boolean> {
    return bytes.equals(await readFile(place.fileAt(path)).catch(() => Buffer.alloc(0)));
  }

  /** Logs each reason once: all articles of a folder may have the same one. */
  function warnOfRefusal(because: string, path: string): CommitOutcome {
    if (!reported.has(because)) log.warn({ path }, `an article is not committed: ${because}`);
    reported.add(because);
    return { kind: 'failed', because };
  }

  function isBehindLink(path: string): boolean {
    const file = place.fileAt(path);
    return lstatSync(file).isSymbolicLink() || realpathSync(dirname(file)) !== dirname(file);
  }

  /** Decides about each file, and returns the versions to commit. */
  async function changesOf(
    candidates: readonly Candidate[],
    tip: string | null,
    outcomes: CommitOutcomes,
  ): Promise<ArticleVersion[]> {
    const changes: ArticleVersion[] = [];
    const assets: (readonly string[])[] = [];
    const upstream = await entriesUpstream(candidates);
    const elsewhereOf = committedElsewhere(place, options, tip);
    for (const file of candidates) {
      const { path, why, inRepository, bytes, blob, before, isStaged } = file;
      const text = bytes.toString('utf8');
      const stored = await decode(path, text);
      const written = stored && kindOf(stored.article);
      let elsewhere: CommittedArticle | undefined;
      // This compares all files; a new publication is skipped, as no person can have renamed it yet.
      if (stored !== undefined && before === undefined && !(why === 'stored' && written === 'Publish'))
        elsewhere = await elsewhereOf(stored.article.id, path);
      const decision = decide({
        why,
        isInGit:
          blob === before?.id ||
          (why === 'found' && upstream.get(inRepository)?.id === blob) ||
          elsewhere?.blob === blob,
        isEdited: stored?.edited,
        isStaged,
        committedAs: elsewhere?.path,
        commitEdits: options.commitEdits,
      });
      if (decision.kind === 'present') {
        log.debug({ path }, 'no commit: git has it');
        outcomes.set(path, { kind: 'committed' });
      } else if (decision.kind === 'theirs' || stored === undefined || written === undefined) {
        const because = decision.kind === 'theirs' ? decision.because : NO_ARTICLE;
        log.debug({ path }, `no commit: ${because}`);
        outcomes.set(path, { kind: 'failed', because, isOwners: true });
      } else {
        const restoredBy =
          why === 'trash' && before === undefined ? options.authorOf(restoredKey(path)) : undefined;
        const kind = restoredBy === undefined ? kindOfVersion(written, stored, before) : 'Restore';
        changes.push({
          file,
          path: inRepository,
          content: file.isFiltered ? blob : bytes,
          mode: modeOf(before),
          message: await message(kind, path, { article: stored.article, text }),
          author: restoredBy ?? options.authorOf(stored.article.revision),
        });
        assets.push(await options.assetsOf(stored.article.id, text));
      }
    }
    const lacking = await lackingAssets(repository, assets);
    return changes.map((change, index) => ({ ...change, ...(lacking[index] && { assets: lacking[index] }) }));
  }

  /** Returns the commits for files that a person has removed in the admin. A file that HEAD lacks needs none. */
  async function removalsOf(
    paths: readonly string[],
    tip: string | null,
    staged: ReadonlySet<string>,
    outcomes: CommitOutcomes,
  ): Promise<ArticleVersion[]> {
    const committed = await entriesAt(repository, tip, paths.map(place.inRepository));
    const texts = await contentsOf(
      repository,
      [...committed.values()].map(({ id }) => id),
    );
    const changes: ArticleVersion[] = [];
    for (const path of paths) {
      const inRepository = place.inRepository(path);
      const text = texts.get(committed.get(inRepository)?.id ?? '')?.toString('utf8');
      const article = text === undefined ? undefined : (await decode(path, text))?.article;
      if (text === undefined) outcomes.set(path, { kind: 'committed' });
      else if (article === undefined) outcomes.set(path, { kind: 'failed', because: NO_ARTICLE });
      else
        changes.push({
          file: { path, isStaged: staged.has(inRepository) },
          path: inRepository,
          content: null,
          mode: '0',
          message: await message('Remove', path, { article, text }),
          author: options.authorOf(removedKey(path)),
        });
    }
    return changes;
  }

  async function entriesUpstream(candidates: readonly Candidate[]): Promise<ReadonlyMap<string, TreeEntry>> {
    const found = candidates.filter(({ why }) => why === 'found').map(({ inRepository }) => inRepository);
    return found.length === 0 ? new Map() : entriesAt(repository, await options.upstream(), found);
  }

  /** Resolves when the temporary ref of the last batch is removed. */
  const idle = () => tidied;

  return { commit, idle };
}

/** Returns the kind of a text's commit. An update or a change of a file without commits is `Publish`. */
function kindOfVersion(
  written: CommitKind,
  { edited }: Pick<StoredArticle, 'edited'>,
  before: TreeEntry | undefined,
): CommitKind {
  if (edited) return 'Edit';
  return before === undefined && (written === 'Update' || written === 'Change') ? 'Publish' : written;
}
