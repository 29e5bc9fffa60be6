import { commitBatch } from './commit.js';
import type { BatchResult, CommitRequest } from './commit-request.js';
import { type Branch, type NotNow, readHead } from './head.js';
import { subjectIn } from './message.js';
import { createMutex } from './mutex.js';
import { forgetParked, type Parked, park, parkedTip, readParked } from './parked.js';
import type { Look } from './queue-work.js';
import { createRequests, type RequestOptions } from './requests.js';
import { blobsInHistory } from './tree.js';
import type { Waiting } from './waiting.js';

/** How many parked commits are put on the branch at a time. */
const REPLAY_CHUNK = 500;

/** Turns changes into commits, on the branch or parked; see `createCommitter`. */
export type Committer = ReturnType<typeof createCommitter>;

/** What the queue of one repository works with. */
export function createCommitter(options: RequestOptions) {
  const { host, context, replaced } = options;
  const { repository, log } = context;
  const { messageFor, take } = createRequests(options);
  /** The queue, and what commits before an answer: each would take the other's commits for somebody else's. */
  const mutex = createMutex();
  /** Whether this process has parked something that it has not put on a branch yet. */
  let hasParked = false;

  async function look(): Promise<Look> {
    const [head, parked] = await Promise.all([readHead(repository), parkedTip(repository)]);
    return { head, parked: parked !== null || hasParked };
  }

  /** Commits a batch in order. */
  async function commit(batch: readonly Waiting[], branch: Branch): Promise<NotNow | undefined> {
    const taken = await take(batch);
    const result = await onBranch(
      taken.map(({ request }) => request),
      branch,
    );
    if ('waitingFor' in result) return result;
    const made = taken.filter((_, index) => result.commits[index] !== undefined).map(({ change }) => change);
    const committed = new Set(savedOnes(made));
    await replaced.committed([...committed], branch.ref);
    const all = new Set(savedOnes([...batch, ...taken.map(({ change }) => change)]));
    await replaced.settle([...all].filter((name) => !committed.has(name)));
    return undefined;
  }

  async function onBranch(requests: readonly CommitRequest[], branch: Branch): Promise<BatchResult> {
    const began = performance.now();
    if (requests.length === 0) return { commits: [] };
    const result = await commitBatch(requests, branch, context);
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
  async function parkBatch(batch: readonly Waiting[], why: NotNow): Promise<void> {
    const taken = await take(batch);
    replaced.wait(savedOnes(batch));
    if (taken.length === 0) return;
    await park(
      taken.map(({ request }) => request),
      why,
      context,
    );
    hasParked = true;
    log.info({ commits: taken.length, ref: repository.parkedRef }, 'parked');
  }

  /**
   * Puts what is parked on the branch. Done again after a crash, it skips what is there already.
   *
   * @returns `lost` where what this process has parked is there no more: the articles' files must be looked at.
   */
  async function replay(branch: Branch): Promise<NotNow | 'lost' | undefined> {
    for (;;) {
      const tip = await parkedTip(repository);
      if (tip === null) {
        const lost = hasParked;
        hasParked = false;
        return lost ? 'lost' : undefined;
      }
      const parked = await readParked(repository, tip);
      for (let start = 0; start < parked.length; start += REPLAY_CHUNK) {
        const chunk = parked.slice(start, start + REPLAY_CHUNK);
        const head = start === 0 ? branch : await readHead(repository);
        if ('waitingFor' in head) return head;
        const held = await onBranch((await notYetThere(chunk, head)).map(requestFor), head);
        if ('waitingFor' in held) return held;
      }
      // somebody may have parked more meanwhile
      if (!(await forgetParked(context, tip))) continue;
      hasParked = false;
      log.info({ commits: parked.length }, 'what was parked is on the branch');
      await replaced.settle([]);
      return undefined;
    }
  }

  /** A parked text that the branch once had is there already, or the owner has gone back behind it. */
  async function notYetThere(parked: readonly Parked[], { tip }: Branch): Promise<readonly Parked[]> {
    if (tip === null) return parked;
    const paths = [...new Set(parked.map(({ path }) => path))];
    const had = await blobsInHistory(repository, tip, paths, parked[0]?.at);
    return parked.filter(({ blob, path }) => !had.has(`${blob} ${path}`));
  }

  return {
    look,
    commit: (batch: readonly Waiting[], branch: Branch) => mutex.run(() => commit(batch, branch)),
    park: (batch: readonly Waiting[], why: NotNow) => mutex.run(() => parkBatch(batch, why)),
    replay: (branch: Branch) => mutex.run(() => replay(branch)),
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
