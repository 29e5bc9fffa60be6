import type { FileEdit, SiteFiles } from '../generator.js';
import { withImports } from '../own-modules.js';
import {
  argumentOf,
  closing,
  type ObjectSource,
  objectSource,
  outline,
  resolved,
  stringOf,
  stringsOf,
  withoutComments,
} from './js-objects.js';

/** One key of a collection's schema, as far as its source says it. */
export interface SchemaKey {
  readonly name: string;
  readonly kind:
    | 'string'
    | 'url'
    | 'day'
    | 'date'
    | 'strict-date'
    | 'boolean'
    | 'number'
    | 'list'
    | 'enum'
    | 'image'
    | 'other';
  /** Whether a file without the key is refused. */
  readonly isRequired: boolean;
  /** The values of an enum. */
  readonly values: readonly string[];
  /** The part of the source that refuses some texts, such as `.max(60)`. */
  readonly limit: string | undefined;
}

/** A collection of the site's content configuration. */
export interface Collection {
  readonly name: string;
  /** The file that defines it. */
  readonly configFile: string;
  /** The folder of its files, relative to the site; undefined where the source computes it. */
  readonly base: string | undefined;
  readonly patterns: readonly string[];
  /** Whether its loader reads `.html` article files: `articles` of `pressmark/astro`. */
  readonly readsHtml: boolean;
  /** Whether the loader makes ids of its own. */
  readonly hasOwnIds: boolean;
  /** Undefined where the source does not show the schema. */
  readonly schema: Schema | undefined;
}

/** A collection's schema. */
export interface Schema {
  readonly keys: readonly SchemaKey[];
  /** Whether it refuses keys that it does not name. */
  readonly isStrict: boolean;
  /** Where a further key can be put into the file; undefined where another module has the schema. */
  readonly insertAt: number | undefined;
}

/** Where Astro looks for the content configuration, in this order. */
export const contentConfigs = (srcDir: string): string[] => [
  ...['mjs', 'js', 'mts', 'ts'].map((extension) => `${srcDir}/content.config.${extension}`),
  ...['mjs', 'js', 'mts', 'ts'].map((extension) => `${srcDir}/content/config.${extension}`),
];

/** The collections that a site defines. */
export function readCollections(files: SiteFiles, srcDir: string): Collection[] {
  const path = contentConfigs(srcDir).find((name) => files.read(name) !== undefined);
  if (path === undefined) return [];
  const length = files.read(path)?.length ?? 0;
  return collectionsOf(withoutComments(withImports(files, path, srcDir)), path, srcDir).map((collection) => {
    const { schema } = collection;
    const isElsewhere = schema?.insertAt !== undefined && schema.insertAt > length;
    return isElsewhere ? { ...collection, schema: { ...schema, insertAt: undefined } } : collection;
  });
}

function collectionsOf(source: string, configFile: string, srcDir: string): Collection[] {
  const exported = /\bexport\s+const\s+collections\b[^=]*=\s*\{/.exec(source);
  const names =
    exported === null
      ? new Map<string, string>()
      : objectSource(
          source.slice(
            exported.index + exported[0].length - 1,
            closing(source, exported.index + exported[0].length - 1),
          ),
        );
  return [...names].flatMap(([name, value]) => {
    const definition = resolved(value, source) ?? '';
    const settings = objectSource(argumentOf(definition, /\bdefineCollection\s*\(/));
    if (settings.size === 0) return [];
    return [collectionOf(name, settings, source, configFile, srcDir)];
  });
}

function collectionOf(
  name: string,
  settings: ObjectSource,
  source: string,
  configFile: string,
  srcDir: string,
): Collection {
  const loader = resolved(settings.get('loader'), source);
  const articles = loader === undefined ? undefined : argumentOf(loader, /^articles\s*\(/, 1);
  const options = objectSource(
    resolved(loader === undefined ? undefined : argumentOf(loader, /\bglob\s*\(/), source) ??
      resolved(articles, source),
  );
  // Before the content layer (Astro 2 to 5), a collection was the folder of its name.
  const base =
    loader === undefined
      ? `${srcDir}/content/${name}`
      : folderOf(
          stringOf(filled(options.get('base'), source)) ??
            (options.has('pattern') && !options.has('base') ? '.' : undefined),
        );
  return {
    name,
    configFile,
    base,
    patterns:
      loader === undefined
        ? ['**/*.md']
        : options.has('pattern')
          ? stringsOf(options.get('pattern'))
          : articles === undefined
            ? []
            : ['**/*.md'],
    readsHtml: articles !== undefined,
    hasOwnIds: options.has('generateId'),
    schema: schemaOf(settings.get('schema'), source),
  };
}

/** A template literal with its constants filled in, and a constant's own value. */
function filled(expression: string | undefined, source: string): string | undefined {
  return resolved(expression, source)?.replace(
    /\$\{\s*([\w$]+)\s*\}/g,
    (whole, name: string) => stringOf(resolved(name, source)) ?? whole,
  );
}

/** A folder relative to the site's, without `./` and a slash at the end. */
export function folderOf(path: string | undefined): string | undefined {
  if (path === undefined || path.split('/').includes('..')) return undefined;
  const folder = path.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');
  return folder === '' ? '.' : folder;
}

function schemaOf(expression: string | undefined, source: string): Schema | undefined {
  const text = resolved(expression, source);
  if (text === undefined) return undefined;
  const [extended, base] = /^([\w$]+)\s*\.\s*(?:extend|safeExtend)\s*\(/.exec(text) ?? [];
  const call = extended === undefined ? /\bz\s*\.\s*(object|strictObject|looseObject)\s*\(/.exec(text) : null;
  const inherited = base === undefined ? undefined : schemaOf(base, source);
  if (call === null && inherited === undefined) return undefined;
  const open = text.indexOf('(', call?.index ?? 0);
  const end = closing(text, open);
  const shape = resolved(text.slice(open + 1, end - 1).trim(), source) ?? '';
  if (!shape.startsWith('{')) return undefined;
  const at = source.indexOf(text);
  const rest = text.slice(end);
  const extension = resolved(argumentOf(rest, /^\s*\.\s*(?:extend|safeExtend)\s*\(/), source);
  // The last one to name a key says what it is.
  const own = [...new Map([...objectSource(shape), ...objectSource(extension)])].map(([name, value]) =>
    schemaKey(name, value, source),
  );
  const named = new Set(own.map(({ name }) => name));
  return {
    keys: [...(inherited?.keys ?? []).filter(({ name }) => !named.has(name)), ...own],
    isStrict: call?.[1] === 'strictObject' || /^\s*\.strict\s*\(/.test(rest) || inherited?.isStrict === true,
    insertAt: source.indexOf(shape, at === -1 ? 0 : at) + 1,
  };
}

/** A key that a file may lack. */
const OPTIONAL =
  /\.\s*(?:optional|nullish|default|prefault|catch)\s*\(|\bz\s*\.\s*(?:optional|nullish|any|unknown)\s*\(/;

/** Schemas that say by what they are made of whether a file may lack the key. */
const COMPOSED = /^z\s*\.\s*(?:union|preprocess|lazy|pipe)\s*\(/;

function schemaKey(name: string, value: string, source: string): SchemaKey {
  const text = resolved(value, source) ?? value;
  const kind = kindOf(text);
  const enumeration = argumentOf(text, /\.enum\s*\(/);
  return {
    name,
    kind,
    // What a nested object may lack says nothing of the object.
    isRequired: !OPTIONAL.test(COMPOSED.test(text) ? text : outline(text)),
    values: enumeration === undefined ? [] : stringsOf(resolved(enumeration, source)),
    limit:
      /\.\s*(?:min|max|length|nonempty|regex|startsWith|endsWith|includes|refine|superRefine|check|email|uuid|brand)\s*\((?:[^()]|\([^()]*\))*\)/
        .exec(text)?.[0]
        .replace(/\s+/g, ''),
  };
}

/** Values that no text of an article is. */
const STRUCTURED = /(?:\bz\s*\.\s*(?:object|strictObject|looseObject|record|map|tuple)|\breference)\s*\(/;

function kindOf(text: string): SchemaKey['kind'] {
  const is = (pattern: RegExp) => pattern.test(text);
  if (text.search(STRUCTURED) === 0) return 'other';
  if (is(/\bimage\s*\(\s*\)/)) return 'image';
  if (is(/\.\s*array\s*\(/)) return is(/\.\s*enum\s*\(/) || is(STRUCTURED) ? 'other' : 'list';
  if (is(/\.\s*enum\s*\(/)) return 'enum';
  if (is(/\bcoerce\s*\.\s*date\s*\(/)) return 'date';
  if (is(/\biso\s*\.\s*date\s*\(|\bstring\s*\(\s*\)\s*\.\s*date\s*\(/)) return 'day';
  if (is(/\.\s*string\s*\(/)) return is(/\.\s*url\s*\(/) ? 'url' : 'string';
  if (is(/\bz\s*\.\s*(?:url|httpUrl)\s*\(/)) return 'url';
  if (is(/\bz\s*\.\s*iso\s*\.\s*datetime\s*\(/)) return 'string';
  if (is(/\bz\s*\.\s*date\s*\(/)) return 'strict-date';
  if (is(/\.\s*boolean\s*\(/)) return 'boolean';
  if (is(/\.\s*number\s*\(/)) return 'number';
  return 'other';
}

/** The line that lets a strict schema accept Pressmark's key. */
export function strictEdit(files: SiteFiles, collection: Collection | undefined): FileEdit | undefined {
  const text = collection === undefined ? undefined : files.read(collection.configFile);
  const at = collection?.schema?.insertAt;
  if (collection === undefined || text === undefined || at === undefined || !refusesOurKey(collection))
    return undefined;
  const indent = /^[^\S\n]*\n([^\S\n]*)/.exec(text.slice(at))?.[1];
  const line = 'pressmark: z.unknown().optional(),';
  return {
    path: collection.configFile,
    text: `${text.slice(0, at)}${indent === undefined ? ` ${line}` : `\n${indent}${line}`}${text.slice(at)}`,
    reason: `the schema of ${collection.name} refuses keys that it does not name, and each article has a key pressmark`,
  };
}

/** Whether the schema refuses the key `pressmark`. */
export const refusesOurKey = ({ schema }: Collection): boolean =>
  schema?.isStrict === true && !schema.keys.some(({ name }) => name === 'pressmark');
