import { isDeepStrictEqual } from 'node:util';
import { keyPath } from '../../article/format/key-path.js';
import type { FrontMatterValue, KeyNames } from '../../article/format/mapping.js';
import { byFrequency, defined, mapOf, textsOf, type ValueMap } from '../../article/plain-data.js';
import type { GeneratorOptions, Question } from '../generator.js';
import type { SitePost } from '../inspect/infer-pattern.js';
import { FIELD_NAMES, keysOfPosts } from '../inspect/post-fields.js';
import { KEYS } from './mapping.js';

/** One key of a collection's schema. */
export interface SchemaKey {
  readonly name: string;
  readonly kind:
    | 'string'
    | 'date'
    | 'day'
    | 'boolean'
    | 'list'
    | 'enum'
    | 'enums'
    /** The id of an entry of another collection, or a list of such ids. */
    | 'reference'
    | 'other';
  /** Whether Astro refuses a file without the key. */
  readonly isRequired: boolean;
  /** The values of an enum, or of the items of a list. */
  readonly values: readonly string[];
  /** The most characters of a text, or items of a list; undefined if there is no limit. */
  readonly longest: number | undefined;
  /** The fewest characters of a text, or items of a list. */
  readonly shortest: number | undefined;
}

/** The keys in a JSON schema that `astro sync` wrote; undefined if there is no schema. */
export function keysIn(schema: unknown, collection: string): readonly SchemaKey[] | undefined {
  const root = mapOf(schema);
  const { properties, required } = mapOf(mapOf(root.definitions)[collection] ?? root);
  if (properties === undefined) return undefined;
  const demanded = new Set(Array.isArray(required) ? required : []);
  const entries = Object.entries(mapOf(properties)).filter(([name]) => name !== '$schema');
  return entries.map(([name, value]) => ({
    name,
    kind: kindOf(mapOf(value)),
    isRequired: demanded.has(name),
    values: textsOf(mapOf(value).enum ?? mapOf(mapOf(value).items).enum),
    longest: limitIn(mapOf(value), ['maxLength', 'maxItems']),
    shortest: limitIn(mapOf(value), ['minLength', 'minItems']),
  }));
}

/** The first number under one of these names, in a schema or in one of its alternatives. */
function limitIn(schema: ValueMap, names: readonly string[]): number | undefined {
  const { anyOf } = schema;
  const choices = Array.isArray(anyOf)
    ? anyOf.map((one) => limitIn(mapOf(one), names))
    : names.map((name) => schema[name]);
  return choices.find((one) => typeof one === 'number');
}

function choicesOf(value: ValueMap): ValueMap[] {
  return Array.isArray(value.anyOf) ? value.anyOf.flatMap((one) => choicesOf(mapOf(one))) : [value];
}

function kindOf(value: ValueMap): SchemaKey['kind'] {
  const choices = choicesOf(value);
  const formats = choices.map(({ format }) => format);
  if (value.enum !== undefined) return 'enum';
  if (formats.includes('date-time')) return 'date';
  if (formats.includes('date')) return 'day';
  if (value.type === 'array') {
    const items = kindOf(mapOf(value.items));
    return items === 'string' ? 'list' : items === 'enum' ? 'enums' : items === 'reference' ? items : 'other';
  }
  if (choices.some(({ properties }) => mapOf(properties).collection !== undefined)) return 'reference';
  if (value.type === 'boolean') return 'boolean';
  return choices.some(({ type }) => type === 'string') ? 'string' : 'other';
}

/** The options that follow from the schema, besides the names of keys. */
type FieldOptions = Pick<
  GeneratorOptions,
  'dates' | 'knownAuthorsOnly' | 'categories' | 'limits' | 'slugKey'
>;

/**
 * The names and types of the fields, from the posts and the schema.
 *
 * @param refusesPictures whether the key of pictures does not take the address of a picture on another site.
 */
export function fieldsOf(
  schema: readonly SchemaKey[] | undefined,
  posts: readonly SitePost[],
  refusesPictures: (key: string) => boolean,
): { readonly keys: KeyNames; readonly options: FieldOptions; readonly hasKnownTags: boolean } {
  const none: KeyNames = { title: '', description: null, date: '', updated: null, tags: null, image: null };
  const used = keysOfPosts(posts, none);
  const kinds = new Map(schema?.map(({ name, kind }) => [name, kind]));
  const find = (field: keyof KeyNames, ...allowed: readonly SchemaKey['kind'][]): string | null => {
    const own = used[field] ?? null;
    if (schema === undefined || (own !== null && kinds.has(keyPath(own).key))) return own;
    return FIELD_NAMES[field].find((name) => allowed.includes(kinds.get(name) ?? 'other')) ?? null;
  };
  // If a schema requires a single date under another name, it is the publication date.
  const demanded = schema?.filter(({ kind, isRequired }) => isRequired && kind === 'date') ?? [];
  const only = demanded.length === 1 ? demanded[0]?.name : undefined;
  const date = find('date', 'date', 'day', 'string') ?? only ?? KEYS.date;
  const kind = kinds.get(date);
  const updated = find('updated', 'date', 'day', 'string');
  // Both dates are written in one form.
  const isOtherForm = updated !== null && kinds.get(updated) === 'string' && kind === 'date';
  const image = find('image', 'string');
  const author = find('author', 'string');
  const authorKind = author === null ? undefined : kinds.get(keyPath(author).key);
  const isAuthor = schema === undefined || ['string', 'list', 'reference'].includes(authorKind ?? 'other');
  const [category, canonical] = [used.category, used.canonical].map((path) =>
    path != null && (schema === undefined || kinds.has(keyPath(path).key)) ? path : null,
  );
  const title = find('title', 'string') ?? 'title';
  const description = find('description', 'string') ?? (schema === undefined ? 'description' : null);
  const tags = find('tags', 'list', 'enums');
  // Tags that must be in an enum or a collection are categories: an article gets only the known ones.
  const hasKnownTags = tags !== null && ['enums', 'reference'].includes(kinds.get(tags) ?? '');
  const known = schema?.find(({ name, kind }) => name === tags && kind === 'enums')?.values;
  const longest = (key: string | null) => schema?.find(({ name }) => name === key)?.longest;
  const limits = defined({
    title: longest(title),
    description: longest(description),
    descriptionFrom: schema?.find(({ name }) => name === description)?.shortest,
    tags: hasKnownTags ? undefined : longest(tags),
  });
  return {
    keys: {
      title,
      description,
      date,
      updated: isOtherForm ? null : updated,
      tags: hasKnownTags ? null : tags,
      image: image === null || refusesPictures(keyPath(image).key) ? null : image,
      ...(author !== null && isAuthor && { author }),
      ...(category != null ? { category } : hasKnownTags && { category: `${tags}[]` }),
      ...(canonical != null && { canonical }),
    },
    options: {
      ...((kind === 'string' || kind === 'day') && { dates: kind }),
      ...(authorKind === 'reference' && { knownAuthorsOnly: true }),
      ...(hasKnownTags && category == null && known !== undefined && { categories: known }),
      limits,
      ...(schema?.some((key) => key.name === 'slug' && isDemanded(key, posts)) && { slugKey: true }),
    },
    hasKnownTags,
  };
}

/** The keys that the schema requires besides the fields of an article. */
export function neededKeys(
  schema: readonly SchemaKey[] = [],
  posts: readonly SitePost[],
  { title, description, date, tags, author, canonical, image }: KeyNames,
): { readonly constants: Record<string, FrontMatterValue>; readonly questions: readonly Question[] } {
  const constants: Record<string, FrontMatterValue> = {};
  const questions: Question[] = [];
  for (const key of schema) {
    const { name, kind, values } = key;
    const isAuthor = author != null && keyPath(author).key === name;
    const isOurs =
      ['slug', title, description, date, tags, canonical].includes(name) ||
      (isAuthor && kind !== 'reference');
    if (isOurs || !isDemanded(key, posts)) continue;
    const given = posts.map(({ data }) => data[name]);
    const [usual] = byFrequency(given);
    if (kind === 'enum' && (usual ?? values[0]) !== undefined) constants[name] = usual ?? values[0] ?? '';
    else if (kind === 'boolean') constants[name] = false;
    else if (kind === 'list' || kind === 'enums') constants[name] = textsOf(sharedBy(given));
    else {
      const shared = sharedBy(given);
      const fallback = usual ?? (shared === undefined ? undefined : JSON.stringify(shared));
      const isImage = image !== null && keyPath(image).key === name;
      const text = `The schema requires the key ${name}, ${isImage ? 'and some articles have no picture. Which value do they get?' : isAuthor ? 'which refers to another collection. Which value do articles get if their author is not in it?' : 'which articles do not have. Which value do new articles get?'}`;
      questions.push({ flag: 'front-matter', text, key: name, ...(fallback !== undefined && { fallback }) });
    }
  }
  return { constants, questions };
}

/** Whether a post without the key is refused. A key that some posts lack is not required, whatever the schema says. */
function isDemanded({ name, isRequired }: SchemaKey, posts: readonly SitePost[]): boolean {
  return isRequired && posts.every(({ data }) => Object.hasOwn(data, name));
}

/** The value that all posts have; undefined if they differ. */
function sharedBy(values: readonly unknown[]): unknown {
  const [first, ...others] = values;
  return others.every((value) => isDeepStrictEqual(value, first)) ? first : undefined;
}
