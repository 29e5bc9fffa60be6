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

/** So many lines around a change are shown. */
const CONTEXT = 3;

/**
 * A change as `diff -u` prints it, as one part from the first line that differs to the last. Of a private file it shows
 * no values, neither the new secret nor the owner's.
 */
export function diffOf({ path, before, after, secret }: Change): string {
  const [old, now] = [before ?? '', after].map((text) => linesOf(secret === true ? masked(text) : text));
  if (old === undefined || now === undefined || old.join('') === now.join('')) return '';
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const from = Math.max(0, head - CONTEXT);
  const behind = Math.max(0, tail - CONTEXT);
  const range = (lines: readonly string[]) => {
    const count = lines.length - behind - from;
    return `${count === 0 ? from : from + 1},${count}`;
  };
  const marked = (mark: string, lines: readonly string[]) =>
    lines.map((line) => `${mark}${line}${line.endsWith('\n') ? '' : '\n\\ No newline at end of file\n'}`);
  return [
    `--- ${before === undefined ? '/dev/null' : `a/${path}`}\n+++ b/${path}\n@@ -${range(old)} +${range(now)} @@\n`,
    ...marked(' ', now.slice(from, head)),
    ...marked('-', old.slice(head, old.length - tail)),
    ...marked('+', now.slice(head, now.length - tail)),
    ...marked(' ', now.slice(now.length - tail, now.length - behind)),
  ].join('');
}

/** Lines with their line ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function masked(text: string): string {
  return text.replace(/[^\r\n]+/g, (line) =>
    line.startsWith('PRESSMARK_SECRET=') ? 'PRESSMARK_SECRET=<random>' : '<hidden>',
  );
}
