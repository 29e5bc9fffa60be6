import type { Lineage, WorkEdit } from '../../store/shared/shared-files.js';
import { blobsInHistory, isAncestor } from '../cli/history.js';
import type { Repository } from '../cli/repository.js';
import { blobsAt } from '../cli/tree.js';
import { articleBlob } from '../commit/blobs.js';
import { readHead } from '../commit/head.js';
import { stagedBlobs } from '../commit/index.js';
import type { BaseVersions } from '../push/base-versions.js';
import { contentAt } from '../push/work-file.js';
import type { RemoteTree } from './remote-tree.js';

const NONE: WorkEdit = { kind: 'none' };
const STALE: WorkEdit = {
  kind: 'refused',
  why: 'the remote has a newer version than the one it was made from; git diff shows both, commit and push what is to stay',
};
const UNPUSHED: WorkEdit = {
  kind: 'refused',
  why: 'it was made from a commit of yours that is not pushed; push that commit',
};
const NO_UTF8: WorkEdit = { kind: 'refused', why: 'it is not UTF-8; save it as UTF-8' };

export interface WorktreeEditsOptions {
  readonly repository: Repository;
  /** From the top of the work tree to the content folder, with a slash at its end. */
  readonly folder: string;
  /** The branch, `refs/heads/…`. */
  readonly ref: string;
  readonly tree: Pick<RemoteTree, 'names' | 'tip'>;
  readonly bases: BaseVersions;
}

/** Finds people's uncommitted edits of shared files in the work tree. */
export function createWorktreeEdits({ repository, folder, ref, tree, bases }: WorktreeEditsOptions) {
  /**
   * @param path below the content folder.
   * @param lineageOf finds the lineage of the file's text.
   */
  async function at(path: string, lineageOf: (text: string) => Promise<Lineage>): Promise<WorkEdit> {
    const inRepository = `${folder}${path}`;
    const recorded = bases.get(inRepository);
    const content = await contentAt(repository, inRepository);
    const { tip } = tree;
    const shared = tree.names.get(path);
    if (content === undefined || shared === undefined) return NONE;
    const text = content.toString('utf8');
    if (!Buffer.from(text).equals(content)) return NO_UTF8;
    const blob = (await articleBlob(repository, inRepository, text)).id;
    const staleBase = (await bases.stale()).get(inRepository);
    if (blob === shared || blob === staleBase) return NONE;
    const lineage = await lineageOf(text);
    if (lineage === 'none') return NONE;
    const head = await readHead(repository);
    if (head.kind === 'not now') return { kind: 'waiting', waitingFor: head.waitingFor };
    if (head.ref !== ref)
      return { kind: 'waiting', waitingFor: `HEAD to be on ${ref.replace('refs/heads/', '')} again` };
    const [committed, staged] = await Promise.all([
      blobsAt(repository, head.tip, [inRepository]),
      stagedBlobs(repository, head.tip, new Set([inRepository])),
    ]);
    const atHead = committed.get(inRepository);
    if (blob === atHead) return NONE;
    if (staged.has(inRepository))
      return { kind: 'waiting', waitingFor: 'you to commit what you have staged' };
    // An earlier version, or one that HEAD will have in a moment: the work tree follows file by file.
    if (tip !== null) {
      const versions = await blobsInHistory(repository, tip, [inRepository], head.tip);
      if (versions.get(inRepository)?.has(blob)) return NONE;
    }
    if (lineage === 'of-other') return STALE;
    // A commit of this file that is not pushed, or a merge of one with what the remote has.
    const isAhead =
      atHead !== shared && tip !== null && head.tip !== null && (await isAncestor(repository, tip, head.tip));
    if (lineage === 'unknown') {
      // The recorded base first: it is recorded before HEAD moves.
      const base = recorded ?? staleBase ?? atHead ?? '';
      if (base !== shared && !(isAhead && base === atHead)) return STALE;
    }
    return isAhead ? UNPUSHED : { kind: 'edit', text };
  }

  /** The paths, below the content folder, of files that differ from the index. */
  async function all(): Promise<string[]> {
    const inFolder = folder === '' ? [] : ['--', folder];
    const { stdout } = await repository.git(['diff-files', '-z', '--name-only', ...inFolder]);
    return stdout
      .split('\0')
      .filter((path) => path !== '')
      .map((path) => path.slice(folder.length));
  }

  return { at, all };
}
