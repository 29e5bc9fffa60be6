/** The old and the new URL of an article. */
export interface MovedUrl {
  /** Below the site's folder. */
  readonly file: string;
  readonly old: string;
  readonly new: string;
}

const HEAD = 'file,old,new';

/** The list of a move, for people and for programs, and as redirects for the host of the old address. */
export function listFiles(urls: readonly MovedUrl[]): { readonly name: string; readonly text: string }[] {
  const rows = urls.map(({ file, old, new: url }) => [file, old, url].map(quoted).join(','));
  const redirects = urls.map(({ old, new: url }) => `${new URL(old).pathname} ${url} 301`);
  return [
    { name: 'urls.csv', text: textOf([HEAD, ...rows]) },
    { name: '_redirects', text: textOf(redirects) },
  ];
}

/** Reads what `listFiles` has written. */
export function readList(csv: string): MovedUrl[] {
  return [...csv.matchAll(/^"((?:[^"]|"")*)","((?:[^"]|"")*)","((?:[^"]|"")*)"$/gm)].map(
    ([, file = '', old = '', url = '']) => ({
      file: unquoted(file),
      old: unquoted(old),
      new: unquoted(url),
    }),
  );
}

function quoted(field: string): string {
  return `"${field.replaceAll('"', '""')}"`;
}

function unquoted(field: string): string {
  return field.replaceAll('""', '"');
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
