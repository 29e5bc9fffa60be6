import { readFrontMatter } from '../../article/front-matter/read.js';
import type { FrontMatterValue } from '../../article/mapping.js';
import { PressmarkError } from '../../errors.js';
import type { GeneratorOptions, Problem, Question, SiteFiles } from '../generator.js';
import { byFrequency } from '../value.js';
import { DEFAULT_KEYS, type Site } from './config.js';

/** The front matter of the collection's Markdown files, as far as it can be read. */
export function postsOf(files: SiteFiles, site: Site): Readonly<Record<string, unknown>>[] {
  const base = site.collection?.base ?? `${site.srcDir}/content/blog`;
  return below(files, base, 4)
    .filter((path) => path.endsWith('.md'))
    .slice(0, 200)
    .flatMap((path) => {
      try {
        return [readFrontMatter(files.read(path) ?? '').data];
      } catch (error) {
        if (error instanceof PressmarkError) return []; // `doctor` names files that cannot be read
        throw error;
      }
    });
}

/** The files below a folder, at most so many folders deep. */
export function below(files: SiteFiles, folder: string, depth: number): string[] {
  return files.list(folder).flatMap((name) => {
    const path = folder === '.' ? name : `${folder}/${name}`;
    if (!name.endsWith('/')) return [path];
    return depth === 0 || name === 'node_modules/' ? [] : below(files, path.slice(0, -1), depth - 1);
  });
}

interface NeededKeys {
  readonly constants: Readonly<Record<string, FrontMatterValue>>;
  readonly questions: readonly Question[];
  readonly warnings: readonly Problem[];
}

/** What the schema demands besides the fields of an article. */
export function neededKeys(files: SiteFiles, site: Site, options: GeneratorOptions): NeededKeys {
  const schema = site.collection?.schema;
  const file = site.collection?.configFile ?? '';
  if (schema === undefined) return { constants: {}, questions: [], warnings: [] };
  const constants: Record<string, FrontMatterValue> = {};
  const questions: Question[] = [];
  const warnings: Problem[] = [];
  const posts = postsOf(files, site);
  const ours = new Set(Object.values({ ...DEFAULT_KEYS, ...options.keys }));
  for (const { name, kind, isRequired, values } of schema.keys) {
    if (!isRequired || (ours.has(name) && !isMaybeMissing(name, options))) continue;
    const usual = byFrequency(posts.map((data) => data[name]))[0];
    const value =
      kind === 'enum'
        ? (usual ?? values[0])
        : kind === 'boolean'
          ? false
          : kind === 'string' || kind === 'other'
            ? usual
            : undefined;
    if (kind === 'list') constants[name] = [];
    else if ((kind === 'enum' || kind === 'boolean') && value !== undefined) constants[name] = value;
    else
      questions.push({
        flag: 'front-matter',
        text: `${file} demands the key ${name} (${kind}), which an article does not have. Which value do new articles get?`,
        key: name,
        ...(typeof value === 'string' ? { fallback: value } : {}),
      });
    if (kind === 'enum' && typeof value === 'string')
      warnings.push({
        level: 'warn',
        text: `${file} demands the key ${name}; new articles get ${JSON.stringify(value)}.`,
        fix: `Check articles.frontMatter.${name} in pressmark.config.mjs${values.length === 0 ? '' : `; the schema accepts ${values.join(', ')}`}.`,
      });
  }
  return { constants, questions, warnings };
}

/** Fields that an article need not have: the schema must not demand them. */
const isMaybeMissing = (name: string, { keys }: GeneratorOptions): boolean =>
  name === keys?.updated || name === keys?.image;

/** The tags of the posts, the most frequent first. */
export function tagsOf(files: SiteFiles, site: Site, { keys }: GeneratorOptions): string[] {
  const key = keys?.tags;
  return typeof key === 'string' ? byFrequency(postsOf(files, site).flatMap((data) => data[key])) : [];
}
