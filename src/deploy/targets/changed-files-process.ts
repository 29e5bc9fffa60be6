// The process that lists what has changed in an output since a command has deployed it; `command.ts` starts it.
import fs from 'node:fs';
import { join } from 'node:path';
import { filesIn } from '../folder-files.js';
import { answerParent } from './target-process.js';

await answerParent(listChanges);

/**
 * @param deployed the listing of the output that was deployed last.
 * @param next gets the listing of the present output.
 * @param changed gets the names of the files that differ, or are in one of the two alone, one in a line.
 */
async function listChanges(output: string, deployed: string, next: string, changed: string): Promise<void> {
  const before = readListing(deployed);
  const now = listingOf(output);
  const files = [...new Set([...before.keys(), ...now.keys()])].toSorted();
  const differing = files.filter((file) => before.get(file) !== now.get(file));
  fs.writeFileSync(next, JSON.stringify([...now]));
  fs.writeFileSync(changed, differing.map((file) => `${file}\n`).join(''));
}

/** The files of an output with size and time: a build replaces what it changes, and a copy has the time of its original. */
function listingOf(output: string): Map<string, string> {
  const listing = new Map<string, string>();
  for (const file of filesIn(output)) {
    const stat = fs.statSync(join(output, file), { throwIfNoEntry: false });
    if (stat !== undefined) listing.set(file, `${stat.size} ${Math.round(stat.mtimeMs)}`);
  }
  return listing;
}

/** A listing that is not there, or that a power loss has cut off, is empty: all files count as changed then. */
function readListing(path: string): Map<string, string> {
  try {
    return new Map(JSON.parse(fs.readFileSync(path, 'utf8')));
  } catch {
    return new Map();
  }
}
