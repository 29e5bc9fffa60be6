import { PressmarkError } from '../../errors.js';
import { logFormat, parseLog } from '../cli/log-output.js';
import { commitAt } from '../cli/object-names.js';
import type { Repository } from '../cli/repository.js';
import { blobsAt, blobsInHistory } from '../cli/trees.js';
import { blobsOf } from './blobs.js';
import type { CommitContext, CommitRequest } from './commit-request.js';
import type { NotNow } from './head.js';
import { identityOf } from './identity.js';
import { type Authored, importCommits } from './import.js';
import { trailerValue } from './message.js';
import { moveRef } from './ref-update.js';

/** A commit that is kept for later. */
export interface Parked {
  /** From the top of the work tree. */
  readonly path: string;
  readonly blob: string;
  /** The message that the commit on the branch shall have. */
  readonly message: string;
  readonly authored: Authored;
  /** What stood at the path when the text was stored, on the branch or as parked before; undefined for nothing. */
  readonly over: string | undefined;
  /** The commit that HEAD was at then; null before the first. */
  readonly at: string | null;
  /** What had to end first. */
  readonly waitingFor: string;
}

const NONE = 'none';

/** How often a ref that moves under our hands is followed. */
const MAX_ATTEMPTS = 20;

/** The last parked commit; null where nothing is parked. */
export function parkedTip(repository: Repository): Promise<string | null> {
  return commitAt(repository, repository.parkedRef);
}

/**
 * Keeps requests as commits under `refs/pressmark/parked`, in order, for `readParked` to find. They stand on
 * no branch's commits, so that nothing the owner rewrites or prunes is needed to read them; the ref keeps
 * them from git's housekeeping.
 *
 * @throws PressmarkError GIT_FAILED; nothing has been parked then.
 */
export async function park(
  requests: readonly CommitRequest[],
  { waitingFor }: NotNow,
  { repository, locker, log, author }: Pick<CommitContext, 'repository' | 'locker' | 'log' | 'author'>,
): Promise<void> {
  const { parkedRef: ref } = repository;
  const [blobs, identity] = await Promise.all([
    blobsOf(repository, requests),
    identityOf(repository.git, author),
  ]);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const tip = await parkedTip(repository);
    const over = await blobsBefore(repository, tip, requests);
    const paths = requests.map(({ path }) => path);
    const parked = tip === null ? new Set() : await blobsInHistory(repository, tip, paths);
    const drafts = requests.flatMap((request, index) => {
      const { path, before, isEdit = false, isOthers = false } = request;
      const blob = blobs[index];
      const present = over.get(path);
      if (blob === undefined || blob.id === present) return [];
      // by another receiver, and something newer behind it; only a person writes the same text once more
      if (parked.has(`${blob.id} ${path}`) && (isOthers || !isEdit)) return [];
      over.set(path, blob.id);
      const at = typeof before === 'string' ? before : NONE;
      const message =
        `${request.message}Parked-Over: ${present ?? NONE}\n` +
        `Parked-At: ${at}\nParked-For: ${trailerValue(waitingFor)}\n`;
      return [{ ...request, message, blob }];
    });
    if (drafts.length === 0) return;
    const commits = await importCommits(repository, tip, drafts, identity);
    if (await moveRef(repository, locker, log, { ref, to: commits.at(-1) ?? '', from: tip })) return;
    if (attempt === 0) await locker.sweep();
  }
  throw new PressmarkError('GIT_FAILED', `${ref} could not be moved to the new commits`);
}

/** What stands at the requests' paths before them: as parked, else on the commit that HEAD was at. */
async function blobsBefore(repository: Repository, tip: string | null, requests: readonly CommitRequest[]) {
  const over = new Map<string, string>();
  // What comes first for a file decides: HEAD may have moved before the next one came.
  const firsts = new Map<string, string | null>();
  for (const { path, before } of requests)
    if (!firsts.has(path)) firsts.set(path, typeof before === 'string' ? before : null);
  for (const commit of new Set(firsts.values())) {
    const paths = [...firsts].filter(([, before]) => before === commit).map(([path]) => path);
    for (const [path, blob] of await blobsAt(repository, commit, paths)) over.set(path, blob);
  }
  const paths = requests.map(({ path }) => path);
  for (const [path, blob] of await blobsAt(repository, tip, paths)) over.set(path, blob);
  return over;
}

/** The parked commits up to `tip`, oldest first. What is none of Pressmark's making there is left out. */
export async function readParked({ git }: Repository, tip: string): Promise<Parked[]> {
  const { stdout } = await git([
    'log',
    '-z',
    '--reverse',
    '--topo-order',
    '--root',
    '--raw',
    '--no-abbrev',
    '--no-renames',
    logFormat('H', 'an', 'ae', 'at', 'B'),
    tip,
  ]);
  const parked: Parked[] = [];
  for (const { fields, changes } of parseLog(stdout, 5)) {
    const [, name = '', email = '', seconds = '', message = ''] = fields;
    const own = /\n(?:Parked-Over: .*\nParked-At: .*\nParked-For: .*\n*)$/.exec(message);
    const [change] = changes;
    if (own === null || change === undefined || changes.length !== 1) continue;
    parked.push({
      path: change.path,
      blob: change.newBlob,
      message: message.slice(0, own.index + 1),
      authored: { name, email, seconds: Number(seconds) },
      over: valueIn(message, 'Over'),
      at: valueIn(message, 'At') ?? null,
      waitingFor: valueIn(message, 'For') ?? '',
    });
  }
  return parked;
}

function valueIn(message: string, key: string): string | undefined {
  const value = message.slice(message.lastIndexOf(`\nParked-${key}: `) + `\nParked-${key}: `.length);
  const line = value.split('\n', 1)[0] ?? '';
  return line === NONE ? undefined : line;
}

/**
 * Forgets what was parked up to `tip`.
 *
 * @returns false where something else stands there by now.
 */
export function forgetParked(
  { repository, locker, log }: Pick<CommitContext, 'repository' | 'locker' | 'log'>,
  tip: string,
): Promise<boolean> {
  return moveRef(repository, locker, log, { ref: repository.parkedRef, to: null, from: tip });
}
