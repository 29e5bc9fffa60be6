import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { readOrEmpty } from '../../fs/read-text.js';
import { buildFolder } from './build-state.js';

/** A file in the same folder: the digest of each article's text, by its path. */
const DIGESTS = 'digests.json';

/** Identifies a text. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

/**
 * Keeps the texts of the last good output, so that an article whose new text breaks the build can stay in the output with its
 * earlier text. They need not survive a power loss: without its text, such an article is left out.
 */
export function openGoodTexts(stateDir: string) {
  const folder = join(buildFolder(stateDir), 'good');
  let digests = readDigests(join(folder, DIGESTS));

  function write(name: string, text: string): void {
    const temp = join(folder, '.next');
    fs.writeFileSync(temp, text);
    fs.renameSync(temp, join(folder, name));
  }

  return {
    /** The digest of an article's text; undefined if the article is not in the output. */
    digest: (path: string) => digests.get(path),
    /** The text of an article; undefined if it is missing. */
    get(path: string): string | undefined {
      const digest = digests.get(path);
      const text = digest === undefined ? '' : readOrEmpty(join(folder, digest));
      return digestOf(text) === digest ? text : undefined;
    },
    /** Saves the texts of a good output by their paths; the articles at `others` keep their texts. */
    keep(texts: ReadonlyMap<string, string>, others: readonly string[]): void {
      fs.mkdirSync(folder, { recursive: true });
      const known = new Set(fs.readdirSync(folder));
      const next = new Map(others.map((path) => [path, digests.get(path) ?? '']));
      for (const [path, text] of texts) {
        const digest = digestOf(text);
        next.set(path, digest);
        if (!known.has(digest)) write(digest, text);
      }
      write(DIGESTS, JSON.stringify([...next]));
      digests = next;
      const wanted = new Set([DIGESTS, ...next.values()]);
      for (const name of known) if (!wanted.has(name)) fs.rmSync(join(folder, name));
    },
  };
}

/** Reads the digests. A file that a power loss has cut off counts as missing. */
function readDigests(path: string): ReadonlyMap<string, string> {
  try {
    return new Map(JSON.parse(readOrEmpty(path) || '[]') as [string, string][]);
  } catch (error) {
    if (error instanceof SyntaxError) return new Map();
    throw error;
  }
}
