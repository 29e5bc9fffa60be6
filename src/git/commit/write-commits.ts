import { posix } from 'node:path';
import { PressmarkError } from '../../errors.js';
import type { KeptPacks } from '../cli/kept-packs.js';
import { createObjectWriter } from '../cli/object-writer.js';
import type { Repository } from '../cli/repository.js';
import {
  FILE,
  FOLDER,
  isFile,
  parentOf,
  SUBMODULE,
  type Tree,
  type TreeEntry,
  treeOf,
  treesAt,
} from '../cli/tree.js';
import type { Blob } from './blobs.js';
import type { Identity, Person } from './identity.js';

/** One commit to be made: one file, one message. */
export interface CommitDraft {
  /** From the top of the work tree. */
  readonly path: string;
  readonly blob: Blob;
  /** The mode that the file has in the commit. @default that of the file which it replaces, else FILE */
  readonly mode?: string;
  readonly message: string;
  /** Who wrote it and when, where that is not the batch's own author and now. */
  readonly authored?: Authored;
}

/** An author and the moment, in seconds since 1970. */
export interface Authored extends Person {
  readonly seconds: number;
}

/** Up to so many commits have their objects in files of their own; the objects of more commits become one pack. */
const MAX_LOOSE_COMMITS = 4;

/**
 * Makes a chain of commits on top of `parent` and returns their names, in order. They are on the disk then. No branch moves
 * and the index is not touched; hooks and signing do not apply. The objects are written here and not by git: that
 * takes a third of the time.
 *
 * @param packs keeps a pack of them until the caller has moved a ref to the last one.
 * @throws PressmarkError GIT_FAILED.
 */
export async function writeCommits(
  repository: Repository,
  parent: string | null,
  drafts: readonly CommitDraft[],
  { author, committer }: Identity,
  packs?: KeptPacks,
): Promise<string[]> {
  const folders = drafts.map(({ path }) => parentOf(path));
  const trees = parent === null ? new Map<string, Tree>() : await treesAt(repository, parent, folders);
  const writer = createObjectWriter(repository, drafts.length > MAX_LOOSE_COMMITS, packs);
  const made = new Map<string, string>();
  const seconds = Math.floor(Date.now() / 1_000);
  const commits: string[] = [];
  for (const { path, blob, mode, message, authored = { ...author, seconds } } of drafts) {
    if (blob.content === undefined) writer.addWritten(blob.id);
    else await writer.add('blob', blob.content);
    const tree = await putFile(path, { mode: mode ?? modeAt(path), id: blob.id });
    const above = commits.at(-1) ?? parent;
    const lines = [
      `tree ${tree}`,
      ...(above === null ? [] : [`parent ${above}`]),
      `author ${signature(authored)}`,
      `committer ${signature({ ...committer, seconds })}`,
    ];
    commits.push(await writer.add('commit', Buffer.from(`${lines.join('\n')}\n\n${message}`)));
  }
  await writer.finish().catch((cause: unknown) => {
    if (cause instanceof PressmarkError) throw cause;
    throw new PressmarkError('GIT_FAILED', 'the objects of commits could not be written', { cause });
  });
  for (const [folder, id] of made) {
    const tree = trees.get(folder);
    if (tree !== undefined) repository.trees.set(id, tree.content);
  }
  return commits;

  function modeAt(path: string): string {
    const { mode = FILE } = trees.get(parentOf(path))?.entry(posix.basename(path)) ?? {};
    return isFile(mode) ? mode : FILE;
  }

  /** Puts a file into the trees of its folders, from the lowest to the top. @returns the name of the top's tree. */
  async function putFile(path: string, file: TreeEntry): Promise<string> {
    let entry = file;
    for (let at = path; at !== ''; at = parentOf(at)) {
      const folder = parentOf(at);
      const tree = trees.get(folder) ?? treeOf(repository, Buffer.alloc(0));
      trees.set(folder, tree);
      if (at !== path && tree.entry(posix.basename(at))?.mode === SUBMODULE)
        throw new PressmarkError('GIT_FAILED', `${path} is in the submodule ${at}`);
      const from = made.get(folder);
      const edit = tree.put(posix.basename(at), entry);
      if (edit === undefined && at === path) forget(path);
      const id = await writer.add('tree', tree.content, from && edit ? { from, edit } : undefined);
      made.set(folder, id);
      entry = { mode: FOLDER, id };
    }
    return entry.id;
  }

  /** A file has taken the place of this folder. */
  function forget(folder: string): void {
    for (const known of [...trees.keys()])
      if (known === folder || known.startsWith(`${folder}/`)) {
        trees.delete(known);
        made.delete(known);
      }
  }
}

function signature({ name, email, seconds }: Authored): string {
  return `${name} <${email}> ${seconds} +0000`;
}
