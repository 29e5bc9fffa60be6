import type { Settings } from '../config/load.js';
import type { Finding } from './finding.js';

/** What git has to say of a site. */
export async function gitFindings({ git }: Settings): Promise<Finding[]> {
  if (git === false) return [{ level: 'ok', about: 'git', text: 'switched off in the config' }];
  return [];
}
