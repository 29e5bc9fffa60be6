import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { until } from './until.js';

/** Waits until no process holds the store's lock on a site. */
export async function untilReleased(site: string): Promise<void> {
  const path = join(site, '.pressmark', 'lock');
  await until(
    'no process holds the lock of the store',
    () => spawnSync('flock', ['-n', path, 'true']).status === 0,
  );
}
