// The process that lists the changes of an output since a command deployed it; `command.ts` starts it.
import fs from 'node:fs';
import { join } from 'node:path';
import { filesIn, statusAt } from '../folder-files.js';
import { answerParent } from './target-process.js';

await answerParent(listChanges);

/**
 * @param deployed the file with the listing of the last deployed output.
 * @param next the file for the listing of the present output.
 * @param changed the file for the names of added, changed and removed files, one per line.
 */
async function listChanges(output: string, deployed: string, next: string, changed: string): Promise<void> {
  const before = readListing(deployed);
  const now = listingOf(output);
  const files = [...new Set([...before.keys(), ...now.keys()])].toSorted();
  const differing = files.filter((file) => before.get(file) !== now.get(file));
  fs.writeFileSync(next, JSON.stringify([...now]));
  fs.writeFileSync(changed, differing.map((file) => `${file}\n`).join(''));
}

/** The files of an output with size and modification time. A build replaces changed files, and copies keep their times. */
function listingOf(output: string): Map<string, string> {
  const listing = new Map<string, string>();
  for (const file of filesIn(output)) {
    const stat = statusAt(join(output, file));
    if (stat !== undefined) listing.set(file, `${stat.size} ${Math.round(stat.mtimeMs)}`);
  }
  return listing;
}

/** Reads a listing. A missing file, or one that a power loss has cut off, is empty, so that all files count as changed. */
function readListing(path: string): Map<string, string> {
  try {
    return new Map(JSON.parse(fs.readFileSync(path, 'utf8')));
  } catch {
    return new Map();
  }
}
