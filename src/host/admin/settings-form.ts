import type { StandardSchemaV1 } from '@standard-schema/spec';

/** The kind of value that a field takes. */
export type FieldKind =
  | { readonly kind: 'text' }
  | { readonly kind: 'number'; readonly isWhole: boolean }
  /** A list of texts, one in each line. */
  | { readonly kind: 'lines' }
  | { readonly kind: 'switch' }
  /** Plain values, such as texts and numbers. */
  | { readonly kind: 'choice'; readonly choices: readonly unknown[] }
  /** Anything else, as JSON. */
  | { readonly kind: 'json' }
  /** A secret, which belongs in `.env`. */
  | { readonly kind: 'secret' };

/** An error in an option. */
export interface OptionFault {
  /** Where, such as `colours.0`; empty for the options as a whole. */
  readonly path: string;
  readonly text: string;
}

/** An option of a plugin, in a form. */
export interface SettingField {
  /** The option's name. */
  readonly key: string;
  readonly label: string;
  /** Its description; empty if the schema has none. */
  readonly help: string;
  readonly type: FieldKind;
  readonly isRequired: boolean;
  /** The default, as the field would show it. */
  readonly fallback: string;
}

/** The value of a text from a form; `unset` if nothing was entered. */
export type EnteredValue =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'unset' }
  | { readonly kind: 'wrong'; readonly text: string };

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The fields of a form for a plugin's options.
 *
 * @param schema undefined if the plugin takes none.
 * @returns undefined if the schema cannot be converted to JSON Schema, or does not describe an object with known keys.
 */
export function fieldsOfOptions(schema: StandardSchemaV1 | undefined): readonly SettingField[] | undefined {
  try {
    return schema === undefined ? undefined : fieldsOfSchema(jsonSchemaOf(schema));
  } catch {
    return undefined; // the schema has what JSON Schema cannot say, or is of another version of the library
  }
}

/** The schema as JSON Schema, if the schema's library can convert it. */
function jsonSchemaOf(schema: StandardSchemaV1): unknown {
  const standard: { vendor: string; jsonSchema?: { input?(options: { target: string }): unknown } } =
    schema['~standard'];
  return standard.jsonSchema?.input?.({ target: 'draft-2020-12' });
}

/** The fields of a form for a JSON Schema; undefined if it does not describe an object with known keys. */
function fieldsOfSchema(schema: unknown): readonly SettingField[] | undefined {
  const { type, properties, required } = objectOf(schema);
  if (type !== 'object' || properties === undefined) return undefined;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields = Object.entries(objectOf(properties)).map(([key, property]): SettingField => {
    const given = objectOf(property);
    const kind = kindOf(given);
    return {
      key,
      label: textIn(given.title) || key,
      help: textIn(given.description),
      type: kind,
      isRequired: needed.includes(key) && given.default === undefined,
      fallback: given.default === undefined ? '' : shownValue(kind, given.default),
    };
  });
  return fields.length === 0 ? undefined : fields;
}

function kindOf(schema: JsonSchema): FieldKind {
  if (schema.writeOnly === true || schema.format === 'password') return { kind: 'secret' };
  const choices = choicesOf(schema);
  if (choices !== undefined) return { kind: 'choice', choices };
  if (schema.type === 'string') return { kind: 'text' };
  if (schema.type === 'boolean') return { kind: 'switch' };
  if (schema.type === 'number' || schema.type === 'integer')
    return { kind: 'number', isWhole: schema.type === 'integer' };
  const { type, enum: values } = objectOf(schema.items);
  return schema.type === 'array' && type === 'string' && values === undefined
    ? { kind: 'lines' }
    : { kind: 'json' };
}

/** The possible values, if there are only a few plain ones. */
function choicesOf({ enum: values, anyOf, oneOf }: JsonSchema): readonly unknown[] | undefined {
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
  if (Array.isArray(values)) return values.every(isPlain) ? values : undefined;
  const forms = anyOf ?? oneOf;
  if (!Array.isArray(forms) || forms.length === 0) return undefined;
  const constants = forms.map((form) => objectOf(form).const);
  return constants.every(isPlain) ? constants : undefined;
}

/** A value as its field shows it; empty if it is not set. */
export function shownValue(type: FieldKind, value: unknown): string {
  if (value === undefined) return '';
  if (type.kind === 'lines' && isTexts(value)) return value.join('\n');
  if (type.kind === 'text' && typeof value === 'string') return value;
  return JSON.stringify(value, null, type.kind === 'json' ? 2 : 0) ?? '';
}

/** The value that was entered in a field. */
export function enteredValue(type: FieldKind, given: string): EnteredValue {
  const text = given.replace(/\r\n?/g, '\n');
  if (text.trim() === '') return { kind: 'unset' };
  switch (type.kind) {
    case 'text':
      return { kind: 'value', value: text };
    case 'lines':
      return {
        kind: 'value',
        value: text
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== ''),
      };
    case 'number': {
      const value = Number(text);
      if (!Number.isFinite(value)) return { kind: 'wrong', text: 'it must be a number' };
      return { kind: 'value', value };
    }
    case 'switch':
    case 'choice': {
      const value = parsed(text);
      const choices = type.kind === 'switch' ? [true, false] : type.choices;
      if (value.kind === 'value' && choices.includes(value.value)) return value;
      return { kind: 'wrong', text: 'it must be one of the values of the list' };
    }
    case 'json':
      return parsed(text);
    case 'secret':
      return { kind: 'wrong', text: 'a secret belongs in .env' };
  }
}

function parsed(text: string): EnteredValue {
  try {
    return { kind: 'value', value: JSON.parse(text) };
  } catch {
    return { kind: 'wrong', text: 'it must be JSON' };
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function objectOf(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {};
}
