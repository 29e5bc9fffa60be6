import type { Settings } from '../../config/load.js';
import { withoutSlash } from '../../host/adapter.js';
import type { ArticleReader } from '../../host/articles.js';
import type { HostSurroundings } from '../../host/host.js';
import type { JobReport } from '../../host/jobs/jobs.js';
import type { PluginEntry } from '../../host/plugin.js';
import { HEALTH } from '../content/content.js';
import { foldersOf } from '../content/folders.js';

type SiteSettings = Pick<
  Settings,
  'siteUrl' | 'endpoint' | 'dir' | 'site' | 'articles' | 'generator' | 'content' | 'output' | 'templates'
>;

/** For plugins that are set up and do not run. */
export const NO_ARTICLES: ArticleReader = {
  get: async () => undefined,
  find: async () => undefined,
  ids: () => [],
};

/** What plugins are told of their site. */
export function siteOfPlugins(
  settings: SiteSettings,
): Pick<HostSurroundings, 'site' | 'paths' | 'stateDir' | 'taken'> {
  const { siteUrl, endpoint, dir, site, articles, generator } = settings;
  const { contentDir, outputDir, stateDir } = foldersOf(settings);
  const own = site === false ? undefined : site;
  const options = typeof generator === 'object' && !('mapping' in generator) ? generator : undefined;
  return {
    site: {
      url: siteUrl,
      language: own?.language ?? articles.language ?? 'en',
      timeZone: articles.timeZone ?? own?.timeZone ?? options?.timeZone ?? 'UTC',
    },
    paths: { site: dir, content: contentDir, output: outputDir },
    stateDir,
    taken: new Map([
      [withoutSlash(endpoint), 'the webhook'],
      [HEALTH, 'the health check'],
    ]),
  };
}

/** Says which plugins add something to pages, where nobody would see it: Pressmark does not make the pages of this site. */
export function idlePages(
  plugins: readonly PluginEntry[],
  { site, generator }: Pick<Settings, 'site' | 'generator'>,
): string[] {
  if (site !== false) return [];
  const name = typeof generator === 'string' ? generator : generator.name;
  const why = name === 'plain' ? 'site is false in the config' : `${name} makes the pages of this site`;
  return plugins
    .filter(({ plugin }) => plugin.pages !== undefined)
    .map(({ plugin, origin }) => `pages(host) of plugin ${plugin.name} (${origin}) does not run: ${why}`);
}

/** Says which jobs never run, as nothing does the action that they are on. */
export function idleJobs(
  jobs: readonly Pick<JobReport, 'job' | 'on'>[],
  { liveCheck, git }: Pick<Settings, 'liveCheck' | 'git'>,
): string[] {
  return jobs.flatMap(({ job, on }) => {
    if (on === 'article.live' && !liveCheck)
      return [`job ${job} does not run: article.live needs liveCheck in the config`];
    if (on.startsWith('git.') && git === false)
      return [`job ${job} does not run: git is false in the config, so that there is no ${on}`];
    return [];
  });
}
