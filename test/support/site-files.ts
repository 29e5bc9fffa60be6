import type { SiteFiles } from '../../src/generators/generator.js';

/** The files of a site that is not on the disk. */
export function siteOf(files: Readonly<Record<string, string>>): SiteFiles {
  const paths = Object.keys(files);
  return {
    read: (path) => files[path],
    list(folder) {
      const prefix = folder === '' || folder === '.' ? '' : `${folder.replace(/\/$/, '')}/`;
      const names = paths
        .filter((path) => path.startsWith(prefix))
        .map((path) => /^[^/]*\/?/.exec(path.slice(prefix.length))?.[0] ?? '');
      return [...new Set(names)].sort();
    },
  };
}
