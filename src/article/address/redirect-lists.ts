import querystring from 'node:querystring';

/** The old and the new URL of an article. */
export interface MovedUrl {
  /** The article's file, below the folder of the site or of the posts. */
  readonly file: string;
  readonly old: string;
  readonly new: string;
}

const HEAD = 'file,old,new';

/**
 * What has moved, as a list for people and programs and as redirects for the host of the old addresses: Netlify's
 * `_redirects`, which others read too, and locations for an nginx server. Neither can tell old addresses apart that
 * differ in their query alone; those are in the list only.
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

/** A text in quotes; a path of another program may hold what ends a word or a quote. */
function inNginx(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** Reads the list that `redirectLists` has made. */
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
