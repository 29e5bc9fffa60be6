import type { FrontMatterValue, Timestamp } from '../format/mapping.js';

/** The changes of a front matter, by key; undefined removes the key. */
export type FrontMatterChanges = ReadonlyMap<string, FrontMatterValue | undefined>;

/** Whether a value is a date rather than a map. */
export function isTimestamp(value: FrontMatterValue): value is Timestamp {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'timestamp';
}

/** Whether a value is a list. */
export function isList(value: FrontMatterValue): value is readonly FrontMatterValue[] {
  return Array.isArray(value);
}

/** Whether a value is a map. */
export function isMap(
  value: FrontMatterValue | undefined,
): value is Readonly<Record<string, FrontMatterValue>> {
  return typeof value === 'object' && value !== null && !isList(value) && !isTimestamp(value);
}

/** A value in the form of `readFrontMatter`; `scalar` converts dates and numbers. */
export function plainValue(
  value: FrontMatterValue,
  scalar: (one: Timestamp | number) => unknown = (one) => (typeof one === 'number' ? one : one.text),
): unknown {
  if (isTimestamp(value)) return scalar(value);
  // Some formats have no negative zero.
  if (typeof value === 'number') return scalar(value === 0 ? 0 : value);
  if (isList(value)) return value.map((item) => plainValue(item, scalar));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, plainValue(child, scalar)]));
}
