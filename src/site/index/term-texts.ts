import fs from 'node:fs';
import { join, posix } from 'node:path';
import { type Stamp, stampOf } from '../../fs/stamp.js';
import type { StandalonePage } from '../../host/page-types.js';
import { type ContentFolder, isGone, sameStamp } from '../../store/catalog/entry.js';
import { isWatchedName } from '../../store/catalog/scan.js';

/** What the owner wrote of a tag or an author, in `tags/<slug>.md` or `authors/<slug>.md`; an entry of the index. */
export interface TermText extends StandalonePage {
  /** Below the content folder. */
  readonly path: string;
  readonly stamp: Stamp;
}

const FOLDERS = ['tags', 'authors'];
const PATH = new RegExp(`^(?:${FOLDERS.join('|')})/[^/]+\\.md$`);

/** Whether a path below the content folder is that of such a file. */
export function isTermTextPath(path: string): boolean {
  return PATH.test(path) && path.split('/').every(isWatchedName);
}

/** The path of the file that describes the term with this address, such as `/tags/soil/`. */
export function termTextPathOf(address: string): string {
  return `${address.slice(1, -1)}.md`;
}

/** The paths of all such files. */
export function termTextPathsIn({ root }: ContentFolder): string[] {
  return FOLDERS.flatMap((folder) => {
    try {
      return fs.readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
    } catch (error) {
      if (isGone(error)) return [];
      throw error;
    }
  }).filter(isTermTextPath);
}

/**
 * Reads such a file.
 *
 * @param known what was read of it last, which is returned where the file is still the same.
 * @returns undefined where it is gone.
 * @throws PressmarkError FRONT_MATTER_INVALID; or the system's error.
 */
export function readTermText(
  content: ContentFolder,
  path: string,
  known: TermText | undefined,
): TermText | undefined {
  try {
    const file = join(content.root, path);
    const stamp = stampOf(fs.statSync(file));
    if (known !== undefined && sameStamp(known.stamp, stamp)) return known;
    const { article, html } = content.format.decodeForPages(fs.readFileSync(file, 'utf8'), path);
    const { title, description, extra } = article;
    // The format gives a file without a title its name.
    const own = title === posix.basename(path, '.md') ? '' : title;
    return { path, stamp, title: own, description, html: html(), toc: [], extra };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
