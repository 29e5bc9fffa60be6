import fs from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf, PressmarkError } from '../../errors.js';
import { type Fingerprint, fingerprintOf } from '../../fs/fingerprint.js';
import type { Lock } from '../../fs/lock.js';
import type { Log } from '../../log.js';
import { type Entry, NEVER_READ } from '../../store/catalog/entry.js';
import { NameTaken, Outdated, type Removal, type SharedWriter, type Write } from '../../store/writer.js';
import { within } from '../../time-limit.js';
import { type AssetsOf, lackingAssets } from '../commit/assets.js';
import {
  buildCommits,
  type CommitStyle,
  hashFiles,
  modeOf,
  type NewVersion,
} from '../commit/commit-files.js';
import { identityOf, type Person } from '../commit/identity.js';
import { nextCommits, removeNextRefs } from '../commit/next-commits.js';
import { removeStaleLocks } from '../commit/stale-locks.js';
import { committableTree } from '../content-folder.js';
import { entriesAt, type TreeEntry } from '../objects.js';
import { backoff } from '../repeated-task.js';
import { isDeclined, type PushStatusKeeper, wordsOf } from './push-status.js';
import { createRemote, type RemoteSettings, WHILE_ANSWERING } from './remote.js';
import { openSharedBranch } from './shared-branch.js';

/** What becomes a commit: an article's new text, or its removal. */
export type Change = Write | Removal;

export interface RemoteWriterOptions extends RemoteSettings {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** The content folder, relative to the site's folder, with forward slashes and one at its end. */
  readonly content: string;
  readonly status: PushStatusKeeper;
  /** @default what git is configured with */
  readonly author?: Person;
  readonly sign: boolean;
  readonly env: NodeJS.Dict<string>;
  readonly log: Log;
  /** How often the remote is asked where no delivery asks it, in milliseconds. */
  readonly fetchEvery: number;
  /** The store's lock. */
  readonly lock: Lock;
  /** Has the store read the files at these paths again, below the content folder. */
  readAgain(paths: Iterable<string>): Promise<void>;
  /** The files that belong to an article. */
  readonly assetsOf: AssetsOf;
  /** The person who has changed a file; undefined where nobody has. */
  authorOf(file: Change): Person | undefined;
  /** The whole commit message of a change. */
  message(file: Change): Promise<string>;
  /** Receives each commit that the remote has accepted. */
  onCommit(file: Change, commit: string, message: string): void;
  /** Called after that, with the last of the commits, and the branch of the remote. */
  onPushed(commit: string, branch: string): void;
}

/** The writer of the level `push`; see `openRemoteWriter`. */
export interface RemoteWriter extends SharedWriter {
  /** Why nothing can be stored now; undefined where the remote answers. */
  trouble(): string | undefined;
}

interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
  /** Whether its time is up. A write may be in a push under way then. */
  isLate: boolean;
}

interface WaitingWrite extends Waiting {
  readonly file: Change;
  readonly message: string;
  /** The error of a push of it whose end is unknown. */
  unclear?: unknown;
}

/** How much text one push may carry, in characters, so that it ends in time. */
const MOST_TEXT = 8_000_000;

/** How long a write and a lookup wait, in milliseconds; the service waits for 30 s and for 15 s. */
const WAIT_MS = { write: 15_000, catchUp: 10_000 };

/** The pauses after turns that failed: the first and the longest, in milliseconds. */
const PAUSE_MS = { first: 100, longest: 1_000 };

/**
 * Writes articles to a branch of a remote, for any number of machines: the push is the compare-and-set.
 *
 * It talks to the remote in turns. A turn under the store's lock builds commits upon the remote's tip, beside the
 * branch, and pushes them. If the remote accepts, the branch, the index and the work tree are fast-forwarded, and the
 * writes are done. If it refuses, another machine was first: its commits are fetched, the work tree follows, and every
 * write of the batch is `Outdated`, so that the store decides again on the new files. A turn without writes fetches; either
 * kind tells what the remote had when the turn began, and so serves all who wait to catch up.
 *
 * Nothing is in the work tree that the remote does not have, so nothing has to be undone.
 *
 * @throws PressmarkError CONFIG_INVALID where the site's folder cannot be shared like that.
 */
export async function openRemoteWriter(options: RemoteWriterOptions): Promise<RemoteWriter> {
  const { status, author, sign, env, log, lock, onCommit, onPushed } = options;
  const closing = new AbortController();
  const repository = await committableTree(options, 'push', closing.signal);
  removeStaleLocks(repository);
  await removeNextRefs(repository, await nextCommits(repository));
  const folder = `${repository.prefix}${options.content}`;
  const remote = await createRemote(repository, options, env, WHILE_ANSWERING);
  const style: CommitStyle = { identity: await identityOf(repository.git, author), sign };
  const branch = await openSharedBranch({ ...options, repository, remote, folder, author });
  let writes: WaitingWrite[] = [];
  let catchUps: Waiting[] = [];
  let most = Number.POSITIVE_INFINITY;
  let running: Promise<void> | undefined;
  let failures = 0;
  let lastError: PressmarkError | undefined;
  /** Why the remote declined the last push. */
  let declinedFor: string | null = null;

  async function write(file: Write): Promise<Fingerprint> {
    await Promise.all(file.after ?? []);
    await push(file);
    const stat = fs.statSync(file.target, { throwIfNoEntry: false });
    // A person may have saved or removed it since git wrote it: their file must not stand for this text.
    return stat !== undefined && isFileWith(file.target, file.text) ? fingerprintOf(stat) : NEVER_READ;
  }

  async function push(file: Change): Promise<void> {
    const message = await options.message(file);
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

  /** Waits for a turn, which goes on where the time is up. */
  async function inTurn(limitMs: number, enqueue: (waiting: Waiting) => void): Promise<void> {
    const waiting: Waiting = { resolve: () => undefined, reject: () => undefined, isLate: false };
    const served = new Promise<void>((resolve, reject) => Object.assign(waiting, { resolve, reject }));
    enqueue(waiting);
    start();
    await within(limitMs, served, () => {
      waiting.isLate = true;
      lastError ??= new PressmarkError('REMOTE_UNAVAILABLE', `${remote.name} did not answer in time`);
      throw unavailable(lastError);
    });
  }

  /** A file of the work tree counts where the remote has it. */
  async function ensure({ path, fingerprint }: Entry): Promise<Fingerprint> {
    const inRepository = `${folder}${path}`;
    const shared = (await entriesAt(repository, branch.tip, [inRepository])).get(inRepository);
    const [blob] = await hashFiles(repository, [inRepository]);
    if (blob === shared?.id) return fingerprint;
    throw new PressmarkError(
      'COMMIT_FAILED',
      `${path} is not as the remote has it: commit and push it, or restore it`,
    );
  }

  function start(): void {
    running ??= run().finally(() => {
      running = undefined;
      if (writes.length + catchUps.length > 0 && !closing.signal.aborted) start();
    });
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      writes = writes.filter(({ isLate }) => !isLate);
      catchUps = catchUps.filter(({ isLate }) => !isLate);
      if (writes.length + catchUps.length === 0) return;
      const isDone = await turn();
      if (isDone && failures > 0) log.info('the git remote answers again');
      failures = isDone ? 0 : failures + 1;
      // not in step with the other machines
      if (!isDone) await pause(backoff(failures, PAUSE_MS) * (0.5 + Math.random()));
    }
  }

  async function pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: closing.signal }).catch(() => undefined);
  }

  /** One exchange with the remote. @returns false where it is to be tried again. */
  async function turn(): Promise<boolean> {
    const batch = nextBatch();
    const served = catchUps.splice(0);
    try {
      if (batch.length > 0 && (await lock.run(() => pushBatch(batch)))) {
        for (const { resolve } of [...batch, ...served]) resolve();
      } else {
        const isNew = await branch.fetch();
        for (const { resolve } of served) resolve();
        // refused although nothing is new: the branch was locked for a moment
        if (batch.length > 0 && !isNew) return false;
      }
      lastError = undefined;
      status.set({ lastError: declinedFor, isDeclined: declinedFor !== null, waitingFor: null });
      return true;
    } catch (error) {
      if (isUnavailable(error)) {
        if (failures === 0) log.warn({ err: error }, 'the git remote cannot be asked; tried again');
        lastError = error;
        status.set({ lastError: wordsOf(error), isDeclined: isDeclined(error) });
        writes = [...batch.filter((one) => !writes.includes(one)), ...writes];
        catchUps = [...served, ...catchUps];
        return false;
      }
      // A person has to do something first, as /healthz says.
      if (error instanceof PressmarkError && error.code === 'COMMIT_FAILED') lastError = error;
      for (const { reject } of [...batch, ...served]) reject(error);
      writes = writes.filter((one) => !batch.includes(one));
      return true;
    }
  }

  /** @returns whether the remote has the batch; else its writes are outdated, or wait again. */
  async function pushBatch(batch: readonly WaitingWrite[]): Promise<boolean> {
    await branch.begin();
    if (batch.some(({ file }) => file.epoch !== branch.epoch)) {
      writes = [...batch, ...writes];
      return false;
    }
    const paths = batch.map(({ file }) => `${folder}${file.path}`);
    const replaced = paths.filter((_, index) => batch[index]?.file.replaces !== null);
    const before = await entriesAt(repository, branch.tip, replaced);
    const { assetsOf } = options;
    const lists = batch.map(async ({ file }) => ('text' in file ? assetsOf(file.article.id, file.text) : []));
    const assets = await lackingAssets(repository, await Promise.all(lists));
    const files = await Promise.all(
      batch.map(async (one, index) => ({
        ...(await changeOf(one, before)),
        ...(assets[index] && { assets: assets[index] }),
      })),
    );
    const commits = await buildCommits(repository, branch.tip, files, style).catch((error: unknown) => {
      if (batch.length === 1) throw error;
      log.warn(
        { reason: wordsOf(error) },
        'several articles could not be committed together; each is tried alone',
      );
      return [];
    });
    const last = commits.at(-1);
    if (last === undefined) return retryOneByOne(batch);
    const pushed = await remote.push(last).catch((error: unknown) => {
      // The remote may have it. The fetch that follows finds out.
      for (const one of batch) one.unclear = error;
      throw error;
    });
    switch (pushed.outcome) {
      case 'accepted':
        declinedFor = null;
        most = Number.POSITIVE_INFINITY;
        status.set({ lastPush: new Date().toISOString() });
        // What was given up is, like the articles of others, unknown to the store.
        await branch.pushed(last, new Set(paths.filter((_, index) => batch[index]?.isLate === false)));
        for (const [index, { file, message }] of batch.entries())
          onCommit(file, commits[index] ?? last, message);
        onPushed(last, remote.ref.replace('refs/heads/', ''));
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

  async function changeOf(
    { file, message }: WaitingWrite,
    before: ReadonlyMap<string, TreeEntry>,
  ): Promise<NewVersion> {
    const inRepository = `${folder}${file.path}`;
    const mode = modeOf(before.get(inRepository));
    const change = { path: inRepository, mode, message, author: options.authorOf(file) };
    if (!('text' in file)) return { ...change, content: null };
    const { text } = file;
    const input = Buffer.from(text);
    // No filter applies here, so that git can change only a text with CR.
    if (!text.includes('\r')) return { ...change, content: input };
    const command = ['hash-object', '-w', '--stdin', `--path=${inRepository}`];
    const { stdout } = await repository.git(command, { input });
    return { ...change, content: stdout.trim() };
  }

  /** One article that git or the remote does not want must not keep the others from being stored. */
  function retryOneByOne(batch: readonly WaitingWrite[]): false {
    most = 1;
    writes = [...batch, ...writes];
    return false;
  }

  function nextBatch(): WaitingWrite[] {
    const batch: WaitingWrite[] = [];
    let size = 0;
    for (const one of writes.splice(0)) {
      const reason = reasonAgainst(one.file);
      size += 'text' in one.file ? one.file.text.length : 0;
      if (reason !== undefined) one.reject(one.unclear === undefined ? reason : outdated(one.unclear));
      else if (batch.length > 0 && (batch.length >= most || size > MOST_TEXT)) writes.push(one);
      else batch.push(one);
    }
    return batch;
  }

  /** Why a decision does not hold any more. */
  function reasonAgainst({ path, target, replaces, epoch: decidedAt }: Change): Error | undefined {
    if (decidedAt !== branch.epoch) return outdated(undefined);
    if (replaces === null) return fs.lstatSync(target, { throwIfNoEntry: false }) && new NameTaken(path);
    return isFileWith(target, replaces) ? undefined : outdated(undefined);
  }

  async function close(): Promise<void> {
    clearInterval(timer);
    closing.abort();
    await running;
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
