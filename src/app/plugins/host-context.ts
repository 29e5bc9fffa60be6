import { OWN_PLACES } from '../../article/address/reserved.js';
import type { Settings } from '../../config/load.js';
import { hooksOf, type PagesFilterName } from '../../host/hooks/hook-types.js';
import type { HookReport } from '../../host/hooks/hooks.js';
import type { HostContext } from '../../host/host.js';
import { withoutSlash } from '../../host/http/adapter.js';
import type { JobReport } from '../../host/jobs/jobs.js';
import type { PageAdditions } from '../../host/pages/page-additions.js';
import type { PluginEntry } from '../../host/plugin.js';
import { HEALTH, layoutOf } from '../content/content.js';
import { foldersOf } from '../content/folders.js';

type SiteSettings = Pick<
  Settings,
  'siteUrl' | 'endpoint' | 'dir' | 'site' | 'articles' | 'generator' | 'content' | 'output' | 'templates'
>;

/** The site and its folders, for a plugin host. */
export function siteOfPlugins(
  settings: SiteSettings,
): Required<Pick<HostContext, 'site' | 'paths' | 'stateDir' | 'taken'>> {
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
      [articlePath(settings), 'the articles'],
      ...(own === undefined ? [] : OWN_PLACES.flatMap((place) => placesAt(siteUrl, place))),
    ]),
  };
}

/** The path of an article with a placeholder for its slug; no adapter may own the path above it. */
function articlePath(settings: SiteSettings): string {
  return decodeURI(new URL(layoutOf(settings).url(':slug', new Date().toISOString())).pathname);
}

/** The places of the site's own pages, in the form of `taken`. */
function placesAt(siteUrl: string, place: string): [path: string, by: string][] {
  const { pathname } = new URL(`${siteUrl}/${place}`);
  return [pathname, `${pathname}/*`].map((path) => [path, 'the pages of the site']);
}

/** The page filters that also run after another generator's build. */
export const AFTER_BUILD: readonly PagesFilterName[] = ['page.head', 'page.html'];

/** Whether `pages(host)` runs: in the builder, or after another generator's build. */
export function runsPages({ site, generator }: Pick<Settings, 'site' | 'generator'>): boolean {
  return site !== false || generator !== 'plain';
}

/**
 * Messages about additions to pages that have no effect, as Pressmark does not make the pages of this site.
 *
 * @param hooks the hooks of `pages(host)`, if it runs.
 * @param calls the plugins' other additions.
 */
export function idlePages(
  plugins: readonly PluginEntry[],
  settings: Pick<Settings, 'site' | 'generator'>,
  hooks: readonly Pick<HookReport, 'plugin' | 'kind' | 'name'>[],
  calls: PageAdditions['calls'] = [],
): string[] {
  const { site, generator } = settings;
  if (site !== false) return [];
  const withPages = plugins.filter(({ plugin }) => plugin.pages !== undefined);
  if (!runsPages(settings))
    return withPages.map(
      ({ plugin, origin }) =>
        `pages(host) of plugin ${plugin.name} (${origin}) does not run: site is false in the config`,
    );
  const name = typeof generator === 'string' ? generator : generator.name;
  const isIdle = ({ kind, name }: (typeof hooks)[number]) =>
    kind === 'filter' &&
    hooksOf('pages').filter.includes(name) &&
    !AFTER_BUILD.some((after) => after === name);
  return withPages.flatMap(({ plugin, origin }) => {
    const idle = hooks.filter((hook) => hook.plugin === plugin.name && isIdle(hook));
    const added = calls.filter((call) => call.plugin === plugin.name);
    const names = [...new Set([...idle, ...added].map((one) => one.name))];
    if (names.length === 0) return [];
    return `${names.join(', ')} of plugin ${plugin.name} (${origin}) ${names.length === 1 ? 'does' : 'do'} not run: ${name} makes the pages of this site; ${AFTER_BUILD.join(', ')} and files run after its build`;
  });
}

/** Messages about jobs that never run, as nothing runs their action. */
export function idleJobs(
  jobs: readonly Pick<JobReport, 'job' | 'on'>[],
  { liveCheck }: Pick<Settings, 'liveCheck'>,
): string[] {
  const idle = liveCheck ? [] : jobs.filter(({ on }) => on === 'article.live');
  return idle.map(({ job }) => `job ${job} does not run: article.live needs liveCheck in the config`);
}
