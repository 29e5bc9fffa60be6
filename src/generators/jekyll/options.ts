import type { GeneratorOptions, SiteFiles } from '../generator.js';
import { isTimeZone } from '../time-zone.js';
import { majorVersion, readConfig, textIn } from './config.js';

/** The options of the mapping that the configuration decides. */
export function options(files: SiteFiles): GeneratorOptions {
  const { data: config } = readConfig(files);
  const timeZone = textIn(config, 'timezone');
  const version = majorVersion(files, config);
  const renderer = textIn(config, 'markdown');
  return {
    timeZone: timeZone !== undefined && isTimeZone(timeZone) ? timeZone : 'UTC',
    // Where the version is unknown, escapes are right in both.
    templateSwitch: version !== undefined && version >= 4,
    // Not kramdown: its extension that prints HTML as it is would be shown as text.
    rawHtml: renderer !== undefined && !/^kramdown$/i.test(renderer),
    htmlFiles: true,
    futurePages: config.future === true,
  };
}
