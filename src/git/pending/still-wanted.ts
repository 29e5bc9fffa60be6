import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../cli/repository.js';
import { blobsAt, blobsInHistory } from '../cli/trees.js';
import { blobsOnDisk } from '../commit/blobs.js';
import type { CommitContext, CommitRequest } from '../commit/commit-request.js';
import type { Branch } from '../commit/head.js';
import type { CommitDraft } from '../commit/import.js';
import { changesSince } from './since.js';
import { supersededCount } from './superseded.js';

/** A request, ready to be imported. */
export interface Draft extends CommitDraft {
  readonly request: CommitRequest;
}

/** The drafts that the branch `tip` stands on does not have yet, and has not gone past. */
export async function stillWanted(
  context: Pick<CommitContext, 'repository' | 'lastCommitted' | 'decode'>,
  all: readonly Draft[],
  { tip }: Branch,
): Promise<Draft[]> {
  const { repository, lastCommitted } = context;
  const byPath = groupedByPath(all);
  const atTip = await blobsAt(repository, tip, byPath.keys());
  const earlier = new Map([[tip, Promise.resolve(atTip)]]);
  const blobsThen = (commit: string | null) => {
    const found = earlier.get(commit) ?? blobsAt(repository, commit, byPath.keys());
    earlier.set(commit, found);
    return found;
  };
  const wanted = new Set<Draft>();
  for (const [path, repeated] of byPath) {
    // the same text twice: the start-up check has come upon a delivery that was on its way
    const drafts = repeated.filter(({ blob }, index) => blob.id !== repeated[index + 1]?.blob.id);
    const superseded = await supersededCount(
      drafts.map(({ blob, request: { before } }) => ({
        blob: blob.id,
        before: async () =>
          typeof before === 'object' && before !== null ? before.blob : (await blobsThen(before)).get(path),
        since: () => blobsSince(repository, path, before, tip),
      })),
      atTip.get(path),
      drafts.some(({ request }) => request.isFound) ? undefined : lastCommitted.get(path),
      () => blobsPast(repository, path, drafts, atTip.get(path) ?? '', tip),
      () => indexMadeFrom(context, drafts, atTip.get(path) ?? ''),
      () => isInFile(context, drafts.at(-1), atTip.get(path)),
    );
    for (const draft of drafts.slice(superseded)) wanted.add(draft);
  }
  return all.filter((draft) => wanted.has(draft));
}

/** What was committed at a path after a commit. */
async function blobsSince(
  repository: Repository,
  path: string,
  before: CommitRequest['before'],
  tip: string | null,
): Promise<ReadonlySet<string>> {
  // of what was parked, that has been looked at
  const commit = typeof before === 'object' && before !== null ? undefined : before;
  const since = await changesSince(repository, commit, tip, path);
  return new Set(since?.changes.map(({ blob }) => blob));
}

function groupedByPath(drafts: readonly Draft[]): Map<string, Draft[]> {
  const groups = new Map<string, Draft[]>();
  for (const draft of drafts) {
    const group = groups.get(draft.path);
    if (group === undefined) groups.set(draft.path, [draft]);
    else group.push(draft);
  }
  return groups;
}

/**
 * The drafts' blobs that something newer has been committed after, where the file holds what the branch has now: it was
 * stored over them. A parked text may have been in the file before its owner put an older one back, by aborting a rebase:
 * of those only what the branch has had already is past.
 */
async function blobsPast(
  repository: Repository,
  path: string,
  drafts: readonly Draft[],
  atTip: string,
  tip: string | null,
): Promise<ReadonlySet<string>> {
  const isDelivered = !drafts.some(({ request }) => request.isReplaced || request.isEdit);
  if (tip === null || !isDelivered || !(await blobsOnDisk(repository, path)).has(atTip)) return new Set();
  const isParked = ({ request: { before } }: Draft) => typeof before === 'object' && before !== null;
  const past = new Set(drafts.filter((draft) => !isParked(draft)).map(({ blob }) => blob.id));
  if (!drafts.some(isParked)) return past;
  for (const entry of await blobsInHistory(repository, tip, [path]))
    past.add(entry.slice(0, entry.indexOf(' ')));
  return past;
}

/** The index of the first draft that is a person's edit of exactly the version in a blob; -1 where there is none. */
async function indexMadeFrom(
  { repository, decode }: Pick<CommitContext, 'repository' | 'decode'>,
  drafts: readonly Draft[],
  blob: string,
): Promise<number> {
  if (!drafts.some(({ request }) => request.isEdit)) return -1;
  const textOf = async (id: string) => (await repository.git(['cat-file', 'blob', id])).stdout;
  for (const [index, { path, blob: edit, request }] of drafts.entries()) {
    if (!request.isEdit) continue;
    const version = decode(path, await textOf(blob));
    if (version?.pristine !== true || version.digest === undefined) return -1;
    const text = typeof request.content === 'string' ? request.content : await textOf(edit.id);
    if (decode(path, text)?.digest === version.digest) return index;
  }
  return -1;
}

/**
 * Whether the file holds a text, or what a person has made from it while the branch has neither: what stands there
 * was committed before the text came.
 *
 * @param atTip the blob that the branch has at its path.
 */
async function isInFile(
  { repository, decode }: Pick<CommitContext, 'repository' | 'decode'>,
  draft: Draft | undefined,
  atTip: string | undefined,
): Promise<boolean> {
  if (draft === undefined) return false;
  const { path, blob, request } = draft;
  if ((await blobsOnDisk(repository, path)).has(blob.id)) return true;
  const textOf = async (id: string) => (await repository.git(['cat-file', 'blob', id])).stdout;
  const text = typeof request.content === 'string' ? request.content : await textOf(blob.id);
  const delivered = decode(path, text);
  if (delivered?.pristine !== true || delivered.digest === undefined) return false;
  const isMadeFromIt = (other: string) => decode(path, other)?.digest === delivered.digest;
  if (!isMadeFromIt(await textOnDisk(repository, path))) return false;
  return atTip === undefined || !isMadeFromIt(await textOf(atTip));
}

async function textOnDisk({ top }: Repository, path: string): Promise<string> {
  try {
    return await readFile(join(top, path), 'utf8');
  } catch {
    // removed, or made unreadable: it is not what was delivered
    return '';
  }
}
