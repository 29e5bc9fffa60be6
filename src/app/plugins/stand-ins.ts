import type { Settings } from '../../config/load.js';
import type { PluginEntry } from '../../host/plugins.js';

/**
 * Entries with the names of the plugins that come with Pressmark and nothing of what they do: a plugin may require one of
 * them, and is also set up where they do not run.
 */
export function firstPartyStandIns({
  site,
  generator,
  build,
  buildsInBackground,
  git,
}: Pick<Settings, 'site' | 'generator' | 'build' | 'buildsInBackground' | 'git'>): PluginEntry[] {
  const names = [
    'page-policy',
    site === false ? 'settings' : 'site',
    ...(generator === 'plain' || build === undefined ? [] : [buildsInBackground ? 'build' : 'addresses']),
    ...(git === false ? [] : ['git']),
    'deploy',
  ];
  return names.map((name) => ({ plugin: { name, setup: () => undefined }, origin: 'Pressmark' }));
}
