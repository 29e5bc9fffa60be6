import { messageOf } from '../../errors.js';
import type { CommitMessageContext } from '../../host/hook-types.js';
import type { PluginHost } from '../../host/plugins.js';
import { blobAsItIs, blobsOnDisk } from '../commit/blobs.js';
import type { CommitContext, CommitRequest } from '../commit/commit-request.js';
import { type CommitKind, commitMessage, eventOf, kindOf, messageText } from '../commit/message.js';
import { placeFiles } from '../commit/placement.js';
import type { StaleEdits as Behind } from '../push/stale-edits.js';
import type { StoredFile } from '../stored-file.js';
import type { ReplacedTexts } from './replaced-texts.js';
import { isAtHand, type Waiting, waitingText } from './waiting.js';

export interface RequestOptions {
  readonly host: Pick<PluginHost, 'log' | 'applyFilters' | 'doAction'>;
  readonly context: CommitContext;
  /** The message's template. */
  readonly template: string | undefined;
  readonly skipCi: boolean;
  /** Whether people's edits are committed. */
  readonly commitEdits: boolean;
  /** Which of them are behind what others have pushed. */
  readonly behind: Pick<Behind, 'has'> | undefined;
  /** What updates have replaced. */
  readonly replaced: ReplacedTexts;
  /** Has an edit come again in a while. */
  later(path: string): void;
  /** Reads an article's file (relative to the site's folder, forward slashes); undefined if there is none. */
  readStored(path: string): Promise<StoredFile | undefined>;
}

/** A change with what is to be committed for it. */
export interface Taken {
  readonly change: Waiting;
  readonly request: CommitRequest;
}

/** So many times two seconds. */
const MOST_WAITS = 4;

const LEFT_BEHIND =
  'your edit is not committed: others have pushed a newer version than the one it was made from; git diff shows both, commit what is to stay';

/** What says of changes which commits they shall have: the file's text, its message, or that there is none. */
export function createRequests(options: RequestOptions) {
  const { host, context, template, skipCi, commitEdits, behind, replaced, readStored, later } = options;
  const { repository, log } = context;
  const refused = new Set<string>();
  /** How often an edit has waited for the commit of what it was made from. */
  const waits = new Map<string, number>();

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
    if (change.saved !== undefined && change.isOthers === true) {
      const lacked = await replaced.lackedBy(change.saved);
      if (lacked === 'done') return undefined;
      // what is committed since is none of anybody's who would be undone
      return requestOfReplaced(change.saved, change.path, path, lacked === undefined ? before : lacked.tip);
    }
    if (change.saved !== undefined) return requestOfReplaced(change.saved, change.path, path, before);
    const file = await readStored(change.path);
    const kind = file === undefined ? undefined : kindIn(change, file);
    if (file === undefined || kind === undefined || !(await isAsSeen(change, path))) return passOver(change);
    if (kind === 'Edit' && (await behind?.has(path))) {
      log.warn({ path: change.path }, LEFT_BEHIND);
      return undefined;
    }
    const message = (await change.message) ?? (await messageFor(kind, contextOf(change.path, kind, file)));
    const blob = kind === 'Edit' ? await blobAsItIs(repository, path, file.text) : undefined;
    // a delivery that has just replaced it has kept its bytes
    if (blob === 'gone') return passOver(change);
    const content = blob === undefined ? file.text : { blob };
    return { path, before, content, message, isEdit: kind === 'Edit', isFound: change.seen !== undefined };
  }

  function passOver({ path }: Waiting): undefined {
    log.debug({ path }, 'no commit: the file holds something else by now');
  }

  /** What has been stored since the start-up check waits by itself, behind the edit that it may have replaced. */
  async function isAsSeen({ seen }: Waiting, path: string): Promise<boolean> {
    if (seen === undefined) return true;
    const now = await blobsOnDisk(repository, path);
    return seen.some((blob) => now.has(blob));
  }

  /** What is to be committed for a text that an update has replaced. */
  async function requestOfReplaced(
    name: string,
    file: string,
    path: string,
    before: string | null,
  ): Promise<CommitRequest | undefined> {
    const text = await replaced.open(name, path);
    const kind = text && (text.pristine ? kindOf(text.article) : 'Edit');
    if (text === undefined || (kind === 'Edit' && (!commitEdits || (await behind?.has(path)))))
      return undefined;
    const message = await messageFor(kind ?? 'Edit', contextOf(file, kind ?? 'Edit', text));
    return { path, before, content: text.content, message, isEdit: kind === 'Edit', isReplaced: true };
  }

  /** What a commit of the file as it stands would be; undefined where it is not the one that was asked for. */
  function kindIn({ kind, revision }: Waiting, { article, pristine }: StoredFile): CommitKind | undefined {
    if (revision !== undefined) return pristine && revision === article.revision ? kind : undefined;
    if (!pristine) return commitEdits ? 'Edit' : undefined;
    if (kind === 'Edit') return undefined;
    const written = kindOf(article);
    // An update is the first commit of its file where git has never had the publication.
    return written === 'Update' ? kind : written;
  }

  /**
   * What is to be committed for each of a batch, in order; those of which nothing is left are not among them.
   *
   * @param bounded the repository, where git has less time to say where the files stand.
   */
  async function take(batch: readonly Waiting[], bounded = repository): Promise<Taken[]> {
    const places = await placeFiles(
      bounded,
      batch.map(({ path }) => path),
    );
    const taken: Taken[] = [];
    const known = new Set(batch.map(({ saved }) => saved));
    for (const [index, change] of batch.entries()) {
      const place = places.get(change.path);
      if (place === undefined) continue;
      if ('refused' in place) {
        refuse(change.path, place.refused);
        continue;
      }
      const isFirst = !batch.slice(0, index).some(({ path }) => path === change.path);
      if (isFirst && (await mustWait(change, place.inRepository))) {
        later(change.path);
        continue;
      }
      const others = await othersBefore(change, known);
      const request = await requestOf(change, place.inRepository);
      // Its file holds something newer by now: so may those texts be, newer than what follows in this batch.
      if (request === undefined) continue;
      for (const other of others) {
        known.add(other.saved);
        const before = await requestOf(other, place.inRepository);
        if (before !== undefined) taken.push({ request: { ...before, isOthers: true }, change: other });
      }
      taken.push({ request: { ...request, isOthers: change.isOthers === true }, change });
    }
    return taken;
  }

  /**
   * Whether an edit was made from a version that has no commit yet: that of an update which another receiver has just
   * stored, and whose commit must come first. It waits for some seconds, as that receiver may have been killed.
   */
  async function mustWait(change: Waiting, inRepository: string): Promise<boolean> {
    const { kind, seen, path } = change;
    if (kind !== 'Edit' || seen !== undefined || isAtHand(change)) return false;
    const file = await readStored(path);
    const committed = await textAtHead(inRepository);
    const count = waits.get(path) ?? 0;
    const isBase = file?.digest === undefined || context.decode(path, committed)?.digest === file.digest;
    waits.delete(path);
    if (isBase || count === MOST_WAITS) return false;
    waits.set(path, count + 1);
    return true;
  }

  async function textAtHead(inRepository: string): Promise<string> {
    const asked = ['cat-file', 'blob', `HEAD:${inRepository}`];
    return (await repository.git(asked, { accept: [128] })).stdout;
  }

  /**
   * What a file holds is newer than all texts of it that are kept, also by another receiver. This one's own come in
   * their order by themselves: where this change could not be committed at once, some are newer than what follows it.
   *
   * @param known those that are seen to.
   */
  async function othersBefore(change: Waiting, known: ReadonlySet<string | undefined>): Promise<Waiting[]> {
    if (isAtHand(change)) return [];
    const others = (await replaced.earlier(change.path)).filter(
      ({ name }) => !known.has(name) && !replaced.isOwn(name),
    );
    return others.map(({ path, name, before }) => ({ ...waitingText(path, name), before, isOthers: true }));
  }

  return { messageFor, take };
}

/** What a filter is told of a text that was found in its file. */
function contextOf(
  path: string,
  kind: CommitKind,
  { article, text }: Pick<StoredFile, 'article' | 'text'>,
): CommitMessageContext {
  return { event: eventOf(kind), article, path, text, timestamp: article.updated ?? article.date };
}
