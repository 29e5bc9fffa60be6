/** A larger part of a text that differs is shown as removed and added whole. */
const MAX_COMPARISONS = 4_000_000;
const CONTEXT = 3;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/**
 * The difference of two texts as `diff -u` prints it; empty where there is none.
 *
 * @param before undefined for a new file.
 */
export function unifiedDiff(path: string, before: string | undefined, after: string): string {
  const lines = compared(linesOf(before ?? ''), linesOf(after));
  const changed = lines.flatMap(({ mark }, index) => (mark === ' ' ? [] : [index]));
  if (changed.length === 0) return '';
  const hunks = hunksOf(changed, lines.length).map(([from, to]) => hunkText(lines, from, to));
  const head = before === undefined ? '--- /dev/null' : `--- a/${path}`;
  return `${head}\n+++ b/${path}\n${hunks.join('')}`;
}

/** Lines with their line ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Which lines are in both texts: a longest common subsequence of what is between their common ends. */
function compared(before: readonly string[], after: readonly string[]): Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < Math.min(before.length, after.length) - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++;
  const same = (text: string): Line => ({ mark: ' ', text });
  return [
    ...before.slice(0, head).map(same),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

function middle(before: readonly string[], after: readonly string[]): Line[] {
  if (before.length * after.length > MAX_COMPARISONS)
    return [
      ...before.map((text): Line => ({ mark: '-', text })),
      ...after.map((text): Line => ({ mark: '+', text })),
    ];
  // lengths[i][j]: of the longest common subsequence of before from i on and after from j on
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (row === undefined) continue;
      row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const lines: Line[] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    const isSame = i < before.length && j < after.length && before[i] === after[j];
    if (isSame) lines.push({ mark: ' ', text: before[i] ?? '' });
    else if (i < before.length && (j === after.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ mark: '-', text: before[i++] ?? '' });
      continue;
    } else {
      lines.push({ mark: '+', text: after[j++] ?? '' });
      continue;
    }
    i++;
    j++;
  }
  return lines;
}

/** Groups of changed lines with the lines around them: [from, to). */
function hunksOf(changed: readonly number[], length: number): [number, number][] {
  const hunks: [number, number][] = [];
  for (const index of changed) {
    const from = Math.max(0, index - CONTEXT);
    const to = Math.min(length, index + CONTEXT + 1);
    const last = hunks.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else hunks.push([from, to]);
  }
  return hunks;
}

function hunkText(lines: readonly Line[], from: number, to: number): string {
  const count = (part: readonly Line[], other: '-' | '+') => part.filter(({ mark }) => mark !== other).length;
  const range = (other: '-' | '+') => {
    const length = count(lines.slice(from, to), other);
    const start = count(lines.slice(0, from), other) + (length === 0 ? 0 : 1);
    return length === 1 ? `${start}` : `${start},${length}`;
  };
  const body = lines
    .slice(from, to)
    .map(
      ({ mark, text }) => `${mark}${text}${text.endsWith('\n') ? '' : '\n\\ No newline at end of file\n'}`,
    );
  return `@@ -${range('+')} +${range('-')} @@\n${body.join('')}`;
}
