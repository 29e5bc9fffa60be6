import type { Settings } from '../../config/load.js';
import { type Host, type PluginHost, startHost } from '../../host/plugins.js';
import { createLog } from '../../log.js';
import { siteInfoOf } from '../../site/render/site-info.js';
import { tryTheme } from '../../site/render/try-theme.js';
import { themeOf } from '../builder/theme.js';
import { foldersOf } from '../content/folders.js';
import { loadPlugins } from '../plugins/load-plugins.js';
import { firstPartyStandIns } from '../plugins/stand-ins.js';
import { type Finding, refusal } from './finding.js';

const about = 'theme';

const NO_ARTICLES = { get: async () => undefined, find: async () => undefined, ids: () => new Set<string>() };

/**
 * Whether the plugins can be set up, in the receiver and where pages are built, and whether every template makes its page
 * with their filters.
 */
export async function themeFindings(settings: Settings): Promise<Finding[]> {
  const log = createLog({ level: 'silent', terminal: false });
  const start = async (role: PluginHost['role']) =>
    startHost([...firstPartyStandIns(settings), ...(await loadPlugins(settings.dir, settings.plugins))], {
      role,
      siteUrl: settings.siteUrl,
      siteDir: settings.dir,
      log,
      articles: NO_ARTICLES,
    });
  try {
    await (await start('receiver')).close();
  } catch (error) {
    return [refusal('plugins', error)];
  }
  if (settings.generator !== 'plain')
    return [{ level: 'ok', about, text: 'not used, as another generator builds the site' }];
  if (settings.site === false)
    return [{ level: 'ok', about, text: 'site is false in the config; another generator builds the site' }];
  let host: Host;
  try {
    host = await start('builder');
  } catch (error) {
    return [refusal('plugins', error)];
  }
  try {
    const { dirs, settings: values } = themeOf(settings);
    const site = siteInfoOf(
      settings.siteUrl,
      { ...settings.site, search: settings.site.search !== false },
      values,
    );
    const templates = [...dirs, foldersOf(settings).templatesDir];
    const failures = await tryTheme(templates, site, host.hooks, host.outputs, log);
    const fix = 'fix that; until then the old pages stay';
    return failures.length === 0
      ? [{ level: 'ok', about, text: 'a page of every kind can be made' }]
      : failures.map((text) => ({ level: 'fail', about, text, fix }));
  } catch (error) {
    return [refusal(about, error)];
  } finally {
    await host.close();
  }
}
