import { posix } from 'node:path';
import type { SiteFiles } from '../generator.js';
import { npmScripts } from '../package-json.js';

/** In the order in which Eleventy looks for them; a `.ts` file is read with `--config` alone. */
export const CONFIG_FILES = [
  '.eleventy.js',
  'eleventy.config.js',
  'eleventy.config.mjs',
  'eleventy.config.cjs',
  'eleventy.config.ts',
];

/** The configuration file in its usual place. */
export function configFile(files: SiteFiles): string | undefined {
  return CONFIG_FILES.find((name) => files.read(name) !== undefined);
}

const RUNS_ELEVENTY = /(?:^|[\s/;&|=])(?:@11ty\/)?eleventy(?=$|[\s;&|@])/;

/** The script that builds the site: `build`, or one that it may run; empty where there is none. */
export function eleventyScript(files: SiteFiles): string {
  const all = npmScripts(files);
  const candidates = [
    all.build,
    ...Object.entries(all).map(([name, script]) => (/serve|watch|start|dev/.test(name) ? '' : script)),
  ];
  return candidates.find((script) => script !== undefined && RUNS_ELEVENTY.test(script)) ?? '';
}

/** The value of a flag in a command line. */
export function flagOf(script: string, name: string): string | undefined {
  return new RegExp(`\\s--${name}[= ]["']?([^\\s"';&|]+)`).exec(script)?.[1];
}

/** The command that builds the site. */
export function buildCommand(files: SiteFiles): string {
  return npmScripts(files).build !== undefined && eleventyScript(files) !== ''
    ? 'npm run build'
    : 'npx @11ty/eleventy';
}

/** All files below a folder, by name; neither those of hidden folders nor of dependencies. */
export function filesBelow(files: SiteFiles, folder: string): string[] {
  return files.list(folder === '' ? '.' : folder).flatMap((name) => {
    const path = joined(folder, name);
    if (!name.endsWith('/')) return [path];
    return name.startsWith('.') || name === 'node_modules/' ? [] : filesBelow(files, path);
  });
}

/** A path below a folder: `content` and `../_includes` give `_includes`; the site's folder is ''. */
export function joined(folder: string, path: string): string {
  return posix.join(folder, path).replace(/^(?:\.\.?\/)+|^\.$|\/$/g, '');
}
