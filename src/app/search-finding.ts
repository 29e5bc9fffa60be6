import type { Settings } from '../config/load.js';
import { pagefindVersion } from '../site/search/pagefind.js';
import type { Finding } from './finding.js';

const about = 'search';

/** Whether the site has a search; it is no fault if not. */
export async function searchFinding({ site }: Settings): Promise<Finding[]> {
  if (site === false) return [];
  if (site.search === false) return [{ level: 'ok', about, text: 'switched off in the config' }];
  const version = await pagefindVersion();
  if (version !== undefined) return [{ level: 'ok', about, text: `indexed by ${version}` }];
  return [{ level: 'ok', about, text: 'none; its program (npm package pagefind) does not run here' }];
}
