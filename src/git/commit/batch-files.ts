import { lstatSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isGone, systemCode } from '../../errors.js';
import type { Log } from '../../log.js';
import type { CommittedFolder } from '../content-folder.js';
import { blobId, entriesAt, type TreeEntry } from '../objects.js';
import { statusOf } from '../status.js';
import { hashFiles, writeBlobs, writeText } from './build-commits.js';
import type { CommitOutcome, Pending } from './commit-queue.js';
import { stagedByOwner } from './move-branch.js';

/** The size above which a batch takes no more files, in bytes; the other files wait for the next batch. */
const MAX_BYTES = 32_000_000;

/** A file of a batch. */
interface BatchFile extends Pending {
  /** From the top of the work tree. */
  readonly inRepository: string;
}

/** A file of a batch, with its content. */
interface ReadFile extends BatchFile {
  readonly bytes: Buffer;
}

/** A file with the facts for the decision about its commit. */
export interface Candidate extends ReadFile {
  readonly blob: string;
  /** Whether git's filters change the content; then the blob is stored already. */
  readonly isFiltered: boolean;
  readonly before: TreeEntry | undefined;
  readonly isStaged: boolean;
  /** Set for a delivered text that the file no longer has: a person has changed or removed it, or the file is as in HEAD again. */
  readonly replacedBy?: 'a person' | 'its commit';
}

/** The outcomes of files, by path. */
export type CommitOutcomes = Map<string, CommitOutcome>;

/** The files of a batch, and the commit and index that they were compared with. */
export interface ExaminedBatch {
  /** HEAD's commit; null before the first. */
  readonly tip: string | null;
  readonly candidates: readonly Candidate[];
  /** Files that a person has removed in the admin, relative to the site's folder. */
  readonly removed: readonly string[];
  /** The paths that the owner has staged. */
  readonly staged: ReadonlySet<string>;
}

/** Returns a function that gathers the facts about the files of a batch. */
export function createExaminer(place: CommittedFolder, log: Log) {
  const { repository } = place;
  /** The reasons that were logged. */
  const reported = new Set<string>();

  /**
   * Reads files, and compares them with HEAD and the index. It stores blobs only for files that a filter changes; the others are
   * stored with their commits.
   *
   * @param outcomes gets the outcome of each file that cannot be committed. Files that must wait for the next batch have none.
   */
  async function examine(batch: readonly Pending[], outcomes: CommitOutcomes): Promise<ExaminedBatch> {
    const { files, gone, removed } = await readFiles(batch, outcomes);
    const paths = files.map(({ inRepository }) => inRepository);
    const all = [...paths, ...gone.map(({ inRepository }) => inRepository)];
    if (all.length + removed.length === 0) return { tip: null, candidates: [], removed, staged: new Set() };
    const idOf = (file: ReadFile | undefined) => file && blobId(repository, file.bytes);
    const [status, blobs] = await Promise.all([
      // There is always a path here: none would mean the whole work tree.
      statusOf(repository, [...all, ...removed.map(place.inRepository)]),
      hashFiles(repository, paths),
    ]);
    const { tip } = status;
    const filtered = paths.filter((_, index) => blobs[index] !== idOf(files[index]));
    const written = await writeBlobs(repository, filtered);
    const staged = await stagedByOwner(repository, status);
    // A file that `git status` does not list is unchanged from HEAD, or marked assume-unchanged.
    const unlisted = all.filter((path) => !status.files.has(path) && !status.ignored.has(path));
    const committed = await entriesAt(repository, tip, unlisted);
    const inGit = ({ inRepository }: BatchFile) => ({
      before: status.files.get(inRepository)?.head ?? committed.get(inRepository),
      isStaged: staged.has(inRepository),
    });
    const candidates: Candidate[] = [];
    for (const file of gone)
      if (file.text !== undefined)
        candidates.push(await delivered({ ...file, ...inGit(file) }, file.text, 'a person'));
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
      candidates.push(
        ...(await versionsOf({
          ...file,
          blob: (isFiltered ? written[filter] : blobs[index]) ?? '',
          isFiltered,
          ...inGit(file),
        })),
      );
    }
    return { tip, candidates, removed, staged };
  }

  /**
   * Returns the versions of a file that may need a commit: if a delivered text is no longer in the file, that text first. The file
   * may have a later delivery: the events of two updates may come in either order.
   */
  async function versionsOf(file: Candidate): Promise<Candidate[]> {
    const { text, bytes, blob, before } = file;
    if (text === undefined || bytes.equals(Buffer.from(text))) return [file];
    const first = await delivered(file, text, blob === before?.id ? 'its commit' : 'a person');
    return [first, { ...file, isDelivered: false }];
  }

  /** Stores a delivered text that the file no longer has as a blob. */
  async function delivered(
    file: BatchFile & Pick<Candidate, 'before' | 'isStaged'>,
    text: string,
    replacedBy: 'a person' | 'its commit',
  ): Promise<Candidate> {
    const bytes = Buffer.from(text);
    const blob = await writeText(repository, file.inRepository, bytes);
    return { ...file, why: 'stored', bytes, blob, isFiltered: true, replacedBy };
  }

  /** Reads files up to `MAX_BYTES`; the others get no outcome. */
  async function readFiles(batch: readonly Pending[], outcomes: CommitOutcomes) {
    const files: ReadFile[] = [];
    const gone: BatchFile[] = [];
    const removed: string[] = [];
    let size = 0;
    for (const pending of batch) {
      const { path, why, text } = pending;
      const inRepository = place.inRepository(path);
      if (size > MAX_BYTES) break;
      try {
        if (isBehindLink(path))
          outcomes.set(path, warnOfRefusal('it is, or is behind, a symbolic link', path));
        else {
          const bytes = await readFile(place.fileAt(path));
          size += bytes.length;
          files.push({ ...pending, inRepository, bytes });
        }
      } catch (error) {
        const code = systemCode(error) ?? '';
        if (isGone(error) && why === 'trash') removed.push(path);
        else if (isGone(error) && text !== undefined) gone.push({ ...pending, inRepository });
        else if (isGone(error)) outcomes.set(path, { kind: 'left to owner', because: 'the file is gone' });
        else if (['EACCES', 'EPERM', 'EISDIR', 'ELOOP'].includes(code))
          outcomes.set(path, warnOfRefusal(`the file cannot be read (${code})`, path));
        else throw error;
      }
    }
    return { files, gone, removed };
  }

  /** Whether a file still has the content that was read. */
  async function isUnchanged({ path, bytes }: ReadFile): Promise<boolean> {
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

  return examine;
}
