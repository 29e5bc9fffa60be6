import type { SiteFiles } from './generator.js';

const IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"](\.{1,2}\/[^'"\n]+|[@~]\/[^'"\n]+)['"]/g;

/** More would be the site's components; the first ones say what a configuration means. */
const MOST_MODULES = 50;

/**
 * The text of a module, followed by those of the site's own modules that it imports, directly or not.
 *
 * @param first path of the module, relative to the site's folder.
 * @param aliased the folder that `@/` and `~/` stand for.
 */
export function withImports(files: SiteFiles, first: string, aliased = 'src'): string {
  const found = new Map<string, string>();
  const waiting = [first];
  for (let path = waiting.shift(); path !== undefined && found.size < MOST_MODULES; path = waiting.shift()) {
    const source = found.has(path) ? undefined : files.read(path);
    if (source === undefined) continue;
    found.set(path, source);
    const folder = path.split('/').slice(0, -1).join('/');
    for (const [, target = ''] of source.matchAll(IMPORT)) {
      const base = target.startsWith('.') ? joined(folder, target) : joined(aliased, target.slice(2));
      waiting.push(...(/\.[cm]?[jt]s$/.test(base) ? [base, base.replace(/js$/, 'ts')] : candidates(base)));
    }
  }
  return [...found.values()].join('\n');
}

const candidates = (base: string): string[] =>
  ['.ts', '.js', '.mjs', '.mts', '/index.ts', '/index.js'].map((end) => base + end);

/** A path below a folder, normalised: `content` and `../_includes` give `_includes`. */
export function joined(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '..' && parts.length > 0) parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
