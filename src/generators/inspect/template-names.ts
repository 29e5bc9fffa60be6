import type { GeneratorOptions, SiteFiles } from '../generator.js';

/** So many templates show how a site uses its collections. */
const MOST_TEMPLATES = 500;

/** What the groups of a pattern match in files, each once. */
export function namesIn(files: SiteFiles, paths: readonly string[], pattern: RegExp): string[] {
  const texts = [...new Set(paths)].slice(0, MOST_TEMPLATES).map((path) => files.read(path) ?? '');
  const names = texts.flatMap((text) =>
    Array.from(text.matchAll(pattern), ([, ...groups]) => groups.join('')),
  );
  return [...new Set(names)];
}

/** All files below a folder, by name; neither those of hidden folders nor of dependencies. */
export function filesBelow(files: SiteFiles, folder: string): string[] {
  return files.list(folder === '' ? '.' : folder).flatMap((name) => {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (!name.endsWith('/')) return [path];
    return name.startsWith('.') || name === 'node_modules/' ? [] : filesBelow(files, path.slice(0, -1));
  });
}

/** The option that names the tags by which a site's templates select posts. */
export function keptTagsOption(tags: readonly string[]): Pick<GeneratorOptions, 'keptTags'> {
  return tags.length > 0 ? { keptTags: tags } : {};
}
