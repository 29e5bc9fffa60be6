import fs from 'node:fs';
import { join } from 'node:path';
import { type MovedUrl, redirectLists } from '../article/address/redirect-lists.js';
import { messageOf, PressmarkError, quote } from '../errors.js';

export type { MovedUrl };

/**
 * Writes the old and new addresses of articles: a list, and redirects for the host of the old site.
 *
 * @returns the paths of the files.
 * @throws PressmarkError USAGE if the folder cannot be written.
 */
export function writeRedirects(folder: string, urls: readonly MovedUrl[]): string[] {
  try {
    fs.mkdirSync(folder, { recursive: true });
    return redirectLists(urls.filter(({ old, new: url }) => old !== url)).map(({ name, text }) => {
      const path = join(folder, name);
      fs.writeFileSync(path, text);
      return path;
    });
  } catch (cause) {
    throw new PressmarkError('USAGE', `${quote(folder, 200)} cannot be written: ${messageOf(cause)}`, {
      cause,
    });
  }
}
