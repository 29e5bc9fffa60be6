import { randomBytes } from 'node:crypto';
import { type FileHandle, link, mkdir, open, readdir, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { PressmarkError, systemCode } from '../../errors.js';
import { syncDirectory } from '../../fs/atomic-write.js';
import type { LockHelper } from '../../fs/lock-helper.js';
import { createMutex } from '../../fs/mutex.js';
import type { Log } from '../../log.js';
import { createKeptPacks, type KeptPacks, sweepKeptPacks } from '../cli/kept-packs.js';
import {
  freeRefLocks,
  type LockPlaces,
  type RefMove,
  type RefMoveRecorder,
  type RefMoveResult,
} from './ref-update.js';

/** A file below `.git/pressmark/` with a kernel lock, which shows that this receiver is alive; see `createReceiverToken`. */
export interface ReceiverToken extends RefMoveRecorder {
  /** Makes the token, so that other receivers notice the death of this one. */
  announce(): Promise<void>;
  /**
   * Makes `lock` a second name of the token: the inode proves whose lock it is.
   *
   * @returns whether it is one now; false where another file is there.
   * @throws PressmarkError GIT_FAILED where the git directory cannot be written.
   */
  linkAs(lock: string): Promise<boolean>;
  /** Removes such a name. Somebody may have removed it by hand, and another program may have its own lock there now. */
  unlinkAs(lock: string): Promise<void>;
  /** A free path for the record of what a batch writes into the index; it outlives this process. */
  newIntents(): string;
  /** A free path for a next version of the index; sweeping removes what a killed process leaves. */
  nextIndex(): string;
  /** Keeps new packs, from repacking and for as long as this process lives, until they are released. */
  keepPacks(): KeptPacks;
  /**
   * Removes the locks and `.keep` files that a killed Pressmark, its git and git commands of this process have left, and
   * those of nobody else.
   */
  sweep(): Promise<void>;
  /**
   * Sweeps, and counts the receivers on this repository that have died, or have stopped with work left, and that this
   * process has found since the last call. Perhaps nobody else finishes their work.
   */
  sweepDeadReceivers(): Promise<number>;
  /** @param hasWorkLeft whether other receivers are to find this one dead, and to finish its work. */
  close(hasWorkLeft?: boolean): Promise<void>;
}

/** The token of this process, which is made when it is first needed; its content is the moves of refs that may have left locks. */
export function createReceiverToken(places: LockPlaces, helper: LockHelper, log: Log): ReceiverToken {
  const { gitDir, commonDir } = places;
  const folder = join(gitDir, 'pressmark');
  const id = randomBytes(8).toString('hex');
  const token = join(folder, `token-${id}`);
  const indexLock = join(gitDir, 'index.lock');
  const moves = createMutex();
  /** The moves of this process that are over and have left locks. */
  let unfreed: readonly RefMove[] = [];
  let held: FileHandle | undefined;
  let making: Promise<void> | undefined;
  let indexCount = 0;
  let records = 0;
  /** All tokens of dead receivers that were found. One stays where a lock may be its receiver's or not. */
  const foundDead = new Set<string>();
  let uncounted = 0;

  /** Two that make it at once would each take the other's for a dead one's, and nobody could let go of the index. */
  function makeToken(): Promise<void> {
    making ??= makeNewToken().finally(() => {
      making = undefined;
    });
    return making;
  }

  async function makeNewToken(): Promise<void> {
    await mkdir(folder, { recursive: true });
    await held?.close();
    held = await open(token, 'a', 0o600);
    for (const made of [folder, gitDir]) await syncDirectory(made);
    // somebody who sweeps may have come in between, and removes it now
    if (!(await helper.take(held.fd, 0))) await rm(token, { force: true });
  }

  async function announce(): Promise<void> {
    // Somebody may have removed it, and others would take this receiver for dead.
    if (!(await isFileAt(held, token))) await makeToken();
  }

  async function linkAs(lock: string): Promise<boolean> {
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        await link(token, lock);
        return true;
      } catch (error) {
        // ours: it could not be removed when it was let go, and nobody else of this process holds it now
        if (systemCode(error) === 'EEXIST') return isFileAt(held, lock);
        if (systemCode(error) !== 'ENOENT') throw failed(error);
        await makeToken();
      }
    }
    throw failed(undefined);
  }

  async function unlinkAs(lock: string): Promise<void> {
    if (await isFileAt(held, lock)) await unlink(lock);
  }

  async function sweep(): Promise<void> {
    if (unfreed.length > 0) await moves.run(freeLocks);
    // Without this folder, Pressmark has never committed here.
    for (const name of await readdir(folder).catch(() => [])) {
      const other = join(folder, name);
      if (name.startsWith('token-') && other !== token)
        await withDeadToken(other, helper, (file) => sweepDead(name, file));
    }
    await sweepKeptPacks(commonDir);
  }

  async function sweepDead(name: string, file: FileHandle): Promise<void> {
    if (!foundDead.has(name)) uncounted++;
    foundDead.add(name);
    if (await isFileAt(file, indexLock)) {
      await unlink(indexLock);
      log.info('removed the git index.lock that a killed Pressmark had left');
    }
    const recorded = parseMoves(await file.readFile('utf8'));
    // While it is not known whose a lock is, the token stays: nothing else says that it may be ours.
    if ((await notFreed(recorded)).length > 0) return;
    const indexes = name.replace('token-', 'index-');
    for (const one of await readdir(folder))
      if (one.startsWith(indexes)) await rm(join(folder, one), { force: true });
    await unlink(join(folder, name));
  }

  async function sweepDeadReceivers(): Promise<number> {
    await sweep();
    const count = uncounted;
    uncounted = 0;
    return count;
  }

  function record(move: RefMove, work: () => Promise<RefMoveResult>): Promise<boolean> {
    return moves.run(async () => {
      await announce();
      await held?.truncate(0);
      await held?.write([...unfreed, move].map((one) => `${JSON.stringify(one)}\n`).join(''));
      // After a power loss the lock of this move may be on the disk, and nothing else says whose it was.
      await held?.sync();
      let result: RefMoveResult | undefined;
      try {
        result = await work();
        return result.isMoved;
      } finally {
        const until = Date.now();
        if (result === undefined || result.leavesLocks) {
          unfreed = [...unfreed, { ...move, until }];
          await freeLocks();
        }
        // It stays: until git's folder is synced, a power loss may bring back the locks that git has removed.
        await held?.write(`${until}`);
      }
    });
  }

  async function freeLocks(): Promise<void> {
    unfreed = await notFreed(unfreed);
  }

  /** Frees the locks that moves have left. @returns the moves of which one stays for now. */
  async function notFreed(recorded: readonly RefMove[]): Promise<readonly RefMove[]> {
    const remaining: RefMove[] = [];
    for (const move of recorded) if (!(await freeRefLocks(places, move, log))) remaining.push(move);
    return remaining;
  }

  async function close(hasWorkLeft = false): Promise<void> {
    if (held === undefined) return;
    // without the token nobody could tell whose the lock is
    await unlinkAs(indexLock);
    if (!hasWorkLeft && unfreed.length === 0) await rm(token, { force: true });
    await held.close();
    held = undefined;
  }

  const nextIndex = () => join(folder, `index-${id}-${indexCount++}`);
  const newIntents = () => join(folder, `intents-${id}-${records++}`);
  const keepPacks = () => createKeptPacks(commonDir, () => announce().then(() => token), log);
  return {
    announce,
    linkAs,
    unlinkAs,
    newIntents,
    nextIndex,
    keepPacks,
    sweep,
    sweepDeadReceivers,
    record,
    close,
  };
}

function failed(cause: unknown): PressmarkError {
  return new PressmarkError('GIT_FAILED', 'the git index cannot be locked', { cause });
}

/** Does `work` if the process that made a token has ended, keeping others who sweep away meanwhile. */
async function withDeadToken(
  token: string,
  helper: LockHelper,
  work: (file: FileHandle) => Promise<void>,
): Promise<void> {
  let file: FileHandle;
  try {
    file = await open(token, 'r');
  } catch {
    // swept by somebody else at the same time, or not ours to read
    return;
  }
  try {
    if (await helper.take(file.fd, 0)) await work(file);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    // somebody else has swept it
  } finally {
    await file.close();
  }
}

/** Whether an open file is the one that stands at `path`. */
async function isFileAt(file: FileHandle | undefined, path: string): Promise<boolean> {
  try {
    const [open, there] = await Promise.all([file?.stat({ bigint: true }), stat(path, { bigint: true })]);
    return open?.ino === there.ino && open.dev === there.dev;
  } catch {
    // nothing there: nothing to remove
    return false;
  }
}

/**
 * The moves that a token has: a line for each, and a last line when the last one was over. The last line is not synced:
 * after a power loss it may hold anything. Unless it is a time after the beginning, the move counts as not over.
 */
function parseMoves(text: string): readonly RefMove[] {
  const lines = text.split('\n');
  const ended = Number(lines.pop());
  return lines.flatMap((line) => {
    try {
      const { ref, to, also, since, until = ended }: Partial<RefMove> = JSON.parse(line) ?? {};
      if (!isRef(ref) || typeof since !== 'number') return [];
      const known = until >= since ? until : undefined;
      return [{ ref, to: to ?? null, since, until: known, ...(isRef(also?.ref) && also && { also }) }];
    } catch {
      // nothing was under way
      return [];
    }
  });
}

function isRef(name: unknown): name is string {
  return typeof name === 'string' && /^refs\/[^\0]+$/.test(name) && !name.includes('..');
}
