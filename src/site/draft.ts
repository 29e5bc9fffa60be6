import { hash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../errors.js';
import { discard } from '../fs/atomic-write.js';
import type { WrittenFile } from './manifest.js';

/** What a file holds: text, as a rule; a theme's pictures and fonts are bytes. */
export type Content = string | Uint8Array;

/** A file of the output that is written and has no name yet that counts. */
export interface Draft {
  readonly temp: string;
  /** What the manifest will say of it; a rename changes none of it. */
  readonly written: WrittenFile;
}

/** Tells this thread's drafts from everybody else's. */
const RUN = randomBytes(6).toString('hex');
let drafts = 0;

/** Writes content into a new file of a folder, which is made where it is missing. */
export function writeDraft(folder: string, content: Content, digest: string): Draft {
  const temp = join(folder, `.pressmark-${RUN}-${drafts++}.tmp`);
  const fd = openNew(temp, folder);
  try {
    fs.writeFileSync(fd, content);
    const { size, mtimeMs } = fs.fstatSync(fd);
    return { temp, written: { hash: digest, size, mtimeMs } };
  } catch (error) {
    discard(temp);
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}

function openNew(path: string, folder: string): number {
  try {
    return fs.openSync(path, 'wx');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    fs.mkdirSync(folder, { recursive: true });
    return fs.openSync(path, 'wx');
  }
}

/** By what two versions of a file are told apart. */
export function digestOf(content: Content): string {
  return hash('sha256', content).slice(0, 32);
}
