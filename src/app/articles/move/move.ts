import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type MovedUrl, readList, redirectLists } from '../../../article/address/redirect-lists.js';
import type { Settings } from '../../../config/load.js';
import { PressmarkError } from '../../../errors.js';
import { discard, makeDirectory, syncDirectory, writeAtomically } from '../../../fs/atomic-write.js';
import { createLock } from '../../../fs/lock.js';
import { findLockHelper } from '../../../fs/lock-helper.js';
import type { Log } from '../../../log.js';
import { walk } from '../../../store/catalog/scan.js';
import { prepareStateFolder } from '../../../store/open-store.js';
import { contentOf } from '../../content/content.js';
import { foldersOf } from '../../content/folders.js';
import { originOf, runningReceivers } from '../../running-receivers.js';
import { filesWithUrl, isElsewhere } from '../stored-urls.js';
import { type MovedFile, prepareMoveCommit } from './move-commit.js';
import { type PlannedMove, planMove } from './move-plan.js';

/** Where the site goes. */
export interface MoveRequest {
  /** The new address, without a trailing slash. */
  readonly to: string;
  /** The old address, if the articles do not show it. */
  readonly from?: string;
}

/** What `pressmark move` did. */
export interface Moved {
  /** Each article with its old and its new URL, those of an interrupted run before included. */
  readonly urls: readonly MovedUrl[];
  /** The one commit; null if git has none of the files. */
  readonly commit: string | null;
  /** The files with the old and new addresses; absolute. */
  readonly lists: readonly string[];
}

/** The folder of the lists, below the state folder. */
const FOLDER = 'moved';

/**
 * Gives all articles their URLs at another address of the site, in one commit. Ids and revisions stay, and a person's
 * edits stay edits. The list of addresses is on the disk before the first file changes, so that a run which was
 * interrupted can be finished by running it again.
 *
 * @throws PressmarkError what `planMove` and `prepareMoveCommit` throw; LOCK_TIMEOUT; STORE_FAILED.
 */
export async function moveSite(settings: Settings, { to, from }: MoveRequest, log: Log): Promise<Moved> {
  const { stateDir } = foldersOf(settings);
  await refuseRunning(settings);
  await prepareStateFolder(stateDir, log);
  const lock = createLock({ directory: stateDir, helper: findLockHelper() });
  // No receiver stores anything in between.
  await lock.enter();
  try {
    await refuseRunning(settings); // One may have started while the lock was waited for.
    for (const _ of walk(contentOf(settings), discard)); // what an interrupted run has left
    const moves = planMove(settings, to, from);
    const commit = await prepareMoveCommit(settings, filesAt(settings, to, moves));
    const urls = [
      ...movedBefore(settings, to, moves),
      ...moves.map(({ file, from: old, to: url }) => ({ file, old, new: url })),
    ];
    const lists = redirectLists(urls).map(({ name, text }) => ({ path: join(stateDir, FOLDER, name), text }));
    if (moves.length > 0) {
      for (const folder of makeDirectory(join(stateDir, FOLDER))) await syncDirectory(folder);
      for (const { path, text } of lists) await writeAtomically(path, text);
    }
    for (const move of moves) await rewrite(settings, move);
    const name = await commit?.commit(messageOf(urls.length, to));
    return { urls, commit: name ?? null, lists: lists.map(({ path }) => path).filter(existsSync) };
  } finally {
    lock.leave();
    lock.close();
  }
}

async function refuseRunning(settings: Settings): Promise<void> {
  const [receiver] = await runningReceivers(settings);
  if (receiver === undefined) return;
  throw new PressmarkError(
    'USAGE',
    `nothing was moved: a receiver of this site is running (process ${receiver.pid}, ${originOf(receiver)}), which would go on answering the old URLs; stop it first`,
  );
}

function messageOf(count: number, to: string): string {
  return `Move: ${count === 1 ? '1 article' : `${count} articles`} to ${to}\n`;
}

/** All files that are at the new address after the move. */
function filesAt(settings: Settings, to: string, moves: readonly PlannedMove[]): MovedFile[] {
  const { format } = contentOf({ ...settings, siteUrl: to });
  const planned = new Map(moves.map((move) => [move.path, move]));
  return [...filesWithUrl(settings)].flatMap(({ path, file, text, stored }): MovedFile[] => {
    const move = planned.get(path);
    if (move === undefined && isElsewhere(stored, to)) return [];
    const moved = (committed: string) => format.withStoredUrl(committed, path, move?.to ?? stored.url);
    return [{ file, after: move?.after ?? text, isPlanned: move !== undefined, moved }];
  });
}

/** The rows of an interrupted move to the same address whose articles have been moved. */
function movedBefore(settings: Settings, to: string, moves: readonly PlannedMove[]): MovedUrl[] {
  const list = join(foldersOf(settings).stateDir, FOLDER, 'urls.csv');
  if (!existsSync(list)) return [];
  const now = new Map([...filesWithUrl(settings)].map(({ file, stored }) => [file, stored.url]));
  const planned = new Set(moves.map(({ file }) => file));
  return readList(readFileSync(list, 'utf8')).filter(
    ({ file, new: url }) => url.startsWith(`${to}/`) && now.get(file) === url && !planned.has(file),
  );
}

/** A file that has changed since it was read is left alone; the next run reads it anew. */
async function rewrite(settings: Settings, { file, before, after }: PlannedMove): Promise<void> {
  const target = realpathSync(join(settings.dir, file));
  if (readFileSync(target, 'utf8') !== before)
    throw new PressmarkError('STORE_FAILED', `${file} has changed meanwhile; run pressmark move again`);
  await writeAtomically(target, after, statSync(target).mode);
}
