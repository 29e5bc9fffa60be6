import type { Log } from '../../log.js';
import type { ContentFolder } from '../content-folder.js';
import { entriesAt, type TreeEntry } from '../objects.js';
import type { Repository } from '../repository.js';
import { createBatchFiles, type ReadFile } from './batch-files.js';
import { buildCommits, modeOf, moveBranch, type NewVersion, writeBlobs } from './commit-files.js';
import { type CommittedArticle, committedElsewhere } from './committed-elsewhere.js';
import { decide, NO_ARTICLE } from './decision.js';
import { type Branch, readHead } from './head.js';
import { identityOf, type Person } from './identity.js';
import { kindOf, type MessageMaker, subjectIn } from './message.js';
import { stagedByOwner } from './next-commits.js';
import type { ArticleText, Outcome, Pending } from './pending.js';

export interface CommitArticlesOptions {
  readonly repository: Repository;
  /** The content folder, relative to the site's folder, and where it is. */
  readonly content: string;
  readonly place: Extract<ContentFolder, { kind: 'inside' }>;
  readonly log: Log;
  readonly author: Person | undefined;
  readonly sign: boolean;
  /** Whether people's edits are committed. */
  readonly commitEdits: boolean;
  readonly message: MessageMaker;
  /** Reads the text of an article's file; undefined where it is malformed. */
  decode(path: string, text: string): ArticleText | undefined;
  /** The files of an article, relative to the site's folder. */
  pathsOf(id: string): readonly string[];
  /** A commit of the remote that the branch is about to follow; what it has needs no commit here. */
  upstream(): Promise<string | null>;
  /** Receives each commit. */
  onCommitted(made: { commit: string; path: string; subject: string }): void;
}

/** How often a batch is built anew because the branch has moved. */
const ATTEMPTS = 3;

/** A file that gets a commit. */
interface ArticleVersion extends NewVersion {
  readonly file: Candidate;
  /** The name of its blob. */
  readonly content: string;
}

/** A file with what is to be decided about it. */
interface Candidate extends ReadFile {
  readonly blob: string;
  readonly before: TreeEntry | undefined;
  readonly isStaged: boolean;
}

/**
 * Returns a function that commits a batch of article files to the branch that HEAD is on, one commit each. A file without an
 * outcome waits for the next batch.
 *
 * @throws PressmarkError GIT_FAILED.
 */
export function createCommitArticles(options: CommitArticlesOptions) {
  const { repository, log, author, sign, message, decode, onCommitted } = options;
  const batchFiles = createBatchFiles(options);

  return async function commitArticles(batch: readonly Pending[]): Promise<Map<string, Outcome>> {
    const outcomes = new Map<string, Outcome>();
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const since = Date.now();
      const head = await readHead(repository);
      if (head.kind === 'not now') {
        for (const { path } of batch)
          outcomes.set(path, { kind: 'later', because: `commits wait for ${head.waitingFor}` });
        return outcomes;
      }
      const candidates = await examine(batch, head, outcomes);
      const changes = await changesOf(candidates, head, outcomes);
      if (changes.length === 0) return outcomes;
      const style = { identity: await identityOf(repository.git, author), sign };
      const commits = await buildCommits(repository, head.tip, changes, style);
      const staged = new Set(
        candidates.filter(({ isStaged }) => isStaged).map(({ inRepository }) => inRepository),
      );
      if (!(await moveBranch(repository, head, { files: changes, commits, staged, since }))) continue;
      for (const [index, { file, message }] of changes.entries()) {
        outcomes.set(file.path, { kind: 'committed' });
        if (file.isStaged)
          log.warn({ path: file.path }, 'you have staged something else at this path; that stays staged');
        onCommitted({ commit: commits[index] ?? '', path: file.path, subject: subjectIn(message) });
      }
      return outcomes;
    }
    for (const { path } of batch)
      outcomes.set(path, { kind: 'later', because: 'commits wait for the branch to stop moving' });
    return outcomes;
  };

  /** Reads the files, has git store what they hold, and compares that with the branch and the index. */
  async function examine(
    batch: readonly Pending[],
    head: Branch,
    outcomes: Map<string, Outcome>,
  ): Promise<Candidate[]> {
    const read = await batchFiles.read(batch, outcomes);
    const before = await entriesAt(
      repository,
      head.tip,
      read.map(({ inRepository }) => inRepository),
    );
    const files = await batchFiles.withoutIgnored(read, before, outcomes);
    if (files.length === 0) return [];
    const paths = files.map(({ inRepository }) => inRepository);
    const blobs = await writeBlobs(repository, paths);
    const staged = await stagedByOwner(repository, before, paths);
    const candidates: Candidate[] = [];
    for (const [index, file] of files.entries()) {
      const { inRepository } = file;
      // Git has read the file after us: what we decide about must be what it has.
      if (!(await batchFiles.isUnchanged(file))) continue;
      candidates.push({
        ...file,
        blob: blobs[index] ?? '',
        before: before.get(inRepository),
        isStaged: staged.has(inRepository),
      });
    }
    return candidates;
  }

  /** The commits that the files are to get. */
  async function changesOf(
    candidates: readonly Candidate[],
    head: Branch,
    outcomes: Map<string, Outcome>,
  ): Promise<ArticleVersion[]> {
    const changes: ArticleVersion[] = [];
    const upstream = await entriesUpstream(candidates);
    const elsewhereOf = committedElsewhere(options, head.tip);
    for (const file of candidates) {
      const { path, why, inRepository, bytes, blob, before, isStaged } = file;
      const stored = decode(path, bytes.toString('utf8'));
      const written = stored && kindOf(stored.article);
      let elsewhere: CommittedArticle | undefined;
      // What was published a moment ago no person has renamed; for all else this costs a look at all files.
      if (stored !== undefined && before === undefined && !(why === 'stored' && written === 'Publish'))
        elsewhere = await elsewhereOf(stored.article.id, path);
      const decision = decide({
        why,
        isInGit:
          blob === before?.id ||
          (why === 'found' && upstream.get(inRepository)?.id === blob) ||
          elsewhere?.blob === blob,
        isPristine: stored?.pristine,
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
        outcomes.set(path, { kind: 'failed', because });
      } else {
        const kind = !stored.pristine
          ? 'Edit'
          : written === 'Update' && before === undefined
            ? 'Publish'
            : written;
        changes.push({
          file,
          path: inRepository,
          content: blob,
          mode: modeOf(before),
          message: await message(kind, path, stored),
        });
      }
    }
    return changes;
  }

  async function entriesUpstream(candidates: readonly Candidate[]): Promise<ReadonlyMap<string, TreeEntry>> {
    const found = candidates.filter(({ why }) => why === 'found').map(({ inRepository }) => inRepository);
    return found.length === 0 ? new Map() : entriesAt(repository, await options.upstream(), found);
  }
}
