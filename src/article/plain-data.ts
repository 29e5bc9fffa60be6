/** A map of a configuration or of front matter that a person wrote; the types of its values are unknown. */
export type ValueMap = Readonly<Record<string, unknown>>;

/** Whether a value is a map. */
export function isMap(value: unknown): value is ValueMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as a map; empty if it is not one. */
export function mapOf(value: unknown): ValueMap {
  return isMap(value) ? value : {};
}

/** Removes the undefined properties of an object. */
export function defined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}

/** The trimmed text at a key; undefined if it is empty or not a text. */
export function textAt(map: ValueMap, key: string): string | undefined {
  const value = map[key];
  return typeof value === 'string' ? value.trim() || undefined : undefined;
}

/** A value as a list of texts; a single text is a list of one, and other values are dropped. */
export function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');
}

/** The distinct texts of a list by frequency, the most frequent first; equally frequent ones keep their order. */
export function byFrequency(values: readonly unknown[]): string[] {
  const counts = new Map<string, number>();
  for (const value of textsOf(values)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one).map(([text]) => text);
}
