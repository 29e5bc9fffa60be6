import fs from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { writeObjectFile } from './object-file.js';

/**
 * Packs that `git repack -a -d` of the owner, or of a scheduled job, leaves alone, because each has a
 * file `<pack>.keep`: no ref leads to their objects yet.
 */
export interface KeptPacks {
  /**
   * Makes the `.keep` file of a pack, before git can find the pack.
   *
   * @param name `pack-` and a checksum.
   */
  keep(name: string): Promise<void>;
  /** Removes the `.keep` files: a ref leads to the objects now, or nobody needs them. */
  release(): Promise<void>;
}

/** The beginning of the content, before the path of the token of the process that needs the pack. */
const MARK = 'pressmark ';

/** @param token makes the file that stands as long as this process needs its packs, and resolves with its path. */
export function createKeptPacks(commonDir: string, token: () => Promise<string>, log: Log): KeptPacks {
  const names = new Set<string>();

  async function release(): Promise<void> {
    for (const name of names)
      try {
        await rm(join(packFolder(commonDir), `${name}.keep`), { force: true });
        names.delete(name);
      } catch (error) {
        // The first start after the end of this process removes it; until then the pack is only not repacked.
        log.warn({ pack: name, reason: messageOf(error) }, 'the .keep file of a pack could not be removed');
      }
  }

  async function keep(name: string): Promise<void> {
    const content = `${MARK}${relative(commonDir, await token())}\n`;
    names.add(name);
    const { mode } = fs.statSync(join(commonDir, 'objects'));
    await writeObjectFile(join(packFolder(commonDir), `${name}.keep`), Buffer.from(content), mode);
  }

  return { keep, release };
}

/** Removes the `.keep` files of processes that have ended, whose tokens are gone. Those of others are never touched. */
export async function sweepKeptPacks(commonDir: string): Promise<void> {
  const folder = packFolder(commonDir);
  const names = await readdir(folder).catch(() => []); // a repository without a pack
  for (const name of names.filter((one) => one.endsWith('.keep'))) {
    const path = join(folder, name);
    const content = await readFile(path, 'utf8').catch(() => ''); // removed meanwhile, or not ours to read
    const token = content.startsWith(MARK) ? content.slice(MARK.length).trimEnd() : undefined;
    if (token === undefined || fs.existsSync(join(commonDir, token))) continue;
    // Where it cannot be removed, the pack is only not repacked.
    await rm(path, { force: true }).catch(() => undefined);
  }
}

function packFolder(commonDir: string): string {
  return join(commonDir, 'objects', 'pack');
}
