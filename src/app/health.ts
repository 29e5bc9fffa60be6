import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../errors.js';

/** A verdict stands this long, so that a monitor that asks often costs nothing. */
const VERDICT_MS = 1_000;

/**
 * Whether articles can be stored: a small file is really written and removed, as permissions alone do not tell
 * of a full or read-only disk.
 *
 * @returns a function that gives the reason why not, or undefined where all is well.
 */
export function createHealth(contentDir: string, stateDir: string): () => string | undefined {
  // Not by the process id: in two containers that share the volume both are process 1.
  const probePath = join(stateDir, `health-${randomUUID()}`);
  let verdict: string | undefined;
  let until = 0;
  return () => {
    if (performance.now() < until) return verdict;
    verdict = probe(contentDir, probePath);
    until = performance.now() + VERDICT_MS;
    return verdict;
  };
}

function probe(contentDir: string, path: string): string | undefined {
  try {
    fs.accessSync(contentDir, fs.constants.W_OK);
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, 'ok\n');
    fs.unlinkSync(path);
    return undefined;
  } catch (error) {
    return `articles cannot be stored: ${messageOf(error).split(',', 1)[0]}`;
  }
}
