import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Waits until no process holds the store's lock on a site. */
export async function untilReleased(site: string): Promise<void> {
  const path = join(site, '.pressmark', 'lock');
  while (spawnSync('flock', ['-n', path, 'true']).status !== 0) await pause(20);
}
