import { join } from 'node:path';
import type { StoredArticle } from '../../article/stored-article.js';
import { versionAt } from '../../fs/fingerprint.js';
import type { Actions } from '../../host/hooks/hook-types.js';
import type { Log } from '../../log.js';
import type { CommittedFolder } from '../content-folder.js';
import { identityOf, type Person } from '../identity.js';
import { contentsOf, entriesAt, type TreeEntry } from '../objects.js';
import { type AssetsOf, lackingAssets } from './assets.js';
import { type Candidate, type CommitOutcomes, createExaminer } from './batch-files.js';
import { buildCommits, modeOf, type NewVersion } from './build-commits.js';
import type { LeftToOwner, Pending } from './commit-queue.js';
import { type ArticlePaths, type CommittedArticle, committedElsewhere } from './committed-elsewhere.js';
import { removedKey, restoredKey } from './editors.js';
import { readBranch } from './head.js';
import { type CommitKind, kindOf, type MessageMaker, subjectIn } from './message.js';
import { moveBranch } from './move-branch.js';
import type { KeepText } from './replaced-texts.js';

export interface CommitArticlesOptions extends ArticlePaths {
  readonly place: CommittedFolder;
  readonly log: Log;
  readonly author?: Person | undefined;
  readonly sign: boolean;
  /** Whether people's edits are committed. */
  readonly commitEdits: boolean;
  readonly assetsOf: AssetsOf;
  /** Keeps a delivered text that another program has undone. */
  readonly keepText: KeepText;
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

/** A new version with its file. */
interface ArticleVersion extends NewVersion {
  readonly file: Pick<Candidate, 'path' | 'isStaged'> & Partial<Pick<Candidate, 'bytes'>>;
}

/** Commits batches of article files. */
export function createCommitArticles(options: CommitArticlesOptions) {
  const { place, log, author, sign, message, decode, keepText, onCommitted } = options;
  const { repository } = place;
  const examine = createExaminer(place, log);
  let tidied: Promise<unknown> = Promise.resolve();

  /**
   * Commits a batch to the branch that HEAD is on, one commit each. A file without an outcome waits for the next batch.
   *
   * @throws PressmarkError GIT_FAILED.
   */
  async function commit(batch: readonly Pending[]): Promise<CommitOutcomes> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const outcomes: CommitOutcomes = new Map();
      const since = performance.now();
      const index = versionAt(join(repository.gitDir, 'index'));
      const branch = await readBranch(repository);
      if (branch.kind === 'not now') return allLater(batch, branch.waitingFor);
      const [examined, identity] = await Promise.all([
        examine(batch, outcomes),
        identityOf(repository.git, author),
        tidied,
      ]);
      const { tip, candidates, removed, staged } = examined;
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
      const moved = await moveBranch(repository, head, { files: changes, commits, staged, index, since });
      if (moved === undefined) continue;
      tidied = moved.tidied;
      for (const { file } of changes) {
        // Of a delivered text and a person's edit of it, the edit's outcome counts unless both have commits.
        if (!outcomes.has(file.path))
          outcomes.set(file.path, { kind: 'committed', ...(file.bytes && { content: file.bytes }) });
        if (file.isStaged)
          log.warn(
            { path: file.path },
            'the article is committed; what you have staged at its path stays staged',
          );
      }
      made.forEach(onCommitted);
      return outcomes;
    }
    return allLater(batch, 'the branch to stop moving');
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
    const isSameVersion = await sameVersions(candidates);
    /** The entries that earlier changes of this batch make. */
    const made = new Map<string, TreeEntry>();
    /** The digests of delivered texts that their files no longer have. */
    const replaced = new Map<string, string | undefined>();
    const elsewhereOf = committedElsewhere(place, options, tip);
    for (const file of candidates) {
      const { path, why, isDelivered, inRepository, bytes, blob, isStaged, replacedBy } = file;
      const before = made.get(path) ?? file.before;
      const text = bytes.toString('utf8');
      const stored = await decode(path, text);
      const kindInFile = stored && kindOf(stored.article);
      const isOfReplaced = stored?.digest !== undefined && replaced.get(path) === stored.digest;
      const isSame = isOfReplaced || (await isSameVersion(file, stored));
      if (replacedBy !== undefined) replaced.set(path, stored?.digest);
      const isEdited = stored && (stored.edited || isSame);
      let elsewhere: CommittedArticle | undefined;
      // This compares all files; a new publication is skipped if its file is as it was written, as no person has renamed it.
      const isNew = why === 'stored' && kindInFile === 'Publish' && replacedBy === undefined;
      if (stored !== undefined && before === undefined && !isNew)
        elsewhere = await elsewhereOf(stored.article.id, path);
      const decision = decide({
        why,
        isDelivered,
        isInGit:
          blob === before?.id ||
          (isSame && (why === 'found' || replacedBy !== undefined)) ||
          (replacedBy !== undefined && (await wasCommitted(tip, file))) ||
          (why === 'found' && upstream.get(inRepository)?.id === blob) ||
          elsewhere?.blob === blob,
        isEdited,
        isStaged,
        committedAs: elsewhere?.path,
        commitEdits: options.commitEdits,
      });
      if (decision.kind === 'present') {
        log.debug({ path }, 'no commit: git has it');
        outcomes.set(path, { kind: 'committed', content: bytes });
      } else if (replacedBy === 'its commit') {
        await keepText(path, bytes, 'another program has put the file back to its committed version');
        outcomes.set(path, { kind: 'committed' });
      } else if (decision.kind === 'left to owner' || stored === undefined || kindInFile === undefined) {
        const outcome = decision.kind === 'left to owner' ? decision : leftToOwner(NO_ARTICLE);
        log.debug({ path }, `no commit: ${outcome.because}`);
        // A person has edited the text since its delivery, which has not failed by that.
        if (why !== 'stored' || isDelivered) outcomes.set(path, outcome);
      } else {
        const restoredBy =
          why === 'trash' && before === undefined ? options.authorOf(restoredKey(path)) : undefined;
        const kind =
          restoredBy === undefined ? kindOfVersion(kindInFile, isEdited === true, before) : 'Restore';
        const mode = modeOf(before);
        made.set(path, { mode, id: blob });
        changes.push({
          file,
          path: inRepository,
          content: file.isFiltered ? blob : bytes,
          mode,
          message: await message(kind, path, { article: stored.article, text }),
          author: restoredBy ?? options.authorOf(stored.article.revision),
        });
        assets.push(await options.assetsOf(stored.article.id, text));
      }
    }
    const lacking = await lackingAssets(repository, assets);
    return changes.map((change, index) => ({ ...change, ...(lacking[index] && { assets: lacking[index] }) }));
  }

  /**
   * Returns a function that tells whether HEAD's version of a file was made from the same delivered text: then a person has
   * changed its line ends alone, or has committed an edit of it.
   */
  async function sameVersions(candidates: readonly Candidate[]) {
    const doubtful = candidates.filter(
      ({ why, replacedBy, blob, before }) =>
        before !== undefined && before.id !== blob && (why !== 'stored' || replacedBy !== undefined),
    );
    const texts = await contentsOf(
      repository,
      doubtful.map(({ before }) => before?.id ?? ''),
    );
    return async ({ path, before }: Candidate, stored: StoredArticle | undefined): Promise<boolean> => {
      const text = texts.get(before?.id ?? '');
      if (text === undefined || stored === undefined || stored.edited) return false;
      return (await decode(path, text.toString('utf8')))?.digest === stored.digest;
    };
  }

  /** Whether a recent commit has had this version of a file, such as another receiver's, or before the event of its delivery came. */
  async function wasCommitted(tip: string | null, { blob, inRepository }: Candidate): Promise<boolean> {
    if (tip === null) return false;
    const command = [
      'log',
      '-1',
      '--format=%H',
      '--since=1.day',
      `--find-object=${blob}`,
      tip,
      '--',
      inRepository,
    ];
    return (await repository.git(command)).stdout !== '';
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
      else if (article === undefined) outcomes.set(path, leftToOwner(NO_ARTICLE));
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

function allLater(batch: readonly Pending[], waitingFor: string): CommitOutcomes {
  const because = `commits wait for ${waitingFor}`;
  return new Map(batch.map(({ path }) => [path, { kind: 'later', because }]));
}

/** Returns the kind of a text's commit. An update or a change of a file without commits is `Publish`. */
function kindOfVersion(kindInFile: CommitKind, isEdited: boolean, before: TreeEntry | undefined): CommitKind {
  if (isEdited) return 'Edit';
  const isChange = kindInFile === 'Update' || kindInFile === 'Change';
  return before === undefined && isChange ? 'Publish' : kindInFile;
}

/** Why a file that is not a readable article gets no commit. */
const NO_ARTICLE = 'it is not an article';

/** The facts about a file, for `decide`. */
export interface Facts extends Pick<Pending, 'why' | 'isDelivered'> {
  /** Whether git has the file's content. */
  readonly isInGit: boolean;
  /** Whether a person has edited it; undefined if it is not an article. */
  readonly isEdited: boolean | undefined;
  /** Whether the owner has staged something at its path. */
  readonly isStaged: boolean;
  /** Another path at which its article is committed; undefined if there is none. */
  readonly committedAs: string | undefined;
  readonly commitEdits: boolean;
}

/** Whether a file needs no commit, gets one, or has to be committed by its owner. */
type Decision = { readonly kind: 'present' } | { readonly kind: 'commit' } | LeftToOwner;

/**
 * Decides about a commit. A delivered text is committed, even if something else is staged at its path; any other text is not if
 * it is staged. A person's edit is committed with `commitEdits` once it lies still, before an update replaces it, and if it is
 * restored from the trash. The commit of a rename is the owner's in any case.
 */
export function decide(facts: Facts): Decision {
  const { why, isDelivered, isInGit, isEdited, isStaged, committedAs, commitEdits } = facts;
  if (isInGit) return { kind: 'present' };
  if (isEdited === undefined) return leftToOwner(NO_ARTICLE);
  if (committedAs !== undefined)
    return leftToOwner(`git has it as ${committedAs}: the rename is yours to commit`);
  if (!isEdited && isDelivered) return { kind: 'commit' };
  if (isStaged) return leftToOwner('you have staged it');
  if (!isEdited || why === 'replaced' || why === 'trash') return { kind: 'commit' };
  if (commitEdits && why !== 'stored') return { kind: 'commit' };
  return leftToOwner('people’s edits are theirs to commit');
}

function leftToOwner(because: string): LeftToOwner {
  return { kind: 'left to owner', because };
}
