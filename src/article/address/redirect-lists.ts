import querystring from 'node:querystring';

/** The old and the new URL of an article. */
export interface MovedUrl {
  /** The article's file, relative to the folder of the site or of the posts. */
  readonly file: string;
  readonly old: string;
  readonly new: string;
}

const HEAD = 'file,old,new';

/**
 * Makes a list of moved articles for people and programs, and redirects for the host of the old addresses: Netlify's
 * `_redirects`, which other hosts read too, and locations for nginx. Neither can distinguish old addresses that differ only in
 * their query; those are only in the list.
 */
export function redirectLists(urls: readonly MovedUrl[]): { readonly name: string; readonly text: string }[] {
  const rows = urls.map(({ file, old, new: url }) => [file, old, url].map(quoted).join(','));
  const paths = urls.flatMap(({ old, new: url }) => {
    const { pathname, search } = new URL(old);
    return search === '' ? [{ pathname, url }] : [];
  });
  return [
    { name: 'urls.csv', text: textOf([HEAD, ...rows]) },
    { name: '_redirects', text: textOf(paths.map(({ pathname, url }) => `${pathname} ${url} 301`)) },
    {
      name: 'nginx.conf',
      text: textOf(
        paths.map(
          ({ pathname, url }) =>
            `location = ${inNginx(querystring.unescape(pathname))} { return 301 ${inNginx(url.replaceAll('$', '%24'))}; }`,
        ),
      ),
    },
  ];
}

/** Quotes a text; a path of another program may contain characters that end a word or a quote. */
function inNginx(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** Reads the list that `redirectLists` made. */
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
