import type { GeneratorOptions } from '../generator.js';
import { isTimeZone } from '../time-zone.js';
import { dropsRawHtml, filesBelow, type Site, switchOff, templateFormats } from './config.js';
import { siteData } from './data.js';
import { type Literals, property, text } from './js-literals.js';

/** What decides how bodies are written and which tags stay. */
export function siteOptions(site: Site): GeneratorOptions {
  const { config } = site;
  const formats = templateFormats(config);
  const separator = excerptSeparator(config);
  const elements = markedElements(site);
  const ids = usedIds(site);
  const keptTags = collectionTags(site);
  const zone = siteData(site, ['timezone', 'timeZone', 'time_zone']);
  return {
    ...(formats !== undefined && !formats.includes('html') && { htmlFiles: false }),
    ...(switchOff(config) !== undefined && { templateSwitch: false }),
    ...(dropsRawHtml(config) && { rawHtml: false }),
    ...(separator !== undefined && { excerptSeparator: separator }),
    ...(elements.length > 0 && { markedElements: elements }),
    ...(ids !== undefined && { usedIds: ids }),
    ...(keptTags.length > 0 && { keptTags }),
    ...(zone !== undefined && isTimeZone(zone) && { timeZone: zone }),
  };
}

function excerptSeparator(config: Literals): string | undefined {
  if (!config.calls.some(({ name }) => name === 'setFrontMatterParsingOptions')) return undefined;
  return text(config, 'excerpt_separator') ?? (property(config, 'excerpt') === true ? '---' : undefined);
}

/** Elements that plugins move into a bundle, or read the files of and may fail. */
function markedElements({ config, source }: Site): string[] {
  const selectors = config.properties.filter(({ path }) => path.at(-1) === 'bundleHtmlContentFromSelector');
  const bundled = selectors.flatMap(({ value }) => String(value).match(/[a-z]+/gi) ?? []);
  const images = /\beleventyImageTransformPlugin\b/.test(source) && property(config, 'failOnError') !== false;
  return [...new Set([...bundled, ...(images ? ['img'] : [])])];
}

/** The ids in layouts, where the IdAttributePlugin stops at a page that has one twice. */
function usedIds({ files, source, config, includes, layouts }: Site): string[] | undefined {
  if (!/\bIdAttributePlugin\b/.test(source) || property(config, 'checkDuplicates') === false)
    return undefined;
  const sources = [...new Set([...filesBelow(files, includes), ...filesBelow(files, layouts)])].map((path) =>
    files.read(path),
  );
  const ids = sources.flatMap((text) =>
    [...(text ?? '').matchAll(/\sid\s*=\s*["']?([^\s"'>{}]+)["'\s>]/g)].map(([, id = '']) => id),
  );
  return [...new Set(ids)];
}

/** The collections that templates name, in the order of their first use. */
export function collectionTags(site: Site): string[] {
  const { files } = site;
  const templates = [
    ...filesBelow(files, site.includes),
    ...filesBelow(files, site.layouts),
    ...filesBelow(files, site.input),
  ]
    .filter((path) => /\.(?:njk|liquid|html|md|webc|11ty\.[cm]?[jt]s)$/.test(path))
    .filter((path) => !path.startsWith(`${site.output}/`));
  const sources = [
    site.source,
    ...[...new Set(templates)].slice(0, 500).map((path) => files.read(path) ?? ''),
  ];
  const named = sources.flatMap((source) =>
    [
      ...source.matchAll(/\bcollections(?:\.([A-Za-z_$][\w$]*)|\[\s*(['"])([^'"\n]+)\2\s*\])/g),
      ...source.matchAll(/\bgetFilteredByTag()\(\s*(['"])([^'"\n]+)\2/g),
    ].map(([, name, , quoted]) => name || quoted || ''),
  );
  const made = new Set(
    site.config.calls.filter(({ name }) => name === 'addCollection').flatMap(({ strings }) => strings),
  );
  return [...new Set(named)].filter((name) => name !== '' && name !== 'all' && !made.has(name));
}
