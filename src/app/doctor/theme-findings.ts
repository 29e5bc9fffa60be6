import type { Settings } from '../../config/load.js';
import { messageOf } from '../../errors.js';
import { startHost } from '../../host/plugins.js';
import { createLog } from '../../log.js';
import { siteInfoOf } from '../../site/render/site-info.js';
import { tryTheme } from '../../site/render/try-theme.js';
import { themeOf } from '../builder/theme.js';
import { foldersOf } from '../content/folders.js';
import { loadPlugins } from '../plugins/load-plugins.js';
import type { Finding } from './finding.js';

const about = 'theme';

const NO_ARTICLES = { get: async () => undefined, find: async () => undefined, ids: () => new Set<string>() };

/** Whether every template makes its page, with the filters of the site's plugins. */
export async function themeFindings(settings: Settings): Promise<Finding[]> {
  if (settings.generator !== 'plain')
    return [{ level: 'ok', about, text: 'not used, as another generator builds the site' }];
  if (settings.site === false)
    return [{ level: 'ok', about, text: 'site is false in the config; another generator builds the site' }];
  const failures = await failuresOf(settings, settings.site).catch((error) => [messageOf(error)]);
  if (failures.length === 0) return [{ level: 'ok', about, text: 'a page of every kind can be made' }];
  const fix = 'fix that; until then the old pages stay';
  return failures.map((text) => ({ level: 'fail', about, text, fix }));
}

async function failuresOf(settings: Settings, said: Exclude<Settings['site'], false>): Promise<string[]> {
  const { templatesDir } = foldersOf(settings);
  const theme = themeOf(settings);
  const log = createLog({ level: 'silent', terminal: false });
  const host = await startHost(await loadPlugins(settings.dir, settings.plugins), {
    role: 'builder',
    siteUrl: settings.siteUrl,
    siteDir: settings.dir,
    log,
    articles: NO_ARTICLES,
  });
  try {
    const site = siteInfoOf(settings.siteUrl, { ...said, search: said.search !== false }, theme.settings);

    return await tryTheme([...theme.dirs, templatesDir], site, host.hooks, host.outputs, log);
  } finally {
    await host.close();
  }
}
