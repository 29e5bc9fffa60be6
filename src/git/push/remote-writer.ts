import fs from 'node:fs';
import { messageOf, PressmarkError, systemCode } from '../../errors.js';
import { type Fingerprint, fingerprintOf } from '../../fs/fingerprint.js';
import type { Lock } from '../../fs/lock.js';
import type { Hooks } from '../../host/hooks/hooks.js';
import { backoff, createRepeatedTask } from '../../repeated-task.js';
import { type Entry, NEVER_READ } from '../../store/catalog/entry.js';
import type { SharedWriter, Write } from '../../store/write/article-files.js';
import { NameTaken, Outdated } from '../../store/write/failures.js';
import { within } from '../../time-limit.js';
import { hashFiles } from '../commit/build-commits.js';
import { branchName } from '../commit/head.js';
import { subjectIn } from '../commit/message.js';
import { nextCommits, removeNextRefs } from '../commit/move-branch.js';
import { removeStaleLocks } from '../commit/stale-locks.js';
import { committableTree } from '../content-folder.js';
import { entriesAt } from '../objects.js';
import { statusOf } from '../status.js';
import {
  type Change,
  type ChangeCommitsOptions,
  createChangeCommits,
  type DescribedChange,
} from './change-commits.js';
import { isDeclined, type PushStatusKeeper, wordsOf } from './push-status.js';
import { createRemote, type RemoteSettings } from './remote.js';
import { openSharedBranch } from './shared-branch.js';

export interface RemoteWriterOptions extends RemoteSettings, ChangeCommitsOptions {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  readonly status: PushStatusKeeper;
  readonly env: NodeJS.Dict<string>;
  readonly hooks: Pick<Hooks, 'applyFilters' | 'doAction'>;
  /** How often the remote is asked even without deliveries, in milliseconds. */
  readonly fetchEvery: number;
  /** The store's lock. */
  readonly lock: Lock;
  /** Makes the store read the files at these paths again, relative to the content folder. */
  readAgain(paths: Iterable<string>): Promise<void>;
}

/** The writer of the level `push`; see `openRemoteWriter`. */
export interface RemoteWriter extends SharedWriter {
  /** Returns why nothing can be stored now; undefined if the remote answers. */
  trouble(): string | undefined;
}

interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
  /** Whether its time limit has passed. Its write may already be in a push. */
  isLate: boolean;
}

interface WaitingWrite extends Waiting, DescribedChange {
  /** The error of a push of this write whose outcome is unknown. */
  unclear?: unknown;
}

/** The most text in one push, in characters, so that it ends in time. */
const MOST_TEXT = 8_000_000;

/** How long a write and a lookup wait, in milliseconds; the service waits for 30 s and for 15 s. */
export const WAIT_MS = { write: 15_000, catchUp: 10_000 };

/** How long the remote may take to name the branch's last commit, in milliseconds: deliveries wait for it. */
const LIST_MS = 4_000;

/** The reason for another turn although the remote answers: the branch was locked, or each write is tried alone. */
const AGAIN = 'the batch is tried again';

/** The pauses after failed turns: the first and the longest, in milliseconds. */
const PAUSE_MS = { first: 100, longest: 1_000 };

/**
 * Writes articles to a branch of a remote that any number of machines share. The push is the compare-and-set.
 *
 * It works in turns. A turn under the store's lock builds commits on top of the remote's tip, beside the local branch, and
 * pushes them. If the remote accepts, the branch, the index and the work tree are fast-forwarded, and the writes are done. If
 * it refuses, another machine came first: its commits are fetched, the work tree follows, and every write of the batch is
 * `Outdated`, so that the store decides again on the new files. A turn without writes fetches. Both kinds bring the work tree
 * to the remote's state at the turn's begin, so all waiting calls of `catchUp` resolve.
 *
 * The work tree has nothing that the remote lacks, so nothing has to be undone.
 *
 * @throws PressmarkError CONFIG_INVALID if the site's folder cannot be shared in this way.
 */
export async function openRemoteWriter(options: RemoteWriterOptions): Promise<RemoteWriter> {
  const { status, author, sign = false, env, log, lock, hooks, content } = options;
  const closing = new AbortController();
  const repository = await committableTree(options, 'push', closing.signal);
  for (const lock of removeStaleLocks(repository))
    log.warn({ lock }, 'removed a lock file that git had left before the machine started');
  await removeNextRefs(repository, await nextCommits(repository));
  const folder = `${repository.prefix}${content}`;
  const remote = await createRemote(repository, options, env, LIST_MS);
  const commits = await createChangeCommits(repository, options);
  const branch = await openSharedBranch({ ...options, repository, remote, folder, author, sign });
  let writes: WaitingWrite[] = [];
  let catchUps: Waiting[] = [];
  let most = Number.POSITIVE_INFINITY;
  let lastError: PressmarkError | undefined;
  /** Why the remote declined the last push. */
  let declinedFor: string | null = null;

  const task = createRepeatedTask({
    attempt: turn,
    onChange: (reason) => {
      if (reason === undefined) log.info('the git remote answers again');
      else if (reason !== AGAIN)
        log.warn(
          { reason },
          status.now.isDeclined
            ? 'the git remote does not allow it; nothing is stored until it does'
            : 'the git remote cannot be asked; tried again',
        );
    },
    gatherMs: () => 0,
    // Random, so that machines do not work in step.
    retryMs: (failures) => backoff(failures, PAUSE_MS) * (0.5 + Math.random()),
  });

  async function write(file: Write): Promise<Fingerprint> {
    await Promise.all(file.waitsFor ?? []);
    await push(file);
    return fingerprintWith(file);
  }

  async function push(file: Change): Promise<void> {
    const message = await commits.describe(file);
    status.set({ waiting: status.now.waiting + 1 });
    try {
      await inTurn(WAIT_MS.write, (waiting) => writes.push(Object.assign(waiting, { file, message })));
    } finally {
      status.set({ waiting: status.now.waiting - 1 });
    }
  }

  function catchUp(): Promise<void> {
    return inTurn(WAIT_MS.catchUp, (waiting) => catchUps.push(waiting));
  }

  /** Waits for a turn; the turn continues even after the time limit. */
  async function inTurn(limitMs: number, enqueue: (waiting: Waiting) => void): Promise<void> {
    const waiting: Waiting = { resolve: () => undefined, reject: () => undefined, isLate: false };
    const served = new Promise<void>((resolve, reject) => Object.assign(waiting, { resolve, reject }));
    enqueue(waiting);
    task.request();
    await within(limitMs, served, () => {
      waiting.isLate = true;
      lastError ??= new PressmarkError('REMOTE_UNAVAILABLE', `${remote.name} did not answer in time`);
      throw unavailable(lastError);
    });
  }

  /** Checks that the remote has a file of the work tree. */
  async function ensure({ path, fingerprint }: Entry): Promise<Fingerprint> {
    const inRepository = `${folder}${path}`;
    const shared = (await entriesAt(repository, branch.tip, [inRepository])).get(inRepository);
    const [blob] = await hashFiles(repository, [inRepository]);
    if (blob === shared?.id) return fingerprint;
    throw new PressmarkError(
      'COMMIT_FAILED',
      `${path} differs from the file at the remote: commit and push it, or restore it`,
    );
  }

  /** Runs one turn. @returns the reason if it has to be tried again. */
  async function turn(): Promise<string | undefined> {
    let batch = nextBatch();
    const served = catchUps.splice(0).filter(({ isLate }) => !isLate);
    if (batch.length + served.length === 0) return undefined;
    try {
      batch = await withoutStaged(batch);
      if (batch.length > 0 && (await lock.run(() => pushBatch(batch)))) {
        for (const { resolve } of [...batch, ...served]) resolve();
      } else {
        const isNew = await branch.fetch();
        for (const { resolve } of served) resolve();
        if (batch.length > 0 && !isNew) return AGAIN;
      }
      lastError = undefined;
      status.set({ lastError: declinedFor, isDeclined: declinedFor !== null, waitingFor: null });
    } catch (error) {
      if (isUnavailable(error)) {
        writes = [...batch.filter((one) => !writes.includes(one)), ...writes];
        catchUps = [...served, ...catchUps];
        if (closing.signal.aborted) return undefined; // git was stopped; the remote is not to blame
        lastError = error;
        status.set({ lastError: wordsOf(error), isDeclined: isDeclined(error) });
        return wordsOf(error);
      }
      // A person has to do something first; /healthz reports it.
      if (error instanceof PressmarkError && error.code === 'COMMIT_FAILED') lastError = error;
      // The error concerns the batch; calls of `catchUp` wait for another turn.
      for (const { reject } of batch.length > 0 ? batch : served) reject(error);
      if (batch.length > 0) catchUps = [...served, ...catchUps];
      writes = writes.filter((one) => !batch.includes(one));
    }
    if (writes.length + catchUps.length > 0) task.request();
    return undefined;
  }

  /** @returns whether the remote has the batch; if not, its writes are in the queue again. */
  async function pushBatch(batch: readonly WaitingWrite[]): Promise<boolean> {
    await branch.begin();
    if (batch.some(({ file }) => file.epoch !== branch.epoch)) {
      writes = [...batch, ...writes];
      return false;
    }
    const made = await commits.build(branch.tip, batch).catch((error: unknown) => {
      if (batch.length === 1) throw error;
      log.warn(
        { reason: wordsOf(error) },
        'several articles could not be committed together; each is tried alone',
      );
      return [];
    });
    const last = made.at(-1);
    if (last === undefined) return retryOneByOne(batch);
    const committed = batch.map(({ file, message }, index) => ({
      commit: made[index] ?? last,
      path: `${content}${file.path}`,
      subject: subjectIn(message),
    }));
    const tip = { commit: last, branch: branchName(remote.ref) };
    const pushed = await remote.push(last).catch((error: unknown) => {
      // The remote may have accepted it. The next fetch finds out.
      for (const one of batch) one.unclear = error;
      throw error;
    });
    switch (pushed.outcome) {
      case 'accepted':
        declinedFor = null;
        most = Number.POSITIVE_INFINITY;
        status.set({ lastPush: new Date().toISOString() });
        try {
          // The store does not know of writes that were given up; it must read them like those of other machines.
          await branch.pushed(
            last,
            new Set(batch.flatMap(({ file, isLate }) => (isLate ? [] : [`${folder}${file.path}`]))),
          );
        } finally {
          // The remote has the commits even if the work tree waits for a person.
          for (const one of committed) void hooks.doAction('git.committed', one);
          void hooks.doAction('git.pushed', tip);
        }
        return true;
      case 'refused':
        writes = [...batch, ...writes];
        return false;
      case 'declined':
        log.error({ why: pushed.why }, 'the git remote declined a push');
        declinedFor = `${remote.name} declined the push: ${pushed.why}`;
        status.set({ lastError: declinedFor, isDeclined: true });
        if (batch.length === 1) throw declined(pushed.why);
        return retryOneByOne(batch);
    }
  }

  /** Queues the writes one by one, so that one article that git or the remote refuses does not hold up the others. */
  function retryOneByOne(batch: readonly WaitingWrite[]): false {
    most = 1;
    writes = [...batch, ...writes];
    return false;
  }

  function nextBatch(): WaitingWrite[] {
    const batch: WaitingWrite[] = [];
    let size = 0;
    for (const one of writes.splice(0)) {
      if (one.isLate) continue;
      const reason = reasonAgainst(one.file);
      size += 'text' in one.file ? one.file.text.length : 0;
      if (reason !== undefined) one.reject(one.unclear === undefined ? reason : outdated(one.unclear));
      else if (batch.length > 0 && (batch.length >= most || size > MOST_TEXT)) writes.push(one);
      else batch.push(one);
    }
    return batch;
  }

  /**
   * Refuses writes to paths that the owner has staged: after the push, git could not fast-forward over them.
   *
   * @returns the other writes.
   */
  async function withoutStaged(batch: readonly WaitingWrite[]): Promise<WaitingWrite[]> {
    const inRepository = ({ file }: WaitingWrite) => `${folder}${file.path}`;
    if (batch.length === 0) return []; // without paths, this would be the whole work tree
    const { files } = await statusOf(repository, batch.map(inRepository));
    return batch.filter((one) => {
      const { head, index } = files.get(inRepository(one)) ?? {};
      if (head?.id === index?.id && head?.mode === index?.mode) return true;
      const why = `you have staged a change of ${one.file.path}: commit and push it, or unstage it`;
      one.reject(new PressmarkError('COMMIT_FAILED', why));
      return false;
    });
  }

  /** Returns an error if the store's decision is no longer valid. */
  function reasonAgainst({ path, target, replaces, epoch: decidedAt }: Change): unknown {
    if (decidedAt !== branch.epoch) return outdated(undefined);
    if (replaces === null) return reasonAgainstName(path, target);
    return isFileWith(target, replaces) ? undefined : outdated(undefined);
  }

  async function close(): Promise<void> {
    clearInterval(timer);
    closing.abort();
    await task.close();
    for (const { reject } of [...writes.splice(0), ...catchUps.splice(0)]) reject(unavailable(lastError));
  }

  // the status has the error
  const timer = setInterval(() => void catchUp().catch(() => undefined), options.fetchEvery).unref();
  await catchUp().catch((error: unknown) =>
    log.warn(
      { reason: wordsOf(error) },
      'started without the remote; what is new is refused until it answers',
    ),
  );

  return {
    write,
    remove: push,
    ensure,
    catchUp,
    get epoch() {
      return branch.epoch;
    },
    trouble: () => lastError && messageOf(lastError),
    close,
  };
}

/** Returns an error if a new file's name is taken by any file or folder: git could overwrite it. */
function reasonAgainstName(path: string, target: string): unknown {
  try {
    fs.lstatSync(target);
    return new NameTaken(path);
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? undefined : error;
  }
}

/** Returns the fingerprint of a file that git has written. */
function fingerprintWith({ target, text }: Write): Fingerprint {
  try {
    const stat = fs.statSync(target);
    // A person may have saved it since; then the fingerprint would belong to another text.
    return isFileWith(target, text) ? fingerprintOf(stat) : NEVER_READ;
  } catch {
    return NEVER_READ; // a person may have removed it or made it unreadable; the remote has it
  }
}

function isFileWith(path: string, text: string): boolean {
  try {
    return fs.readFileSync(path, 'utf8') === text;
  } catch {
    return false; // the decision is made again, and finds the reason
  }
}

function isUnavailable(error: unknown): error is PressmarkError {
  return error instanceof PressmarkError && error.code === 'REMOTE_UNAVAILABLE';
}

function unavailable(cause: PressmarkError | undefined): PressmarkError {
  const why = cause?.message ?? 'the receiver stops';
  return new PressmarkError('REMOTE_UNAVAILABLE', `${why}; nothing is acknowledged, send it again`, {
    cause,
  });
}

function outdated(cause: unknown): Outdated {
  return new Outdated('another machine was first', { cause });
}

function declined(why: string): PressmarkError {
  return new PressmarkError(
    'REMOTE_DECLINED',
    'the git remote declined the commit; the receiver’s log says why',
    { cause: new Error(why) },
  );
}
