import type { Repository } from '../cli/repository.js';
import { blobsAt, blobsInHistory } from '../cli/trees.js';
import { readHead } from '../commit/head.js';
import { stagedBlobs } from '../commit/index.js';
import { leftBehind, type Origins } from '../push/edit-bases.js';
import { caughtUpWith, contentAt, nameOf } from '../push/stale-edits.js';
import type { Shared } from './remote-tree.js';

/** What a file of the work tree is, beside what the remote has of it. */
export type WorkEdit =
  /** A person's text, made from the version that the remote has. */
  | { readonly is: 'edit'; readonly text: string }
  /** Nothing that anybody else should have: it is on the remote, committed, removed or a new file. */
  | { readonly is: 'none' }
  /** It is looked at again later. */
  | { readonly is: 'waiting'; readonly waitingFor: string }
  /** A person's text that only a person can bring to the remote. */
  | { readonly is: 'left'; readonly why: string };

const NONE: WorkEdit = { is: 'none' };
const BEHIND: WorkEdit = {
  is: 'left',
  why: 'the remote has a newer version than the one it was made from; git diff shows both, commit and push what is to stay',
};
const NO_UTF8: WorkEdit = { is: 'left', why: 'it is not UTF-8; save it as UTF-8' };

/** What a text says of itself: no person's, or whether it was made from what the remote has now. */
export type Lineage = 'none' | 'of-shared' | 'of-other' | 'unknown';

export interface WorkEditsOptions {
  readonly repository: Repository;
  /** From the top of the work tree to the content folder, with a slash at its end. */
  readonly folder: string;
  readonly shared: Pick<Shared, 'names' | 'tip' | 'remote'>;
  readonly origins: Origins;
}

/** Looks for people's uncommitted edits of shared files in the work tree. */
export function createWorkEdits({ repository, folder, shared, origins }: WorkEditsOptions) {
  /**
   * @param path below the content folder.
   * @param lineageOf asked about its text.
   */
  async function at(path: string, lineageOf: (text: string) => Promise<Lineage>): Promise<WorkEdit> {
    const inRepository = `${folder}${path}`;
    const origin = origins.noted(inRepository);
    const content = await contentAt(repository, inRepository);
    if (content === undefined || shared.names.get(path) === undefined) return NONE;
    const text = content.toString('utf8');
    if (!Buffer.from(text).equals(content)) return NO_UTF8;
    const blob = await nameOf(repository, inRepository, text);
    if (blob === shared.names.get(path)) return NONE;
    const lineage = await lineageOf(text);
    if (lineage === 'none') return NONE;
    const head = await readHead(repository);
    if ('waitingFor' in head) return { is: 'waiting', waitingFor: head.waitingFor };
    const { ref } = shared.remote;
    if (head.ref !== ref)
      return { is: 'waiting', waitingFor: `HEAD to be on ${ref.replace('refs/heads/', '')} again` };
    const [atHead, staged] = await Promise.all([
      blobsAt(repository, head.tip, [inRepository]),
      stagedBlobs(repository, head.tip, new Set([inRepository])),
    ]);
    if (blob === atHead.get(inRepository)) return NONE;
    if (staged.has(inRepository)) return { is: 'waiting', waitingFor: 'you to commit what you have staged' };
    // Behind HEAD, or what HEAD is about to get: the work tree follows file by file.
    if (shared.tip !== null) {
      const had = await blobsInHistory(repository, shared.tip, [inRepository], head.tip);
      if (had.has(`${blob} ${inRepository}`)) return NONE;
    }
    if (lineage !== 'unknown') return lineage === 'of-shared' ? { is: 'edit', text } : BEHIND;
    // In this order: it is written down before HEAD moves.
    const made = origin ?? (await leftBehind(repository)).get(inRepository) ?? atHead.get(inRepository) ?? '';
    return made === shared.names.get(path) ? { is: 'edit', text } : BEHIND;
  }

  /** The paths, below the content folder, of files that differ from the index. */
  async function all(): Promise<string[]> {
    const below = folder === '' ? [] : ['--', folder];
    const { stdout } = await repository.git(['diff-files', '-z', '--name-only', ...below]);
    return stdout
      .split('\0')
      .filter((path) => path !== '')
      .map((path) => path.slice(folder.length));
  }

  /** Of the files that were left behind, those that are what the remote has by now. */
  const caughtUp = () => caughtUpWith(repository, shared.tip);

  return { at, all, caughtUp };
}
