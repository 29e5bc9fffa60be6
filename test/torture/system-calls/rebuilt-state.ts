import fs from 'node:fs';
import { join } from 'node:path';
import type { CrashState, Disk, FileNode, FolderNode } from './crash-model.js';

/** Files that are only ever replaced, never written in place, so that a hard link to the recorded file is safe. */
const NEVER_WRITTEN_IN_PLACE = /^(?:content\/|public\/|\.git\/objects\/)/;

const GIT_LOCK = /^\.git\/.*\.lock$/;

/** The files on the real disk when the recorded receiver had ended. */
export interface Left {
  readonly dir: string;
  /** The files by their numbers in the model. */
  readonly files: ReadonlyMap<number, { readonly path: string; readonly content: Buffer }>;
}

/**
 * Writes a state to a new folder, as it would be on the disk after the power loss. Where possible, a file is a hard link to
 * the recorded one, so that it has the inode and times that Pressmark has stored.
 *
 * @param part the only folder that is written. @default all of them
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
    const recorded = left.files.get(file.number);
    if (
      recorded !== undefined &&
      NEVER_WRITTEN_IN_PLACE.test(recorded.path) &&
      recorded.content.equals(content)
    ) {
      fs.linkSync(join(left.dir, recorded.path), target);
      return;
    }
    fs.writeFileSync(target, content);
    // A lock of git's is older than the start of the machine that follows a power loss, which is how it is told from one
    // that is held.
    if (GIT_LOCK.test(path)) fs.utimesSync(target, 0, 0);
  }

  layFolder(disk.root, '');
}
