import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';

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

/** A text with lines added at its end, with the line ends that the text has. */
export function withLines(text: string, lines: readonly string[]): string {
  if (lines.length === 0) return text;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' || text.endsWith('\n') ? '' : end;
  return `${text}${gap}${lines.join(end)}${end}`;
}

/** A change as `diff -u` prints it. Of a private file it shows no values, neither the new secret nor the owner's. */
export function diffOf({ path, before, after, secret }: Change): string {
  const shown = (text: string) => (secret === true ? masked(text) : text);
  const [old, now] = [shown(before ?? ''), shown(after)];
  if (old === now) return '';
  const from = before === undefined ? '/dev/null' : `a/${path}`;
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  return createTwoFilesPatch(from, `b/${path}`, old, now, undefined, undefined, options);
}

function masked(text: string): string {
  return text.replace(/[^\r\n]+/g, (line) =>
    line.startsWith('PRESSMARK_SECRET=') ? 'PRESSMARK_SECRET=<random>' : '<hidden>',
  );
}
