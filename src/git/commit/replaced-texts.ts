import { createHash } from 'node:crypto';
import { mkdirSync, renameSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { messageOf, PressmarkError } from '../../errors.js';
import { discard, stage } from '../../fs/atomic-write.js';
import { filesBelow } from '../../fs/files-below.js';
import { syncFiles, syncFoldersOf } from '../../fs/sync-files.js';
import type { Log } from '../../log.js';
import { within } from '../../time-limit.js';
import type { CommittedFolder } from '../content-folder.js';
import { blobId, entriesAt } from '../objects.js';
import type { CommitQueue } from './commit-queue.js';
import { refuseWhileUnfinished } from './head.js';

/** The folder below the state folder for texts that were replaced before git had them. */
const REPLACED = 'replaced';

export interface BeforeReplaceOptions {
  readonly place: CommittedFolder;
  readonly queue: Pick<CommitQueue, 'commitNow'>;
  readonly keepText: KeepText;
  readonly log: Log;
  /** Whether answers wait for commits; then an update fails if the text that it replaces cannot be committed. */
  readonly isBeforeAnswer: boolean;
  /** How long an update waits for one step of git, in milliseconds. */
  readonly limitMs: number;
}

/**
 * Returns a function that is called before an update replaces an article's file, with its path relative to the site's folder
 * and whether a person has edited it. After that, the file's content is durable, either in git or in a plain file below
 * `.pressmark/replaced/`.
 *
 * The function throws PressmarkError COMMIT_FAILED while a rebase or the like is unfinished, or if answers wait for commits and
 * git fails, and the system's error if the plain file cannot be written. The update must not be stored then.
 */
export function createBeforeReplace(options: BeforeReplaceOptions) {
  const { place, queue, keepText, log, isBeforeAnswer, limitMs } = options;
  const { repository } = place;

  return async (path: string, isEdited: boolean): Promise<void> => {
    refuseWhileUnfinished(repository);
    const bytes = await readFile(place.fileAt(path));
    if (await within(limitMs, isAtHead(place.inRepository(path), bytes), () => false)) {
      // A person's git may not sync its commits; Pressmark's commits are synced.
      if (isEdited && !(await syncFiles(repository.commonDir, [objectOf(bytes)], limitMs)))
        await keepText(path, bytes, 'its commit may not be on the disk yet');
      return;
    }
    const outcome = await queue.commitNow(path, 'replaced', limitMs);
    if (outcome.kind === 'committed') return;
    if (isBeforeAnswer && outcome.kind === 'later')
      throw new PressmarkError(
        'COMMIT_FAILED',
        `the text that the update replaces could not be committed: ${outcome.because}; nothing was changed, send it again`,
      );
    await keepText(path, bytes, outcome.because);
  };

  /** Returns git's loose object file for these bytes. It may not exist: packs, which git syncs, have the object then. */
  function objectOf(bytes: Buffer): string {
    const id = blobId(repository, bytes);
    return join(repository.commonDir, 'objects', id.slice(0, 2), id.slice(2));
  }

  /** Whether HEAD has exactly these bytes. If git's filters change them, this is false, and the queue compares them. */
  async function isAtHead(path: string, bytes: Buffer): Promise<boolean> {
    try {
      return (await entriesAt(repository, 'HEAD', [path])).get(path)?.id === blobId(repository, bytes);
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'git did not say what HEAD has');
      return false;
    }
  }
}

/** Keeps the text of an article's file, whose path is relative to the site's folder; `why` is the reason that git lacks it. */
export type KeepText = (path: string, bytes: Buffer, why: string) => Promise<void>;

/**
 * Returns a function that keeps a replaced text that git lacks, as a plain file: `.pressmark/replaced/<the article's path>/<UTC
 * time>-<digest>.md`. The same text is kept once. The file is durable when the function resolves.
 *
 * @param stateDir the state folder, absolute.
 */
export function createKeepText(stateDir: string, log: Log): KeepText {
  return async (path, bytes, why) => {
    const ending = `-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.md`;
    const known = await fileWith(path, ending, bytes);
    const time = new Date().toISOString().replaceAll(':', '-');
    const file = known ?? join(REPLACED, path, `${time}${ending}`);
    const target = join(stateDir, file);
    if (known === undefined) await write(target, bytes);
    await syncFoldersOf(stateDir, [target]);
    log.warn(
      { path, file: withSlashes(file), why },
      'a text that was not committed was replaced; it is kept in this file',
    );
  };

  /** Finds a kept file of this article with exactly these bytes; it may not be durable yet. */
  async function fileWith(path: string, ending: string, bytes: Buffer): Promise<string | undefined> {
    for (const file of replacedFiles(stateDir, path))
      if (file.endsWith(ending) && bytes.equals(await readFile(join(stateDir, file)))) return file;
    return undefined;
  }

  async function write(target: string, bytes: Buffer): Promise<void> {
    mkdirSync(dirname(target), { recursive: true });
    const { temp } = await stage(stateDir, bytes); // a folder in which the next start removes leftovers
    try {
      renameSync(temp, target);
    } catch (error) {
      discard(temp);
      throw error;
    }
  }
}

/**
 * Lists the kept texts, oldest first for each article.
 *
 * @param path limits the list to one article's file; relative to the site's folder.
 * @returns files relative to the state folder, with forward slashes.
 */
export function replacedFiles(stateDir: string, path = ''): string[] {
  const folder = join(stateDir, REPLACED, path);
  return filesBelow(folder).map((file) => withSlashes(relative(stateDir, join(folder, file))));
}

function withSlashes(path: string): string {
  return path.split(sep).join('/');
}
