import type { GeneratorOptions, SiteFiles } from '../generator.js';
import { isTimeZone } from '../time-zone.js';
import { type HugoConfig, readableConfig, shapeOf } from './config.js';

/** The options of the mapping that the configuration decides; none where it cannot be read, which `problems` reports. */
export function options(files: SiteFiles): GeneratorOptions {
  const config = readableConfig(files);
  return 'values' in config ? optionsOf(config) : {};
}

/** The options of the mapping that a configuration decides. */
export function optionsOf(config: HugoConfig): GeneratorOptions {
  const { timeZone, rawHtml } = shapeOf(config);
  return { rawHtml, ...(timeZone !== undefined && isTimeZone(timeZone) ? { timeZone } : {}) };
}
