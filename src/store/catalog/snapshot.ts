import fs from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { writeAtomically } from '../../fs/atomic-write.js';
import type { Catalog } from './catalog.js';
import type { ContentFolder } from './content-folder.js';

/** The version of the entries' shape; a snapshot of another version is not read. */
const VERSION = 8;

const ENTRIES_PER_TURN = 1_000;

/** Returns the path of a catalog's snapshot, and its key. */
export function snapshotOf(stateDir: string, { format }: ContentFolder): { path: string; key: string } {
  return { path: join(stateDir, 'catalog.jsonl'), key: format.key };
}

/**
 * Fills the catalog from its snapshot, so that a start reads only the files that changed since.
 *
 * @param key a digest of what the entries depend on besides the files; a snapshot with another key is not read.
 * @returns the number of entries; 0 if there is no usable snapshot.
 */
export async function loadSnapshot(path: string, key: string, catalog: Catalog): Promise<number> {
  if (!fs.existsSync(path)) return 0;
  let usable: boolean | undefined;
  try {
    for await (const lines of linesOf(path)) {
      for (const line of lines) {
        if (usable === undefined) {
          usable = line === header(key);
          if (!usable) return catalog.size;
        } else catalog.set(JSON.parse(line));
      }
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error; // a disk error, which the articles' files would show, too
  }
  return catalog.size;
}

/** How much is read at a time, in bytes; a hundred thousand articles take 40 MB. */
const CHUNK = 1 << 20;

/**
 * Reads the lines of a file, many at a time, split only at LF: readline would also split at U+2028, which a title may contain.
 */
async function* linesOf(path: string): AsyncGenerator<string[]> {
  let rest = '';
  for await (const chunk of fs.createReadStream(path, { encoding: 'utf8', highWaterMark: CHUNK })) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield lines;
  }
  if (rest !== '') yield [rest];
}

/** Writes the catalog's snapshot without blocking deliveries. */
export async function saveSnapshot(path: string, key: string, catalog: Catalog): Promise<void> {
  const chunks = [`${header(key)}\n`];
  let lines: string[] = [];
  for (const entry of catalog.entries()) {
    lines.push(`${JSON.stringify(entry)}\n`);
    if (lines.length < ENTRIES_PER_TURN) continue;
    chunks.push(lines.join(''));
    lines = [];
    await nextTurn();
  }
  await writeAtomically(path, Buffer.concat([...chunks, ...lines].map((chunk) => Buffer.from(chunk))));
}

function header(key: string): string {
  return JSON.stringify({ pressmark: 'catalog', version: VERSION, key });
}
