import fs from 'node:fs';
import { join } from 'node:path';
import type { CrashState, Disk, FileNode, FolderNode } from './crash-model.js';

/** Files that nobody ever writes into again: they may be the very ones that the recorded receiver has left. */
const REPLACED_WHOLE = /^(?:content\/|public\/|\.git\/objects\/)/;

/** What the recorded receiver has left on the real disk. */
export interface Left {
  readonly dir: string;
  /** By the number of the file in the model. */
  readonly files: ReadonlyMap<number, { readonly path: string; readonly content: Buffer }>;
}

/**
 * Lays a state out in a new folder, as a disk would show it after the power loss: with the times of the recording, and,
 * where a file lives on to the end of it, with the very file, so that its inode and times are those that Pressmark noted.
 *
 * @param part lays out no more than this folder.
 */
export function layOut(state: CrashState, disk: Disk, left: Left, dir: string, part?: string): void {
  const paths = new Map<FileNode, string>();

  function layFolder(folder: FolderNode, below: string): void {
    fs.mkdirSync(join(dir, below), { recursive: true });
    for (const [name, node] of state.entries(folder)) {
      const path = below === '' ? name : `${below}/${name}`;
      if (part !== undefined && path !== part && !path.startsWith(`${part}/`)) continue;
      if (node.kind === 'folder') layFolder(node, path);
      else layFile(node, path);
    }
  }

  function layFile(file: FileNode, path: string): void {
    const target = join(dir, path);
    const other = paths.get(file);
    if (other !== undefined) {
      fs.linkSync(other, target);
      return;
    }
    paths.set(file, target);
    const content = state.content(file);
    const still = left.files.get(file.number);
    if (still !== undefined && REPLACED_WHOLE.test(still.path) && still.content.equals(content)) {
      fs.linkSync(join(left.dir, still.path), target);
      return;
    }
    fs.writeFileSync(target, content);
    if (file.time > 0) fs.utimesSync(target, file.time, file.time);
  }

  layFolder(disk.root, '');
}
