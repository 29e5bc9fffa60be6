import type { SiteFiles } from '../generator.js';
import { joined, withImports } from '../own-modules.js';
import { npmScripts } from '../package-json.js';
import { type Literals, literalsOf, text } from './js-literals.js';

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

const RUNS_ELEVENTY = /(?:^|[\s/;&|=])(?:@11ty\/)?eleventy(?=$|[\s;&|@])/;

/** The script that builds the site: `build`, or one that it may run. */
export function eleventyScript(files: SiteFiles): string {
  const all = npmScripts(files);
  const candidates = [
    all.build,
    ...Object.entries(all).map(([name, script]) => (/serve|watch|start|dev/.test(name) ? '' : script)),
  ];
  return candidates.find((script) => script !== undefined && RUNS_ELEVENTY.test(script)) ?? '';
}

/** The command that builds the site. */
export function buildCommand(site: Site): string {
  return npmScripts(site.files).build !== undefined && site.script !== ''
    ? 'npm run build'
    : 'npx @11ty/eleventy';
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

/** All files below a folder, by name; neither those of hidden folders nor of dependencies. */
export function filesBelow(files: SiteFiles, folder: string): string[] {
  return files.list(folder === '' ? '.' : folder).flatMap((name) => {
    const path = joined(folder, name);
    if (!name.endsWith('/')) return [path];
    return name.startsWith('.') || name === 'node_modules/' ? [] : filesBelow(files, path);
  });
}

/** A URL; null where the text is not one. */
export function urlOf(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/** A path without slashes at its ends. */
export function trimmed(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}

/** A path without slashes at its end. */
export function trimmedEnd(path: string): string {
  return path.replace(/\/+$/, '');
}
