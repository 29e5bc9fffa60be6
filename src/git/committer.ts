import { messageOf } from '../errors.js';
import type { ArticleChange, CommitMessageContext } from '../host/hook-types.js';
import type { PluginHost } from '../host/plugins.js';
import type { Behind } from './behind.js';
import { type CommitContext, type CommitRequest, commitBatch } from './commit.js';
import { type Branch, type NotNow, readHead } from './head.js';
import { type CommitKind, commitMessage, eventOf, kindOf, messageText, subjectIn } from './message.js';
import { forgetParked, type Parked, park, parkedTip, readParked } from './parked.js';
import { placeFiles } from './placement.js';
import type { Look, Waiting } from './queue.js';
import { blobsInHistory } from './tree.js';

/** An article's file as it stands. */
export interface StoredFile {
  /** The whole file. */
  readonly text: string;
  readonly article: ArticleChange['article'];
  /** Whether no person has edited it: its digest matches. */
  readonly pristine: boolean;
}

export interface CommitterOptions {
  readonly host: Pick<PluginHost, 'log' | 'applyFilters' | 'doAction'>;
  readonly context: CommitContext;
  /** The message's template. */
  readonly template: string | undefined;
  readonly skipCi: boolean;
  /** Whether people's edits are committed. */
  readonly commitEdits: boolean;
  /** Which of them are behind what others have pushed. */
  readonly behind: Pick<Behind, 'has'> | undefined;
  /** Reads an article's file (relative to the site's folder, forward slashes); undefined if there is none. */
  readStored(path: string): Promise<StoredFile | undefined>;
}

/** A change with what is to be committed for it. */
interface Taken {
  readonly change: Waiting;
  readonly request: CommitRequest;
}

/** How many parked commits are put on the branch at a time. */
const REPLAY_CHUNK = 500;

const LEFT_BEHIND =
  'your edit is not committed: others have pushed a newer version than the one it was made from; git diff shows both, commit what is to stay';

/** Turns changes into commits, on the branch or parked; see `createCommitter`. */
export type Committer = ReturnType<typeof createCommitter>;

/** What the queue of one repository works with. */
export function createCommitter(options: CommitterOptions) {
  const { host, context, template, skipCi, commitEdits, behind, readStored } = options;
  const { repository, log } = context;
  const refused = new Set<string>();
  /** Whether this process has parked something that it has not put on a branch yet. */
  let hasParked = false;

  async function look(): Promise<Look> {
    const [head, parked] = await Promise.all([readHead(repository), parkedTip(repository)]);
    return { head, parked: parked !== null || hasParked };
  }

  function refuse(path: string, why: string): void {
    if (refused.has(why)) return;
    refused.add(why);
    log.warn({ path }, `the article is not committed: ${why}; said once, other articles may be meant too`);
  }

  /** The whole message of a change's commit, filtered; a filter that fails keeps the message as it is. */
  async function messageFor(kind: CommitKind, change: CommitMessageContext): Promise<string> {
    const { article, path } = change;
    const fallback = messageText(kind, article, template);
    let text = fallback;
    try {
      text = await host.applyFilters('git.message', fallback, change);
    } catch (error) {
      log.warn({ path }, `the commit keeps its own message: ${messageOf(error)}`);
    }
    const trailers = {
      articleId: article.id,
      revision: article.revision,
      // from the file, where a crash does not lose it; the contract has it equal the delivery's own
      ...((kind === 'Publish' || kind === 'Update') && { delivered: article.updated ?? article.date }),
    };
    return commitMessage(text, fallback, trailers, { skipCi });
  }

  /** What is to be committed for a change; undefined where nothing is left of it. */
  async function requestOf(change: Waiting, path: string): Promise<CommitRequest | undefined> {
    const before = change.before ?? null;
    if (change.text !== undefined && change.message !== undefined)
      return {
        path,
        before,
        content: change.blob === undefined ? change.text : { blob: change.blob },
        message: await change.message,
        isEdit: change.kind === 'Edit',
      };
    const file = await readStored(change.path);
    const kind = file === undefined ? undefined : kindIn(change, file);
    if (file === undefined || kind === undefined) {
      log.debug({ path: change.path }, 'no commit: the file holds something else by now');
      return undefined;
    }
    if (kind === 'Edit' && (await behind?.has(path))) {
      log.warn({ path: change.path }, LEFT_BEHIND);
      return undefined;
    }
    const message = (await change.message) ?? (await messageFor(kind, contextOf(change.path, kind, file)));
    return { path, before, content: file.text, message, isEdit: kind === 'Edit' };
  }

  /** What a commit of the file as it stands would be; undefined where it is not the one that was asked for. */
  function kindIn({ kind, revision }: Waiting, { article, pristine }: StoredFile): CommitKind | undefined {
    if (revision !== undefined) return pristine && revision === article.revision ? kind : undefined;
    if (!pristine) return commitEdits ? 'Edit' : undefined;
    if (kind === 'Edit') return undefined;
    return kindOf(article) === 'Revert' ? 'Revert' : kind;
  }

  async function take(batch: readonly Waiting[]): Promise<Taken[]> {
    const places = await placeFiles(
      repository,
      batch.map(({ path }) => path),
    );
    const taken: Taken[] = [];
    for (const change of batch) {
      const place = places.get(change.path);
      if (place === undefined) continue;
      if ('refused' in place) {
        refuse(change.path, place.refused);
        continue;
      }
      const request = await requestOf(change, place.inRepository);
      if (request !== undefined) taken.push({ request, change });
    }
    return taken;
  }

  /** Commits a batch in order. */
  async function commit(batch: readonly Waiting[], branch: Branch): Promise<NotNow | undefined> {
    const taken = await take(batch);
    return onBranch(
      taken.map(({ request }) => request),
      branch,
    );
  }

  async function onBranch(requests: readonly CommitRequest[], branch: Branch): Promise<NotNow | undefined> {
    const began = performance.now();
    if (requests.length === 0) return undefined;
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
    return undefined;
  }

  /** Keeps a batch for later, safe from a crash. */
  async function parkBatch(batch: readonly Waiting[], why: NotNow): Promise<void> {
    const taken = await take(batch);
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
        if (held !== undefined) return held;
      }
      // somebody may have parked more meanwhile
      if (!(await forgetParked(context, tip))) continue;
      hasParked = false;
      log.info({ commits: parked.length }, 'what was parked is on the branch');
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

  return { look, commit, park: parkBatch, replay, messageFor };
}

function requestFor({ path, blob, message, authored, over }: Parked): CommitRequest {
  return { path, content: { blob }, message, authored, before: { blob: over } };
}

/** What a filter is told of a text that was found in its file. */
function contextOf(path: string, kind: CommitKind, { article, text }: StoredFile): CommitMessageContext {
  return { event: eventOf(kind), article, path, text, timestamp: article.updated ?? article.date };
}
