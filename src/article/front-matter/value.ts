import type { FrontMatterValue, Timestamp } from '../mapping.js';

/** The changes of a front matter, by key; undefined removes the key. */
export type FrontMatterChanges = ReadonlyMap<string, FrontMatterValue | undefined>;

/** A map of front matter values, within a front matter. */
export type FrontMatterMap = Readonly<Record<string, FrontMatterValue>>;

/** Whether a value is a date rather than a map. */
export function isTimestamp(value: FrontMatterValue): value is Timestamp {
  return typeof value === 'object' && 'kind' in value && value.kind === 'timestamp';
}

/** Whether a value is a list. */
export function isList(value: FrontMatterValue): value is readonly FrontMatterValue[] {
  return Array.isArray(value);
}

/** Whether a value is a map. */
export function isMap(value: FrontMatterValue | undefined): value is FrontMatterMap {
  return typeof value === 'object' && !isList(value) && !isTimestamp(value);
}

/**
 * A number as YAML 1.1, YAML 1.2, TOML and JSON read it: an exponent needs a fraction before it in YAML 1.1, and an
 * integer of more than 64 bits must not look like one in TOML.
 */
export function numberText(value: number): string {
  if (!Number.isFinite(value) || (Number.isInteger(value) && Number.isSafeInteger(value)))
    return String(value === 0 ? 0 : value);
  const text = Number.isInteger(value) ? value.toExponential() : String(value);
  return /^-?\d+e/.test(text) ? text.replace('e', '.0e') : text;
}

/** A piece of a text that is to be replaced; offsets. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text with pieces of it replaced, which are in their order and do not overlap. */
export function withReplacements(source: string, replacements: readonly Replacement[]): string {
  let text = '';
  let at = 0;
  for (const { start, end, text: replacement } of replacements) {
    text += source.slice(at, start) + replacement;
    at = end;
  }
  return text + source.slice(at);
}

/** An element of a list that commas separate, as offsets, and what shall stand there; undefined removes it. */
export interface ListedPiece {
  readonly start: number;
  readonly end: number;
  readonly text: string | undefined;
}

/**
 * The inside of a list with elements replaced, removed and added. A removed one takes the comma behind it along, the
 * last one the comma before it, unless a comment follows that comma.
 *
 * @param pieces the list's elements, all of them, in their order.
 * @param added further elements.
 * @param comma what separates an added element from the one before.
 * @returns the new text between `start` and `end`, and whether a comma must not follow it.
 */
export function editList(
  source: string,
  pieces: readonly ListedPiece[],
  added: readonly string[],
  comma: string,
): {
  readonly text: string;
  readonly isEmpty: boolean;
  readonly hasComma: boolean;
  readonly start: number;
  readonly end: number;
} {
  let text = '';
  let isEmpty = true;
  // What separates the last element that stays from the one behind it.
  let gap = '';
  pieces.forEach((piece, index) => {
    if (piece.text === undefined) return;
    text += gap + piece.text;
    gap = source.slice(piece.end, pieces[index + 1]?.start ?? piece.end);
    isEmpty = false;
  });
  let hasComma = gap.includes('#');
  if (hasComma) text += gap;
  for (const element of added) {
    text += isEmpty || hasComma ? element : comma + element;
    isEmpty = false;
    hasComma = false;
  }
  const start = pieces[0]?.start ?? source.length;
  return { text, isEmpty, hasComma, start, end: pieces.at(-1)?.end ?? start };
}
