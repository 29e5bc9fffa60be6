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
  /** Whether answers wait for commits; then an update does not go on without the commit of what it replaces. */
  readonly isBeforeAnswer: boolean;
  /** How long an update waits for git at the most, in milliseconds. */
  readonly limitMs: number;
}

/**
 * Returns a function that is called before an update replaces an article's file, with its path relative to the site's
 * folder and whether a person has edited it. Afterwards git has what the file holds, or a plain file below
 * `.pressmark/replaced/` does, and that is on the disk.
 *
 * It throws PressmarkError COMMIT_FAILED while a rebase or the like is unfinished, and where answers wait for commits and
 * git fails; the system's errors where the plain file cannot be written. The update must not be stored then.
 */
export function createBeforeReplace(options: BeforeReplaceOptions) {
  const { place, queue, keepText, log, isBeforeAnswer, limitMs } = options;
  const { repository } = place;

  return async (path: string, isEdited: boolean): Promise<void> => {
    refuseWhileUnfinished(repository);
    const bytes = await readFile(place.fileAt(path));
    if (await within(limitMs, isAtHead(place.inRepository(path), bytes), () => false)) {
      // A person's own git does not wait for the disk; what a delivery has stored was committed by Pressmark, which does.
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

  /** The file in which git keeps these bytes, unless it is in a pack, which git syncs. */
  function objectOf(bytes: Buffer): string {
    const id = blobId(repository, bytes);
    return join(repository.commonDir, 'objects', id.slice(0, 2), id.slice(2));
  }

  /** Whether HEAD has exactly these bytes. Where git's filters change them, the queue finds out. */
  async function isAtHead(path: string, bytes: Buffer): Promise<boolean> {
    try {
      return (await entriesAt(repository, 'HEAD', [path])).get(path)?.id === blobId(repository, bytes);
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'git did not say what HEAD has');
      return false;
    }
  }
}

/** Keeps the text of an article's file (its path is relative to the site's folder); `why` git does not have it. */
export type KeepText = (path: string, bytes: Buffer, why: string) => Promise<void>;

/**
 * Returns a function that keeps a text which an update replaces although git does not have it, as a plain file:
 * `.pressmark/replaced/<the article's path>/<UTC time>-<digest>.md`; one file, however often it is kept. The file is durable
 * when that resolves.
 *
 * @param stateDir absolute.
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
      'an update has replaced a text that git does not have; this file has it',
    );
  };

  /** A file of this article that has exactly these bytes; it may not be durable yet. */
  async function fileWith(path: string, ending: string, bytes: Buffer): Promise<string | undefined> {
    for (const file of replacedFiles(stateDir, path))
      if (file.endsWith(ending) && bytes.equals(await readFile(join(stateDir, file)))) return file;
    return undefined;
  }

  async function write(target: string, bytes: Buffer): Promise<void> {
    mkdirSync(dirname(target), { recursive: true });
    const { temp } = await stage(stateDir, bytes); // where the next start looks for what a kill has left
    try {
      renameSync(temp, target);
    } catch (error) {
      discard(temp);
      throw error;
    }
  }
}

/**
 * The texts that were replaced before git had them, oldest first for each article.
 *
 * @param path of one article only, where it is given; relative to the site's folder.
 * @returns files relative to the state folder, with forward slashes.
 */
export function replacedFiles(stateDir: string, path = ''): string[] {
  const folder = join(stateDir, REPLACED, path);
  return filesBelow(folder).map((file) => withSlashes(relative(stateDir, join(folder, file))));
}

function withSlashes(path: string): string {
  return path.split(sep).join('/');
}
