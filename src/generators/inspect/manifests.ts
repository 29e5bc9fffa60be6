import { mapOf } from '../../article/plain-data.js';
import type { Problem, SiteFiles } from '../generator.js';

/** The site's `package.json`, or another one; empty if it is missing or not JSON, which npm itself reports. */
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

/**
 * The arguments of a program in a shell script; undefined if the script does not run it.
 *
 * @param program matches the word that runs it, such as `npx @11ty/eleventy@3`.
 */
export function argumentsOf(script: string, program: RegExp): readonly string[] | undefined {
  for (const command of script.split(/&&|[;|&]/)) {
    const words = Array.from(command.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g), ([word]) =>
      word.replace(/["']/g, ''),
    );
    const at = words.findIndex((word) => program.test(word));
    if (at !== -1) return words.slice(at + 1);
  }
  return undefined;
}

/** The version of an installed npm package; undefined if it is not installed. */
export function installedVersion(files: SiteFiles, name: string): string | undefined {
  const { version } = readPackageJson(files, `node_modules/${name}/package.json`);
  return typeof version === 'string' ? version : undefined;
}

/**
 * Warns of a generator's version with which Pressmark was not tested.
 *
 * @param version such as `3.1.2`; undefined if unknown.
 * @param tried the tested versions, in words, such as `Eleventy 2 and 3`.
 * @param majors their major numbers.
 * @param minor the lowest minor number. @default any
 */
export function untestedVersion(
  version: string | undefined,
  tried: string,
  majors: readonly number[],
  minor = 0,
): Problem[] {
  const [, first, second = '0'] = /^v?(\d+)(?:\.(\d+))?/.exec(version ?? '') ?? [];
  if (first === undefined || (majors.includes(Number(first)) && Number(second) >= minor)) return [];
  const text = `This site has version ${version}; Pressmark was tested with ${tried}.`;
  return [
    {
      level: 'warn',
      text,
      fix: 'Check the page of the first article, and the lists and feeds that show it.',
    },
  ];
}

/** Lock files and their package managers. npm's comes last, because installing Pressmark with npm writes one. */
export const LOCK_FILES = [
  ['pnpm', 'pnpm-lock.yaml'],
  ['yarn', 'yarn.lock'],
  ['bun', 'bun.lock'],
  ['bun', 'bun.lockb'],
  ['npm', 'package-lock.json'],
] as const;

/** The package manager of a site: the one in package.json, or the one whose lock file exists; otherwise npm. */
export function packageManager(files: Pick<SiteFiles, 'read'>): 'npm' | 'pnpm' | 'yarn' | 'bun' {
  const [, named] = /^(npm|pnpm|yarn|bun)@/.exec(String(readPackageJson(files).packageManager)) ?? [];
  const [found] =
    LOCK_FILES.find(([name]) => name === named) ??
    LOCK_FILES.find(([, file]) => files.read(file) !== undefined) ??
    [];
  return found ?? 'npm';
}

/** The first of these files that exists. */
export function firstFile<T extends string>(
  files: Pick<SiteFiles, 'read'>,
  names: readonly T[],
): T | undefined {
  return names.find((name) => files.read(name) !== undefined);
}

/** The npm packages that the site depends on, by name. */
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

/** The packages that the site depends on, in any language, by name with the file that names them. */
export function dependencies(files: SiteFiles): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const name of npmDependencies(files)) found.set(name, 'package.json');
  for (const [file, pattern] of Object.entries(NAMES))
    for (const [, name = ''] of (files.read(file) ?? '').matchAll(pattern))
      if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), file);
  return found;
}
