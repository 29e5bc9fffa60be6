import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { isFileAt } from '../../../fs/files-below.js';

/** What addresses depend on, except the posts themselves. */
export interface ConfigSources {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** The content folder, relative to the site's. */
  readonly content: string;
  /** Files and folders of the generator's configuration, relative to the site's folder. */
  readonly configFiles: readonly string[];
  /** The settings of Pressmark that matter. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The files of package managers that name the installed versions. */
const LOCK_FILES = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock'];

/** Folders that do not affect addresses, and change with every installation or delivery. */
const SKIPPED = new Set(['.git', '.pressmark', '.pressmark-sender', 'node_modules']);

/** Data that generators apply to a folder's posts, such as `posts.11tydata.js`, `posts.json` and Hugo's `_index.md`. */
const FOLDER_DATA = /(?:^_index\.[^/]*|\.(?:[cm]?js|json|ya?ml|toml))$/i;

/** A digest of a site's configuration. While it is unchanged, a post's address depends on the post alone. */
export function configDigest({ siteDir, content, configFiles, settings }: ConfigSources): string {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  const add = (path: string, isCounted: (name: string) => boolean): void => {
    const absolute = join(siteDir, path);
    const stat = fs.statSync(absolute, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true) {
      for (const entry of fs.readdirSync(absolute, { withFileTypes: true }).toSorted(byName)) {
        const isFolder = entry.isDirectory() && !SKIPPED.has(entry.name);
        // Links to folders are not followed: they may form a circle.
        if (
          isFolder ||
          (!entry.isDirectory() && isCounted(entry.name) && isFileAt(join(absolute, entry.name)))
        )
          add(`${path}/${entry.name}`, isCounted);
      }
    } else if (stat?.isFile() === true)
      hash.update(`\0${path}\0${stat.size}\0`).update(fs.readFileSync(absolute));
  };
  for (const path of new Set([...configFiles, ...LOCK_FILES])) add(path, () => true);
  add(content, (name) => FOLDER_DATA.test(name));
  return hash.digest('hex').slice(0, 32);
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
