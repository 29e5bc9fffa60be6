import fs from 'node:fs';
import { join } from 'node:path';

/** Makes the next start on a state folder take place after another boot, as after a power loss. */
export function forgetBoot(stateDir: string): void {
  fs.rmSync(join(stateDir, 'site-boot'), { force: true });
}
