import fs from 'node:fs';
import { join } from 'node:path';

/** Switches off what builds and commits: where many receivers are started, only the store is looked at. */
export function storeOnly(dir: string): string {
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ site: false, git: false }));
  return dir;
}
