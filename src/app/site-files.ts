import fs from 'node:fs';
import { join } from 'node:path';
import type { SiteFiles } from '../generators/generator.js';

/** The files of a real site. */
export function siteFiles(dir: string): SiteFiles {
  return {
    read: (path) => (fs.existsSync(join(dir, path)) ? fs.readFileSync(join(dir, path), 'utf8') : undefined),
    list: (folder) =>
      fs.existsSync(join(dir, folder))
        ? fs
            .readdirSync(join(dir, folder), { withFileTypes: true })
            .map((item) => (item.isDirectory() ? `${item.name}/` : item.name))
        : [],
  };
}
