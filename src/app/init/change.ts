/** A file that `init` writes: a new one, or one with something added. */
export interface Change {
  /** Below the site's folder, with forward slashes. */
  readonly path: string;
  /** The text that is there; undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
  /** What is done and why, such as `add .env to .gitignore`. */
  readonly reason: string;
  /** Permissions; default: those that the file has. */
  readonly mode?: number;
  /** Whether values in the file are private: a diff shows only their names. */
  readonly secret?: boolean;
}

/** The line ends that a text uses; a person's editor may not like a mixture. */
function lineEndOf(text: string): '\n' | '\r\n' {
  return /\r\n/.test(text) ? '\r\n' : '\n';
}

/** A text with lines added at its end. */
export function withLines(text: string, lines: readonly string[]): string {
  if (lines.length === 0) return text;
  const end = lineEndOf(text);
  const gap = text === '' || text.endsWith('\n') ? '' : end;
  return `${text}${gap}${lines.join(end)}${end}`;
}
