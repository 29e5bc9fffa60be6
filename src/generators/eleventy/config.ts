import type { GeneratorOptions, SiteFiles } from '../generator.js';
import { siteData } from './data.js';
import { type Literals, literalsOf, property, text } from './js-literals.js';

/** In the order in which Eleventy looks for them; a `.ts` file is read with `--config` alone. */
export const CONFIG_FILES = [
  '.eleventy.js',
  'eleventy.config.js',
  'eleventy.config.mjs',
  'eleventy.config.cjs',
  'eleventy.config.ts',
];

/** What the configuration says. Folders are relative to the site's folder and have no slash at the end; '' is the site's folder. */
export interface Site {
  readonly files: SiteFiles;
  /** The configuration file and the site's own modules that it imports. */
  readonly source: string;
  readonly config: Literals;
  readonly input: string;
  readonly output: string;
  readonly includes: string;
  readonly layouts: string;
  readonly data: string;
  /** With a slash at both ends. */
  readonly pathPrefix: string;
  /** The script of package.json that runs Eleventy; empty where there is none. */
  readonly script: string;
}

/** The configuration file in its usual place. */
export function configFile(files: SiteFiles): string | undefined {
  return CONFIG_FILES.find((name) => files.read(name) !== undefined);
}

/** Reads the configuration: flags of the build script go before it, as they do in Eleventy. */
export function readSite(files: SiteFiles): Site {
  const script = eleventyScript(files);
  const flag = (name: string) => new RegExp(`\\s--${name}[= ]["']?([^\\s"';&|]+)`).exec(script)?.[1];
  const file = flag('config') ?? configFile(files);
  const source = file === undefined ? '' : withImports(files, file.replace(/^\.\//, ''));
  const config = literalsOf(source);
  const folder = (method: string, key: string) =>
    config.calls.find(({ name }) => name === method)?.strings[0] ?? text(config, 'dir', key);
  const input = joined('', flag('input') ?? folder('setInputDirectory', 'input') ?? '.');
  const below = (method: string, key: string, usual: string) => joined(input, folder(method, key) ?? usual);
  const includes = below('setIncludesDirectory', 'includes', '_includes');
  const prefix = flag('pathprefix') ?? text(config, 'pathPrefix') ?? '/';
  return {
    files,
    source,
    config,
    input,
    output: joined('', flag('output') ?? folder('setOutputDirectory', 'output') ?? '_site'),
    includes,
    layouts:
      folder('setLayoutsDirectory', 'layouts') === undefined
        ? includes
        : below('setLayoutsDirectory', 'layouts', ''),
    data: below('setDataDirectory', 'data', '_data'),
    pathPrefix: `/${trimmed(prefix)}/`.replace('//', '/'),
    script,
  };
}

/** The text of a module, followed by those of the site's own modules that it imports. */
function withImports(files: SiteFiles, first: string): string {
  const found = new Map<string, string>();
  const waiting = [first];
  for (let path = waiting.shift(); path !== undefined && found.size < 50; path = waiting.shift()) {
    const source = found.has(path) ? undefined : files.read(path);
    if (source === undefined) continue;
    found.set(path, source);
    const folder = path.split('/').slice(0, -1).join('/');
    for (const [, target = ''] of source.matchAll(
      /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g,
    )) {
      const base = joined(folder, target);
      waiting.push(...(/\.[cm]?[jt]s$/.test(base) ? [base] : [`${base}.js`, `${base}/index.js`]));
    }
  }
  return [...found.values()].join('\n');
}

export function packageJson(files: SiteFiles): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(files.read('package.json') ?? '{}');
    return isRecord(read) ? read : {};
  } catch {
    return {}; // npm itself says so, in better words
  }
}

/** The names of the npm packages that the site depends on. */
export function dependencies(files: SiteFiles): Set<string> {
  const { dependencies: usual, devDependencies: dev } = packageJson(files);
  return new Set([usual, dev].flatMap((list) => (isRecord(list) ? Object.keys(list) : [])));
}

export function scripts(files: SiteFiles): Record<string, string> {
  const { scripts: all } = packageJson(files);
  return Object.fromEntries(
    Object.entries(isRecord(all) ? all : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

const RUNS_ELEVENTY = /(?:^|[\s/;&|=])(?:@11ty\/)?eleventy(?=$|[\s;&|@])/;

/** The script that builds the site: `build`, or one that it may run. */
function eleventyScript(files: SiteFiles): string {
  const all = scripts(files);
  const candidates = [
    all.build,
    ...Object.entries(all).map(([name, script]) => (/serve|watch|start|dev/.test(name) ? '' : script)),
  ];
  return candidates.find((script) => script !== undefined && RUNS_ELEVENTY.test(script)) ?? '';
}

/** The command that builds the site. */
export function buildCommand(site: Site): string {
  return scripts(site.files).build !== undefined && site.script !== ''
    ? 'npm run build'
    : 'npx @11ty/eleventy';
}

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

/** The extensions that Eleventy makes pages of; undefined where the configuration does not name them. */
export function templateFormats({ properties, calls }: Literals): string[] | undefined {
  const set = calls
    .find(({ name }) => name === 'setTemplateFormats')
    ?.strings.flatMap((list) => list.split(','));
  const listed = properties
    .filter(({ path }) => path.at(-1) === 'templateFormats')
    .flatMap(({ value }) => String(value).split(','));
  const formats = set !== undefined && set.length > 0 ? set : listed;
  if (formats.length === 0) return undefined;
  const added = calls
    .filter(({ name }) => name === 'addTemplateFormats')
    .flatMap(({ strings }) => strings.flatMap((list) => list.split(',')));
  return [...formats, ...added].map((format) => format.trim());
}

/** What makes `templateEngineOverride: md` and `html` run templates all the same. */
export function switchOff(config: Literals): string | undefined {
  const extension = config.calls.find(
    ({ name, strings }) => name === 'addExtension' && strings.some((one) => one === 'md' || one === 'html'),
  );
  if (extension !== undefined) return `addExtension('${extension.strings.join("', '")}')`;
  const renamed = text(config, 'keys', 'engineOverride');
  if (renamed !== undefined && renamed !== 'templateEngineOverride')
    return `keys.engineOverride ('${renamed}')`;
  return undefined;
}

/** Whether the site's Markdown renderer escapes raw HTML. */
export function dropsRawHtml(config: Literals): boolean {
  if (config.properties.some(({ path, value }) => path.at(-1) === 'html' && value === false)) return true;
  const own = config.calls.some(({ name, strings }) => name === 'setLibrary' && strings[0] === 'md');
  // Without the option, markdown-it escapes raw HTML; Eleventy sets it for its own instance only.
  return own && !config.properties.some(({ path, value }) => path.at(-1) === 'html' && value === true);
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

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** Whether `.gitignore` has a line. */
export function ignores(files: SiteFiles, line: string): boolean {
  const lines = (files.read('.gitignore') ?? '')
    .split('\n')
    .map((one) => trimmed(one.trim().replace(/\*+$/, '')));
  return lines.includes(trimmed(line));
}

/** All files below a folder, by name; neither those of hidden folders nor of dependencies. */
export function filesBelow(files: SiteFiles, folder: string): string[] {
  return files.list(folder === '' ? '.' : folder).flatMap((name) => {
    const path = joined(folder, name);
    if (!name.endsWith('/')) return [path];
    return name.startsWith('.') || name === 'node_modules/' ? [] : filesBelow(files, path);
  });
}

export function urlOf(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A path below a folder, normalised: `content` and `../_includes` give `_includes`. */
export function joined(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '..' && parts.length > 0) parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** A path without slashes at its ends. */
export function trimmed(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}

/** A path without slashes at its end. */
export function trimmedEnd(path: string): string {
  return path.replace(/\/+$/, '');
}
