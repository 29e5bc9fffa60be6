import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, systemCode } from '../../errors.js';
import { discard, isLeftover, tempPath } from '../../fs/atomic-write.js';
import type { Log } from '../../log.js';
import { isGone } from '../../store/catalog/entry.js';

/** The output folder; see `openWriter`. */
export type Writer = ReturnType<typeof openWriter>;

/**
 * The folder of finished pages at `root`.
 *
 * @param stagingDir where files are written before they get their name, so that nobody who copies the output ever takes
 *   half a page along. On another file system than the output, the root itself serves.
 */
export function openWriter(root: string, stagingDir: string, log: Log) {
  let staging = stagingDir;
  sweep();

  /** Gives a file its content, whole or not at all. @returns whether it had another content, or none. */
  function put(file: string, content: Uint8Array): boolean {
    const path = join(root, file);
    if (isSame(path, content)) return false;
    const temp = stage(content);
    try {
      rename(temp, path);
    } catch (error) {
      discard(temp);
      if (systemCode(error) !== 'EXDEV' || staging === root) throw error;
      staging = root;
      return put(file, content);
    }
    return true;
  }

  function stage(content: Uint8Array): string {
    fs.mkdirSync(staging, { recursive: true });
    const temp = tempPath(staging);
    try {
      fs.writeFileSync(temp, content, { flag: 'wx' });
      return temp;
    } catch (error) {
      discard(temp);
      throw error;
    }
  }

  /** Removes a file, and the folders that are then empty. @returns whether it was there. */
  function remove(file: string): boolean {
    try {
      fs.unlinkSync(join(root, file));
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
    pruneFolders(file);
    return true;
  }

  function pruneFolders(file: string): void {
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
      try {
        fs.rmdirSync(join(root, folder));
      } catch (error) {
        if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemCode(error) ?? ''))
          log.warn({ folder, reason: messageOf(error) }, 'an empty folder could not be removed');
        return;
      }
    }
  }

  /** Removes what a killed build has left behind; no other process builds this output. */
  function sweep(): void {
    for (const folder of [stagingDir, root]) {
      if (!fs.existsSync(folder)) continue;
      for (const name of fs.readdirSync(folder)) if (isLeftover(name)) discard(join(folder, name));
    }
  }

  return { root, put, remove, exists: (file: string) => fs.existsSync(join(root, file)) };
}

/** Whether a file has this content. */
function isSame(path: string, content: Uint8Array): boolean {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size === content.length && fs.readFileSync(path).equals(content);
}

function rename(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    fs.mkdirSync(dirname(to), { recursive: true });
    fs.renameSync(from, to);
  }
}
