import { createMutex } from '../../fs/mutex.js';
import { type Repository, untilAborted } from '../cli/repository.js';
import { blobsInHistory } from '../cli/trees.js';
import type { BatchResult, CommitContext, CommitRequest } from '../commit/commit-request.js';
import { type Branch, type NotNow, readHead } from '../commit/head.js';
import { subjectIn } from '../commit/message.js';
import { forgetParked, type Parked, park, parkedTip, readParked } from '../commit/parked.js';
import { locksOf } from '../commit/ref-update.js';
import { letGoOf } from '../commit/stuck-locks.js';
import { commitBatch } from '../commit/transaction.js';
import type { Look } from './queue-work.js';
import { createRequests, type RequestOptions } from './requests.js';
import type { Waiting } from './waiting.js';

/** How many parked commits are put on the branch at a time. */
const REPLAY_CHUNK = 500;

const REFUSED = 'git to remove the ref of what was parked';

/** Turns changes into commits, on the branch or parked; see `createCommitter`. */
export type Committer = ReturnType<typeof createCommitter>;

/** What the queue of one repository works with, and what commits before an answer. */
export function createCommitter(options: RequestOptions) {
  const { host, context, replaced } = options;
  const { repository, locker, log } = context;
  const { messageFor, take } = createRequests(options);
  /** The queue, and what commits before an answer: each would take the other's commits for somebody else's. */
  const mutex = createMutex();
  /** Whether this process has parked something that it has not put on a branch yet. */
  let hasParked = false;

  async function look({ repository: at }: CommitContext): Promise<Look> {
    const [head, parked, stuck] = await Promise.all([readHead(at), parkedTip(at), locker.stuckLock()]);
    const isStuck = stuck !== undefined && !('waitingFor' in head);
    return {
      head: isStuck ? { waitingFor: letGoOf(stuck, repository.commonDir), tip: head.tip } : head,
      parked: parked !== null || hasParked,
    };
  }

  /** Commits a batch in order. */
  async function commit(
    at: CommitContext,
    batch: readonly Waiting[],
    branch: Branch,
  ): Promise<NotNow | undefined> {
    const taken = await take(batch, at.repository);
    const requests = taken.map(({ request }) => request);
    const result = await onBranch(at, requests, branch);
    if ('waitingFor' in result) return result;
    const made = taken.filter((_, index) => result.commits[index] !== undefined).map(({ change }) => change);
    const committed = new Set(savedOnes(made));
    await replaced.committed([...committed], branch.ref);
    const all = new Set(savedOnes([...batch, ...taken.map(({ change }) => change)]));
    await replaced.settle([...all].filter((name) => !committed.has(name)));
    return undefined;
  }

  async function onBranch(
    at: CommitContext,
    requests: readonly CommitRequest[],
    branch: Branch,
  ): Promise<BatchResult> {
    const began = performance.now();
    if (requests.length === 0) return { commits: [] };
    const result = await commitBatch(requests, branch, at);
    if ('waitingFor' in result) return result;
    let count = 0;
    for (const [index, { path: inRepository, message }] of requests.entries()) {
      const name = result.commits[index];
      const path = inRepository.slice(repository.prefix.length);
      if (name === undefined) {
        log.debug({ path }, 'no commit: the branch has it, or something newer');
        continue;
      }
      count++;
      // what another site in this repository has parked is not told here
      if (inRepository.startsWith(repository.prefix))
        void host.doAction('git.committed', { commit: name, path, subject: subjectIn(message) });
    }
    log.info({ commits: count, ms: Math.round(performance.now() - began) }, 'committed');
    return result;
  }

  /** Keeps a batch for later, safe from a crash. */
  async function parkBatch(at: CommitContext, batch: readonly Waiting[], why: NotNow): Promise<void> {
    const taken = await take(batch, at.repository);
    replaced.wait(savedOnes(batch));
    if (taken.length === 0) return;
    await park(
      taken.map(({ request }) => request),
      why,
      at,
    );
    hasParked = true;
    log.info({ commits: taken.length, ref: repository.parkedRef }, 'parked');
  }

  /**
   * Puts what is parked on the branch. Done again after a crash, it skips what is there already.
   *
   * @returns `lost` where what this process has parked is there no more: the articles' files must be looked at.
   */
  async function replay(at: CommitContext, branch: Branch): Promise<NotNow | 'lost' | undefined> {
    for (;;) {
      const tip = await parkedTip(at.repository);
      if (tip === null) {
        const lost = hasParked;
        hasParked = false;
        return lost ? 'lost' : undefined;
      }
      const parked = await readParked(at.repository, tip);
      for (let start = 0; start < parked.length; start += REPLAY_CHUNK) {
        const chunk = parked.slice(start, start + REPLAY_CHUNK);
        const head = start === 0 ? branch : await readHead(at.repository);
        if ('waitingFor' in head) return head;
        const left = await notYetThere(at.repository, chunk, head);
        const held = await onBranch(at, left.map(requestFor), head);
        if ('waitingFor' in held) return held;
      }
      if (!(await forgetParked(at, tip))) {
        // somebody may have parked more meanwhile
        if ((await parkedTip(at.repository)) !== tip) continue;
        const theirs = await locker.giveUpOn(locksOf(repository, repository.parkedRef, true));
        const waitingFor = theirs === undefined ? REFUSED : letGoOf(theirs, repository.commonDir);
        return { waitingFor, tip: branch.tip };
      }
      hasParked = false;
      log.info({ commits: parked.length }, 'what was parked is on the branch');
      await replaced.settle([]);
      return undefined;
    }
  }

  /** A parked text that the branch once had is there already, or the owner has gone back behind it. */
  async function notYetThere(
    at: Repository,
    parked: readonly Parked[],
    { tip }: Branch,
  ): Promise<readonly Parked[]> {
    if (tip === null) return parked;
    const paths = [...new Set(parked.map(({ path }) => path))];
    const had = await blobsInHistory(at, tip, paths, parked[0]?.at);
    return parked.filter(({ blob, path }) => !had.has(`${blob} ${path}`));
  }

  const workIn = (at: CommitContext) => ({
    look: () => look(at),
    commit: (batch: readonly Waiting[], branch: Branch) => mutex.run(() => commit(at, batch, branch)),
    park: (batch: readonly Waiting[], why: NotNow) => mutex.run(() => parkBatch(at, batch, why)),
    replay: (branch: Branch) => mutex.run(() => replay(at, branch)),
  });

  return {
    ...workIn(context),
    /** The same, for an answer that waits no longer than until `signal` is aborted: git is killed then. */
    untilAborted: (signal: AbortSignal) =>
      workIn({ ...context, signal, repository: untilAborted(repository, signal) }),
    messageFor,
  };
}

/** The names of the replaced texts among some changes. */
function savedOnes(changes: readonly Waiting[]): string[] {
  return changes.flatMap(({ saved }) => (saved === undefined ? [] : [saved]));
}

function requestFor({ path, blob, message, authored, over }: Parked): CommitRequest {
  return { path, content: { blob }, message, authored, before: { blob: over } };
}
