import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The files below a folder of the project, but those of packages, of which test/e2e/tools has a hundred thousand. */
export function ownFiles(path: string): string[] {
  return fs
    .readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => {
      const inside = `${path}/${entry.name}`;
      return entry.isDirectory() ? ownFiles(inside) : [inside];
    });
}
