import { setTimeout } from 'node:timers/promises';
import { messageOf, PressmarkError } from '../../errors.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import type { ArticleChange } from '../../host/hook-types.js';
import type { Log } from '../../log.js';
import type { Person } from '../commit/identity.js';
import { createIndexLocker } from '../commit/index-lock.js';
import { committableTree } from '../committable.js';
import { createOrigins } from '../push/edit-bases.js';
import { follow } from '../push/follow.js';
import { type LeftEdit, type PushStatusKeeper, wordsOf } from '../push/push-status.js';
import type { RemoteSettings } from '../push/remote.js';
import { createExclusive } from '../push/store-lock.js';
import { type OwnFile, sweepStaging } from '../push/worktree-checkout.js';
import { createOwnFiles } from '../push/worktree-writer.js';
import { openShared, type Taken } from './remote-tree.js';
import { createWorkEdits } from './worktree-edits.js';

/** An article on its way to the remote. */
export interface SharedArticle {
  /** Below the content folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly replaces: string | null;
  readonly article: ArticleChange['article'];
  readonly generation: number;
  readonly deadline: number;
  /** Whether it is a person's, from the work tree. */
  readonly isEdit?: boolean;
  accepted(): void;
}

/** What the git plugin gives to commits that are made here. */
export interface Wording {
  /** The whole commit message of an article. */
  message(article: SharedArticle): Promise<string>;
  /** Told of the commit that the remote has taken. */
  committed(article: SharedArticle, commit: string, message: string): void;
}

export interface SharedFilesOptions extends RemoteSettings {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** The content folder, relative to the site's folder, with forward slashes and one at its end. */
  readonly content: string;
  /** The state folder, absolute. */
  readonly stateDir: string;
  /** Where files are made ready, absolute. */
  readonly staging: string;
  readonly status: PushStatusKeeper;
  readonly author?: Person;
  readonly env: NodeJS.Dict<string>;
  readonly log: Log;
  /** How often the remote is asked when nobody else asks, in milliseconds. */
  readonly fetchEvery: number;
  /** Told of files of the work tree that have changed, below the content folder. */
  onFiles(paths: readonly string[]): void;
}

/** The content folder on the remote, with this clone behind it; see `openSharedFiles`. */
export type SharedFiles = Awaited<ReturnType<typeof openSharedFiles>>;

/** How long the branch gathers changes before it follows, at least and at the most, in milliseconds. */
const GATHER_MS = { least: 150, most: 3_000 };
/** After how long it is tried again where a person or an error is in the way, in milliseconds. */
const AGAIN_MS = 3_000;
/** How long an answer waits until the article is in the work tree, in milliseconds; then the file comes later. */
const PUT_MS = 2_000;

/**
 * The content folder as the remote has it, for durability `push`: what is stored goes to the remote first; the
 * local branch, index and work tree follow.
 *
 * @throws PressmarkError CONFIG_INVALID where the site's folder cannot be shared like that.
 */
export async function openSharedFiles(options: SharedFilesOptions) {
  const { log, staging, status } = options;
  const stop = new AbortController();
  const repository = await committableTree(options, 'push', stop.signal);
  const folder = `${repository.prefix}${options.content}`;
  const exclusive = createExclusive(options.stateDir, 200);
  for (const name of await exclusive.run(() => sweepStaging(staging, options.siteDir)))
    log.warn({ path: name }, 'what was saved into a file while it was replaced now stands here');
  const putFile = createOwnFiles(repository, exclusive, staging);
  const locker = createIndexLocker(repository, findLockHelper(), log);
  await locker.sweep();
  const { remote, branch, author, env } = options;
  const shared = await openShared({
    repository,
    locker,
    folder,
    env,
    log,
    remote,
    branch,
    ...(author && { author }),
  });
  const origins = createOrigins(repository);
  const workEdits = createWorkEdits({ repository, folder, shared, origins });
  let wording: Wording | undefined;
  let waiting = 0;

  async function store(article: SharedArticle): Promise<void> {
    const { path, text, replaces, isEdit = false } = article;
    const inRepository = `${folder}${path}`;
    let name = '';
    status.set({ waiting: ++waiting });
    try {
      await shared.offer({
        path,
        text,
        size: text.length,
        generation: article.generation,
        deadline: article.deadline,
        message: wording?.message(article) ?? Promise.resolve(`${article.article.title}\n`),
        accepted: () => {
          name = shared.names.get(path) ?? '';
          // whatever the person makes of it next
          if (isEdit) origins.note(inRepository, name);
          article.accepted();
        },
        committed: (commit, message) => wording?.committed(article, commit, message),
      });
      status.set({ lastPush: new Date().toISOString(), lastError: null });
    } catch (error) {
      if (error instanceof PressmarkError) status.set({ lastError: messageOf(error) });
      throw error;
    } finally {
      status.set({ waiting: --waiting });
    }
    if (isEdit) return;
    const isLate = new AbortController();
    const putting = putIntoWorkTree({ path: inRepository, text, replaces }, name, isLate.signal);
    const timer = new AbortController();
    const { signal } = timer;
    // A large change that the branch follows may keep the work tree for long; the remote has the article.
    const time = setTimeout(PUT_MS, undefined, { signal }).catch(() => undefined); // aborted: it is there
    await Promise.race([putting, time]);
    timer.abort();
    isLate.abort();
  }

  /** @param isLate aborted where nobody waits any more: then the branch follows, and reports what it leaves alone. */
  async function putIntoWorkTree(file: OwnFile, name: string, isLate: AbortSignal): Promise<void> {
    const path = file.path.slice(folder.length);
    try {
      if (await putFile(file)) origins.note(file.path, name);
      else if (!isLate.aborted)
        log.warn({ path }, 'a file that you have here and have not committed is in an article’s way');
    } catch (error) {
      // The remote has it: what this work tree makes of it later is no reason to refuse it.
      log.warn({ path, err: error }, 'a stored article could not be written into the work tree yet');
    }
  }

  async function fresh(): Promise<void> {
    try {
      await shared.fresh();
      if (waiting === 0) status.set({ lastError: null });
    } catch (error) {
      status.set({ lastError: messageOf(error) });
      throw error;
    }
  }

  let wanted = false;
  let told: string | undefined;
  let following: Promise<void> | undefined;

  function followSoon(): void {
    wanted = true;
    following ??= keepUp().finally(() => {
      following = undefined;
      // the tip may have moved between the loop's last look and now
      if (wanted && !stop.signal.aborted) followSoon();
    });
  }

  async function keepUp(): Promise<void> {
    let took = 0;
    while (wanted && !stop.signal.aborted) {
      // While deliveries stream in, they come first.
      await rest(Math.min(GATHER_MS.most, Math.max(GATHER_MS.least, 3 * took)));
      wanted = false;
      const began = performance.now();
      const { tip } = shared;
      if (tip === null) return;
      const why = await step(tip);
      took = performance.now() - began;
      if (why !== told) {
        status.set({ waitingFor: why ?? null });
        if (why !== undefined) log.warn(`the work tree does not follow the remote; it waits for ${why}`);
      }
      told = why;
      if (why === undefined) continue;
      await rest(AGAIN_MS);
      wanted = true;
    }
  }

  /** Says what it waits for where the branch cannot follow now. */
  async function step(tip: string): Promise<string | undefined> {
    const { identity, remote } = shared;
    const { ref } = remote;
    try {
      const { signal } = stop;
      const done = origins.begin();
      const around = { repository, locker, identity, ref, staging, log, signal, exclusive, origins };
      const followed = await follow(tip, around);
      if ('waitingFor' in followed) return followed.waitingFor;
      done();
      await lookForCaughtUp();
      const inside = followed.paths.filter((path) => path.startsWith(folder));
      if (inside.length > 0) options.onFiles(inside.map((path) => path.slice(folder.length)));
      return undefined;
    } catch (error) {
      return stop.signal.aborted ? undefined : wordsOf(error);
    }
  }

  async function lookForCaughtUp(): Promise<void> {
    const names = await workEdits.caughtUp();
    if (names.size > 0) await exclusive.run(() => origins.caughtUp(names));
  }

  async function rest(ms: number): Promise<void> {
    // the shutdown does not wait
    await setTimeout(ms, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
  }

  let timer: NodeJS.Timeout | undefined;

  /** The remote is asked regularly only from now on: nobody would be told of what was taken in before. */
  function onTaken(take: (taken: Taken) => Promise<void>): void {
    shared.onTaken(take);
    timer ??= setInterval(() => void fresh().catch(() => undefined), options.fetchEvery);
    timer.unref();
  }

  shared.onMoved(followSoon);
  followSoon();

  async function close(): Promise<void> {
    clearInterval(timer);
    await shared.close();
    stop.abort();
    await following;
    await exclusive.close();
    await locker.close();
  }

  return {
    names: shared.names,
    get generation() {
      return shared.generation;
    },
    texts: shared.texts,
    /** What a person has made of a file here; paths are below the content folder. */
    editAt: workEdits.at,
    /** Finds out where a person has taken over what the remote has, before they go on from there. */
    lookForCaughtUp,
    /** The files that a person may have edited while nothing ran. */
    editedFiles: workEdits.all,
    /** Has it known which edits stay in this clone. */
    tellLeft: (leftEdits: readonly LeftEdit[]) => status.set({ leftEdits }),
    /** Why nothing can be stored now; undefined where the remote answers. */
    trouble: () => (shared.trouble === undefined ? undefined : messageOf(shared.trouble)),
    store,
    fresh,
    onTaken,
    /** Has messages worded by, and commits told to, the git plugin. */
    wordWith: (words: Wording) => {
      wording = words;
    },
    close,
  };
}
