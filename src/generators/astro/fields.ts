import { mapOf, type ValueMap } from '../value.js';

/** One key of a collection's schema. */
export interface SchemaKey {
  readonly name: string;
  readonly kind: 'string' | 'date' | 'day' | 'boolean' | 'list' | 'enum' | 'other';
  /** Whether a file without the key is refused. */
  readonly isRequired: boolean;
  /** The values of an enum. */
  readonly values: readonly string[];
}

/** The keys in a JSON schema that `astro sync` has written; undefined where there is none. */
export function keysIn(schema: unknown, collection: string): readonly SchemaKey[] | undefined {
  const root = mapOf(schema);
  const { properties, required } = mapOf(mapOf(root.definitions)[collection] ?? root);
  if (properties === undefined) return undefined;
  const demanded = new Set(Array.isArray(required) ? required : []);
  return Object.entries(mapOf(properties))
    .filter(([name]) => name !== '$schema')
    .map(([name, value]) => ({
      name,
      kind: kindOf(mapOf(value)),
      isRequired: demanded.has(name),
      values: (mapOf(value).enum as string[] | undefined) ?? [],
    }));
}

function kindOf(value: ValueMap): SchemaKey['kind'] {
  const choices = Array.isArray(value.anyOf) ? value.anyOf.map(mapOf) : [value];
  const formats = choices.map(({ format }) => format);
  if (value.enum !== undefined) return 'enum';
  if (formats.includes('date-time')) return 'date';
  if (formats.includes('date')) return 'day';
  if (value.type === 'array') return mapOf(value.items).type === 'string' ? 'list' : 'other';
  if (value.type === 'boolean') return 'boolean';
  return choices.some(({ type }) => type === 'string') ? 'string' : 'other';
}
