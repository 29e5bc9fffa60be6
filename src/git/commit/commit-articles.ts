import { lstatSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Article } from '../../article/article.js';
import { systemCode } from '../../errors.js';
import type { Log } from '../../log.js';
import type { ContentFolder } from '../content-folder.js';
import { CHECK_IGNORE } from '../git.js';
import { contentsOf, entriesAt, type TreeEntry } from '../objects.js';
import type { Repository } from '../repository.js';
import {
  buildCommits,
  modeOf,
  moveBranch,
  type NewVersion,
  stagedByOwner,
  writeBlobs,
} from './commit-files.js';
import { type Branch, readHead } from './head.js';
import { identityOf, type Person } from './identity.js';
import { kindOf, type MessageMaker, subjectIn } from './message.js';

/** The text of an article's file. */
export interface ArticleText {
  /** The whole file. */
  readonly text: string;
  readonly article: Article;
  /** Whether no person has edited it: its digest matches. */
  readonly pristine: boolean;
}

/** Why an article's file waits for a commit; a later word is worth more. */
export type Why =
  /** Git may lack what the file holds. */
  | 'found'
  /** A person has changed the file, and not again for a while. */
  | 'edited'
  /** The store has written it. */
  | 'stored'
  /** An update is about to replace what it holds. */
  | 'replaced';

/** An article's file that git may lack. What is committed is what the file holds then. */
export interface Pending {
  /** Relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly why: Why;
}

/** The result of an attempt to commit a file. */
export type Outcome =
  /** Git has what the file holds in a commit. */
  | { readonly kind: 'committed' }
  /** A commit can be made when something else has ended. */
  | { readonly kind: 'later'; readonly because: string }
  /** No commit is to be made while nothing changes. */
  | { readonly kind: 'failed'; readonly because: string };

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

/** So much content one batch may hold, in bytes; the files beyond it wait for the next batch. */
const MAX_BYTES = 32_000_000;

/** Where the branch has an article that is elsewhere in the work tree. */
interface CommittedArticle {
  /** From the top of the work tree. */
  readonly path: string;
  readonly blob: string;
}

/** A file of a batch, read. */
interface ReadFile extends Pending {
  /** From the top of the work tree. */
  readonly inRepository: string;
  readonly bytes: Buffer;
}

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
  const { repository, place, log, author, sign, message, decode, onCommitted } = options;
  const reported = new Set<string>();

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
    const read = await readFiles(batch, outcomes);
    const before = await entriesAt(
      repository,
      head.tip,
      read.map(({ inRepository }) => inRepository),
    );
    const files = await withoutIgnored(read, before, outcomes);
    if (files.length === 0) return [];
    const paths = files.map(({ inRepository }) => inRepository);
    const blobs = await writeBlobs(repository, paths);
    const staged = await stagedByOwner(repository, before, paths);
    const candidates: Candidate[] = [];
    for (const [index, file] of files.entries()) {
      const { path, inRepository, bytes } = file;
      // Git has read the file after us: what we decide about must be what it has.
      if (!bytes.equals(await readFile(fileOf(path)).catch(() => Buffer.alloc(0)))) continue;
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
    let movedAway: ReadonlyMap<string, CommittedArticle> | undefined;
    for (const file of candidates) {
      const { path, why, inRepository, bytes, blob, before, isStaged } = file;
      const stored = decode(path, bytes.toString('utf8'));
      const written = stored && kindOf(stored.article);
      let elsewhere: CommittedArticle | undefined;
      // What was published a moment ago no person has renamed; for all else this costs a look at all files.
      if (stored !== undefined && before === undefined && !(why === 'stored' && written === 'Publish')) {
        movedAway ??= await articlesMovedAway(head);
        elsewhere = movedAway.get(stored.article.id) ?? (await copiedFrom(stored.article.id, path, head));
      }
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
        outcomes.set(path, failed(because));
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

  /** The articles that the branch has at paths where no file is any more, by their ids. */
  async function articlesMovedAway({ tip }: Branch): Promise<ReadonlyMap<string, CommittedArticle>> {
    const articles = new Map<string, CommittedArticle>();
    if (tip === null) return articles;
    const where = place.folder === '' ? [] : ['--', place.folder];
    const command = ['diff-index', '-z', '--name-only', '--no-renames', '--diff-filter=D', tip, ...where];
    const { stdout } = await repository.git(command);
    const gone = await entriesAt(repository, tip, stdout.split('\0').slice(0, -1));
    const texts = await contentsOf(
      repository,
      [...gone.values()].map(({ id }) => id),
    );
    for (const [path, { id: blob }] of gone) {
      const inSite = `${options.content}${path.slice(place.folder.length)}`;
      const stored = decode(inSite, texts.get(blob)?.toString('utf8') ?? '');
      if (stored !== undefined) articles.set(stored.article.id, { path, blob });
    }
    return articles;
  }

  /** Another file of the same article that is committed: a person has copied it. */
  async function copiedFrom(
    id: string,
    path: string,
    { tip }: Branch,
  ): Promise<CommittedArticle | undefined> {
    const others = options.pathsOf(id).filter((other) => other !== path);
    const committed = await entriesAt(repository, tip, others.map(inRepositoryOf));
    const [first] = committed;
    return first && { path: first[0], blob: first[1].id };
  }

  /** Reads the files of a batch up to a bound; those beyond it get no outcome. */
  async function readFiles(batch: readonly Pending[], outcomes: Map<string, Outcome>): Promise<ReadFile[]> {
    const files: ReadFile[] = [];
    let size = 0;
    for (const { path, why } of batch) {
      if (size > MAX_BYTES) break;
      try {
        if (isBehindLink(path)) outcomes.set(path, failed('it is, or is behind, a symbolic link', path));
        else {
          const bytes = await readFile(fileOf(path));
          size += bytes.length;
          files.push({ path, why, inRepository: inRepositoryOf(path), bytes });
        }
      } catch (error) {
        const code = systemCode(error) ?? '';
        if (['ENOENT', 'ENOTDIR'].includes(code)) outcomes.set(path, failed('the file is gone'));
        else if (['EACCES', 'EPERM', 'EISDIR', 'ELOOP'].includes(code))
          outcomes.set(path, failed(`the file cannot be read (${code})`, path));
        else throw error;
      }
    }
    return files;
  }

  /** What is in git already is not ignored. */
  async function withoutIgnored(
    files: readonly ReadFile[],
    before: ReadonlyMap<string, TreeEntry>,
    outcomes: Map<string, Outcome>,
  ): Promise<readonly ReadFile[]> {
    const asked = files.filter(({ inRepository }) => !before.has(inRepository));
    if (asked.length === 0) return files;
    // After `./`, no character of a path means anything else.
    const input = asked.map(({ inRepository }) => `./${inRepository}\0`).join('');
    const { stdout } = await repository.git([...CHECK_IGNORE, '-z', '--stdin'], { input, accept: [1] });
    const ignored = new Set(stdout.split('\0'));
    return files.filter(({ path, inRepository }) => {
      const isIgnored = ignored.has(`./${inRepository}`);
      if (isIgnored) outcomes.set(path, failed('it is ignored by git', path));
      return !isIgnored;
    });
  }

  /** All articles of a folder may have the same reason, which is worth one warning. */
  function failed(because: string, path?: string): Outcome {
    if (path !== undefined && !reported.has(because))
      log.warn({ path }, `an article is not committed: ${because}`);
    if (path !== undefined) reported.add(because);
    return { kind: 'failed', because };
  }

  function inRepositoryOf(path: string): string {
    return `${place.folder}${path.slice(options.content.length)}`;
  }

  function fileOf(path: string): string {
    return join(place.root, path.slice(options.content.length));
  }

  function isBehindLink(path: string): boolean {
    const file = fileOf(path);
    return lstatSync(file).isSymbolicLink() || realpathSync(dirname(file)) !== dirname(file);
  }
}

const NO_ARTICLE = 'it is not an article';

/** What `decide` knows of a file that differs from the branch or not. */
export interface Facts {
  readonly why: Why;
  /** Whether git has what the file holds. */
  readonly isInGit: boolean;
  /** Whether no person has edited it; undefined where it is not an article. */
  readonly isPristine: boolean | undefined;
  /** Whether the owner has staged something at its path. */
  readonly isStaged: boolean;
  /** Another path at which its article is committed; undefined for none. */
  readonly committedAs: string | undefined;
  readonly commitEdits: boolean;
}

/** Whether a file gets a commit, needs none, or is for its owner to commit. */
export type Decision =
  | { readonly kind: 'present' }
  | { readonly kind: 'commit' }
  | { readonly kind: 'theirs'; readonly because: string };

/** What was delivered is committed; what a person has done is theirs to commit, unless they want it committed. */
export function decide({ why, isInGit, isPristine, isStaged, committedAs, commitEdits }: Facts): Decision {
  if (isInGit) return { kind: 'present' };
  if (isPristine === undefined) return theirs(NO_ARTICLE);
  if (committedAs !== undefined) return theirs(`git has it as ${committedAs}: the rename is yours to commit`);
  if (isPristine && why === 'stored') return { kind: 'commit' };
  if (isStaged) return theirs('you have staged it');
  if (isPristine || why === 'replaced') return { kind: 'commit' };
  if (commitEdits && why !== 'stored') return { kind: 'commit' };
  return theirs('people’s edits are theirs to commit');
}

function theirs(because: string): Decision {
  return { kind: 'theirs', because };
}
