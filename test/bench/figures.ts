/** The value below which the share `q` of the values lies. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** A line of the report: two sides of one comparison, taken in turn in the same run, or two plain figures. */
export interface Row {
  readonly what: string;
  readonly ours: string;
  readonly against: string;
  /** The median of the rounds' own ratios. */
  readonly ratio?: number;
  readonly goal?: Goal;
}

/** What a ratio is to be. */
export interface Goal {
  readonly kind: 'at least' | 'at most';
  readonly value: number;
}

/** Whether a row's goal is met; true where it has none. */
export function meetsGoal({ ratio, goal }: Row): boolean {
  if (goal === undefined || ratio === undefined) return true;
  return goal.kind === 'at least' ? ratio >= goal.value : ratio <= goal.value;
}

/** Rows as a Markdown table. */
export function table(heads: readonly [string, string, string], rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const goal = row.goal === undefined ? '' : `${row.goal.kind} ${row.goal.value}`;
    const verdict = row.goal === undefined ? '' : meetsGoal(row) ? ', met' : ', missed';
    return `| ${row.what} | ${row.ours} | ${row.against} | ${row.ratio?.toFixed(2) ?? ''} | ${goal}${verdict} |`;
  });
  return [`| ${heads.join(' | ')} | ratio | goal |`, '|---|---|---|---|---|', ...lines].join('\n');
}

/** A figure with its thousands set off, so that tables read well. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export function milliseconds(value: number): string {
  return value < 100 ? `${value.toFixed(1)} ms` : `${count(value)} ms`;
}

/** The median of `figure` over the rounds. */
export function medianOf<T>(rounds: readonly T[], figure: (round: T) => number): number {
  return median(rounds.map(figure));
}
