import { join } from 'node:path';
import type { HostContext } from '../../src/host/host.js';

/** What plugins are told of a site in a folder. */
export function hostSite(
  dir: string,
  url = 'https://garden.example',
): Pick<HostContext, 'site' | 'paths' | 'stateDir'> {
  return {
    site: { url, language: 'en', timeZone: 'UTC' },
    stateDir: join(dir, '.pressmark'),
    paths: { site: dir, content: join(dir, 'content'), output: join(dir, 'public') },
  };
}
