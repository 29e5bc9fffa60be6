import { mapOf } from '../../article/plain-data.js';
import type { SiteFiles } from '../generator.js';

/** The site's `package.json`, or another; empty where there is none or where it is not JSON, which npm itself reports. */
export function readPackageJson(
  files: Pick<SiteFiles, 'read'>,
  path = 'package.json',
): Readonly<Record<string, unknown>> {
  try {
    return mapOf(JSON.parse(files.read(path)?.replace(/^\ufeff/, '') ?? '{}'));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** The npm scripts of the site, by name. */
export function npmScripts(files: Pick<SiteFiles, 'read'>): Readonly<Record<string, string>> {
  const scripts = Object.entries(mapOf(readPackageJson(files).scripts));
  return Object.fromEntries(
    scripts.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** The version of an npm package that is installed; undefined where it is not. */
export function installedVersion(files: SiteFiles, name: string): string | undefined {
  const { version } = readPackageJson(files, `node_modules/${name}/package.json`);
  return typeof version === 'string' ? version : undefined;
}

/** Lock files, by the package managers that write them. npm's comes last: to install Pressmark with npm writes one. */
export const LOCK_FILES = [
  ['pnpm', 'pnpm-lock.yaml'],
  ['yarn', 'yarn.lock'],
  ['bun', 'bun.lock'],
  ['bun', 'bun.lockb'],
  ['npm', 'package-lock.json'],
] as const;

/** The package manager of a site: the one that package.json names, or whose lock file is there; else npm. */
export function packageManager(files: Pick<SiteFiles, 'read'>): 'npm' | 'pnpm' | 'yarn' | 'bun' {
  const [, named] = /^(npm|pnpm|yarn|bun)@/.exec(String(readPackageJson(files).packageManager)) ?? [];
  const [found] =
    LOCK_FILES.find(([name]) => name === named) ??
    LOCK_FILES.find(([, file]) => files.read(file) !== undefined) ??
    [];
  return found ?? 'npm';
}

/** The first of these files that is there. */
export function firstFile<T extends string>(
  files: Pick<SiteFiles, 'read'>,
  names: readonly T[],
): T | undefined {
  return names.find((name) => files.read(name) !== undefined);
}

/** The names of the npm packages that the site depends on. */
export function npmDependencies(files: SiteFiles): ReadonlySet<string> {
  const manifest = readPackageJson(files);
  const lists = ['dependencies', 'devDependencies', 'optionalDependencies'];
  return new Set(lists.flatMap((key) => Object.keys(mapOf(manifest[key]))));
}

const PYTHON = /^[ \t]*["']?([\w.-]+)(?:\[[^\]]*\])?[ \t]*(?:[=<>~!;"',]|$)/gm;

/** Lines of the manifests of other languages that name a package. */
const NAMES: Readonly<Record<string, RegExp>> = {
  Gemfile: /^[ \t]*gem[ \t(]+['"]([\w.-]+)['"]/gm,
  'requirements.txt': PYTHON,
  'pyproject.toml': PYTHON,
  Pipfile: PYTHON,
  'setup.py': PYTHON,
  'composer.json': /"([\w.-]+\/[\w.-]+)"[ \t]*:/g,
};

/** The packages that the site depends on, whatever the language, by name with the file that names them. */
export function dependencies(files: SiteFiles): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const name of npmDependencies(files)) found.set(name, 'package.json');
  for (const [file, pattern] of Object.entries(NAMES))
    for (const [, name = ''] of (files.read(file) ?? '').matchAll(pattern))
      if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), file);
  return found;
}
