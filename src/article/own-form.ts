import { readOwnYaml } from './front-matter/own-yaml.js';
import type { FrontMatter } from './front-matter/read.js';

const LF = 0x0a;

/**
 * The quick way to read a file that has the very form in which Pressmark writes one; see `readOwnYaml`. It gives
 * exactly what `splitFrontMatter` gives, or nothing. Keys of the owner or of a plugin may stand between Pressmark's.
 *
 * @returns undefined for anything else, whatever a person has made of the file; `splitFrontMatter` must be asked.
 */
export function readOwnForm(text: string): FrontMatter | undefined {
  if (!text.startsWith('---\n')) return undefined;
  const end = text.indexOf('\n---', 3);
  if (end === -1 || (text.length > end + 4 && text.charCodeAt(end + 4) !== LF)) return undefined;
  const head = text.slice(4, end + 1);
  const data = readOwnYaml(head);
  return data && { data, body: text.slice(end + 5), isTopFirst: isTopFirst(Object.keys(data)) };
}

/** The first of the long blocks, which are last in the front matter. */
const FIRST_BLOCK = 'json_ld';

/**
 * Reads what stands above the long blocks of such a file, which is little and at its beginning.
 *
 * @param text the beginning of the file.
 * @returns undefined where it does not reach as far as that, and for any other form. The file may still be malformed
 *   below, or have more keys there; `isTopFirst` says that of a file that was read whole.
 */
export function readOwnTop(text: string): FrontMatter['data'] | undefined {
  if (!text.startsWith('---\n')) return undefined;
  const end = text.indexOf(`\n${FIRST_BLOCK}: `);
  return end === -1 ? undefined : readOwnYaml(text.slice(4, end + 1));
}

/** Whether these keys are in the order in which Pressmark writes them, as far as it matters to `readOwnTop`. */
function isTopFirst(keys: readonly string[]): boolean {
  const first = keys.indexOf(FIRST_BLOCK);
  return first !== -1 && keys.slice(first + 1).every((key) => key === 'content_html');
}
