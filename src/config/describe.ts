import type * as z from 'zod';
import { didYouMean, quote } from '../errors.js';

/** Tells the source of a setting for messages: a file, the environment or the command line. */
export type SourceOf = (key: PropertyKey | undefined) => string;

/** Describes the faults of the settings, one sentence each: the setting, what it must be, and its value. */
export function describe(
  error: z.ZodError,
  input: unknown,
  { schema, sourceOf }: { readonly schema: z.core.$ZodType; readonly sourceOf: SourceOf },
): string[] {
  const issues = error.issues.flatMap((issue) => innermost(issue, schema));
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => {
        const path = [...issue.path, key].join('.');
        return `${sourceOf(issue.path[0])}: there is no setting ${quote(path)}${insteadOf(key, issue.path, schema)}`;
      });
    const value = valueAt(input, issue.path);
    const found = value === undefined ? 'and is missing' : `got ${shown(value)}`;
    const meant = typeof value === 'string' ? didYouMean(value, wordsAt(schema, issue.path)) : '';
    return [`${sourceOf(issue.path[0])}: ${issue.path.join('.')} ${ruleOf(issue)}, ${found}${meant}`];
  });
}

/** The suggestion for an unknown key: the setting of this name at another place, or one with a similar name here. */
function insteadOf(key: string, path: readonly PropertyKey[], schema: z.core.$ZodType): string {
  if (/secret/i.test(key)) return '; the signing secret belongs in .env, as PRESSMARK_SECRET';
  const places = placesOf(schema, key);
  const depth = Math.min(...places.map(({ length }) => length));
  const outermost = places.filter(({ length }) => length === depth).map((place) => place.join('.'));
  return outermost.length > 0
    ? `; did you mean ${outermost.join(' or ')}?`
    : didYouMean(key, keysAt(schema, path));
}

/** The rule for a value. zod's own messages are about types. */
function ruleOf(issue: z.core.$ZodIssue): string {
  if (!/^(?:Invalid|Too )/.test(issue.message)) return issue.message;
  if (issue.code === 'invalid_type') return `must be ${TYPES[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `must be ${issue.values.map(shown).join(' or ')}`;
  if (issue.code === 'too_small')
    return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`;
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`;
  return 'is not a value that this setting can have';
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** The issues inside a value that may have several forms, if its form is recognisable; otherwise the issue itself. */
function innermost(issue: z.core.$ZodIssue, schema: z.core.$ZodType): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const isInside = (one: z.core.$ZodIssue) =>
    one.code === 'unrecognized_keys' || one.path.length > issue.path.length;
  const forms = formsOf(issue).filter((form) => form.every(isInside));
  // The form that has all given keys, if there is one.
  const meant = forms.filter((form) => form.every(({ code }) => code !== 'unrecognized_keys'));
  const [form, ...others] = meant.length > 0 ? meant : forms;
  if (form === undefined) return [issue];
  if (others.length === 0) return form.flatMap((one) => innermost(one, schema));
  // A key that no form has is unknown in each.
  const isUnknown = (one: z.core.$ZodIssue) =>
    one.code === 'unrecognized_keys' && one.keys.some((key) => !keysAt(schema, one.path).includes(key));
  return [form.find(isUnknown) ?? issue];
}

/** The issues of a value for each of its possible forms. */
function formsOf({ path, errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[][] {
  return errors.flatMap((form) => {
    const issues = form.map((inner) => ({ ...inner, path: [...path, ...inner.path] }));
    const [only] = issues;
    return only?.code === 'invalid_union' && only.path.length === path.length ? formsOf(only) : [issues];
  });
}

/** The forms that a value at a path may have. */
function formsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): z.core.$ZodTypes['_zod']['def'][] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const [key, ...below] = path;
  if ('innerType' in def) return formsAt(def.innerType, path);
  if (def.type === 'union') return def.options.flatMap((form) => formsAt(form, path));
  if (key === undefined) return [def];
  if (def.type === 'array') return formsAt(def.element, below);
  const inner = def.type === 'object' ? def.shape[String(key)] : undefined;
  return inner === undefined ? [] : formsAt(inner, below);
}

/** The allowed keys at a path, in any form of a setting. */
function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  return formsAt(schema, path).flatMap((form) => (form.type === 'object' ? Object.keys(form.shape) : []));
}

/** The words that a setting may have as its value. */
function wordsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  return formsAt(schema, path).flatMap((form) =>
    form.type === 'enum' ? Object.values(form.entries).map(String) : [],
  );
}

/** The paths of all settings with this key, except in lists. */
function placesOf(schema: z.core.$ZodType, key: string, above: readonly string[] = []): string[][] {
  return keysAt(schema, above).flatMap((name) => {
    const path = [...above, name];
    return name === key ? [path] : placesOf(schema, key, path);
  });
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return value;
}

/** The longest value that is shown in full, in characters. */
const MOST_SHOWN = 80;

/** Shortens a value for a message. Of a URL only the origin is shown: any other part may contain a token. */
export function shown(value: unknown): string {
  const text = (JSON.stringify(value) ?? String(value)).replace(/\/\/(?:[^\s"\\]|\\.)*/g, (url) => {
    // A password may contain characters that end the host of other URLs.
    const [, host] = /^\/\/(?:[^/?#]*@)?([^/?#@]*)(?:[/?#][^@]*)?$/.exec(url) ?? [];
    if (host === undefined) return '//…';
    return url === `//${host}` ? url : `//${host}/…`;
  });
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
