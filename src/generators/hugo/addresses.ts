import type { AddressQuery, ListedPage } from '../generator.js';

/** How Hugo lists its pages: one line of comma-separated values for each, the names of the columns in the first. */
export function addressQuery(): AddressQuery {
  return { command: 'hugo list all', parse };
}

function parse(printed: string, siteUrl: string): ListedPage[] {
  const [head = [], ...rows] = csvRows(printed);
  const [path, permalink, draft] = ['path', 'permalink', 'draft'].map((name) => head.indexOf(name));
  if (path === undefined || path === -1 || permalink === undefined || permalink === -1)
    throw new SyntaxError('it has no columns path and permalink');
  const base = new URL(siteUrl).pathname.replace(/\/$/, '');
  return rows.flatMap((row) => {
    const [file, url] = [row[path], row[permalink]];
    if (!file || !url || row[draft ?? -1] === 'true') return [];
    const { pathname } = new URL(url, siteUrl);
    return [
      { path: file, address: pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname },
    ];
  });
}

/** The rows of comma-separated values; a value in quotes may hold commas, line ends and doubled quotes. */
function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain.replace(/\r$/, ''));
    if (end === ',') continue;
    if (row.length > 1) rows.push(row);
    row = [];
  }
  return rows;
}
