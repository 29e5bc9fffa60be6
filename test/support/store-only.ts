import fs from 'node:fs';
import { join } from 'node:path';

/** Switches off pages and git, which saves time in tests that check only the store. @returns the folder. */
export function storeOnly(dir: string): string {
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ site: false, git: false }));
  return dir;
}
