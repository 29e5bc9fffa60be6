import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { systemCode } from '../../errors.js';
import { buildFolder } from './build-state.js';

/** No deploy takes as long as this: what is older was left by a killed process. In milliseconds. */
const ABANDONED_MS = 48 * 3_600_000;

const folderOf = (stateDir: string) => join(buildFolder(stateDir), 'in-use');

/**
 * Notes that an output is being deployed. The process that builds, which is another one, does not remove it meanwhile.
 *
 * @returns a function that ends it.
 */
export function useOutput(stateDir: string, output: string): () => void {
  const folder = folderOf(stateDir);
  const path = join(folder, `${basename(output)}.${randomBytes(6).toString('hex')}`);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path, '');
  return () => fs.rmSync(path, { force: true });
}

/** The names of the outputs that are being deployed. */
export function outputsInUse(stateDir: string, now = Date.now()): string[] {
  const folder = folderOf(stateDir);
  try {
    return fs.readdirSync(folder).flatMap((name) => {
      const stat = fs.statSync(join(folder, name), { throwIfNoEntry: false });
      if (stat !== undefined && now - stat.mtimeMs < ABANDONED_MS) return [name.replace(/\.[^.]*$/, '')];
      fs.rmSync(join(folder, name), { force: true });
      return [];
    });
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
