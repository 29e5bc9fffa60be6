import fs from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { systemCode } from '../../errors.js';
import type { SiteFiles } from '../../generators/generator.js';

/** The largest file that definitions may read, in bytes. */
const MAX_FILE_BYTES = 2_000_000;

/**
 * The files of a real folder, for generator definitions. Files outside the folder, including those behind a symbolic link, and
 * files larger than 2 MB count as missing.
 *
 * @param dir the site's folder; it need not exist.
 */
export function siteFiles(dir: string): SiteFiles {
  const root = realPath(resolve(dir));

  /** The real path of a file of the site; undefined if it is missing or outside the site. */
  function locate(path: string): string | undefined {
    if (root === undefined || path.includes('\0')) return undefined;
    const real = realPath(join(root, path));
    const isInside = real === root || real?.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
    return isInside ? real : undefined;
  }

  return {
    read(path) {
      const real = locate(path);
      if (real === undefined) return undefined;
      const stat = fs.statSync(real);
      return stat.isFile() && stat.size <= MAX_FILE_BYTES ? fs.readFileSync(real, 'utf8') : undefined;
    },
    list(folder) {
      const real = locate(folder);
      if (real === undefined || !fs.statSync(real).isDirectory()) return [];
      return fs
        .readdirSync(real, { withFileTypes: true })
        .flatMap((item) => {
          const target = item.isSymbolicLink() ? locate(join(folder, item.name)) : join(real, item.name);
          if (target === undefined) return [];
          const kind = item.isSymbolicLink() ? fs.statSync(target) : item;
          if (kind.isDirectory()) return [`${item.name}/`];
          return kind.isFile() ? [item.name] : [];
        })
        .sort();
    },
  };
}

function realPath(path: string): string | undefined {
  try {
    return fs.realpathSync(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}
