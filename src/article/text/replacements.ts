/** A part of a text to be replaced, as offsets. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Replaces parts of a text, which are in order and do not overlap. */
export function withReplacements(source: string, replacements: readonly Replacement[]): string {
  let text = '';
  let at = 0;
  for (const { start, end, text: replacement } of replacements) {
    text += source.slice(at, start) + replacement;
    at = end;
  }
  return text + source.slice(at);
}
