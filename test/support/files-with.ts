import fs from 'node:fs';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { systemCode } from '../../src/errors.js';

/** The files of a site's output that have a word in their path or text, in any case; those of the search index are read, too. */
export function filesWith(output: string, word: string): string[] {
  const folder = fs.realpathSync(output); // of one build, where the next one leads the link elsewhere
  try {
    return fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => `${relative(folder, path)}\n${textOf(path)}`.toLowerCase().includes(word))
      .map((path) => relative(folder, path));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return filesWith(output, word); // a build has removed one meanwhile
  }
}

function textOf(path: string): string {
  const bytes = fs.readFileSync(path);
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return String(isCompressed ? gunzipSync(bytes) : bytes);
}
